//! What waits for a person: how a dead letter becomes an entry, and what an operator may do with one. Decisions only;
//! the store runs each in one transaction, with the order's row held.

mod decide;
mod entry;
mod judge;

use async_trait::async_trait;

use crate::happened::Operated;
use crate::id::OrderId;
use crate::ports::StoreError;
use crate::verdict::Duplicate;

pub use decide::{Action, Deed, Denied, decide};
pub use entry::{Content, EntryId, EntryState, Letter, Queue, UnknownEntryState};
pub use judge::{Judgement, judge};

/// What became of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Drained {
    /// It is kept as this entry.
    Kept(EntryId),
    /// It was known.
    Duplicate(Duplicate),
}

/// What became of an operator's action.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Acted {
    /// It is done.
    Done,
    /// This message is to be sent again as it was, and then [`DeadLetters::sent_again`] is to be told.
    SendAgain(Queue, Content),
    /// It is not done.
    Denied(Denied),
}

/// Where dead letters are kept until a person has seen to them.
#[async_trait]
pub trait DeadLetters: Send + Sync {
    /// Keeps a letter, in one transaction with the change of its order's row: see [`judge()`]. Safe to repeat.
    async fn drain(&self, letter: &Letter) -> Result<Drained, StoreError>;

    /// Does `action` on an entry, in one transaction with the change of its order's row: see [`decide()`].
    async fn act(&self, entry: EntryId, action: Action, operated: &Operated) -> Result<Acted, StoreError>;

    /// Closes an entry whose message was sent again. Safe to repeat.
    async fn sent_again(&self, entry: EntryId, operated: &Operated) -> Result<(), StoreError>;

    /// Has the undoing of a stuck order tried again, whether its letter has been drained by now or not.
    async fn redo(&self, order: &OrderId, operated: &Operated) -> Result<Acted, StoreError>;
}

#[cfg(test)]
mod tests;
