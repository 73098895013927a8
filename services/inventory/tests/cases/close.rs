use contracts::inventory::CloseAnswer;
use serde_json::json;
use testkit::manners;

use super::{CLOSE, COMMIT, RESERVE, World, closing, commit, of_generation, reserve, told};

fn listed(answer: &CloseAnswer) -> Vec<(&str, &str)> {
    let listed = answer.reservations.iter();
    listed
        .map(|closed| (closed.reservation_id.as_str(), closed.status.as_str()))
        .collect()
}

fn shelf() -> (String, String) {
    ("A".to_owned(), "WH-MX-1".to_owned())
}

#[tokio::test]
async fn a_closed_live_reservation_is_released_once() {
    let world = World::with_stock("close_live", &[("A", "WH-MX-1", 9), ("B", "WH-MX-2", 9)]).await;
    let reservation = world
        .reserved("ORD-1", &[("A", 2, None), ("B", 1, None)])
        .await
        .reservation_id;
    let first = world.server.post(CLOSE, &closing("ORD-1", 1)).await;
    let answer: CloseAnswer = first.ok();
    assert_eq!((answer.order_id.as_str(), answer.generation), ("ORD-1", 1));
    assert_eq!(listed(&answer), [(reservation.as_str(), "released")]);
    assert!(world.stock().await.values().all(|&available| available == 9));
    let again = world.server.post(CLOSE, &closing("ORD-1", 1)).await;
    assert_eq!((again.status, &again.text), (200, &first.text));

    let effects = manners::effects(&world.server).await;
    assert_eq!(effects.len(), 2);
    let released = &effects[1];
    assert_eq!(
        (released.kind.as_str(), &released.subject, released.generation),
        ("reservation.released", &reservation, 1)
    );
    assert_eq!(released.caller, manners::CALLERS[0]);
    assert_eq!(released.parts, ["A:WH-MX-1:2", "B:WH-MX-2:1"]);
    let moved = world.movements().await;
    let back = moved.iter().filter(|movement| movement.kind == "release");
    let back: Vec<_> = back.map(|movement| (movement.sku.as_str(), movement.units)).collect();
    assert_eq!(back, [("A", 2), ("B", 1)]);
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_closed_committed_reservation_is_returned_once() {
    let world = World::with_stock("close_committed", &[("A", "WH-MX-1", 9)]).await;
    let reservation = world.reserved("ORD-1", &[("A", 2, None)]).await.reservation_id;
    let committed = world.post(COMMIT, "K", &commit("ORD-1", &reservation)).await;
    assert_eq!(committed.status, 200);
    world.wait(120);
    let answer = world.close("ORD-1", 1).await;
    assert_eq!(listed(&answer), [(reservation.as_str(), "returned")]);
    assert_eq!(world.close("ORD-1", 1).await, answer);
    assert_eq!(world.stock().await[&shelf()], 9);
    let kinds = ["reservation.confirmed", "reservation.committed", "reservation.returned"];
    assert_eq!(world.done("ORD-1").await, kinds);
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_close_finds_what_ran_out_whoever_noticed_first() {
    let world = World::with_stock("close_expired", &[("A", "WH-MX-1", 9)]).await;
    for (order, swept) in [("ORD-1", true), ("ORD-2", false)] {
        let reservation = world.reserved(order, &[("A", 2, None)]).await.reservation_id;
        world.wait(60);
        if swept {
            assert_eq!(world.sweep().await, 1);
        }
        let answer = world.close(order, 1).await;
        assert_eq!(listed(&answer), [(reservation.as_str(), "expired")], "{order}");
        assert_eq!(world.close(order, 1).await, answer);
        assert_eq!(
            world.done(order).await,
            ["reservation.confirmed", "reservation.expired"]
        );
    }
    assert_eq!(world.stock().await[&shelf()], 9);
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_close_before_anything_wins_over_the_reserve_that_arrives_later() {
    let world = World::with_stock("close_before", &[("A", "WH-MX-1", 9)]).await;
    let answer = world.close("ORD-1", 2).await;
    assert_eq!((answer.generation, answer.reservations.len()), (2, 0));
    for generation in [1, 2] {
        let late = of_generation(reserve("ORD-1", &[("A", 1, None)]), generation);
        assert_eq!(
            told(&world.post(RESERVE, "K", &late).await),
            (409, "superseded".to_owned())
        );
        let late = of_generation(commit("ORD-1", "RSV-2026-1001"), generation);
        assert_eq!(
            told(&world.post(COMMIT, "K", &late).await),
            (409, "superseded".to_owned())
        );
    }
    assert!(world.done("ORD-1").await.is_empty());
    let next = of_generation(reserve("ORD-1", &[("A", 1, None)]), 3);
    assert_eq!(world.post(RESERVE, "K", &next).await.status, 200);
}

#[tokio::test]
async fn stored_answers_of_a_closed_generation_are_superseded() {
    let world = World::with_stock("close_stored", &[("A", "WH-MX-1", 9)]).await;
    let request = reserve("ORD-1", &[("A", 2, None)]);
    let reservation = world.reserved("ORD-1", &[("A", 2, None)]).await.reservation_id;
    let committing = commit("ORD-1", &reservation);
    assert_eq!(world.post(COMMIT, "K", &committing).await.status, 200);
    world.close("ORD-1", 1).await;
    for key in ["ORD-1-reserve", "K-new"] {
        let late = world.post(RESERVE, key, &request).await;
        assert_eq!(told(&late), (409, "superseded".to_owned()), "{key}");
        assert_eq!(late.header("idempotency-replayed"), None);
    }
    for key in ["K", "K-new"] {
        let late = world.post(COMMIT, key, &committing).await;
        assert_eq!(told(&late), (409, "superseded".to_owned()), "{key}");
    }
    assert_eq!(world.stock().await[&shelf()], 9);
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_close_leaves_higher_generations_alone() {
    let world = World::with_stock("close_higher", &[("A", "WH-MX-1", 9)]).await;
    let first = world.reserved("ORD-1", &[("A", 2, None)]).await.reservation_id;
    world.close("ORD-1", 1).await;
    let next = of_generation(reserve("ORD-1", &[("A", 3, None)]), 2);
    let second = world
        .post(RESERVE, "K-2", &next)
        .await
        .ok::<contracts::inventory::ReserveAnswer>();
    let second = second.reservation_id;
    assert_ne!(first, second);
    assert_eq!(listed(&world.close("ORD-1", 1).await), [(first.as_str(), "released")]);
    assert_eq!(world.stock().await[&shelf()], 6);
    let committing = of_generation(commit("ORD-1", &second), 2);
    assert_eq!(world.post(COMMIT, "K-3", &committing).await.status, 200);

    let both = world.close("ORD-1", 2).await;
    assert_eq!(
        listed(&both),
        [(first.as_str(), "released"), (second.as_str(), "returned")]
    );
    let sinking = world.close("ORD-1", 1).await;
    assert_eq!(listed(&sinking), [(first.as_str(), "released")]);
    assert_eq!(
        told(&world.post(RESERVE, "K-2", &next).await),
        (409, "superseded".to_owned()),
        "a tombstone never sinks"
    );
    world.assert_balanced().await;
}

#[tokio::test]
async fn an_order_that_was_closed_is_not_another_one() {
    let world = World::with_stock("close_other", &[("A", "WH-MX-1", 9)]).await;
    world.reserved("ORD-1", &[("A", 2, None)]).await;
    world.close("ORD-2", 9).await;
    world.close("ORD", 9).await;
    assert_eq!(world.stock().await[&shelf()], 7);
    assert_eq!(world.done("ORD-1").await, ["reservation.confirmed"]);
}

#[tokio::test]
async fn a_close_outlives_a_restart() {
    let world = World::with_stock("close_restart", &[("A", "WH-MX-1", 9)]).await;
    world.close("ORD-1", 1).await;
    let world = world.again().await;
    let late = world.post(RESERVE, "K", &reserve("ORD-1", &[("A", 1, None)])).await;
    assert_eq!(told(&late), (409, "superseded".to_owned()));
}

#[tokio::test]
async fn a_close_that_cannot_be_read_is_named() {
    let world = World::with_stock("close_unreadable", &[("A", "WH-MX-1", 9)]).await;
    manners::turns_strangers_away(&world.router, CLOSE).await;
    for (body, status, field) in [
        (json!({ "order_id": "a b", "generation": 1 }), 422, "order_id"),
        (json!({ "order_id": "ORD-1", "generation": 0 }), 422, "generation"),
        (json!({ "order_id": "ORD-1", "generation": -1 }), 400, "generation"),
        (json!({ "order_id": "ORD-1" }), 400, "body"),
    ] {
        let refused = world.server.post(CLOSE, &body).await;
        assert_eq!(
            (refused.status, &refused.json()["field"]),
            (status, &json!(field)),
            "{body}"
        );
    }
    let done = world.post(RESERVE, "K", &reserve("ORD-1", &[("A", 1, None)])).await;
    assert_eq!(done.status, 200, "a refusal closed it");
}
