//! What becomes of letters, and what may be done with entries.

use super::*;
use crate::failure::{Class, Failed};
use crate::happened::Happened;
use crate::id::{Generation, Version};
use crate::order::{Order, State};
use crate::samples;

const V7: Version = Version(7);

fn row(state: State) -> (Order, Version) {
    let mut order = samples::order();
    order.state = state;
    (order, V7)
}

fn letter(queue: Queue, class: Option<Class>) -> Letter {
    Letter {
        queue,
        order: Some(samples::order().content.order),
        generation: Generation::FIRST,
        failed: class.map(|class| Failed::new(class, Some("reserve"), "no", 1)),
        attempt: 1,
        content: Content {
            body: b"{}".to_vec(),
            properties: "{}".to_owned(),
        },
    }
}

/// In a word: what becomes of the letter.
fn told(letter: &Letter, row: Option<&(Order, Version)>, has_open: bool) -> String {
    match judge(letter, row, has_open, "console") {
        Judgement::Drop(duplicate) => format!("dropped: {}", duplicate.name()),
        Judgement::Open {
            change, of_row, failed, ..
        } => {
            let moved = change
                .map(|change| format!(", row becomes {}", change.to))
                .unwrap_or_default();
            let owner = if of_row { "order's" } else { "nobody's" };
            format!("{owner} entry, {}{moved}", failed.class)
        }
    }
}

#[test]
fn a_letter_of_ours_opens_an_entry_only_while_its_row_waits() {
    let ours = letter(Queue::Process, Some(Class::Refused));
    assert_eq!(
        told(&ours, Some(&row(State::DeadLettered)), false),
        "order's entry, refused"
    );
    assert_eq!(
        told(&ours, Some(&row(State::DeadLettered)), true),
        "dropped: open_already"
    );
    for state in [
        State::Accepted,
        State::Processing,
        State::Completed,
        State::Compensating,
        State::Compensated,
        State::Stuck,
    ] {
        assert_eq!(
            told(&ours, Some(&row(state)), false),
            "dropped: dead_letter_late",
            "{state}"
        );
    }
    let undo = letter(Queue::Compensation, Some(Class::Exhausted));
    assert_eq!(told(&undo, Some(&row(State::Stuck)), false), "order's entry, exhausted");
    assert_eq!(
        told(&undo, Some(&row(State::Compensated)), false),
        "dropped: dead_letter_late"
    );
}

#[test]
fn what_the_broker_gave_up_makes_its_row_wait() {
    let given_up = letter(Queue::Process, None);
    for state in [State::Accepted, State::Processing] {
        let expected = "order's entry, delivery_limit, row becomes dead_lettered";
        assert_eq!(told(&given_up, Some(&row(state)), false), expected, "{state}");
    }
    assert_eq!(
        told(&given_up, Some(&row(State::Completed)), false),
        "dropped: dead_letter_late"
    );
    assert_eq!(
        told(&given_up, Some(&row(State::DeadLettered)), false),
        "order's entry, delivery_limit"
    );
    let undo = letter(Queue::Compensation, None);
    assert_eq!(
        told(&undo, Some(&row(State::Compensating)), false),
        "order's entry, delivery_limit, row becomes stuck"
    );
    assert_eq!(
        told(&undo, Some(&row(State::Processing)), false),
        "dropped: dead_letter_late"
    );
}

#[test]
fn what_the_broker_gave_up_sends_no_second_letter_and_is_announced() {
    let given_up = letter(Queue::Process, None);
    let Judgement::Open {
        change: Some(change),
        id,
        ..
    } = judge(&given_up, Some(&row(State::Processing)), false, "console")
    else {
        panic!("the row moves");
    };
    assert!(
        change.outbox.iter().all(|message| !message.is_dead_letter()),
        "{change:?}"
    );
    assert_eq!(change.outbox.len(), 1);
    assert_eq!(id, EntryId::of(&change.order, change.generation, V7.next()));
}

