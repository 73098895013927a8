//! Orders, outbox and dead letters over one state: what is one transaction in PostgreSQL is one lock in here.

mod dead_letters;
mod intake;
mod orders;
mod outbox;
mod tables;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pipeline::dead_letters::EntryId;
use pipeline::id::{OrderId, Version};
use pipeline::order::Order;

pub use self::outbox::{LEASE_MS, MemoryOutbox};
pub use self::tables::{Entry, HistoryRow, OutboxRow, RefundRow, Row, Tables, Way};
use crate::clock::Clock;
use crate::faults::Faults;
use crate::held;

/// A database in memory. A relaxed commit is lost when it [crashes](Self::crash), unless a durable one came after it.
#[derive(Debug)]
pub struct MemoryStore {
    tables: Mutex<Tables>,
    clock: Arc<Clock>,
    faults: Arc<Faults>,
}

impl MemoryStore {
    /// An empty database.
    #[must_use]
    pub fn new(clock: Arc<Clock>, faults: Arc<Faults>) -> Self {
        Self {
            tables: Mutex::default(),
            clock,
            faults,
        }
    }

    /// Ends the database's process and starts it again: of the relaxed commits since the last durable one, the last
    /// `lost` are gone. The orders that went back.
    pub fn crash(&self, lost: usize) -> Vec<OrderId> {
        held(&self.tables).crash(lost)
    }

    /// Relaxed commits that a crash could lose.
    pub fn at_risk(&self) -> usize {
        held(&self.tables).at_risk()
    }

    /// Looks at the tables as they are.
    pub fn look<T>(&self, at: impl FnOnce(&Tables) -> T) -> T {
        at(&held(&self.tables))
    }

    /// Changes the tables behind everybody's back, as a broken program could. For proofs that somebody notices.
    pub fn tamper<T>(&self, with: impl FnOnce(&mut Tables) -> T) -> T {
        with(&mut held(&self.tables))
    }

    /// All orders as a worker would load them.
    pub fn orders(&self) -> BTreeMap<OrderId, (Order, Version)> {
        let load = |(id, row): (&OrderId, &Row)| (id.clone(), row.load());
        self.look(|tables| tables.orders.iter().map(load).collect())
    }

    /// Entries that wait for a person.
    pub fn open_entries(&self) -> Vec<(EntryId, Entry)> {
        let open = |tables: &Tables| {
            let open = tables.entries.iter().filter(|(_, entry)| entry.closed_as.is_none());
            open.map(|(id, entry)| (*id, entry.clone())).collect()
        };
        self.look(open)
    }
}
