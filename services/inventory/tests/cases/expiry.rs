use contracts::inventory::{CheckAnswer, CommitAnswer, ReserveAnswer};
use inventory::expiry::{BATCH_MAX, keep_house};
use serde_json::json;
use testkit::manners;
use testkit::wait::until;
use time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{CHECK, COMMIT, NOW, RESERVE, World, commit, of_generation, reserve, told};

const EXPIRED: (u16, &str) = (409, "reservation-expired");

fn shelf() -> (String, String) {
    ("A".to_owned(), "WH-MX-1".to_owned())
}

#[tokio::test]
async fn what_ran_out_goes_back_by_itself_and_nothing_else_does() {
    let world = World::with_stock("expiry_sweep", &[("A", "WH-MX-1", 9)]).await;
    let reservation = world.reserved("ORD-1", &[("A", 2, None)]).await.reservation_id;
    let kept = world.reserved("ORD-2", &[("A", 3, None)]).await.reservation_id;
    assert_eq!(world.post(COMMIT, "K", &commit("ORD-2", &kept)).await.status, 200);
    world.wait(30);
    world.reserved("ORD-3", &[("A", 1, None)]).await;
    assert_eq!(world.sweep().await, 0);
    world.wait(30);
    assert_eq!((world.sweep().await, world.sweep().await), (1, 0));
    assert_eq!(world.stock().await[&shelf()], 5);

    let effects = manners::effects(&world.server).await;
    let expired: Vec<_> = effects
        .iter()
        .filter(|effect| effect.kind == "reservation.expired")
        .collect();
    assert_eq!(expired.len(), 1);
    assert_eq!(
        (&expired[0].subject, expired[0].parts.as_slice()),
        (&reservation, &["A:WH-MX-1:2".to_owned()][..])
    );
    assert_eq!(expired[0].caller, "inventory", "nobody asked for it");
    let moved = world.movements().await;
    assert_eq!(moved.iter().filter(|movement| movement.kind == "expire").count(), 1);
    world.assert_balanced().await;
}

