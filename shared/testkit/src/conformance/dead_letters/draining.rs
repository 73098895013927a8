//! From the dead-letter queues into the store.

use futures_util::future::join_all;
use pipeline::change::edit;
use pipeline::dead_letters::{Acted, Action, Drained, EntryId, Queue};
use pipeline::failure::Class;
use pipeline::happened::Happened;
use pipeline::order::State;
use pipeline::ports::Committed;
use pipeline::verdict::Duplicate;

use super::{
    Entry, World, act, drain, edit_into, entry, is_untouched, kept, letter, load, open, stuck, undoing, waiting,
};
use crate::conformance::orders::{place_by, sent, walk};
use crate::conformance::sample;

/// Letters that are drained at once to find a race.
const CROWD: usize = 12;

pub(super) async fn a_letter_of_ours_opens_the_entry_of_its_row(world: &dyn World) {
    let waits = waiting(world, "O-1").await;
    let (order, version) = &waits;
    let letter = letter(Queue::Process, order, Some(sample::failed()));
    let id = kept(world, &letter).await;
    assert_eq!(id, EntryId::of(&order.content.order, order.generation, *version));
    let told = entry(world, id).await;
    let expected = Entry {
        id,
        queue: Queue::Process,
        order: Some(order.content.order.clone()),
        generation: order.generation,
        failed: sample::failed(),
        // A database may write the same properties with other blanks.
        content: told.content.clone(),
        of_row: true,
        closed_as: None,
    };
    assert_eq!(told, expected);
    assert_eq!(told.content.body, letter.content.body, "byte for byte");
    is_untouched(world, &waits).await;

    assert_eq!(drain(world, &letter).await, Drained::Duplicate(Duplicate::OpenAlready));
    assert_eq!(world.entries().await, [told]);
    assert_eq!(act(world, id, Action::Replay).await, Acted::Done);
    let _replayed = sent(world.outbox()).await;
    let accepted = load(world, "O-1").await;
    assert_eq!(
        drain(world, &letter).await,
        Drained::Duplicate(Duplicate::DeadLetterLate)
    );
    assert_eq!(open(world).await, 0, "no alert for what goes on");
    is_untouched(world, &accepted).await;
}

pub(super) async fn what_the_broker_gave_up_makes_its_row_wait(world: &dyn World) {
    for (name, begun) in [("O-1", false), ("O-2", true)] {
        place_by(world.intake(), name).await;
        let (order, mut version) = load(world, name).await;
        if begun {
            version = walk(world.orders(), name, vec![sample::road(&order).remove(0)]).await.1;
        }
        let _accepted = sent(world.outbox()).await;
        let letter = letter(Queue::Process, &order, None);
        let id = kept(world, &letter).await;
        assert_eq!(id, EntryId::of(&order.content.order, order.generation, version.next()));
        let told = entry(world, id).await;
        assert_eq!(
            (told.failed.class, told.failed.attempt, told.of_row),
            (Class::DeliveryLimit, 2, true)
        );

        let (waits, at) = load(world, name).await;
        assert_eq!((waits.state, at), (State::DeadLettered, version.next()));
        assert_eq!(waits.progress.failed, Some(told.failed));
        assert_eq!(
            waits.progress.stock_check.is_some(),
            begun,
            "finished steps stay finished"
        );
        let kinds: Vec<_> = sent(world.outbox())
            .await
            .into_iter()
            .map(|message| message.kind)
            .collect();
        assert_eq!(
            kinds,
            ["order.dead_lettered"],
            "it is announced, and the letter itself is here already"
        );
        assert_eq!(drain(world, &letter).await, Drained::Duplicate(Duplicate::OpenAlready));
        is_untouched(world, &(waits, at)).await;
    }
    assert_eq!(open(world).await, 2);
}

pub(super) async fn a_waiting_row_without_an_entry_gets_one(world: &dyn World) {
    let waits = waiting(world, "O-1").await;
    let broker = letter(Queue::Process, &waits.0, None);
    let id = kept(world, &broker).await;
    assert_eq!(id, EntryId::of(&waits.0.content.order, waits.0.generation, waits.1));
    assert_eq!(
        entry(world, id).await.failed,
        sample::failed(),
        "the row knows why it waits"
    );
    is_untouched(world, &waits).await;
    let ours = letter(Queue::Process, &waits.0, Some(sample::failed()));
    assert_eq!(drain(world, &ours).await, Drained::Duplicate(Duplicate::OpenAlready));
    assert_eq!(open(world).await, 1, "one entry for one order");
}

