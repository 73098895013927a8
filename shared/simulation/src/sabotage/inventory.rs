//! An inventory that lacks a rule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use adapter_memory::inventory::MemoryInventory;
use async_trait::async_trait;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Inventory, Refusal, RefusalKind};
use pipeline::steps::{CommittedReservation, Reservation, StockCheck};

use super::Sabotage;
use crate::world::World;

pub(super) struct BrokenInventory {
    sabotage: Sabotage,
    /// As order workers see it, not compensation workers.
    forward: bool,
    inner: Arc<MemoryInventory>,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    reserved: BTreeMap<IdempotencyKey, Reservation>,
    committed: BTreeMap<IdempotencyKey, CommittedReservation>,
    short: BTreeSet<OrderId>,
    begun: BTreeSet<(OrderId, Generation)>,
}

impl BrokenInventory {
    pub(super) fn new(sabotage: Sabotage, forward: bool, world: &World) -> Self {
        Self {
            sabotage,
            forward,
            inner: world.inventory.clone(),
            memory: Mutex::default(),
        }
    }

    /// A stored answer in place of what the tombstone says.
    fn before_tombstone<T>(&self, answer: Option<T>, refused: Result<T, CallError>) -> Result<T, CallError> {
        match (answer, refused) {
            (Some(answer), Err(error))
                if self.sabotage == Sabotage::AnswerBeforeTombstone && super::is_superseded(&error) =>
            {
                Ok(answer)
            }
            (_, told) => told,
        }
    }
}

fn refused(kind: RefusalKind) -> CallError {
    CallError::Refused(Refusal {
        service: "inventory",
        kind,
        problem: "broken".to_owned(),
        detail: "broken".to_owned(),
    })
}

#[async_trait]
impl Inventory for BrokenInventory {
    async fn check(&self, order: &Order) -> Result<StockCheck, CallError> {
        let mut checked = self.inner.check(order).await?;
        if self.sabotage == Sabotage::CheckDecides {
            let shelves = self.inner.shelves();
            let enough = |line: &pipeline::message::Line| {
                let units = |((sku, _), units): (&(_, _), &u32)| *sku == line.sku && *units >= line.quantity;
                shelves.iter().any(units)
            };
            checked.available = order.content.lines.iter().all(enough);
            let short = &mut super::held(&self.memory).short;
            if checked.available {
                short.remove(&order.content.order);
            } else {
                short.insert(order.content.order.clone());
            }
        }
        Ok(checked)
    }

    async fn reserve(&self, key: &IdempotencyKey, order: &Order) -> Result<Reservation, CallError> {
        let id = &order.content.order;
        if self.sabotage == Sabotage::CheckDecides && super::held(&self.memory).short.contains(id) {
            return Err(refused(RefusalKind::OutOfStock(vec![])));
        }
        if self.sabotage == Sabotage::SecondReservation {
            self.inner.forget(id);
        }
        let before = super::held(&self.memory).reserved.get(key).cloned();
        if let (Some(before), Sabotage::StaleAnswer) = (&before, self.sabotage) {
            return Ok(before.clone());
        }
        let reservation = self.before_tombstone(before, self.inner.reserve(key, order).await)?;
        super::held(&self.memory)
            .reserved
            .insert(key.clone(), reservation.clone());
        Ok(reservation)
    }

    async fn commit(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
    ) -> Result<CommittedReservation, CallError> {
        let before = super::held(&self.memory).committed.get(key).cloned();
        match self.before_tombstone(before, self.inner.commit(key, order, reservation).await) {
            Ok(committed) => {
                super::held(&self.memory)
                    .committed
                    .insert(key.clone(), committed.clone());
                Ok(committed)
            }
            Err(CallError::Refused(refusal))
                if self.sabotage == Sabotage::ExpiredKept && refusal.kind == RefusalKind::ReservationExpired =>
            {
                Err(refused(RefusalKind::Other))
            }
            Err(error) => Err(error),
        }
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<(), CallError> {
        if self.forward && self.sabotage == Sabotage::EarlierLeftOpen {
            return Ok(());
        }
        let began = !super::held(&self.memory).begun.insert((order.clone(), generation));
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
