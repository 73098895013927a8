//! The outbox: rows are claimed by status and lease, and every mark names its holder.

use std::sync::Arc;

use async_trait::async_trait;
use pipeline::outgoing::Destination;
use pipeline::ports::{Claimed, Outbox, StoreError};
use time::OffsetDateTime;

use super::MemoryStore;
use crate::clock::Clock;
use crate::faults::store_error;
use crate::held;

/// How long a claim holds, in milliseconds.
pub const LEASE_MS: u64 = 30_000;

/// How long a row that could not be sent rests, in milliseconds.
const REST_MS: u64 = 1_000;

/// Rows deleted in one go.
const CLEAN_ROWS_MAX: usize = 1_000;

/// [`Outbox`] in memory, as one holder of claims sees it.
#[derive(Debug, Clone)]
pub struct MemoryOutbox {
    store: Arc<MemoryStore>,
    holder: u64,
    destinations: Vec<Destination>,
}

impl MemoryOutbox {
    /// A holder of claims on the rows for `destinations`, and for no others; no two holders have the same number.
    #[must_use]
    pub fn new(store: Arc<MemoryStore>, holder: u64, destinations: Vec<Destination>) -> Self {
        Self {
            store,
            holder,
            destinations,
        }
    }

    fn take(&self, rows_max: u32) -> Vec<Claimed> {
        let (mut tables, now) = (held(&self.store.tables), self.store.clock.ms());
        let due = tables
            .outbox
            .iter()
            .filter(|(_, row)| row.way.is_due(now) && self.destinations.contains(&row.envelope.destination));
        let due: Vec<_> = due.map(|(number, _)| *number).take(rows_max as usize).collect();
        let claim = |row: i64| {
            tables.mark(row, |way| way.claim = Some((self.holder, now + LEASE_MS)));
            let envelope = tables.outbox.get(&row)?.envelope.clone();
            Some(Claimed { row, envelope })
        };
        due.into_iter().filter_map(claim).collect()
    }

    /// Whether a row is due for this holder.
    #[must_use]
    pub fn has_due(&self) -> bool {
        let now = self.store.clock.ms();
        self.store.look(|tables| {
            let ours = |row: &super::OutboxRow| self.destinations.contains(&row.envelope.destination);
            tables.outbox.values().any(|row| row.way.is_due(now) && ours(row))
        })
    }

    fn mark(&self, rows: &[i64], change: impl Fn(&mut super::Way)) {
        let mut tables = held(&self.store.tables);
        for number in rows {
            let ours = |row: &super::OutboxRow| row.way.claim.is_some_and(|(holder, _)| holder == self.holder);
            if tables
                .outbox
                .get(number)
                .is_some_and(|row| ours(row) && !row.way.queued())
            {
                tables.mark(*number, &change);
            }
        }
    }
}

#[async_trait]
impl Outbox for MemoryOutbox {
    async fn claim(&self, rows_max: u32) -> Result<Vec<Claimed>, StoreError> {
        let claimed = self.store.faults.call("outbox.claim", || self.take(rows_max)).await;
        claimed.map_err(store_error("claiming outbox rows"))
    }

    async fn mark_queued(&self, rows: &[i64]) -> Result<(), StoreError> {
        let now = self.store.clock.ms();
        let deed = || self.mark(rows, |way| way.queued_ms = Some(now));
        let marked = self.store.faults.call("outbox.mark_queued", deed).await;
        marked.map_err(store_error("marking outbox rows"))
    }

    async fn release(&self, rows: &[i64]) -> Result<(), StoreError> {
        let due = self.store.clock.ms() + REST_MS;
        let deed = || {
            self.mark(rows, |way| {
                way.claim = None;
                way.available_ms = due;
            });
        };
        let released = self.store.faults.call("outbox.release", deed).await;
        released.map_err(store_error("releasing outbox rows"))
    }

    async fn clean(&self, before: OffsetDateTime) -> Result<u64, StoreError> {
        let deed = || {
            let mut tables = held(&self.store.tables);
            let old = |row: &super::OutboxRow| {
                let ours = self.destinations.contains(&row.envelope.destination);
                ours && row.way.queued_ms.is_some_and(|queued| Clock::at(queued) < before)
            };
            let rows = tables.outbox.iter().filter(|(_, row)| old(row)).take(CLEAN_ROWS_MAX);
            let rows: Vec<_> = rows.map(|(number, _)| *number).collect();
            rows.iter().filter_map(|number| tables.outbox.remove(number)).count() as u64
        };
        let cleaned = self.store.faults.call("outbox.clean", deed).await;
        cleaned.map_err(store_error("cleaning the outbox"))
    }
}
