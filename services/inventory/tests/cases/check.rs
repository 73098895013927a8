use contracts::inventory::{CheckAnswer, CheckedLine};
use serde_json::json;
use time::Duration;

use super::{CHECK, COMMIT, NOW, World, commit};

#[tokio::test]
async fn a_check_tells_each_line_in_its_order_and_changes_nothing() {
    let world = World::with_stock(
        "check_lines",
        &[("A", "WH-MX-1", 3), ("B", "WH-MX-1", 0), ("C", "WH-MX-2", 1)],
    )
    .await;
    let before = world.movements().await;
    let items = json!([
        { "sku": "C", "qty": 1 },
        { "sku": "A", "qty": 2, "warehouse": "WH-MX-1" },
        { "sku": "B", "qty": 1 },
        { "sku": "A", "qty": 2, "warehouse": "WH-MX-1" },
    ]);
    let answer: CheckAnswer = world
        .server
        .post(CHECK, &json!({ "country": "MX", "items": items }))
        .await
        .ok();
    let lines: Vec<_> = answer
        .lines
        .iter()
        .map(|line| (line.sku.as_str(), line.available))
        .collect();
    assert_eq!(
        lines,
        [("C", true), ("A", false), ("B", false), ("A", false)],
        "two lines of A are one demand for 4"
    );
    assert_eq!(answer.lines[0].warehouse.as_deref(), Some("WH-MX-2"));
    assert_eq!(world.movements().await, before);
    let unknown = world
        .server
        .post(CHECK, &json!({ "country": "MX", "items": [{ "sku": "X", "qty": 1 }] }))
        .await;
    assert_eq!((unknown.status, unknown.problem().as_str()), (404, "unknown-sku"));
}

#[tokio::test]
async fn a_check_counts_what_the_order_holds_itself() {
    let world = World::with_stock("check_own", &[("A", "WH-MX-1", 1)]).await;
    let reservation = world.reserved("ORD-1", &[("A", 1, None)]).await.reservation_id;
    let line = async |order: &str| {
        let request = json!({ "order_id": order, "country": "MX", "items": [{ "sku": "A", "qty": 1 }] });
        let answer: CheckAnswer = world.server.post(CHECK, &request).await.ok();
        (answer.lines[0].available, answer.lines[0].reserved_until)
    };
    let ends = NOW.replace_nanosecond(0).unwrap() + Duration::hours(1);
    assert_eq!(line("ORD-1").await, (true, Some(ends)));
    assert_eq!(line("ORD-2").await, (false, None));
    assert_eq!(
        world.post(COMMIT, "K", &commit("ORD-1", &reservation)).await.status,
        200
    );
    assert_eq!(line("ORD-1").await, (true, None));
}

#[tokio::test]
async fn one_line_can_be_checked_by_query() {
    let world = World::with_stock("check_one", &[("A", "WH-MX-1", 3), ("A", "WH-MX-2", 9)]).await;
    let ask = async |query: &str| world.server.get(&format!("{CHECK}?{query}")).await;
    let line: CheckedLine = ask("sku=A&qty=3&warehouse=WH-MX-1").await.ok();
    assert_eq!((line.available, line.warehouse.as_deref()), (true, Some("WH-MX-1")));
    let line: CheckedLine = ask("sku=A&qty=4&warehouse=WH-MX-1").await.ok();
    assert_eq!((line.available, line.warehouse.as_deref()), (true, Some("WH-MX-2")));
    let line: CheckedLine = ask("sku=A&qty=10&warehouse=WH-MX-1").await.ok();
    assert_eq!((line.available, line.warehouse), (false, None));
    for (query, status, problem) in [
        ("sku=X&qty=1&warehouse=WH-MX-1", 404, "unknown-sku"),
        ("sku=A&qty=1", 400, "malformed"),
        ("sku=A&qty=many&warehouse=WH-MX-1", 400, "malformed"),
        ("sku=A&qty=0&warehouse=WH-MX-1", 422, "invalid"),
        ("sku=A&qty=1&warehouse=Madrid", 422, "invalid"),
    ] {
        let reply = ask(query).await;
        assert_eq!((reply.status, reply.problem().as_str()), (status, problem), "{query}");
    }
}
