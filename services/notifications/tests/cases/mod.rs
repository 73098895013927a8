//! What the service promises, whatever it keeps its notices in.

mod close;
mod conformance;
mod directory;
mod races;
mod refused;
mod send;

use std::sync::Arc;

use adapter_http::server::Dials;
use axum::Router;
use axum::http::Method;
use contracts::effects::Page;
use contracts::notifications::{CloseAnswer, StoredMessage};
use notifications::Config;
use notifications::routes::{App, router};
use platform::clock::Clock;
use platform::health::Readiness;
use serde_json::{Value, json};
use testkit::http::{Reply, TestServer, callers};
use testkit::manners;
use time::OffsetDateTime;
use time::macros::datetime;

use crate::base::Base;

pub const SEND: &str = "/notifications/send";
pub const CLOSE: &str = "/notifications/close";

/// A Tuesday.
pub struct Tuesday;

impl Clock for Tuesday {
    fn now(&self) -> OffsetDateTime {
        datetime!(2026-04-07 14:32:15 UTC)
    }
}

/// The service, running.
pub struct World {
    pub base: Base,
    pub router: Router,
    pub server: TestServer,
}

impl World {
    pub async fn new(name: &str) -> Self {
        Self::on(Base::new(name).await).await
    }

    /// The service as it starts again on what it kept.
    pub async fn again(self) -> Self {
        Self::on(self.base.again().await).await
    }

    async fn on(base: Base) -> Self {
        let config = Config {
            listen: "127.0.0.1:0".parse().expect("an address"),
            database_url: "unused".parse().expect("any text"),
            callers: callers(&manners::CALLERS),
            dials: Dials::NONE,
            connections_max: 8.try_into().expect("not zero"),
        };
        let app = App {
            store: base.store(),
            clock: Arc::new(Tuesday),
        };
        let router = router(app, &config, Readiness::starting());
        let server = TestServer::start(router.clone(), manners::CALLERS[0]).await;
        Self { base, router, server }
    }

    pub async fn send(&self, key: &str, request: &Value) -> Reply {
        let body = manners::with_key(request, key);
        self.server.send(Method::POST, SEND, &[], Some(body)).await
    }

    async fn close(&self, order: &str, generation: u32) -> CloseAnswer {
        self.server.post(CLOSE, &closing(order, generation)).await.ok()
    }

    /// What the order's customer was told.
    async fn outbox(&self, order: &str) -> Vec<StoredMessage> {
        let path = format!("/notifications/outbox?order_id={order}");
        let page: Page<StoredMessage> = self.server.get(&path).await.ok();
        page.rows
    }
}

/// A request to confirm `order`.
pub fn request(order: &str) -> Value {
    json!({
        "order_id": order, "generation": 1, "customer_id": "CUST-MX-1", "template": "order_confirmed",
        "channels": ["email", "push"],
        "data": {
            "country": "MX", "total": "28500.00 MXN", "carriers": "FedEx Mexico", "tracking_numbers": "FMX1",
            "estimated_delivery": "2026-04-09",
        },
    })
}

/// A request to tell what became of `order`.
fn compensation(order: &str, template: &str) -> Value {
    json!({
        "order_id": order, "generation": 1, "customer_id": "CUST-MX-1", "template": template,
        "channels": ["email", "push"], "data": { "country": "MX", "refund_total": "28500.00 MXN" },
    })
}

fn closing(order: &str, generation: u32) -> Value {
    json!({ "order_id": order, "generation": generation })
}
