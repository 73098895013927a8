//! The goods in memory: for tests, and for a process that is to keep nothing.

mod books;
mod changes;
mod house;
mod orders;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::Scope;
use adapter_postgres::service::memory::Ledger;
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use contracts::inventory::{CloseAnswer, DeliveryAnswer, Movement, StockRow};
use pipeline::id::{OrderId, Sku, WarehouseId};
use platform::clock::Clock;
use time::OffsetDateTime;

use self::house::House;
use self::orders::Orders;
use super::{Books, Close, Commit, Failed, Goods, Own, Reserve, Survey, Upkeep};
use crate::delivery::{Delivery, DeliveryId};
use crate::wanted::Wanted;

/// [`Goods`], [`Upkeep`] and [`Books`] in memory: one request after the other, so none is ever in progress.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept>,
}

/// Everything. It grows with what is done, as the tables do.
#[derive(Debug, Default)]
struct Kept {
    ledger: Ledger,
    house: House,
    orders: Orders,
    /// Contents by name.
    deliveries: BTreeMap<DeliveryId, [u8; 32]>,
}

impl MemoryStore {
    /// An empty store; `clock` dates its effects and movements.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // What can fail comes before what changes anything, so a panic leaves nothing half done.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Goods for MemoryStore {
    async fn survey(
        &self,
        order: Option<&OrderId>,
        wanted: &Wanted,
        now: OffsetDateTime,
    ) -> Result<Survey, StoreError> {
        let kept = self.kept();
        let own = order.and_then(|order| kept.orders.holding(order));
        Ok(Survey {
            own: own.map(|reservation| Own {
                ends: reservation.ends(now),
                goods: reservation.shelves(),
            }),
            ..kept.house.survey(wanted)
        })
    }

    async fn reserve(&self, scope: Scope<'_>, reserve: &Reserve) -> Result<Outcome, Failed> {
        self.kept().reserve(scope, reserve, self.clock.now())
    }

    async fn commit(&self, scope: Scope<'_>, commit: &Commit) -> Result<Outcome, Failed> {
        self.kept().commit(scope, commit, self.clock.now())
    }

    async fn close(&self, caller: &str, close: &Close) -> Result<CloseAnswer, StoreError> {
        Ok(self.kept().close(caller, close, self.clock.now()))
    }

    async fn receive(&self, _caller: &str, delivery: &Delivery) -> Result<DeliveryAnswer, Failed> {
        self.kept().receive(delivery, self.clock.now())
    }
}

#[async_trait]
impl Upkeep for MemoryStore {
    async fn expire(&self, now: OffsetDateTime, most: u32) -> Result<u32, StoreError> {
        Ok(self.kept().expire(now, most))
    }
}

#[async_trait]
impl Books for MemoryStore {
    async fn stock(&self, after: Option<(Sku, WarehouseId)>, limit: i64) -> Result<Page<StockRow>, StoreError> {
        Ok(self.kept().house.stock(after.as_ref(), limit))
    }

    async fn movements(&self, after: i64, limit: i64) -> Result<Page<Movement>, StoreError> {
        Ok(self.kept().house.movements(after, limit))
    }

    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        Ok(self.kept().ledger.effects_page(after, limit))
    }
}
