//! The order database in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use adapter_memory::clock::Clock;
use adapter_memory::store::{HistoryRow, MemoryOutbox, MemoryStore, OutboxRow, Tables, Way};
use async_trait::async_trait;
use pipeline::dead_letters::{DeadLetters, EntryId};
use pipeline::happened::Refund;
use pipeline::id::{Generation, MessageId, OrderId};
use pipeline::outgoing::{Destination, Envelope, Marks, ORDER_PROCESS};
use pipeline::ports::{Intake, OrderStore, Outbox};
use testkit::conformance::dead_letters::Entry;
use testkit::conformance::orders::Change;
use testkit::conformance::{dead_letters, orders, outbox, sample};
use time::OffsetDateTime;

const EVERYWHERE: [Destination; 4] = [
    Destination::Orders,
    Destination::Compensation,
    Destination::DeadLetters,
    Destination::Events,
];

pub struct World {
    clock: Arc<Clock>,
    store: Arc<MemoryStore>,
    outbox: MemoryOutbox,
    holders: AtomicU64,
}

impl World {
    #[expect(clippy::unused_async, reason = "a real one takes its time")]
    pub async fn fresh(_fact: &str) -> Self {
        let (clock, faults) = crate::calm();
        let store = Arc::new(MemoryStore::new(Arc::clone(&clock), faults));
        Self {
            outbox: MemoryOutbox::new(Arc::clone(&store), 0, EVERYWHERE.to_vec()),
            clock,
            store,
            holders: AtomicU64::new(1),
        }
    }
}

#[async_trait]
impl orders::World for World {
    fn intake(&self) -> &dyn Intake {
        &*self.store
    }

    fn orders(&self) -> &dyn OrderStore {
        &*self.store
    }

    fn outbox(&self) -> &dyn Outbox {
        &self.outbox
    }

    async fn refunds(&self, order: &OrderId) -> Vec<Refund> {
        let refunds = self.store.look(|tables| tables.refunds.clone()).into_iter();
        refunds
            .filter(|row| row.order == *order)
            .map(|row| row.refund)
            .collect()
    }

    async fn is_processed(&self, message: MessageId) -> bool {
        self.store.look(|tables| tables.processed.contains(&message))
    }

    async fn changes(&self, order: &OrderId) -> Vec<Change> {
        let history = self
            .store
            .look(|tables| tables.orders.get(order).map(|row| row.history.clone()));
        let change = |row: HistoryRow| Change {
            version: row.version,
            generation: row.generation,
            from: row.from,
            to: row.to,
            event: row.happened.name().to_owned(),
            worker: row.worker,
            attempt: row.attempt,
        };
        history.into_iter().flatten().map(change).collect()
    }
}

#[async_trait]
impl outbox::World for World {
    fn intake(&self) -> &dyn Intake {
        &*self.store
    }

    async fn holder(&self, destinations: &[Destination]) -> Arc<dyn Outbox> {
        let number = self.holders.fetch_add(1, Ordering::Relaxed);
        let store = Arc::clone(&self.store);
        Arc::new(MemoryOutbox::new(store, number, destinations.to_vec()))
    }

    async fn pass(&self, time: Duration) {
        self.clock.pass(time.as_millis().try_into().unwrap());
    }

    async fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    async fn pending(&self) -> usize {
        let unsent = |tables: &Tables| {
            let rows = tables.outbox.values();
            rows.filter(|row| !row.way.queued()).count()
        };
        self.store.look(unsent)
    }

    async fn fill_sent(&self, rows: u32) {
        let order = sample::id("O-1");
        let envelope = Envelope {
            id: MessageId::derive(&order, Generation::FIRST, ORDER_PROCESS),
            destination: Destination::Orders,
            kind: ORDER_PROCESS.to_owned(),
            order,
            generation: Generation::FIRST,
            marks: Marks::default(),
            body: String::new(),
            created_at: self.clock.now(),
        };
        let way = Way {
            available_ms: self.clock.ms(),
            claim: None,
            queued_ms: Some(self.clock.ms()),
        };
        let sent = (1..=i64::from(rows)).map(|number| {
            (
                number,
                OutboxRow {
                    envelope: envelope.clone(),
                    way,
                },
            )
        });
        self.store.tamper(|tables| tables.outbox.extend(sent));
    }
}

#[async_trait]
impl dead_letters::World for World {
    fn intake(&self) -> &dyn Intake {
        &*self.store
    }

    fn orders(&self) -> &dyn OrderStore {
        &*self.store
    }

    fn outbox(&self) -> &dyn Outbox {
        &self.outbox
    }

    fn dead_letters(&self) -> &dyn DeadLetters {
        &*self.store
    }

    async fn entries(&self) -> Vec<Entry> {
        let entry = |(id, entry): (&EntryId, &adapter_memory::store::Entry)| Entry {
            id: *id,
            queue: entry.queue,
            order: entry.order.clone(),
            generation: entry.generation,
            failed: entry.failed.clone(),
            content: entry.content.clone(),
            of_row: entry.of_row,
            closed_as: entry.closed_as.map(str::to_owned),
        };
        self.store.look(|tables| tables.entries.iter().map(entry).collect())
    }
}
