//! Carriers that lack a rule.

use std::sync::Arc;

use adapter_memory::logistics::MemoryLogistics;
use adapter_memory::store::{MemoryStore, Row};
use async_trait::async_trait;
use pipeline::happened::Happened;
use pipeline::id::{IdempotencyKey, WarehouseId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Logistics};
use pipeline::steps::{Reservation, Shipment};

use super::Sabotage;
use crate::world::World;

pub(super) struct BrokenLogistics {
    sabotage: Sabotage,
    inner: Arc<MemoryLogistics>,
    store: Arc<MemoryStore>,
}

impl BrokenLogistics {
    pub(super) fn new(sabotage: Sabotage, world: &World) -> Self {
        Self {
            sabotage,
            inner: world.logistics.clone(),
            store: world.store.clone(),
        }
    }

    fn replays(&self, order: &Order) -> usize {
        let replayed = |row: &Row| {
            let history = row.history.iter();
            history
                .filter(|row| matches!(row.happened, Happened::Replayed(_)))
                .count()
        };
        self.store
            .look(|tables| tables.orders.get(&order.content.order).map_or(0, replayed))
    }
}

#[async_trait]
impl Logistics for BrokenLogistics {
    async fn calculate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        origin: &WarehouseId,
    ) -> Result<Shipment, CallError> {
        if self.sabotage == Sabotage::ReplayAnew {
            let effect = format!("{key}/{}", self.replays(order));
            let key = IdempotencyKey::derive(&order.content.order, order.generation, &effect);
            return self.inner.calculate(&key, order, reservation, origin).await;
        }
        self.inner.calculate(key, order, reservation, origin).await
    }
}
