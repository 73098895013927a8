//! What operators do with what waits.

use futures_util::future::join_all;
use pipeline::dead_letters::{Acted, Action, Denied, Drained, EntryId, Queue};
use pipeline::happened::Happened;
use pipeline::id::{Generation, OrderId, Version};
use pipeline::order::{Cause, Order, Progress, State};
use pipeline::outgoing::Destination;
use pipeline::steps::Step;
use pipeline::verdict::Duplicate;

use super::{World, act, drain, edit_into, entry, is_untouched, kept, letter, load, open, stuck};
use crate::conformance::orders::{place_by, sent, walk};
use crate::conformance::sample;

/// Deeds that are tried at once to find a race.
const CROWD: usize = 12;

/// An order that waits after some steps, with its entry.
async fn kept_order(world: &dyn World, order: &str) -> (EntryId, (Order, Version)) {
    place_by(world.intake(), order).await;
    let mut road = sample::road(&load(world, order).await.0);
    road.truncate(2);
    road.push(Happened::DeadLettered(sample::failed()));
    let waits = walk(world.orders(), order, road).await;
    let _messages = sent(world.outbox()).await;
    let id = kept(world, &letter(Queue::Process, &waits.0, Some(sample::failed()))).await;
    (id, waits)
}

pub(super) async fn a_replay_goes_on_in_the_same_generation(world: &dyn World) {
    let (id, (waits, version)) = kept_order(world, "O-1").await;
    assert_eq!(act(world, id, Action::Replay).await, Acted::Done);
    let (order, at) = load(world, "O-1").await;
    assert_eq!(
        (order.state, order.generation, at),
        (State::Accepted, waits.generation, version.next())
    );
    assert_eq!(
        order.next_step(),
        Some(Step::CalculateShipment),
        "finished steps are found"
    );
    let messages = sent(world.outbox()).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(
        (messages[0].destination, messages[0].marks.replay),
        (Destination::Orders, true)
    );
    assert_eq!(messages[0].body, *waits.document);
    assert_eq!(entry(world, id).await.closed_as.as_deref(), Some("replayed"));
    for action in [
        Action::Replay,
        Action::Abandon,
        edit_into("O-1", 1),
        Action::Redo,
        Action::Discard,
    ] {
        let closed = Denied::Closed("replayed".to_owned());
        assert_eq!(act(world, id, action).await, Acted::Denied(closed));
    }
    is_untouched(world, &(order, at)).await;
}

pub(super) async fn an_edited_replay_opens_the_next_generation(world: &dyn World) {
    let (id, (_, version)) = kept_order(world, "O-1").await;
    let mended = sample::new_order(&sample::document("O-1", 4));
    assert_eq!(act(world, id, edit_into("O-1", 4)).await, Acted::Done);
    let (order, at) = load(world, "O-1").await;
    assert_eq!(
        (order.state, order.generation, at),
        (State::Accepted, Generation(2), version.next())
    );
    assert_eq!(
        (&order.content, &*order.document),
        (&mended.content, mended.document.as_str())
    );
    assert_eq!(order.progress, Progress::default());
    assert_eq!(order.next_step(), Some(Step::CloseEarlier));
    let messages = sent(world.outbox()).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(
        (messages[0].generation, &messages[0].body),
        (Generation(2), &mended.document)
    );
    assert_eq!(entry(world, id).await.closed_as.as_deref(), Some("edited"));
}

pub(super) async fn an_edit_that_may_not_be_changes_nothing(world: &dyn World) {
    let (id, waits) = kept_order(world, "O-1").await;
    let changes = [
        ("payment_id", "P-O-1", "P-2"),
        ("customer_id", "\"C-1\"", "\"C-2\""),
        ("idempotency_key", "O-1-v1", "O-1-v2"),
        ("total_amount", "285.00", "1.00"),
    ];
    for (field, before, after) in changes {
        let other = sample::new_order(&waits.0.document.replace(before, after));
        let action = Action::Edit(Box::new(other.content), other.document.into());
        assert_eq!(act(world, id, action).await, Acted::Denied(Denied::MustStay(field)));
    }
    let another = act(world, id, edit_into("O-2", 1)).await;
    assert_eq!(another, Acted::Denied(Denied::MustStay("order_id")));
    assert_eq!(
        act(world, id, Action::Discard).await,
        Acted::Denied(Denied::AcceptedOrder)
    );
    assert!(matches!(
        act(world, id, Action::Redo).await,
        Acted::Denied(Denied::NotSo(State::DeadLettered, _))
    ));
    assert_eq!(open(world).await, 1);
    is_untouched(world, &waits).await;
}

