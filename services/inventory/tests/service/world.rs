use std::collections::BTreeMap;
use std::sync::Arc;

use adapter_http::server::Dials;
use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::migrations::migrate_service;
use axum::Router;
use axum::http::Method;
use contracts::effects::Page;
use contracts::inventory::{Movement, ReserveAnswer, StockRow};
use inventory::config::Config;
use inventory::routes::{Inventory, router};
use inventory::serve::MIGRATIONS;
use inventory::store::postgres::PgStore;
use platform::clock::Clock;
use platform::health::Readiness;
use serde_json::{Value, json};
use sqlx::PgPool;
use testkit::database::TestDatabase;
use testkit::http::{Reply, TestServer, callers};
use testkit::manners::{self, with_key};
use time::OffsetDateTime;
use time::macros::datetime;

pub const CHECK: &str = "/inventory/check";
pub const RESERVE: &str = "/inventory/reserve";
pub const COMMIT: &str = "/inventory/commit";
pub const STOCK: &str = "/inventory/stock";

const CONNECTIONS_MAX: u32 = 10;

/// When everything here happens.
pub const NOW: OffsetDateTime = datetime!(2026-04-07 14:32:15.25 UTC);

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> OffsetDateTime {
        NOW
    }
}

/// The service, running.
pub struct World {
    pub database: TestDatabase,
    pub pool: PgPool,
    pub router: Router,
    pub server: TestServer,
}

impl World {
    pub async fn new(name: &str) -> Self {
        Self::on(TestDatabase::create(name).await).await
    }

    /// The service as it starts on a database that may have a past.
    pub async fn on(database: TestDatabase) -> Self {
        let pool = pool(&database.url, "test", CONNECTIONS_MAX, Durability::Durable).expect("a URL");
        migrate_service(&pool, &MIGRATIONS).await.expect("the schema is taken");
        let config = Config {
            listen: "127.0.0.1:0".parse().expect("an address"),
            database_url: database.url.clone(),
            callers: callers(&manners::CALLERS),
            dials: Dials::NONE,
            connections_max: CONNECTIONS_MAX.try_into().expect("not zero"),
        };
        let store = Arc::new(PgStore(pool.clone()));
        let inventory = Inventory {
            goods: store.clone(),
            books: store,
            clock: Arc::new(Stopped),
        };
        let router = router(inventory, &config, Readiness::starting());
        let server = TestServer::start(router.clone(), manners::CALLERS[0]).await;
        Self {
            database,
            pool,
            router,
            server,
        }
    }

    /// A new service with these units by product and warehouse; each weighs 1.5 kg.
    pub async fn with_stock(name: &str, shelves: &[(&str, &str, u32)]) -> Self {
        let world = Self::new(name).await;
        let delivered = world.deliver(&delivery(shelves)).await;
        assert_eq!(delivered.status, 200, "{}", delivered.text);
        world
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

    /// Per shelf, what was delivered is what is available and what was reserved; what was committed was reserved.
    pub async fn assert_balanced(&self) {
        let mut moved = BTreeMap::<(String, String), [u32; 3]>::new();
        for movement in self.movements().await {
            let kind = ["delivery", "reserve", "commit"]
                .iter()
                .position(|kind| *kind == movement.kind)
                .expect("a kind that we know");
            moved.entry((movement.sku, movement.warehouse)).or_default()[kind] += movement.units;
        }
        let stock = self.stock().await;
        assert_eq!(moved.keys().collect::<Vec<_>>(), stock.keys().collect::<Vec<_>>());
        for (shelf, [delivered, reserved, committed]) in moved {
            assert_eq!(delivered, stock[&shelf] + reserved, "{shelf:?}");
            assert!(committed <= reserved, "{shelf:?}");
        }
    }
}

pub fn delivery(shelves: &[(&str, &str, u32)]) -> Value {
    let row = |&(sku, warehouse, units): &(&str, &str, u32)| json!({ "sku": sku, "warehouse": warehouse, "weight_kg": 1.5, "units": units });
    json!({ "rows": shelves.iter().map(row).collect::<Vec<_>>() })
}

/// A request to reserve, without a key.
pub fn reserve(order: &str, items: &[(&str, u32, Option<&str>)]) -> Value {
    let item = |&(sku, qty, warehouse): &(&str, u32, Option<&str>)| {
        let mut item = json!({ "sku": sku, "qty": qty });
        if let Some(warehouse) = warehouse {
            item["warehouse"] = json!(warehouse);
        }
        item
    };
    let items: Vec<_> = items.iter().map(item).collect();
    json!({ "order_id": order, "generation": 1, "country": "MX", "items": items })
}

/// A request to commit, without a key.
pub fn commit(order: &str, reservation: &str) -> Value {
    json!({ "order_id": order, "generation": 1, "reservation_id": reservation })
}
