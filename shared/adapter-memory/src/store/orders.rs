//! The worker's side of an order.

use async_trait::async_trait;
use pipeline::change::Commit;
use pipeline::id::{OrderId, Version};
use pipeline::order::Order;
use pipeline::ports::{Committed, OrderStore, StoreError};

use super::MemoryStore;
use crate::faults::store_error;
use crate::held;

#[async_trait]
impl OrderStore for MemoryStore {
    async fn load(&self, order: &OrderId) -> Result<Option<(Order, Version)>, StoreError> {
        let deed = || held(&self.tables).orders.get(order).map(super::Row::load);
        let loaded = self.faults.call("orders.load", deed).await;
        loaded.map_err(store_error("loading an order"))
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let deed = || held(&self.tables).record(&commit, self.clock.ms());
        let committed = self.faults.call("orders.commit", deed).await;
        committed.map_err(store_error("storing the end of a step"))
    }
}
