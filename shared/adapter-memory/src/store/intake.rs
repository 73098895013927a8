//! Checkout's side of an order.

use std::sync::Arc;

use async_trait::async_trait;
use pipeline::id::{Generation, Version};
use pipeline::order::State;
use pipeline::outgoing::Outgoing;
use pipeline::ports::{Intake, NewOrder, Placement, StoreError};

use super::{MemoryStore, Row, Tables};
use crate::faults::store_error;
use crate::held;

#[async_trait]
impl Intake for MemoryStore {
    async fn place(&self, order: &NewOrder) -> Result<Placement, StoreError> {
        let deed = || held(&self.tables).place(order, self.clock.ms());
        let placed = self.faults.call("intake.place", deed).await;
        placed.map_err(store_error("storing an order"))
    }

    async fn backlog(&self) -> Result<u64, StoreError> {
        let deed = || {
            let tables = held(&self.tables);
            let waiting = tables.orders.values().filter(|row| row.state == State::Accepted);
            waiting.count() as u64
        };
        let counted = self.faults.call("intake.backlog", deed).await;
        counted.map_err(store_error("counting orders"))
    }
}

impl Tables {
    fn place(&mut self, order: &NewOrder, now_ms: u64) -> Placement {
        let id = &order.content.order;
        if let Some(row) = self.orders.get(id) {
            let same = row.fingerprint == order.fingerprint && row.content.key == order.content.key;
            return if same {
                Placement::Known(row.state)
            } else {
                Placement::OrderIdTaken
            };
        }
        if let Some(row) = self.orders.values().find(|row| row.content.key == order.content.key) {
            return Placement::KeyTaken(row.content.order.clone());
        }
        let document: Arc<str> = order.document.as_str().into();
        let row = Row {
            content: order.content.clone(),
            document: Arc::clone(&document),
            fingerprint: order.fingerprint,
            generation: Generation::FIRST,
            state: State::Accepted,
            version: Version(1),
            history: vec![],
            result: None,
        };
        let process = Outgoing::Process {
            document,
            not_before: order.content.not_before,
            replay: false,
        };
        self.orders.insert(id.clone(), row);
        self.send((id, Generation::FIRST, Version(1)), &process, now_ms);
        self.flush();
        Placement::Accepted
    }
}
