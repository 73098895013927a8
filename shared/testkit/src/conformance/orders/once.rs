//! A change is stored once and whole, or not at all.

use futures_util::future::join_all;
use pipeline::change::Commit;
use pipeline::happened::Happened;
use pipeline::id::{Generation, Version};
use pipeline::order::State;
use pipeline::ports::Committed;

use super::{World, commit, load, place, sent, walk};
use crate::conformance::sample;

/// Changes that are tried at once to find a race.
const CROWD: usize = 12;

pub(super) async fn a_change_needs_the_expected_state_generation_and_version(world: &dyn World) {
    let placed = place(world, "O-1").await;
    let _accepted = sent(world.outbox()).await;
    let failed = Happened::DeadLettered(sample::failed());
    let (_, right) = sample::changed(&placed.0, placed.1, failed);
    let wrong = [
        Commit {
            expected: Version(2),
            ..right.clone()
        },
        Commit {
            from: State::Processing,
            ..right.clone()
        },
        Commit {
            generation: Generation(2),
            to_generation: Generation(2),
            ..right.clone()
        },
        Commit {
            order: sample::id("O-2"),
            ..right.clone()
        },
    ];
    for change in wrong {
        assert_eq!(commit(world, change).await, Committed::Conflict);
    }
    assert_eq!(load(world, "O-1").await, placed);
    assert_eq!(world.changes(&sample::id("O-1")).await, []);
    assert_eq!(sent(world.outbox()).await, [], "no message without its change");
    assert_eq!(commit(world, right.clone()).await, Committed::Yes);
    assert_eq!(commit(world, right).await, Committed::Conflict);
    assert_eq!(world.changes(&sample::id("O-1")).await.len(), 1);
}

pub(super) async fn a_final_order_never_moves(world: &dyn World) {
    let (order, _) = place(world, "O-1").await;
    let mut stale = vec![];
    let (mut at, mut version) = (order.clone(), Version(1));
    for happened in sample::road(&order) {
        let failed = Happened::DeadLettered(sample::failed());
        stale.push(sample::changed(&at, version, failed).1);
        stale.push(sample::changed(&at, version, happened.clone()).1);
        (at, version) = walk(world.orders(), "O-1", vec![happened]).await;
    }
    assert_eq!(at.state, State::Completed);
    let _messages = sent(world.outbox()).await;
    for late in stale {
        let right_version = Commit {
            expected: version,
            ..late.clone()
        };
        assert_eq!(commit(world, late).await, Committed::Conflict);
        assert_eq!(
            commit(world, right_version).await,
            Committed::Conflict,
            "its state is another"
        );
    }
    assert_eq!(load(world, "O-1").await, (at, version));
    assert_eq!(sent(world.outbox()).await, []);
}

pub(super) async fn of_changes_that_race_one_is_stored(world: &dyn World) {
    let (order, version) = place(world, "O-1").await;
    let _accepted = sent(world.outbox()).await;
    let check = sample::road(&order).remove(0);
    let racing = (0..CROWD).map(|place| {
        let happened = if place % 2 == 0 {
            check.clone()
        } else {
            Happened::DeadLettered(sample::failed())
        };
        commit(world, sample::changed(&order, version, happened).1)
    });
    let told = join_all(racing).await;
    assert_eq!(
        told.iter().filter(|told| **told == Committed::Yes).count(),
        1,
        "{told:?}"
    );
    let (after, at) = load(world, "O-1").await;
    assert_eq!(at, version.next());
    let messages = sent(world.outbox()).await;
    let announced = if after.state == State::DeadLettered { 2 } else { 0 };
    assert_eq!(messages.len(), announced, "the messages of the one that was stored");
}

pub(super) async fn money_goes_back_once(world: &dyn World) {
    let (order, _) = place(world, "O-1").await;
    let id = sample::id("O-1");
    let check = sample::road(&order).remove(0);
    let (undoing, version) = walk(world.orders(), "O-1", vec![check, sample::out_of_stock()]).await;
    assert_eq!(world.refunds(&id).await, []);
    let refund = sample::refund(&order);
    let (_, change) = sample::changed(&undoing, version, Happened::Compensated(refund.clone()));
    let told = join_all((0..CROWD).map(|_| commit(world, change.clone()))).await;
    assert_eq!(
        told.iter().filter(|told| **told == Committed::Yes).count(),
        1,
        "{told:?}"
    );
    assert_eq!(world.refunds(&id).await, [refund]);
}

pub(super) async fn a_message_is_processed_once_its_order_is_final(world: &dyn World) {
    let (order, _) = place(world, "O-1").await;
    let message = sample::actor(&order).message.expect("a message");
    let mut road = sample::road(&order);
    let last = road.split_off(5);
    let _under_way = walk(world.orders(), "O-1", road).await;
    assert!(!world.is_processed(message).await);
    let (done, _) = walk(world.orders(), "O-1", last).await;
    assert!(done.state.is_final());
    assert!(world.is_processed(message).await);
}
