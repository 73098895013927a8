//! A notification service that lacks a rule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use adapter_memory::notifications::MemoryNotifications;
use async_trait::async_trait;
use pipeline::happened::Apology;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Notifications, Refusal, RefusalKind, Told};
use pipeline::steps::{Notice, Shipment};

use super::Sabotage;
use crate::world::World;

pub(super) struct BrokenNotifications {
    sabotage: Sabotage,
    forward: bool,
    inner: Arc<MemoryNotifications>,
    answers: Mutex<BTreeMap<IdempotencyKey, Notice>>,
    told: Mutex<BTreeSet<(OrderId, Generation)>>,
    closed: Mutex<BTreeMap<OrderId, Generation>>,
}

impl BrokenNotifications {
    pub(super) fn new(sabotage: Sabotage, forward: bool, world: &World) -> Self {
        Self {
            sabotage,
            forward,
            inner: world.notifications.clone(),
            answers: Mutex::default(),
            told: Mutex::default(),
            closed: Mutex::default(),
        }
    }
}

#[async_trait]
impl Notifications for BrokenNotifications {
    async fn confirm(&self, key: &IdempotencyKey, order: &Order, shipments: &[Shipment]) -> Result<Notice, CallError> {
        let id = &order.content.order;
        let is_new = super::held(&self.told).insert((id.clone(), order.generation));
        if self.sabotage == Sabotage::NoticePerGeneration && is_new {
            self.inner.forget(id);
        }
        let notice = match self.inner.confirm(key, order, shipments).await {
            Ok(notice) => notice,
            Err(error) => {
                let before = super::held(&self.answers).get(key).cloned();
                let before = before.filter(|_| self.sabotage == Sabotage::AnswerBeforeTombstone);
                return before.filter(|_| super::is_superseded(&error)).ok_or(error);
            }
        };
        super::held(&self.answers).insert(key.clone(), notice.clone());
        Ok(notice)
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<Told, CallError> {
        if self.forward && self.sabotage == Sabotage::EarlierLeftOpen {
            return Ok(Told { confirmed: false });
        }
        super::held(&self.closed).insert(order.clone(), generation);
        let mut told = self.inner.close(order, generation).await?;
        if self.sabotage == Sabotage::NoTombstone {
            self.inner.reopen(order);
        }
        told.confirmed &= self.sabotage != Sabotage::ConfirmationForgotten;
        Ok(told)
    }

    async fn apologise(&self, key: &IdempotencyKey, order: &Order, apology: Apology) -> Result<(), CallError> {
        let closed = super::held(&self.closed).get(&order.content.order).copied();
        if self.sabotage == Sabotage::TombstoneForbidsUndo && closed >= Some(order.generation) {
            return Err(CallError::Refused(Refusal {
                service: "notifications",
                kind: RefusalKind::Superseded,
                problem: "superseded".to_owned(),
                detail: "broken".to_owned(),
            }));
        }
        self.inner.apologise(key, order, apology).await
    }
}
