//! Messages that belong to no order's row.

use pipeline::dead_letters::{Acted, Action, Content, Denied, Drained, EntryId, Letter, Queue};
use pipeline::failure::{Class, Failed};
use pipeline::id::Generation;
use pipeline::verdict::Duplicate;

use super::{World, act, drain, edit_into, entry, is_untouched, kept, letter, open, waiting};
use crate::conformance::sample;

pub(super) async fn a_message_that_nobody_knows_waits_by_itself(world: &dyn World) {
    let unknown = sample::order("O-9", 1, 1);
    let unknown = letter(Queue::Process, &unknown, Some(of(Class::UnknownOrder)));
    let garbage = Letter {
        queue: Queue::Invalid,
        order: None,
        generation: Generation::FIRST,
        failed: Some(of(Class::Invalid)),
        attempt: 1,
        content: Content {
            body: vec![0xff, 0x00, b'{'],
            properties: r#"{"type": "order.process"}"#.to_owned(),
        },
    };
    for (letter, next) in [(&unknown, 1), (&garbage, 2)] {
        let id = kept(world, letter).await;
        assert_eq!(id, EntryId::of_message(letter.queue, &letter.content));
        let told = entry(world, id).await;
        assert_eq!((&told.order, told.of_row), (&letter.order, false));
        assert_eq!(
            (&told.content.body, Some(&told.failed)),
            (&letter.content.body, letter.failed.as_ref())
        );
        assert_eq!(drain(world, letter).await, Drained::Duplicate(Duplicate::KeptAlready));
        assert_eq!(world.entries().await.len(), next);
        for action in [edit_into("O-9", 1), Action::Abandon, Action::Redo] {
            assert_eq!(act(world, id, action).await, Acted::Denied(Denied::NoOrder));
        }
    }
    let id = EntryId::of_message(garbage.queue, &garbage.content);
    assert_eq!(act(world, id, Action::Discard).await, Acted::Done);
    assert_eq!(entry(world, id).await.closed_as.as_deref(), Some("discarded"));
    let closed = Denied::Closed("discarded".to_owned());
    assert_eq!(act(world, id, Action::Discard).await, Acted::Denied(closed));
    assert_eq!(open(world).await, 1);
    assert_eq!(kept(world, &garbage).await, id, "what comes once more opens again");
    assert_eq!(drain(world, &garbage).await, Drained::Duplicate(Duplicate::KeptAlready));
    assert_eq!(entry(world, id).await.closed_as, None);
    assert_eq!((open(world).await, world.entries().await.len()), (2, 2));

    let nowhere = EntryId::of_message(Queue::Process, &garbage.content);
    assert_eq!(
        act(world, nowhere, Action::Replay).await,
        Acted::Denied(Denied::Unknown)
    );
}

pub(super) async fn a_message_that_says_nothing_of_a_row_leaves_it_alone(world: &dyn World) {
    let waits = waiting(world, "O-1").await;
    let of_row = kept(world, &letter(Queue::Process, &waits.0, Some(sample::failed()))).await;
    let mut claims = waits.0.clone();
    claims.document = sample::document("O-1", 99).into();
    let mismatch = kept(world, &letter(Queue::Process, &claims, Some(of(Class::Mismatch)))).await;
    let invalid = kept(world, &letter(Queue::Invalid, &waits.0, Some(of(Class::Invalid)))).await;
    for id in [mismatch, invalid] {
        assert!(!entry(world, id).await.of_row);
    }
    assert_eq!(open(world).await, 3, "one of the order, and two that name it");
    is_untouched(world, &waits).await;
    assert_eq!(act(world, mismatch, Action::Discard).await, Acted::Done);
    assert_eq!(entry(world, of_row).await.closed_as, None);
    is_untouched(world, &waits).await;
}

pub(super) async fn a_message_sent_again_closes_its_entry(world: &dyn World) {
    let unknown = sample::order("O-9", 1, 1);
    let letter = letter(Queue::Process, &unknown, Some(of(Class::UnknownOrder)));
    let id = kept(world, &letter).await;
    for _crash_in_between in 0..2 {
        let Acted::SendAgain(queue, content) = act(world, id, Action::Replay).await else {
            panic!("it is to be sent again");
        };
        assert_eq!((queue, &content.body), (letter.queue, &letter.content.body));
        assert_eq!(
            entry(world, id).await.closed_as,
            None,
            "it waits until that is confirmed"
        );
    }
    for _repeat in 0..2 {
        let closed = world.dead_letters().sent_again(id, &sample::operated()).await;
        closed.expect("an answer");
        assert_eq!(entry(world, id).await.closed_as.as_deref(), Some("replayed"));
    }
    let closed = Denied::Closed("replayed".to_owned());
    assert_eq!(act(world, id, Action::Replay).await, Acted::Denied(closed));
}

fn of(class: Class) -> Failed {
    Failed::new(class, None, "in a test's words", 1)
}
