//! What leaves with each change.

use contracts::undo_message;
use pipeline::happened::Happened;
use pipeline::id::OrderId;
use pipeline::order::State;
use pipeline::outgoing::{Destination, Envelope};
use serde_json::Value;

use super::{World, place, sent, walk};
use crate::conformance::sample;

pub(super) async fn messages_leave_with_their_change(world: &dyn World) {
    let (order, _) = place(world, "O-1").await;
    let id = &order.content.order;
    let accepted = only(sent(world.outbox()).await);
    assert_eq!(
        (accepted.destination, accepted.kind.as_str()),
        (Destination::Orders, "order.process")
    );
    assert_eq!(accepted.body, *order.document, "byte for byte");
    assert!(!accepted.marks.replay);

    let (_, version) = walk(world.orders(), "O-1", vec![Happened::DeadLettered(sample::failed())]).await;
    let messages = sent(world.outbox()).await;
    assert_eq!(messages.len(), 2, "the dead letter and the event");
    let (event, letter) = (&messages[0], &messages[1]);
    let announced = told(event, id);
    assert_eq!(announced["class"], "refused");
    assert_eq!(
        (letter.destination, &letter.body),
        (Destination::DeadLetters, &accepted.body)
    );
    assert_eq!(
        (letter.marks.failed.as_ref(), letter.marks.version),
        (Some(&sample::failed()), Some(version))
    );
    assert_ne!(letter.id, accepted.id);

    let _replayed = walk(world.orders(), "O-1", vec![Happened::Replayed(sample::operated())]).await;
    let replayed = only(sent(world.outbox()).await);
    assert!(replayed.marks.replay);
    assert_eq!(
        (replayed.id, &replayed.body),
        (accepted.id, &accepted.body),
        "a repeat is recognisable"
    );

    let done = walk(world.orders(), "O-1", sample::road(&order)).await.0;
    let completed = only(sent(world.outbox()).await);
    let announced = told(&completed, id);
    assert_eq!((done.state, &announced["fiscal_id"]), (State::Completed, &"F-1".into()));

    let (order, _) = place(world, "O-2").await;
    let id = &order.content.order;
    let _accepted = sent(world.outbox()).await;
    let _ran_out = walk(
        world.orders(),
        "O-2",
        vec![sample::road(&order).remove(0), sample::out_of_stock()],
    )
    .await;
    let undo = only(sent(world.outbox()).await);
    assert_eq!(
        (undo.destination, undo.kind.as_str()),
        (Destination::Compensation, "order.compensate")
    );
    assert_eq!(
        undo_message::decode(undo.body.as_bytes())
            .expect("a message to undo")
            .order,
        *id
    );
    let (_, version) = walk(world.orders(), "O-2", vec![Happened::Stuck(sample::failed())]).await;
    let stuck = only(sent(world.outbox()).await);
    assert_eq!(
        (stuck.destination, stuck.marks.version),
        (Destination::DeadLetters, Some(version))
    );
    assert_eq!(
        undo_message::decode(stuck.body.as_bytes())
            .expect("a message to undo")
            .order,
        *id
    );
    let _redone = walk(world.orders(), "O-2", vec![Happened::Redone(sample::operated())]).await;
    assert_eq!(only(sent(world.outbox()).await).id, undo.id);
    let refund = sample::refund(&order);
    let _undone = walk(world.orders(), "O-2", vec![Happened::Compensated(refund)]).await;
    let announced = told(&only(sent(world.outbox()).await), id);
    assert_eq!(
        (&announced["payment_id"], &announced["notice"]),
        (&"P-O-2".into(), &"out_of_stock".into())
    );
    assert_eq!(announced["refund"]["currency"], "MXN");
}

fn only(mut messages: Vec<Envelope>) -> Envelope {
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.remove(0)
}

/// What an event says; it speaks of the order.
fn told(event: &Envelope, order: &OrderId) -> Value {
    assert_eq!((event.destination, &event.order), (Destination::Events, order));
    let told: Value = serde_json::from_str(&event.body).expect("JSON");
    assert_eq!(
        (&told["order_id"], &told["generation"]),
        (&order.as_str().into(), &event.generation.0.into())
    );
    told
}