#[test]
fn a_letter_of_another_generation_says_nothing_of_this_one() {
    let mut late = letter(Queue::Process, None);
    late.generation = Generation(2);
    assert_eq!(
        told(&late, Some(&row(State::Processing)), false),
        "dropped: other_generation"
    );
}

#[test]
fn a_message_that_nobody_accepted_is_nobodys_entry_whatever_its_order_does() {
    for class in [Class::UnknownOrder, Class::Mismatch] {
        for state in [State::Processing, State::DeadLettered, State::Completed] {
            let stray = letter(Queue::Process, Some(class));
            assert_eq!(
                told(&stray, Some(&row(state)), true),
                format!("nobody's entry, {class}")
            );
        }
    }
    let invalid = letter(Queue::Invalid, Some(Class::Invalid));
    assert_eq!(
        told(&invalid, Some(&row(State::Processing)), false),
        "nobody's entry, invalid"
    );
    assert_eq!(
        told(&letter(Queue::Process, None), None, false),
        "nobody's entry, delivery_limit"
    );
}

#[test]
fn an_entry_is_named_by_the_version_that_made_its_order_wait() {
    let order = samples::order().content.order;
    let id = |generation, version| EntryId::of(&order, Generation(generation), Version(version));
    assert_eq!(id(1, 7), id(1, 7));
    assert_ne!(id(1, 7), id(1, 8));
    assert_ne!(id(1, 7), id(2, 7));
}

fn act(action: Action, state: State) -> Result<Deed, Denied> {
    decide(action, Some(&row(state)), &operated())
}

fn operated() -> Operated {
    Operated {
        by: "ana".to_owned(),
        reason: "because".to_owned(),
    }
}

#[test]
fn each_act_has_the_state_that_it_is_for() {
    let edit = || {
        let order = samples::order();
        Action::Edit(Box::new(order.content), order.document)
    };
    for state in State::ALL {
        let allowed = |action| act(action, state).is_ok();
        assert_eq!(
            allowed(Action::Replay),
            state == State::DeadLettered,
            "replay while {state}"
        );
        assert_eq!(allowed(edit()), state == State::DeadLettered, "edit while {state}");
        assert_eq!(
            allowed(Action::Abandon),
            state == State::DeadLettered,
            "abandon while {state}"
        );
        assert_eq!(allowed(Action::Redo), state == State::Stuck, "redo while {state}");
        assert!(!allowed(Action::Discard), "an order is never discarded");
    }
    let rowless = |action| decide(action, None, &operated());
    assert!(matches!(rowless(Action::Replay), Ok(Deed::SendAgain)));
    assert!(matches!(rowless(Action::Discard), Ok(Deed::Close)));
    for action in [Action::Abandon, Action::Redo, edit()] {
        assert!(matches!(rowless(action), Err(Denied::NoOrder)));
    }
}

#[test]
fn a_replay_keeps_the_generation_and_an_edit_opens_the_next() {
    let Ok(Deed::Change(replay)) = act(Action::Replay, State::DeadLettered) else {
        panic!("it is allowed");
    };
    assert_eq!(
        (replay.generation, replay.to_generation, replay.document),
        (Generation(1), Generation(1), None)
    );
    assert!(matches!(&replay.happened, Happened::Replayed(by) if by.by == "ana"));

    let mut content = samples::order().content;
    content.address.city = "Oaxaca".to_owned();
    let Ok(Deed::Change(edit)) = act(
        Action::Edit(Box::new(content.clone()), "{\"new\":1}".into()),
        State::DeadLettered,
    ) else {
        panic!("it is allowed");
    };
    assert_eq!((edit.generation, edit.to_generation), (Generation(1), Generation(2)));
    assert_eq!(edit.document.as_deref(), Some("{\"new\":1}"));
    assert!(edit.must_be_durable());

    content.payment = crate::id::PaymentId::parse("P-2").unwrap();
    let denied = act(Action::Edit(Box::new(content), "{}".into()), State::DeadLettered);
    assert!(matches!(denied, Err(Denied::MustStay("payment_id"))), "{denied:?}");
}