pub(super) async fn a_letter_about_a_row_that_moved_on_is_dropped(world: &dyn World) {
    place_by(world.intake(), "O-1").await;
    let (order, _) = load(world, "O-1").await;
    let completed = walk(world.orders(), "O-1", sample::road(&order)).await;
    let undoing = undoing(world, "O-2").await;
    let stuck = stuck(world, "O-3").await;
    let _messages = sent(world.outbox()).await;
    for moved in [&completed, &undoing, &stuck] {
        for failed in [None, Some(sample::failed())] {
            let late = letter(Queue::Process, &moved.0, failed);
            assert_eq!(drain(world, &late).await, Drained::Duplicate(Duplicate::DeadLetterLate));
        }
        is_untouched(world, moved).await;
    }
    let undo = letter(Queue::Compensation, &completed.0, None);
    assert_eq!(drain(world, &undo).await, Drained::Duplicate(Duplicate::DeadLetterLate));
    is_untouched(world, &completed).await;
    assert_eq!(world.entries().await, []);
}

pub(super) async fn a_letter_of_another_generation_is_dropped(world: &dyn World) {
    let (order, version) = waiting(world, "O-1").await;
    let late = [None, Some(sample::failed())].map(|failed| letter(Queue::Process, &order, failed));
    let mended = sample::new_order(&sample::document("O-1", 7));
    let with = (mended.content, mended.document.into());
    let edited = edit(
        &order,
        version,
        Happened::Edited(sample::operated()),
        with,
        &sample::actor(&order),
    );
    let change = edited.expect("it waits").1;
    assert_eq!(world.orders().commit(change).await.expect("an answer"), Committed::Yes);
    let _message = sent(world.outbox()).await;
    let next = load(world, "O-1").await;
    for late in late {
        assert_eq!(
            drain(world, &late).await,
            Drained::Duplicate(Duplicate::OtherGeneration)
        );
    }
    is_untouched(world, &next).await;
    assert_eq!(world.entries().await, []);
}

pub(super) async fn an_undo_that_was_given_up_makes_its_row_stuck(world: &dyn World) {
    let (order, version) = undoing(world, "O-1").await;
    let id = kept(world, &letter(Queue::Compensation, &order, None)).await;
    assert_eq!(id, EntryId::of(&order.content.order, order.generation, version.next()));
    let (stuck, at) = load(world, "O-1").await;
    assert_eq!((stuck.state, at), (State::Stuck, version.next()));
    assert_eq!(sent(world.outbox()).await, []);
    let told = entry(world, id).await;
    assert_eq!((told.queue, told.of_row), (Queue::Compensation, true));

    let (order, version) = super::stuck(world, "O-2").await;
    let ours = letter(Queue::Compensation, &order, Some(sample::failed()));
    assert_eq!(
        kept(world, &ours).await,
        EntryId::of(&order.content.order, order.generation, version)
    );
    is_untouched(world, &(order, version)).await;
}

pub(super) async fn an_order_that_waits_again_has_another_entry(world: &dyn World) {
    let (order, _) = waiting(world, "O-1").await;
    let first_letter = letter(Queue::Process, &order, Some(sample::failed()));
    let first = kept(world, &first_letter).await;
    assert_eq!(act(world, first, Action::Replay).await, Acted::Done);
    let (order, version) = walk(world.orders(), "O-1", vec![Happened::DeadLettered(sample::failed())]).await;
    let second = kept(world, &letter(Queue::Process, &order, Some(sample::failed()))).await;
    assert_ne!(first, second);
    assert_eq!(second, EntryId::of(&order.content.order, order.generation, version));
    assert_eq!(entry(world, first).await.closed_as.as_deref(), Some("replayed"));
    assert_eq!(act(world, second, edit_into("O-1", 3)).await, Acted::Done);
    assert_eq!(
        (open(world).await, world.entries().await.len()),
        (0, 2),
        "what waited stays on record"
    );
}

pub(super) async fn of_letters_that_race_one_is_kept(world: &dyn World) {
    place_by(world.intake(), "O-1").await;
    let (order, version) = load(world, "O-1").await;
    let letter = letter(Queue::Process, &order, None);
    let told = join_all((0..CROWD).map(|_| drain(world, &letter))).await;
    let kept = told.iter().filter(|told| matches!(told, Drained::Kept(_))).count();
    assert_eq!(kept, 1, "{told:?}");
    assert_eq!(load(world, "O-1").await.1, version.next(), "its row moved once");
    assert_eq!((open(world).await, world.entries().await.len()), (1, 1));
}
