//! Generations that are closed.

use contracts::effects::{
    RESERVATION_COMMITTED, RESERVATION_CONFIRMED, RESERVATION_EXPIRED, RESERVATION_RELEASED, RESERVATION_RETURNED,
};
use futures_util::future::join;
use pipeline::ports::{CallError, RefusalKind};

use super::{TOO_LONG, World, close, commit, done, meaning, one, reserve, reserved, stocked, units};
use crate::conformance::sample;

/// Rounds of a race.
const ROUNDS: u32 = 10;

pub(super) async fn a_close_before_everything_refuses_what_comes_late(world: &dyn World) {
    stocked(world, 5).await;
    let order = one("O-1", 1);
    close(world, &order, 2).await;
    close(world, &order, 1).await;
    let nobodys = sample::reservation("RSV-NOBODYS", 1);
    for generation in [1, 2] {
        let late = one("O-1", generation);
        assert_eq!(
            meaning(reserve(world, &late).await),
            RefusalKind::Superseded,
            "generation {generation}"
        );
        assert_eq!(meaning(commit(world, &late, &nobodys).await), RefusalKind::Superseded);
    }
    assert_eq!((units(world).await, done(world, &order).await.len()), (5, 0));
    let _another = reserved(world, &one("O-10", 1)).await;
    let _above = reserved(world, &one("O-1", 3)).await;
    assert_eq!(
        units(world).await,
        3,
        "neither another order nor a later generation is closed"
    );
}

pub(super) async fn a_close_releases_what_is_reserved(world: &dyn World) {
    stocked(world, 5).await;
    let order = one("O-1", 1);
    let held = reserved(world, &order).await;
    for _again in 0..2 {
        close(world, &order, 1).await;
        assert_eq!(units(world).await, 5, "given back, once");
    }
    assert_eq!(
        meaning(reserve(world, &order).await),
        RefusalKind::Superseded,
        "before every stored answer"
    );
    assert_eq!(meaning(commit(world, &order, &held).await), RefusalKind::Superseded);
    let more = sample::order("O-1", 1, 3);
    assert_eq!(
        meaning(reserve(world, &more).await),
        RefusalKind::Superseded,
        "whatever the key has stored"
    );
    assert_eq!(done(world, &order).await, [RESERVATION_CONFIRMED, RESERVATION_RELEASED]);
}

pub(super) async fn a_close_returns_what_is_committed(world: &dyn World) {
    stocked(world, 5).await;
    let order = one("O-1", 1);
    let held = reserved(world, &order).await;
    let _committed = commit(world, &order, &held).await.expect("it is there");
    for _again in 0..2 {
        close(world, &order, 1).await;
        assert_eq!(units(world).await, 5, "returned, once");
    }
    assert_eq!(
        meaning(commit(world, &order, &held).await),
        RefusalKind::Superseded,
        "before every stored answer"
    );
    assert_eq!(meaning(reserve(world, &order).await), RefusalKind::Superseded);
    let all = [RESERVATION_CONFIRMED, RESERVATION_COMMITTED, RESERVATION_RETURNED];
    assert_eq!(done(world, &order).await, all);
}

pub(super) async fn a_close_finds_nothing_where_the_time_was_over(world: &dyn World) {
    stocked(world, 5).await;
    let (swept, unnoticed) = (one("O-1", 1), one("O-2", 1));
    let _ran_out = reserved(world, &swept).await;
    world.pass(TOO_LONG);
    world.sweep().await;
    let _runs_out = reserved(world, &unnoticed).await;
    world.pass(TOO_LONG);
    for order in [&swept, &unnoticed] {
        close(world, order, 1).await;
        assert_eq!(
            done(world, order).await,
            [RESERVATION_CONFIRMED, RESERVATION_EXPIRED],
            "not released too"
        );
        assert_eq!(meaning(reserve(world, order).await), RefusalKind::Superseded);
    }
    assert_eq!(units(world).await, 5);
}

pub(super) async fn the_next_generation_reserves_for_itself(world: &dyn World) {
    stocked(world, 5).await;
    let (first, second) = (one("O-1", 1), sample::order("O-1", 2, 2));
    let held = reserved(world, &first).await;
    let _committed = commit(world, &first, &held).await.expect("it is there");
    close(world, &first, 1).await;
    let next = reserved(world, &second).await;
    assert_ne!(next.id, held.id);
    close(world, &first, 1).await;
    assert_eq!(units(world).await, 3, "the late close of generation 1 leaves it alone");
    assert_eq!(reserved(world, &second).await, next);
    let _committed = commit(world, &second, &next).await.expect("it is there");
    close(world, &second, 2).await;
    assert_eq!(units(world).await, 5);
    assert_eq!(meaning(commit(world, &second, &next).await), RefusalKind::Superseded);
}

pub(super) async fn a_close_that_races_with_a_reserve_leaves_nothing(world: &dyn World) {
    stocked(world, 100).await;
    for round in 0..ROUNDS {
        let order = one(&format!("O-{round}"), 1);
        let (reserved, ()) = join(reserve(world, &order), close(world, &order, 1)).await;
        match reserved {
            Ok(_) | Err(CallError::Busy { .. }) => {}
            Err(CallError::Refused(refusal)) if refusal.kind == RefusalKind::Superseded => {}
            Err(error) => panic!("{error:?}"),
        }
        assert_eq!(units(world).await, 100);
        assert_eq!(meaning(reserve(world, &order).await), RefusalKind::Superseded);
    }
}
