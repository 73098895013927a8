//! What the service promises, whatever it keeps its goods in.

mod check;
mod close;
mod commit;
mod conformance;
mod crossings;
mod deliveries;
mod dials;
mod expiry;
mod keys;
mod races;
mod refused;
mod requests;
mod reserve;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use adapter_http::server::Dials;
use axum::Router;
use axum::http::Method;
use contracts::effects::Page;
use contracts::inventory::{CloseAnswer, Movement, ReserveAnswer, StockRow};
use inventory::config::Config;
use inventory::expiry::sweep;
use inventory::routes::{Inventory, router};
use platform::clock::Clock;
use platform::health::Readiness;
use serde_json::Value;
use testkit::http::{Reply, TestServer, callers};
use testkit::manners::{self, with_key};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::base::Base;
pub use requests::{closing, commit, delivery, of_generation, reserve};

pub const CHECK: &str = "/inventory/check";
pub const RESERVE: &str = "/inventory/reserve";
pub const COMMIT: &str = "/inventory/commit";
pub const CLOSE: &str = "/inventory/close";
pub const STOCK: &str = "/inventory/stock";

/// When everything here begins.
pub const NOW: OffsetDateTime = datetime!(2026-04-07 14:32:15.25 UTC);

/// A clock that stands still unless it is turned.
pub struct Watch(Mutex<OffsetDateTime>);

impl Watch {
    fn turn(&self, by: Duration) {
        *self.0.lock().expect("nobody panics with it") += by;
    }
}

impl Clock for Watch {
    fn now(&self) -> OffsetDateTime {
        *self.0.lock().expect("nobody panics with it")
    }
}

/// The service, running.
pub struct World {
    pub base: Base,
    pub router: Router,
    pub server: TestServer,
    pub watch: Arc<Watch>,
}

impl World {
    pub async fn new(name: &str) -> Self {
        let watch = Arc::new(Watch(Mutex::new(NOW)));
        Self::on(Base::new(name, watch.clone()).await, watch).await
    }

    /// The service as it starts again on what it kept.
    pub async fn again(self) -> Self {
        Self::on(self.base.again().await, self.watch).await
    }

    async fn on(base: Base, watch: Arc<Watch>) -> Self {
        let router = routed(&base, &watch, Dials::NONE);
        let server = TestServer::start(router.clone(), manners::CALLERS[0]).await;
        Self {
            base,
            router,
            server,
            watch,
        }
    }

    /// The same service with dials turned, at an address of its own.
    pub async fn dialled(&self, dials: Dials) -> TestServer {
        TestServer::start(routed(&self.base, &self.watch, dials), manners::CALLERS[0]).await
    }

    /// A new service with these units by product and warehouse; each weighs 1.5 kg.
    pub async fn with_stock(name: &str, shelves: &[(&str, &str, u32)]) -> Self {
        let world = Self::new(name).await;
        let delivered = world.deliver(&delivery(shelves)).await;
        assert_eq!(delivered.status, 200, "{}", delivered.text);
        world
    }

    /// Time goes by, and nobody looks.
    pub fn wait(&self, minutes: i64) {
        self.watch.turn(Duration::minutes(minutes));
    }

    /// Ends what ran out, as the service does by itself; gives how many that were.
    pub async fn sweep(&self) -> u32 {
        sweep(&*self.base.upkeep(), &*self.watch)
            .await
            .expect("the store answers")
    }

    pub async fn close(&self, order: &str, generation: u32) -> CloseAnswer {
        self.server.post(CLOSE, &closing(order, generation)).await.ok()
    }

    /// Kinds of all effects of an order, in their order.
    pub async fn done(&self, order: &str) -> Vec<String> {
        let effects = manners::effects(&self.server).await.into_iter();
        effects
            .filter(|effect| effect.order_id == order)
            .map(|effect| effect.kind)
            .collect()
    }

    pub async fn deliver(&self, delivery: &Value) -> Reply {
        self.server
            .send(Method::PUT, STOCK, &[], Some(delivery.to_string()))
            .await
    }

    pub async fn post(&self, path: &str, key: &str, body: &Value) -> Reply {
        self.server
            .send(Method::POST, path, &[], Some(with_key(body, key)))
            .await
    }

    /// Reserves one unit of what `items` say, which must be possible.
    pub async fn reserved(&self, order: &str, items: &[(&str, u32, Option<&str>)]) -> ReserveAnswer {
        self.post(RESERVE, &format!("{order}-reserve"), &reserve(order, items))
            .await
            .ok()
    }

    /// What is available, by product and warehouse, read in pages of two rows.
    pub async fn stock(&self) -> BTreeMap<(String, String), u32> {
        let rows: Vec<StockRow> = self.pages(STOCK).await;
        rows.into_iter()
            .map(|row| ((row.sku, row.warehouse), row.units))
            .collect()
    }

    pub async fn movements(&self) -> Vec<Movement> {
        self.pages("/inventory/movements").await
    }

    async fn pages<T: serde::de::DeserializeOwned>(&self, path: &str) -> Vec<T> {
        let mut rows = vec![];
        let mut next = Some(String::new());
        while let Some(after) = next {
            let query = if after.is_empty() {
                after
            } else {
                format!("&after={after}")
            };
            let page: Page<T> = self.server.get(&format!("{path}?limit=2{query}")).await.ok();
            rows.extend(page.rows);
            next = page.next;
        }
        rows
    }

    /// Per shelf, worked out from the movements alone: what was delivered is what is available, what live reservations
    /// hold, and what was committed and did not come back; nothing is below zero.
    pub async fn assert_balanced(&self) {
        let mut moved = BTreeMap::<_, BTreeMap<String, u32>>::new();
        for movement in self.movements().await {
            let kinds = moved.entry((movement.sku, movement.warehouse)).or_default();
            *kinds.entry(movement.kind).or_default() += movement.units;
        }
        let stock = self.stock().await;
        assert_eq!(moved.keys().collect::<Vec<_>>(), stock.keys().collect::<Vec<_>>());
        for (shelf, mut kinds) in moved {
            let mut sum = |kind: &str| kinds.remove(kind).unwrap_or_default();
            let (delivered, reserved, committed) = (sum("delivery"), sum("reserve"), sum("commit"));
            let (ended, returned) = (sum("release") + sum("expire"), sum("return"));
            assert!(kinds.is_empty(), "{shelf:?}: {kinds:?}");
            let live = reserved
                .checked_sub(committed + ended)
                .expect("no less than nothing is held");
            let gone = committed.checked_sub(returned).expect("no more comes back than left");
            assert_eq!(delivered, stock[&shelf] + live + gone, "{shelf:?}");
        }
    }
}

fn routed(base: &Base, watch: &Arc<Watch>, dials: Dials) -> Router {
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("an address"),
        database_url: "unused".parse().expect("any text"),
        callers: callers(&manners::CALLERS),
        dials,
        connections_max: 1.try_into().expect("not zero"),
    };
    let inventory = Inventory {
        goods: base.goods(),
        books: base.books(),
        clock: watch.clone(),
    };
    router(inventory, &config, Readiness::starting())
}

/// Status and problem of a reply; no problem is empty.
pub fn told(reply: &Reply) -> (u16, String) {
    (reply.status, reply.problem())
}
