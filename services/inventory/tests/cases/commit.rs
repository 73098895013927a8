use contracts::inventory::CommitAnswer;
use serde_json::json;
use testkit::manners;

use super::{COMMIT, World, commit};

#[tokio::test]
async fn a_reservation_becomes_final_once() {
    let world = World::with_stock("commit_once", &[("A", "WH-MX-1", 9), ("B", "WH-MX-2", 9)]).await;
    let reservation = world
        .reserved("ORD-1", &[("A", 1, None), ("B", 2, None)])
        .await
        .reservation_id;
    let request = commit("ORD-1", &reservation);
    let first = world.post(COMMIT, "K-1", &request).await;
    assert_eq!(first.header("idempotency-replayed"), None);
    let answer: CommitAnswer = first.ok();
    assert_eq!(
        (answer.reservation_id.as_str(), answer.status.as_str()),
        (reservation.as_str(), "committed")
    );
    let again = world.post(COMMIT, "K-1", &request).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.ok::<CommitAnswer>(), answer);
    assert_eq!(world.post(COMMIT, "K-2", &request).await.ok::<CommitAnswer>(), answer);
    let misused = world.post(COMMIT, "K-1", &commit("ORD-2", &reservation)).await;
    assert_eq!((misused.status, misused.problem().as_str()), (422, "key-reused"));

    let effects = manners::effects(&world.server).await;
    let kinds: Vec<_> = effects
        .iter()
        .map(|effect| (effect.kind.as_str(), effect.subject.as_str()))
        .collect();
    let subject = reservation.as_str();
    assert_eq!(
        kinds,
        [("reservation.confirmed", subject), ("reservation.committed", subject)]
    );
    assert_eq!(effects[1].parts, ["A:WH-MX-1:1", "B:WH-MX-2:2"]);
    let committed: Vec<_> = world
        .movements()
        .await
        .into_iter()
        .filter(|m| m.kind == "commit")
        .collect();
    assert_eq!(
        committed
            .iter()
            .map(|movement| (movement.sku.as_str(), movement.units))
            .collect::<Vec<_>>(),
        [("A", 1), ("B", 2)]
    );
    world.assert_balanced().await;
}

#[tokio::test]
async fn only_its_own_order_and_generation_commits_a_reservation() {
    let world = World::with_stock("commit_own", &[("A", "WH-MX-1", 9)]).await;
    let reservation = world.reserved("ORD-1", &[("A", 1, None)]).await.reservation_id;
    let mut later = commit("ORD-1", &reservation);
    later["generation"] = json!(2);
    for request in [commit("ORD-2", &reservation), commit("ORD-1", "RSV-2026-1"), later] {
        let refused = world.post(COMMIT, "K", &request).await;
        assert_eq!(
            (refused.status, refused.problem().as_str()),
            (404, "unknown-reservation"),
            "{request}"
        );
    }
    let done = world.post(COMMIT, "K", &commit("ORD-1", &reservation)).await;
    assert_eq!(done.status, 200, "a refusal took the key");
}

#[tokio::test]
async fn a_crowd_that_commits_is_one_commit() {
    let world = World::with_stock("commit_crowd", &[("A", "WH-MX-1", 9)]).await;
    for (order, one_key) in [("ORD-1", true), ("ORD-2", false)] {
        let reservation = world.reserved(order, &[("A", 2, None)]).await.reservation_id;
        manners::acts_once_for_a_crowd(&world.server, COMMIT, &commit(order, &reservation), one_key).await;
    }
    assert_eq!(manners::effects(&world.server).await.len(), 4);
    assert_eq!(
        world
            .movements()
            .await
            .iter()
            .filter(|movement| movement.kind == "commit")
            .count(),
        2
    );
}
