use contracts::inventory::ReserveAnswer;
use contracts::problem::Problem;
use serde_json::{Value, json};
use testkit::manners;
use time::Duration;

use super::{NOW, RESERVE, World, reserve};

#[tokio::test]
async fn goods_are_reserved_once_and_found_again() {
    let world = World::with_stock("reserve_once", &[("A", "WH-MX-1", 9), ("B", "WH-MX-1", 9)]).await;
    let request = reserve("ORD-1", &[("B", 2, None), ("A", 1, Some("WH-MX-1")), ("B", 1, None)]);
    let other = reserve("ORD-1", &[("A", 2, None)]);
    let answer = manners::acts_once(&world.router, &world.server, RESERVE, &request, &other).await;
    let answer: ReserveAnswer = serde_json::from_value(answer).unwrap();
    assert!(
        answer.reservation_id.starts_with("RSV-2026-"),
        "{}",
        answer.reservation_id
    );
    assert_eq!(answer.status, "confirmed");
    assert_eq!(
        answer.expires_at,
        NOW.replace_nanosecond(0).unwrap() + Duration::hours(1)
    );
    let lines: Vec<_> = answer
        .lines
        .iter()
        .map(|line| (line.sku.as_str(), line.qty, line.warehouse.as_str()))
        .collect();
    assert_eq!(lines, [("A", 1, "WH-MX-1"), ("B", 3, "WH-MX-1")]);
    assert!((answer.lines[0].weight_kg - 1.5).abs() < f64::EPSILON);

    let effects = manners::effects(&world.server).await;
    assert_eq!(effects.len(), 1);
    assert_eq!(
        (effects[0].kind.as_str(), &effects[0].subject),
        ("reservation.confirmed", &answer.reservation_id)
    );
    assert_eq!(effects[0].parts, ["A:WH-MX-1:1", "B:WH-MX-1:3"]);
    let reserved: Vec<_> = world
        .movements()
        .await
        .into_iter()
        .filter(|m| m.kind == "reserve")
        .collect();
    assert!(
        reserved
            .iter()
            .all(|movement| movement.order_id.as_deref() == Some("ORD-1"))
    );
    assert_eq!(
        reserved.iter().map(|movement| movement.units).collect::<Vec<_>>(),
        [1, 3]
    );
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_service_that_starts_again_remembers() {
    let world = World::with_stock("reserve_again", &[("A", "WH-MX-1", 1)]).await;
    let first = world.reserved("ORD-1", &[("A", 1, None)]).await;
    let world = world.again().await;
    let again = world
        .post(RESERVE, "ORD-1-reserve", &reserve("ORD-1", &[("A", 1, None)]))
        .await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.ok::<ReserveAnswer>(), first);
    let next = world.post(RESERVE, "K", &reserve("ORD-2", &[("A", 1, None)])).await;
    assert_eq!(next.problem(), "out-of-stock");
}

#[tokio::test]
async fn all_lines_or_none_and_the_short_ones_are_named() {
    let shelves = [
        ("A", "WH-MX-1", 2),
        ("A", "WH-MX-2", 2),
        ("B", "WH-MX-1", 5),
        ("A", "WH-BR-1", 90),
    ];
    let world = World::with_stock("reserve_short", &shelves).await;
    let short = world
        .post(RESERVE, "K", &reserve("ORD-1", &[("A", 3, None), ("B", 1, None)]))
        .await;
    assert_eq!((short.status, short.problem().as_str()), (409, "out-of-stock"));
    let lines = short.read::<Problem>().lines;
    assert_eq!(lines.len(), 1);
    assert_eq!(
        (lines[0].sku.as_str(), lines[0].wanted, lines[0].available),
        ("A", 3, 2)
    );
    let unknown = world
        .post(RESERVE, "K", &reserve("ORD-1", &[("A", 3, None), ("C", 1, None)]))
        .await;
    assert_eq!((unknown.status, unknown.problem().as_str()), (404, "unknown-sku"));
    assert!(unknown.text.contains("C was never delivered"), "{}", unknown.text);
    assert!(
        world
            .movements()
            .await
            .iter()
            .all(|movement| movement.kind == "delivery")
    );

    let delivered = world.deliver(&super::delivery(&[("A", "WH-MX-2", 1)])).await;
    assert_eq!(delivered.status, 200);
    let judged_anew = world
        .post(RESERVE, "K", &reserve("ORD-1", &[("A", 3, None), ("B", 1, None)]))
        .await;
    let places: Vec<_> = judged_anew
        .ok::<ReserveAnswer>()
        .lines
        .into_iter()
        .map(|line| line.warehouse)
        .collect();
    assert_eq!(places, ["WH-MX-2", "WH-MX-1"]);
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_preferred_warehouse_serves_even_from_abroad_and_others_of_the_country_when_it_cannot() {
    let world = World::with_stock(
        "reserve_hint",
        &[("A", "WH-BR-1", 1), ("A", "WH-MX-7", 1), ("A", "WH-CL-1", 1)],
    )
    .await;
    let place = async |order: &str| {
        world.reserved(order, &[("A", 1, Some("WH-BR-1"))]).await.lines[0]
            .warehouse
            .clone()
    };
    assert_eq!(place("ORD-1").await, "WH-BR-1");
    assert_eq!(place("ORD-2").await, "WH-MX-7");
    let abroad = world
        .post(RESERVE, "K", &reserve("ORD-3", &[("A", 1, Some("WH-BR-1"))]))
        .await;
    assert_eq!(abroad.problem(), "out-of-stock");
}

#[tokio::test]
async fn another_generation_does_not_reserve_beside_the_first() {
    let world = World::with_stock("reserve_generation", &[("A", "WH-MX-1", 9)]).await;
    let first = world.reserved("ORD-1", &[("A", 1, None)]).await;
    let mut request = reserve("ORD-1", &[("A", 1, None)]);
    request["generation"] = json!(2);
    let refused = world.post(RESERVE, "K-2", &request).await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "already-exists"));
    assert!(refused.text.contains(&first.reservation_id), "{}", refused.text);
}

#[tokio::test]
async fn the_largest_order_is_reserved() {
    let shelves: Vec<_> = (0..1_000)
        .map(|sku| (format!("SKU-{sku:04}"), format!("WH-MX-{}", sku % 5)))
        .collect();
    let rows: Vec<Value> = shelves
        .iter()
        .map(|(sku, warehouse)| json!({ "sku": sku, "warehouse": warehouse, "weight_kg": 0.1, "units": 10_000 }))
        .collect();
    let world = World::new("reserve_largest").await;
    assert_eq!(world.deliver(&json!({ "rows": rows })).await.status, 200);
    let items: Vec<_> = shelves.iter().map(|(sku, _)| (sku.as_str(), 10_000, None)).collect();
    let answer = world.reserved("ORD-1", &items).await;
    assert_eq!(answer.lines.len(), 1_000);
    let effects = manners::effects(&world.server).await;
    assert_eq!(effects[0].parts.len(), 1_000);
    assert!(world.stock().await.values().all(|&available| available == 0));
}
