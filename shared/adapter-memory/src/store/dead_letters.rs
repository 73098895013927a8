//! Dead letters: each deed is one transaction with the change of its order's row.

use async_trait::async_trait;
use pipeline::dead_letters::{
    Acted, Action, DeadLetters, Deed, Denied, Drained, EntryId, Judgement, Letter, decide, judge,
};
use pipeline::happened::Operated;
use pipeline::id::OrderId;
use pipeline::order::State;
use pipeline::ports::{Committed, StoreError};
use pipeline::verdict::Duplicate;

use super::{Entry, MemoryStore, Row, Tables};
use crate::faults::store_error;
use crate::held;

/// Who signs the change of a row whose letter the broker brought.
const DRAIN: &str = "drain";

#[async_trait]
impl DeadLetters for MemoryStore {
    async fn drain(&self, letter: &Letter) -> Result<Drained, StoreError> {
        let deed = || held(&self.tables).drain(letter, self.clock.ms());
        let drained = self.faults.call("dead_letters.drain", deed).await;
        drained.map_err(store_error("keeping a dead letter"))
    }

    async fn act(&self, entry: EntryId, action: Action, operated: &Operated) -> Result<Acted, StoreError> {
        let deed = || held(&self.tables).act(entry, action, operated, self.clock.ms());
        let acted = self.faults.call("dead_letters.act", deed).await;
        acted.map_err(store_error("acting on a dead letter"))
    }

    async fn sent_again(&self, entry: EntryId, _: &Operated) -> Result<(), StoreError> {
        let deed = || held(&self.tables).close(entry, "replayed");
        let closed = self.faults.call("dead_letters.sent_again", deed).await;
        closed.map_err(store_error("closing a dead letter"))
    }

    async fn redo(&self, order: &OrderId, operated: &Operated) -> Result<Acted, StoreError> {
        let deed = || held(&self.tables).redo(order, operated, self.clock.ms());
        let acted = self.faults.call("dead_letters.redo", deed).await;
        acted.map_err(store_error("having an order undone again"))
    }
}

impl Tables {
    fn drain(&mut self, letter: &Letter, now_ms: u64) -> Drained {
        let row = letter
            .order
            .as_ref()
            .and_then(|order| self.orders.get(order))
            .map(Row::load);
        let has_open = letter.order.as_ref().is_some_and(|order| self.open_of(order).is_some());
        match judge(letter, row.as_ref(), has_open, DRAIN) {
            Judgement::Drop(duplicate) => Drained::Duplicate(duplicate),
            // One that belongs to no row and was closed opens again: the message came once more.
            Judgement::Open { id, .. }
                if self
                    .entries
                    .get(&id)
                    .is_some_and(|entry| entry.of_row || entry.closed_as.is_none()) =>
            {
                Drained::Duplicate(Duplicate::KeptAlready)
            }
            Judgement::Open {
                id,
                change,
                failed,
                of_row,
            } => {
                // The row was read under this very lock, so it cannot have moved.
                let _stored = change.map(|change| self.record(&change, now_ms));
                let entry = Entry {
                    queue: letter.queue,
                    order: letter.order.clone(),
                    generation: letter.generation,
                    failed,
                    content: letter.content.clone(),
                    of_row,
                    closed_as: None,
                };
                self.entries.insert(id, entry);
                self.flush();
                Drained::Kept(id)
            }
        }
    }

    fn act(&mut self, id: EntryId, action: Action, operated: &Operated, now_ms: u64) -> Acted {
        let Some(entry) = self.entries.get(&id) else {
            return Acted::Denied(Denied::Unknown);
        };
        if let Some(closed) = entry.closed_as {
            return Acted::Denied(Denied::Closed(closed.to_owned()));
        }
        let order = entry.order.as_ref().filter(|_| entry.of_row);
        let row = order.and_then(|order| self.orders.get(order)).map(Row::load);
        let closes_as = action.closes_as();
        match decide(action, row.as_ref(), operated) {
            Err(denied) => Acted::Denied(denied),
            Ok(Deed::SendAgain) => Acted::SendAgain(entry.queue, entry.content.clone()),
            Ok(Deed::Close) => {
                self.close(id, closes_as.name());
                Acted::Done
            }
            Ok(Deed::Change(change)) => match self.record(&change, now_ms) {
                Committed::Yes => {
                    self.close(id, closes_as.name());
                    Acted::Done
                }
                Committed::Conflict => Acted::Denied(Denied::Unknown),
            },
        }
    }

    fn redo(&mut self, order: &OrderId, operated: &Operated, now_ms: u64) -> Acted {
        if let Some(open) = self.open_of(order) {
            return self.act(open, Action::Redo, operated, now_ms);
        }
        let Some(row) = self.orders.get(order).map(Row::load) else {
            return Acted::Denied(Denied::Unknown);
        };
        match decide(Action::Redo, Some(&row), operated) {
            Ok(Deed::Change(change)) => match self.record(&change, now_ms) {
                Committed::Yes => Acted::Done,
                Committed::Conflict => Acted::Denied(Denied::NotSo(State::Stuck, "try again")),
            },
            Ok(Deed::SendAgain | Deed::Close) => Acted::Denied(Denied::NoOrder),
            Err(denied) => Acted::Denied(denied),
        }
    }

    fn close(&mut self, id: EntryId, closes_as: &'static str) {
        if let Some(entry) = self.entries.get_mut(&id).filter(|entry| entry.closed_as.is_none()) {
            entry.closed_as = Some(closes_as);
        }
        self.flush();
    }
}
