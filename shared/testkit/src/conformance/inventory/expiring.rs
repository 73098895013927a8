//! Reservations that run out.

use contracts::effects::{RESERVATION_COMMITTED, RESERVATION_CONFIRMED, RESERVATION_EXPIRED};
use pipeline::ports::RefusalKind;

use super::{TOO_LONG, World, commit, done, meaning, one, reserve, reserved, stocked, units};

pub(super) async fn what_ran_out_is_not_committed_and_its_key_reserves_anew(world: &dyn World) {
    stocked(world, 1).await;
    let order = one("O-1", 1);
    let first = reserved(world, &order).await;
    world.pass(TOO_LONG);
    for _again in 0..2 {
        assert_eq!(
            meaning(commit(world, &order, &first).await),
            RefusalKind::ReservationExpired
        );
        assert_eq!(units(world).await, 1, "its goods are back, once");
    }
    let second = reserved(world, &order).await;
    assert_ne!(second.id, first.id, "the same key is judged anew");
    assert!(second.expires_at > first.expires_at);
    assert_eq!(units(world).await, 0);
    assert_eq!(reserved(world, &order).await, second);
    assert_eq!(
        meaning(commit(world, &order, &first).await),
        RefusalKind::ReservationExpired
    );
    let _committed = commit(world, &order, &second).await.expect("it is in time");
    let all = [
        RESERVATION_CONFIRMED,
        RESERVATION_EXPIRED,
        RESERVATION_CONFIRMED,
        RESERVATION_COMMITTED,
    ];
    assert_eq!(done(world, &order).await, all);
}

pub(super) async fn what_ran_out_goes_back_by_itself(world: &dyn World) {
    stocked(world, 1).await;
    let (order, other) = (one("O-1", 1), one("O-2", 1));
    let first = reserved(world, &order).await;
    world.sweep().await;
    assert_eq!(units(world).await, 0, "its time is not over");
    world.pass(TOO_LONG);
    for _again in 0..2 {
        world.sweep().await;
        assert_eq!(units(world).await, 1);
    }
    assert_eq!(done(world, &order).await, [RESERVATION_CONFIRMED, RESERVATION_EXPIRED]);
    let _taken = reserved(world, &other).await;
    assert_eq!(
        meaning(commit(world, &order, &first).await),
        RefusalKind::ReservationExpired
    );
    assert!(
        !world.inventory().check(&order).await.expect("advice").available,
        "it holds nothing"
    );
    let refused = meaning(reserve(world, &order).await);
    assert!(
        matches!(refused, RefusalKind::OutOfStock(_)),
        "the key says nothing any more: {refused:?}"
    );
}

pub(super) async fn what_is_committed_never_runs_out(world: &dyn World) {
    stocked(world, 1).await;
    let order = one("O-1", 1);
    let held = reserved(world, &order).await;
    let committed = commit(world, &order, &held).await.expect("it is there");
    world.pass(TOO_LONG);
    world.sweep().await;
    assert_eq!(units(world).await, 0);
    assert_eq!(reserved(world, &order).await, held);
    assert_eq!(commit(world, &order, &held).await.expect("it is final"), committed);
    assert_eq!(
        done(world, &order).await,
        [RESERVATION_CONFIRMED, RESERVATION_COMMITTED]
    );
}
