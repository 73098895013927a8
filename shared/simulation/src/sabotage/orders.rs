//! An order store that lacks a rule.

use std::sync::Arc;

use adapter_memory::broker::{MemoryBroker, Message, Place};
use adapter_memory::clock::Clock;
use adapter_memory::store::{HistoryRow, MemoryStore, RefundRow, Row};
use async_trait::async_trait;
use pipeline::change::Commit;
use pipeline::failure::Class;
use pipeline::happened::Happened;
use pipeline::id::{OrderId, Version};
use pipeline::order::{Order, Progress};
use pipeline::outgoing::{Envelope, Outgoing};
use pipeline::ports::{Committed, OrderStore, StoreError};

use super::Sabotage;
use crate::world::World;

pub(super) struct BrokenOrders {
    sabotage: Sabotage,
    store: Arc<MemoryStore>,
    broker: Arc<MemoryBroker>,
    clock: Arc<Clock>,
}

impl BrokenOrders {
    pub(super) fn new(sabotage: Sabotage, world: &World) -> Self {
        Self {
            sabotage,
            store: world.store.clone(),
            broker: world.broker.clone(),
            clock: world.clock.clone(),
        }
    }

    fn history(&self, order: &OrderId) -> Vec<HistoryRow> {
        let history = |row: &Row| row.history.clone();
        self.store
            .look(|tables| tables.orders.get(order).map(history).unwrap_or_default())
    }

    /// The change as it must be to be stored on the row as it is now.
    fn on_top(&self, commit: &Commit) -> Option<Commit> {
        let (order, version) = self
            .store
            .look(|tables| tables.orders.get(&commit.order).map(Row::load))?;
        Some(Commit {
            generation: order.generation,
            from: order.state,
            expected: version,
            ..commit.clone()
        })
    }

    /// Sends the change's messages whether or not it comes to be stored.
    fn send_first(&self, commit: &Commit) {
        for outgoing in commit
            .outbox
            .iter()
            .filter(|outgoing| matches!(outgoing, Outgoing::Compensate))
        {
            let version = commit.expected.next();
            let envelope = Envelope {
                id: outgoing.id(&commit.order, commit.to_generation, version),
                destination: outgoing.destination(),
                kind: outgoing.kind().to_owned(),
                order: commit.order.clone(),
                generation: commit.to_generation,
                marks: outgoing.marks(version),
                body: format!(r#"{{"order_id":"{}"}}"#, commit.order),
                created_at: self.clock.now(),
            };
            self.broker.put(Place::Compensation, Message::of(&envelope));
        }
    }
}

#[async_trait]
impl OrderStore for BrokenOrders {
    async fn load(&self, order: &OrderId) -> Result<Option<(Order, Version)>, StoreError> {
        let Some((mut found, version)) = self.store.load(order).await? else {
            return Ok(None);
        };
        let history = self.history(order).into_iter().map(|row| row.happened);
        match self.sabotage {
            Sabotage::JournalOfAll => found.progress = Progress::replay(history),
            Sabotage::ReplayAnew => {
                let history: Vec<_> = history.collect();
                let replayed = |happened: &Happened| matches!(happened, Happened::Replayed(_) | Happened::Edited(_));
                let from = history.iter().rposition(replayed).unwrap_or(0);
                found.progress = Progress::replay(history.into_iter().skip(from));
            }
            _ => {}
        }
        Ok(Some((found, version)))
    }

    async fn commit(&self, mut commit: Commit) -> Result<Committed, StoreError> {
        match (self.sabotage, &commit.happened) {
            (Sabotage::VersionIgnored, _) => commit = self.on_top(&commit).unwrap_or(commit),
            (Sabotage::MessageFirst, _) => {
                self.send_first(&commit);
                commit
                    .outbox
                    .retain(|outgoing| !matches!(outgoing, Outgoing::Compensate));
            }
            (Sabotage::SupersededAcked, Happened::DeadLettered(failed)) if failed.class == Class::Superseded => {
                return Ok(Committed::Yes);
            }
            (Sabotage::RefundUnkeyed, Happened::Compensated(refund)) => {
                let (order, refund) = (commit.order.clone(), refund.clone());
                self.store
                    .tamper(|tables| tables.refunds.push(RefundRow { order, refund }));
            }
            _ => {}
        }
        let committed = self.store.commit(commit.clone()).await?;
        if committed == Committed::Yes {
            return Ok(committed);
        }
        let again = self.on_top(&commit).filter(|again| match self.sabotage {
            Sabotage::VerdictCarried => again.from.is_open() && again.generation == commit.generation,
            Sabotage::FinalMoves => again.from.is_final() && again.generation == commit.generation,
            _ => false,
        });
        match again {
            Some(again) => self.store.commit(again).await,
            None => Ok(committed),
        }
    }
}
