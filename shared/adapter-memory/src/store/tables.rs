//! What is stored, and what one change does to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contracts::outgoing::body;
use pipeline::change::Commit;
use pipeline::dead_letters::{Content, EntryId, Queue};
use pipeline::failure::Failed;
use pipeline::happened::{Happened, Refund};
use pipeline::id::{Generation, MessageId, OrderId, Version};
use pipeline::message::OrderMessage;
use pipeline::order::{Order, Progress, State};
use pipeline::outgoing::{Completed, Envelope, Outgoing};
use pipeline::ports::Committed;

use crate::clock::Clock;

/// An order's row with its history.
#[derive(Debug, Clone)]
pub struct Row {
    /// What its document says.
    pub content: OrderMessage,
    /// The document of its generation.
    pub document: Arc<str>,
    /// What makes a repeat of it recognisable.
    pub fingerprint: [u8; 32],
    /// Its generation.
    pub generation: Generation,
    /// Where it stands.
    pub state: State,
    /// How often it moved.
    pub version: Version,
    /// Every change, oldest first.
    pub history: Vec<HistoryRow>,
    /// What it came to.
    pub result: Option<Completed>,
}

/// One change of one order.
#[derive(Debug, Clone)]
pub struct HistoryRow {
    /// The order.
    pub order: OrderId,
    /// The version after it.
    pub version: Version,
    /// The generation after it.
    pub generation: Generation,
    /// The state before.
    pub from: State,
    /// The state after.
    pub to: State,
    /// What happened.
    pub happened: Happened,
    /// Who did it.
    pub worker: String,
    /// Which try it was.
    pub attempt: u32,
}

impl Row {
    /// The order with its journal of the current generation, and its version.
    #[must_use]
    pub fn load(&self) -> (Order, Version) {
        let of_now = self.history.iter().filter(|row| row.generation == self.generation);
        let order = Order {
            content: self.content.clone(),
            document: Arc::clone(&self.document),
            generation: self.generation,
            state: self.state,
            progress: Progress::replay(of_now.map(|row| row.happened.clone())),
        };
        (order, self.version)
    }
}

/// A message that must leave.
#[derive(Debug, Clone)]
pub struct OutboxRow {
    /// The message.
    pub envelope: Envelope,
    /// How far it is on its way.
    pub way: Way,
}

/// How far a message of the outbox is on its way.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// Not before this, in milliseconds.
    pub available_ms: u64,
    /// Whose it is, and until when, in milliseconds.
    pub claim: Option<(u64, u64)>,
    /// When it left, in milliseconds; `None` while it has not.
    pub queued_ms: Option<u64>,
}

impl Way {
    /// Whether it left.
    #[must_use]
    pub fn queued(self) -> bool {
        self.queued_ms.is_some()
    }

    /// Whether anybody may claim it now.
    #[must_use]
    pub fn is_due(self, now_ms: u64) -> bool {
        let free = self.claim.is_none_or(|(_, until)| until < now_ms);
        !self.queued() && free && self.available_ms <= now_ms
    }
}

/// Money that goes back.
#[derive(Debug, Clone)]
pub struct RefundRow {
    /// For which order.
    pub order: OrderId,
    /// How much, and what was said.
    pub refund: Refund,
}

/// Something that waits, or waited, for a person.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The queue that it came out of.
    pub queue: Queue,
    /// The order that it speaks of.
    pub order: Option<OrderId>,
    /// In which generation.
    pub generation: Generation,
    /// Why.
    pub failed: Failed,
    /// The message.
    pub content: Content,
    /// Whether it belongs to an order's row.
    pub of_row: bool,
    /// What became of it; `None` while it is open.
    pub closed_as: Option<&'static str>,
}

/// A relaxed write that a crash may take back.
#[derive(Debug)]
enum Undo {
    Journal(OrderId),
    Outbox(i64, Way),
}

/// Everything that is stored.
#[derive(Debug, Default)]
pub struct Tables {
    /// Orders.
    pub orders: BTreeMap<OrderId, Row>,
    /// Messages that must leave, or left.
    pub outbox: BTreeMap<i64, OutboxRow>,
    /// Messages whose work has ended.
    pub processed: BTreeSet<MessageId>,
    /// Money that goes back: one row for each order.
    pub refunds: Vec<RefundRow>,
    /// Dead letters.
    pub entries: BTreeMap<EntryId, Entry>,
    /// Every change of every order, oldest first; what a crash lost is not taken out of it.
    pub changes: Vec<HistoryRow>,
    /// Changes that were refused because the row was not as they expected.
    pub conflicts: u64,
    outbox_number: i64,
    undo: Vec<Undo>,
}

