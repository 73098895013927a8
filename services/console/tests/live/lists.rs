//! Reading what waits.

use contracts::console::{DeadLetterGroups, DeadLetterRow};
use pipeline::dead_letters::Queue;

use crate::base::{Console, OPERATOR, console};

async fn orders(it: &Console, query: &str) -> Vec<String> {
    let rows = it.list(query).await.rows;
    rows.into_iter().filter_map(|row| row.order_id).collect()
}

#[tokio::test]
async fn the_list_shows_what_is_open_unless_another_state_is_asked_for() {
    let it = console("list_states").await;
    let first = it.waiting("ORD-1").await;
    it.waiting("ORD-2").await;
    it.stray(Queue::Invalid, b"\xff").await;
    let _done = it.act(first, "abandon").await;
    assert_eq!(orders(&it, "").await, ["ORD-2", "ORD-nobody"]);
    assert_eq!(orders(&it, "state=open").await, ["ORD-2", "ORD-nobody"]);
    assert_eq!(orders(&it, "state=abandoned").await, ["ORD-1"]);
    assert_eq!(orders(&it, "state=all").await, ["ORD-1", "ORD-2", "ORD-nobody"]);
    assert_eq!(orders(&it, "class=unknown_order").await, ["ORD-nobody"]);
    assert_eq!(
        orders(&it, "queue=orders.process.dlq&state=all").await,
        ["ORD-1", "ORD-2"]
    );
    assert_eq!(orders(&it, "order_id=ORD-1").await, [""; 0]);
    assert_eq!(orders(&it, "order_id=ORD-1&state=all&class=refused").await, ["ORD-1"]);
}

#[tokio::test]
async fn a_row_says_why_and_nothing_of_the_customer() {
    let it = console("list_row").await;
    let entry = it.waiting("ORD-1").await;
    let reply = it.server.get("/dead-letters").await;
    for secret in ["Reforma", "Puebla", "72000", "285", "C-1"] {
        assert!(!reply.text.contains(secret), "{secret} is in {}", reply.text);
    }
    let row: DeadLetterRow = it.list("").await.rows.remove(0);
    assert_eq!(row.id, entry.to_string());
    assert_eq!(
        (&*row.class, row.step.as_deref(), row.attempt),
        ("refused", Some("check_stock"), 2)
    );
    assert_eq!(
        (row.of_order, row.generation, &*row.queue),
        (true, 1, "orders.process.dlq")
    );
    assert_eq!(row.reason, "unknown-sku: «Ñ»");
}

#[tokio::test]
async fn pages_are_followed_to_their_end() {
    let it = console("list_pages").await;
    for n in 0..5_u8 {
        it.stray(Queue::Process, &[n]).await;
    }
    let mut query = "limit=2".to_owned();
    let mut seen = vec![];
    for rows in [2, 2, 1] {
        let page = it.list(&query).await;
        assert_eq!(page.rows.len(), rows);
        seen.extend(page.rows.into_iter().map(|row| row.id));
        query = format!("limit=2&after={}", page.next.unwrap_or_default());
    }
    assert_eq!(query, "limit=2&after=", "the last page has no next");
    let all: Vec<_> = it.list("limit=0").await.rows.into_iter().map(|row| row.id).collect();
    assert_eq!(all, seen[..1], "a page has one row at least");
    assert_eq!(it.list("limit=4000000000").await.rows.len(), 5);
}

#[tokio::test]
async fn a_filter_that_could_never_match_is_told() {
    let it = console("list_refusals").await;
    for (query, status, problem, field) in [
        ("state=gone", 422, "invalid", "state"),
        ("state=Open", 422, "invalid", "state"),
        ("class=malformed", 422, "invalid", "class"),
        ("queue=orders.process", 422, "invalid", "queue"),
        ("order_id=a%20b", 422, "invalid", "order_id"),
        ("order_id=", 422, "invalid", "order_id"),
        ("after=1", 400, "malformed", "after"),
    ] {
        let reply = it.server.get(&format!("/dead-letters?{query}")).await;
        assert_eq!(
            (reply.status, reply.problem().as_str()),
            (status, problem),
            "{query}: {}",
            reply.text
        );
        assert_eq!(reply.json()["field"], field, "{query}: {}", reply.text);
    }
    for query in ["limit=many", "limit=-1", "limit=1&limit=2"] {
        let reply = it.server.get(&format!("/dead-letters?{query}")).await;
        assert_eq!(
            (reply.status, reply.problem().as_str()),
            (400, "malformed"),
            "{query}: {}",
            reply.text
        );
    }
}

#[tokio::test]
async fn causes_are_counted() {
    let it = console("list_groups").await;
    assert_eq!(
        it.server
            .get("/dead-letters/groups")
            .await
            .ok::<DeadLetterGroups>()
            .groups,
        []
    );
    it.stray(Queue::Process, b"1").await;
    it.waiting("ORD-1").await;
    it.waiting("ORD-2").await;
    let gone = it.waiting("ORD-3").await;
    let _done = it.act(gone, "replay").await;
    let groups = it
        .server
        .get("/dead-letters/groups")
        .await
        .ok::<DeadLetterGroups>()
        .groups;
    let told: Vec<_> = groups.iter().map(|group| (group.count, &*group.class)).collect();
    assert_eq!(told, [(2, "refused"), (1, "unknown_order")]);
}

#[tokio::test]
async fn one_is_shown_whole() {
    let it = console("show").await;
    let entry = it.waiting("ORD-1").await;
    let view = it.view(entry).await;
    assert!(view.body.unwrap().contains("ñandú"));
    assert_eq!((view.body_hex, view.closed), (None, None));
    assert_eq!(view.properties["headers"]["generation"]["i64"], 1);
    let binary = it.stray(Queue::Invalid, b"\xff\0").await;
    let view = it.view(binary).await;
    assert_eq!(
        (view.body, view.body_hex.as_deref(), view.row.of_order),
        (None, Some("ff00"), false)
    );
    let _done = it.act(binary, "discard").await;
    let closed = it.view(binary).await.closed.unwrap();
    assert_eq!(
        (closed.by.as_str(), closed.reason.as_str()),
        (OPERATOR, "the shop says so")
    );
    for unknown in [
        "00000000-0000-0000-0000-000000000000",
        "1",
        "%00",
        "..%2fgroups",
        "ORD-1",
    ] {
        let reply = it.server.get(&format!("/dead-letters/{unknown}")).await;
        assert_eq!(
            (reply.status, reply.problem().as_str()),
            (404, "not-found"),
            "{unknown}: {}",
            reply.text
        );
    }
}
