//! Checkout over a database of its own.

use std::sync::Arc;

use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::intake::PgIntake;
use adapter_postgres::ledger::PgLedger;
use adapter_postgres::migrations::migrate_acuse;
use adapter_postgres::relay::Wake;
use checkout::backlog::Backlog;
use checkout::routes::{Desk, router};
use platform::clock::SystemClock;
use platform::health::Readiness;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::http::{Reply, TestServer, callers};

/// Above this many orders without a worker, checkout promises nothing more.
pub const BACKLOG_MAX: u64 = 1_000;

pub struct Checkout {
    pub server: TestServer,
    pub backlog: Backlog,
    pub readiness: Readiness,
    pub database: TestDatabase,
}

pub async fn checkout(test: &str) -> Checkout {
    let database = TestDatabase::create(test).await;
    let (server, backlog, readiness) = instance(&database).await;
    Checkout {
        server,
        backlog,
        readiness,
        database,
    }
}

/// One more process of checkout over the same database.
pub async fn instance(database: &TestDatabase) -> (TestServer, Backlog, Readiness) {
    let pool = pool(&database.url, "test", 8, Durability::Durable).unwrap();
    migrate_acuse(&pool).await.unwrap();
    let (backlog, readiness) = (Backlog::new(BACKLOG_MAX), Readiness::starting());
    let desk = Desk {
        intake: Arc::new(PgIntake::new(pool.clone(), "checkout".to_owned(), Wake::default())),
        ledger: PgLedger(pool),
        backlog: backlog.clone(),
        clock: Arc::new(SystemClock),
    };
    let router = router(desk, callers(&["shop"]), readiness.clone());
    (TestServer::start(router, "shop").await, backlog, readiness)
}

pub fn order(id: &str) -> Value {
    json!({
        "order_id": id, "customer_id": "C", "payment_id": "P", "items": [{ "sku": "A", "qty": 1 }],
        "shipping_address": { "country": "MX", "city": "Mérida", "zip": "97000", "line1": "Calle 60" },
        "total_amount": { "value": 10, "currency": "MXN" }
    })
}

pub async fn post_with_key(checkout: &Checkout, key: &str, body: &Value) -> Reply {
    let headers = [("idempotency-key", key)];
    checkout
        .server
        .send(method("POST"), "/orders", &headers, Some(body.to_string()))
        .await
}

pub fn method(name: &str) -> axum::http::Method {
    name.parse().unwrap()
}