impl Tables {
    /// One change: stored whole, or not at all.
    pub fn record(&mut self, commit: &Commit, now_ms: u64) -> Committed {
        let Some(row) = self.orders.get_mut(&commit.order) else {
            return Committed::Conflict;
        };
        if (row.generation, row.state, row.version) != (commit.generation, commit.from, commit.expected) {
            self.conflicts += 1;
            return Committed::Conflict;
        }
        row.version = row.version.next();
        row.state = commit.to;
        row.generation = commit.to_generation;
        let change = HistoryRow {
            order: commit.order.clone(),
            version: row.version,
            generation: row.generation,
            from: commit.from,
            to: commit.to,
            happened: commit.happened.clone(),
            worker: commit.worker.clone(),
            attempt: commit.attempt,
        };
        row.history.push(change.clone());
        self.changes.push(change);
        if let Some(document) = &commit.document
            && let Ok(content) = contracts::order_message::decode(document.as_bytes())
        {
            row.content = content;
            row.document = Arc::clone(document);
        }
        if let Some(result) = &commit.result {
            row.result = Some(result.clone());
        }
        let version = row.version;
        if let Happened::Compensated(refund) = &commit.happened {
            let refund = RefundRow {
                order: commit.order.clone(),
                refund: refund.clone(),
            };
            if self.refunds.iter().all(|before| before.order != refund.order) {
                self.refunds.push(refund);
            }
        }
        self.processed.extend(commit.processed);
        for outgoing in &commit.outbox {
            self.send((&commit.order, commit.to_generation, version), outgoing, now_ms);
        }
        if commit.must_be_durable() {
            self.flush();
        } else {
            self.undo.push(Undo::Journal(commit.order.clone()));
        }
        Committed::Yes
    }

    /// Puts a message into the outbox.
    pub(super) fn send(&mut self, of: (&OrderId, Generation, Version), outgoing: &Outgoing, now_ms: u64) {
        let (order, generation, version) = of;
        let envelope = Envelope {
            id: outgoing.id(order, generation, version),
            destination: outgoing.destination(),
            kind: outgoing.kind().to_owned(),
            order: order.clone(),
            generation,
            marks: outgoing.marks(version),
            // What has no JSON is no message, and nothing of ours has none.
            body: body(order, generation, outgoing).unwrap_or_default(),
            created_at: Clock::at(now_ms),
        };
        let not_before_ms = match outgoing {
            Outgoing::Process { not_before, .. } => not_before.map_or(0, Clock::ms_at),
            Outgoing::Compensate
            | Outgoing::ProcessDead { .. }
            | Outgoing::CompensateDead(_)
            | Outgoing::Completed(_)
            | Outgoing::Compensated(_)
            | Outgoing::DeadLettered(_) => 0,
        };
        let way = Way {
            available_ms: now_ms.max(not_before_ms),
            claim: None,
            queued_ms: None,
        };
        let row = OutboxRow { envelope, way };
        self.outbox_number += 1;
        self.outbox.insert(self.outbox_number, row);
    }

    /// Changes an outbox row, relaxed.
    pub(super) fn mark(&mut self, number: i64, change: impl FnOnce(&mut Way)) {
        if let Some(row) = self.outbox.get_mut(&number) {
            self.undo.push(Undo::Outbox(number, row.way));
            change(&mut row.way);
        }
    }

    /// Whatever was written up to now survives a crash.
    pub(super) fn flush(&mut self) {
        self.undo.clear();
    }

    pub(super) fn at_risk(&self) -> usize {
        self.undo.len()
    }

    pub(super) fn crash(&mut self, lost: usize) -> Vec<OrderId> {
        let mut back = vec![];
        for _ in 0..lost {
            match self.undo.pop() {
                Some(Undo::Journal(order)) => {
                    if let Some(row) = self.orders.get_mut(&order)
                        && let Some(change) = row.history.pop()
                    {
                        row.state = change.from;
                        row.version = Version(change.version.0 - 1);
                    }
                    back.push(order);
                }
                Some(Undo::Outbox(number, way)) => {
                    if let Some(row) = self.outbox.get_mut(&number) {
                        row.way = way;
                    }
                }
                None => break,
            }
        }
        back
    }

    /// The order's open entry.
    #[must_use]
    pub fn open_of(&self, order: &OrderId) -> Option<EntryId> {
        let open = |entry: &Entry| entry.of_row && entry.closed_as.is_none() && entry.order.as_ref() == Some(order);
        self.entries.iter().find(|(_, entry)| open(entry)).map(|(id, _)| *id)
    }
}