#[tokio::test]
async fn the_house_is_kept_until_the_service_stops() {
    let world = World::with_stock("expiry_kept", &[("A", "WH-MX-1", 9)]).await;
    world.reserved("ORD-1", &[("A", 2, None)]).await;
    let stopping = CancellationToken::new();
    let mut keeping = JoinSet::new();
    keeping.spawn(keep_house(world.base.upkeep(), world.watch.clone(), stopping.clone()));
    world.wait(60);
    until("its goods are back", async || world.stock().await[&shelf()] == 9).await;
    stopping.cancel();
    keeping.join_all().await;
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_sweep_of_many_batches_leaves_none() {
    let world = World::with_stock("expiry_batches", &[("A", "WH-MX-1", 999), ("B", "WH-MX-1", 999)]).await;
    let orders = 2 * BATCH_MAX + 1;
    for order in 0..orders {
        world
            .reserved(&format!("ORD-{order}"), &[("A", 1, None), ("B", 2, None)])
            .await;
    }
    world.wait(60);
    assert_eq!(world.sweep().await, orders);
    assert!(world.stock().await.values().all(|&available| available == 999));
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_commit_after_its_time_is_refused_whoever_noticed_first() {
    let world = World::with_stock("expiry_commit", &[("A", "WH-MX-1", 9)]).await;
    for (order, swept) in [("ORD-1", true), ("ORD-2", false)] {
        let reservation = world.reserved(order, &[("A", 2, None)]).await.reservation_id;
        world.wait(60);
        if swept {
            assert_eq!(world.sweep().await, 1);
        }
        for key in ["K-1", "K-2"] {
            let late = world
                .post(COMMIT, &format!("{order}-{key}"), &commit(order, &reservation))
                .await;
            assert_eq!(told(&late), (EXPIRED.0, EXPIRED.1.to_owned()), "{order}");
        }
        assert_eq!(
            world.stock().await[&shelf()],
            9,
            "its goods are back once the refusal is told"
        );
        assert_eq!(
            world.done(order).await,
            ["reservation.confirmed", "reservation.expired"]
        );
        assert_eq!(world.sweep().await, 0);
    }
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_commit_in_time_stays_one_for_ever() {
    let world = World::with_stock("expiry_committed", &[("A", "WH-MX-1", 9)]).await;
    let reservation = world.reserved("ORD-1", &[("A", 2, None)]).await.reservation_id;
    world.watch.turn(Duration::minutes(60) - Duration::seconds(1));
    let committed: CommitAnswer = world.post(COMMIT, "K", &commit("ORD-1", &reservation)).await.ok();
    world.wait(60 * 24 * 30);
    assert_eq!(world.sweep().await, 0);
    for key in ["K", "K-new"] {
        let again: CommitAnswer = world.post(COMMIT, key, &commit("ORD-1", &reservation)).await.ok();
        assert_eq!(again, committed);
    }
    let reserved = world
        .post(RESERVE, "ORD-1-reserve", &reserve("ORD-1", &[("A", 2, None)]))
        .await;
    assert_eq!(reserved.header("idempotency-replayed"), Some("true"));
    assert_eq!(reserved.ok::<ReserveAnswer>().reservation_id, reservation);
    world.assert_balanced().await;
}

#[tokio::test]
async fn the_same_key_after_expiry_gets_a_new_reservation() {
    let world = World::with_stock("expiry_again", &[("A", "WH-MX-1", 2)]).await;
    let request = reserve("ORD-1", &[("A", 2, None)]);
    let mut last = world.reserved("ORD-1", &[("A", 2, None)]).await;
    for swept in [true, false] {
        world.wait(60);
        if swept {
            assert_eq!(world.sweep().await, 1);
        }
        let fresh = world.post(RESERVE, "ORD-1-reserve", &request).await;
        assert_eq!(fresh.header("idempotency-replayed"), None, "swept: {swept}");
        let fresh: ReserveAnswer = fresh.ok();
        assert_ne!(fresh.reservation_id, last.reservation_id);
        assert!(fresh.expires_at > last.expires_at);
        let again = world.post(RESERVE, "ORD-1-reserve", &request).await;
        assert_eq!(
            again.header("idempotency-replayed"),
            Some("true"),
            "its answer is stored anew"
        );
        assert_eq!(again.ok::<ReserveAnswer>(), fresh);
        assert_eq!(world.stock().await[&shelf()], 0);
        let gone = world.post(COMMIT, "K", &commit("ORD-1", &last.reservation_id)).await;
        assert_eq!(told(&gone), (EXPIRED.0, EXPIRED.1.to_owned()));
        last = fresh;
    }
    let other = reserve("ORD-1", &[("A", 1, None)]);
    world.wait(60);
    let misused = world.post(RESERVE, "ORD-1-reserve", &other).await;
    assert_eq!(
        told(&misused),
        (422, "key-reused".to_owned()),
        "a key names one request for ever"
    );
    world.assert_balanced().await;
}

#[tokio::test]
async fn what_ran_out_is_in_nobodys_way() {
    let world = World::with_stock("expiry_in_the_way", &[("A", "WH-MX-1", 2), ("B", "WH-MX-2", 1)]).await;
    world.reserved("ORD-1", &[("A", 2, None)]).await;
    world.wait(60);
    let short = world.post(RESERVE, "K-1", &reserve("ORD-1", &[("A", 3, None)])).await;
    assert_eq!(told(&short), (409, "out-of-stock".to_owned()));
    assert_eq!(
        world.done("ORD-1").await,
        ["reservation.confirmed"],
        "a refusal changes nothing"
    );
    let other_goods = reserve("ORD-1", &[("A", 1, None), ("B", 1, None)]);
    let next: ReserveAnswer = world.post(RESERVE, "K-1", &of_generation(other_goods, 2)).await.ok();
    assert_eq!(next.lines.len(), 2);
    let kinds = ["reservation.confirmed", "reservation.expired", "reservation.confirmed"];
    assert_eq!(world.done("ORD-1").await, kinds);
    assert_eq!(world.stock().await[&shelf()], 1);
    world.assert_balanced().await;
}

#[tokio::test]
async fn another_key_after_expiry_answers_the_first_one_too() {
    let world = World::with_stock("expiry_keys", &[("A", "WH-MX-1", 9)]).await;
    let request = reserve("ORD-1", &[("A", 2, None)]);
    world.reserved("ORD-1", &[("A", 2, None)]).await;
    world.wait(60);
    let second: ReserveAnswer = world.post(RESERVE, "K-2", &request).await.ok();
    let first_key: ReserveAnswer = world.post(RESERVE, "ORD-1-reserve", &request).await.ok();
    assert_eq!(first_key, second, "one reservation per order");
    assert_eq!(world.stock().await[&shelf()], 7);
}

#[tokio::test]
async fn a_check_counts_what_ran_out_as_the_orders_own_and_tells_no_end() {
    let world = World::with_stock("expiry_check", &[("A", "WH-MX-1", 1)]).await;
    world.reserved("ORD-1", &[("A", 1, None)]).await;
    let line = async |order: &str| {
        let request = json!({ "order_id": order, "country": "MX", "items": [{ "sku": "A", "qty": 1 }] });
        let answer: CheckAnswer = world.server.post(CHECK, &request).await.ok();
        (answer.lines[0].available, answer.lines[0].reserved_until)
    };
    let ends = NOW.replace_nanosecond(0).unwrap() + Duration::hours(1);
    assert_eq!(line("ORD-1").await, (true, Some(ends)));
    world.wait(60);
    assert_eq!(line("ORD-1").await, (true, None));
    assert_eq!(line("ORD-2").await, (false, None));
    world.sweep().await;
    assert_eq!(line("ORD-2").await, (true, None));
}
