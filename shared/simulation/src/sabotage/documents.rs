//! A documents service that lacks a rule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use adapter_memory::documents::MemoryDocuments;
use async_trait::async_trait;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Documents};
use pipeline::steps::{self, Reservation, Shipment};

use super::Sabotage;
use crate::world::World;

pub(super) struct BrokenDocuments {
    sabotage: Sabotage,
    forward: bool,
    inner: Arc<MemoryDocuments>,
    by_order: Mutex<BTreeMap<OrderId, steps::Documents>>,
    by_key: Mutex<BTreeMap<IdempotencyKey, steps::Documents>>,
    begun: Mutex<BTreeSet<(OrderId, Generation)>>,
}

impl BrokenDocuments {
    pub(super) fn new(sabotage: Sabotage, forward: bool, world: &World) -> Self {
        Self {
            sabotage,
            forward,
            inner: world.documents.clone(),
            by_order: Mutex::default(),
            by_key: Mutex::default(),
            begun: Mutex::default(),
        }
    }
}

#[async_trait]
impl Documents for BrokenDocuments {
    async fn generate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        shipments: &[Shipment],
    ) -> Result<steps::Documents, CallError> {
        let id = &order.content.order;
        let found = super::held(&self.by_order).get(id).cloned();
        if let (Some(found), Sabotage::CreditedFound) = (found, self.sabotage) {
            return Ok(found);
        }
        let issued = match self.inner.generate(key, order, reservation, shipments).await {
            Ok(issued) => issued,
            Err(error) => {
                let before = super::held(&self.by_key).get(key).cloned();
                let before = before.filter(|_| self.sabotage == Sabotage::AnswerBeforeTombstone);
                return before.filter(|_| super::is_superseded(&error)).ok_or(error);
            }
        };
        super::held(&self.by_order).insert(id.clone(), issued.clone());
        super::held(&self.by_key).insert(key.clone(), issued.clone());
        Ok(issued)
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<(), CallError> {
        if self.forward && self.sabotage == Sabotage::EarlierLeftOpen {
            return Ok(());
        }
        let began = !super::held(&self.begun).insert((order.clone(), generation));
        if !self.forward && self.sabotage == Sabotage::UndoSkipsBegun && began {
            return Ok(());
        }
        self.inner.close(order, generation).await?;
        if self.sabotage == Sabotage::NoTombstone {
            self.inner.reopen(order);
        }
        Ok(())
    }
}
