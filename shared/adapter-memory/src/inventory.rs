//! The stock.

mod books;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use pipeline::id::{Generation, IdempotencyKey, OrderId, Sku, WarehouseId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Inventory};
use pipeline::steps::{CommittedReservation, Reservation, StockCheck};

use self::books::Books;
use crate::clock::Clock;
use crate::effects::Effect;
use crate::faults::{Faults, call_error};
use crate::held;

const SERVICE: &str = "inventory";

/// How long a reservation holds, in milliseconds.
pub const RESERVATION_MS: u64 = 12_000;

/// What lies where.
pub type Shelves = BTreeMap<(Sku, WarehouseId), u32>;

/// [`Inventory`] in memory.
#[derive(Debug)]
pub struct MemoryInventory {
    books: Mutex<Books>,
    clock: Arc<Clock>,
    faults: Arc<Faults>,
}

impl MemoryInventory {
    /// An inventory with nothing in it.
    #[must_use]
    pub fn new(clock: Arc<Clock>, faults: Arc<Faults>) -> Self {
        Self {
            books: Mutex::default(),
            clock,
            faults,
        }
    }

    /// A delivery of goods; 0 units make the product known.
    pub fn deliver(&self, sku: &Sku, warehouse: &WarehouseId, units: u32) {
        held(&self.books).deliver(sku, warehouse, units);
    }

    /// Returns the goods of reservations that ran out.
    pub fn sweep(&self) {
        held(&self.books).sweep(self.clock.ms());
    }

    /// What is there to be taken.
    pub fn shelves(&self) -> Shelves {
        held(&self.books).shelves.clone()
    }

    /// Forgets that generations of the order are closed, as a service without tombstones would. For proofs that somebody
    /// notices.
    pub fn reopen(&self, order: &OrderId) {
        held(&self.books).tombstones.reopen(order);
    }

    /// Effects after the first `seen`.
    pub fn effects_after(&self, seen: usize) -> Vec<Effect> {
        held(&self.books).log.after(seen)
    }

    /// How often an order's reserve was refused for want of goods.
    pub fn shortages(&self, order: &OrderId) -> u32 {
        held(&self.books).shortages.get(order).copied().unwrap_or(0)
    }

    /// Closes a generation that has no goods, as somebody might by mistake; whether it was open and had none.
    pub fn close_untouched(&self, order: &OrderId, generation: Generation) -> bool {
        held(&self.books).close_untouched(order, generation, self.clock.ms())
    }

    /// Forgets that the order holds goods, and every key, as a service without that rule would; its log stays. For
    /// proofs that somebody notices.
    pub fn forget(&self, order: &OrderId) {
        held(&self.books).forget(order);
    }
}

#[async_trait]
impl Inventory for MemoryInventory {
    async fn check(&self, order: &Order) -> Result<StockCheck, CallError> {
        let deed = || held(&self.books).check(order);
        let checked = self.faults.call("inventory.check", deed).await;
        Ok(checked.map_err(call_error(SERVICE))??)
    }

    async fn reserve(&self, key: &IdempotencyKey, order: &Order) -> Result<Reservation, CallError> {
        let deed = || held(&self.books).reserve(key, order, self.clock.ms());
        let reserved = self.faults.call("inventory.reserve", deed).await;
        Ok(reserved.map_err(call_error(SERVICE))??)
    }

    async fn commit(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
    ) -> Result<CommittedReservation, CallError> {
        let deed = || held(&self.books).commit(key, order, reservation, self.clock.ms());
        let committed = self.faults.call("inventory.commit", deed).await;
        Ok(committed.map_err(call_error(SERVICE))??)
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<(), CallError> {
        let deed = || held(&self.books).close(order, generation, self.clock.ms());
        let closed = self.faults.call("inventory.close", deed).await;
        closed.map_err(call_error(SERVICE))
    }
}
