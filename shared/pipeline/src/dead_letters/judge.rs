//! How a letter becomes an entry.

use super::{EntryId, Letter, Queue};
use crate::change::{Actor, Commit, change};
use crate::failure::{Class, Failed};
use crate::happened::Happened;
use crate::id::Version;
use crate::order::{Order, State};
use crate::verdict::Duplicate;

/// What becomes of a letter.
#[derive(Debug, Clone)]
pub enum Judgement {
    /// An entry opens. `Some` change: the order's row begins to wait with it, in the same transaction.
    Open {
        /// The entry.
        id: EntryId,
        /// The row's change.
        change: Option<Box<Commit>>,
        /// Why it is here.
        failed: Failed,
        /// Whether it is the entry of an order's row.
        of_row: bool,
    },
    /// Nothing is to be done.
    Drop(Duplicate),
}

/// Judges `letter` by its order's row and by whether the order has an open entry (rule 18 of the order protocol).
/// `by` signs the history of a row that moves.
#[must_use]
pub fn judge(letter: &Letter, row: Option<&(Order, Version)>, has_open: bool, by: &str) -> Judgement {
    let of_row = letter.failed.as_ref().is_none_or(|failed| failed.class.is_of_row());
    let Some((order, version)) = row.filter(|_| of_row && letter.queue != Queue::Invalid) else {
        return Judgement::Open {
            id: EntryId::of_message(letter.queue, &letter.content),
            change: None,
            failed: told(letter),
            of_row: false,
        };
    };
    if letter.generation != order.generation {
        return Judgement::Drop(Duplicate::OtherGeneration);
    }
    let waits = match letter.queue {
        Queue::Process | Queue::Invalid => State::DeadLettered,
        Queue::Compensation => State::Stuck,
    };
    if order.state == waits {
        if has_open {
            return Judgement::Drop(Duplicate::OpenAlready);
        }
        return Judgement::Open {
            id: EntryId::of(&order.content.order, order.generation, *version),
            change: None,
            failed: order.progress.failed.clone().unwrap_or_else(|| told(letter)),
            of_row: true,
        };
    }
    // A letter that one of us wrote about a row speaks of a row that waited; this one does so no more. What the broker
    // gave up is the row's only message, for all we know, so the row begins to wait.
    let by_broker = letter.failed.is_none();
    let failed = told(letter);
    let happened = match letter.queue {
        Queue::Process | Queue::Invalid => Happened::DeadLettered(failed.clone()),
        Queue::Compensation => Happened::Stuck(failed.clone()),
    };
    let actor = Actor {
        name: by.to_owned(),
        attempt: letter.attempt,
        message: None,
    };
    match change(order, *version, happened, &actor) {
        Ok((_after, mut commit)) if by_broker => {
            // The letter itself is here, so none is sent; what happened is announced all the same.
            commit.outbox.retain(|message| !message.is_dead_letter());
            Judgement::Open {
                id: EntryId::of(&order.content.order, order.generation, version.next()),
                change: Some(Box::new(commit)),
                failed,
                of_row: true,
            }
        }
        Ok(_) | Err(_) => Judgement::Drop(Duplicate::DeadLetterLate),
    }
}

fn told(letter: &Letter) -> Failed {
    let gave_up = || {
        let reason = "the broker gave it up: it was returned more often than its queue allows";
        Failed::new(Class::DeliveryLimit, None, reason, letter.attempt)
    };
    letter.failed.clone().unwrap_or_else(gave_up)
}