pub(super) async fn an_abandoned_order_is_to_be_undone(world: &dyn World) {
    let (id, (_, version)) = kept_order(world, "O-1").await;
    assert_eq!(act(world, id, Action::Abandon).await, Acted::Done);
    let (order, at) = load(world, "O-1").await;
    assert_eq!((order.state, at), (State::Compensating, version.next()));
    assert_eq!(order.progress.cause, Some(Cause::Abandoned));
    let messages = sent(world.outbox()).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].destination, Destination::Compensation);
    assert_eq!(entry(world, id).await.closed_as.as_deref(), Some("abandoned"));
}

pub(super) async fn a_stuck_order_has_one_way_out(world: &dyn World) {
    let stuck = stuck(world, "O-1").await;
    let id = kept(world, &letter(Queue::Compensation, &stuck.0, Some(sample::failed()))).await;
    for action in [Action::Replay, Action::Abandon, edit_into("O-1", 1)] {
        let told = act(world, id, action).await;
        assert!(
            matches!(told, Acted::Denied(Denied::NotSo(State::Stuck, _))),
            "{told:?}"
        );
    }
    is_untouched(world, &stuck).await;
    assert_eq!(redo(world, "O-1").await, Acted::Done);
    let undoing = load(world, "O-1").await;
    assert_eq!((undoing.0.state, undoing.1), (State::Compensating, stuck.1.next()));
    assert_eq!(entry(world, id).await.closed_as.as_deref(), Some("redone"));
    let messages = sent(world.outbox()).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].destination, Destination::Compensation);
    let again = redo(world, "O-1").await;
    assert!(
        matches!(again, Acted::Denied(Denied::NotSo(State::Compensating, _))),
        "{again:?}"
    );
    is_untouched(world, &undoing).await;
}

pub(super) async fn a_stuck_order_is_redone_before_its_letter_comes(world: &dyn World) {
    let (order, version) = stuck(world, "O-1").await;
    assert_eq!(redo(world, "O-1").await, Acted::Done);
    let undoing = load(world, "O-1").await;
    assert_eq!((undoing.0.state, undoing.1), (State::Compensating, version.next()));
    let _message = sent(world.outbox()).await;
    let late = letter(Queue::Compensation, &order, Some(sample::failed()));
    assert_eq!(drain(world, &late).await, Drained::Duplicate(Duplicate::DeadLetterLate));
    assert_eq!(world.entries().await, []);
    is_untouched(world, &undoing).await;

    let (_, waits) = kept_order(world, "O-2").await;
    let told = redo(world, "O-2").await;
    assert!(
        matches!(told, Acted::Denied(Denied::NotSo(State::DeadLettered, _))),
        "{told:?}"
    );
    is_untouched(world, &waits).await;
    assert_eq!(redo(world, "O-9").await, Acted::Denied(Denied::Unknown));
}

pub(super) async fn of_deeds_that_race_one_is_done(world: &dyn World) {
    let (id, (_, version)) = kept_order(world, "O-1").await;
    let racing = (0..CROWD).map(|place| {
        let action = match place % 3 {
            0 => Action::Replay,
            1 => Action::Abandon,
            _ => edit_into("O-1", 2),
        };
        act(world, id, action)
    });
    let told = join_all(racing).await;
    assert_eq!(told.iter().filter(|told| **told == Acted::Done).count(), 1, "{told:?}");
    assert_eq!(load(world, "O-1").await.1, version.next(), "its row moved once");
    assert_eq!(sent(world.outbox()).await.len(), 1);
    assert_eq!(open(world).await, 0);
}

async fn redo(world: &dyn World, order: &str) -> Acted {
    let order: OrderId = sample::id(order);
    world
        .dead_letters()
        .redo(&order, &sample::operated())
        .await
        .expect("an answer")
}
