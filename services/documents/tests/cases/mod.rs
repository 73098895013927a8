//! What the service promises, whatever it keeps its documents in.

mod close;
mod conformance;
mod issue;
mod races;
mod refused;

use std::collections::BTreeMap;
use std::sync::Arc;

use adapter_http::server::Dials;
use axum::Router;
use axum::http::Method;
use contracts::documents::CloseAnswer;
use documents::Config;
use documents::routes::{App, router};
use platform::clock::Clock;
use platform::health::Readiness;
use serde_json::{Value, json};
use testkit::http::{Reply, TestServer, callers};
use testkit::manners;
use time::OffsetDateTime;
use time::macros::datetime;

use crate::base::Base;

pub const GENERATE: &str = "/documents/generate";
pub const CLOSE: &str = "/documents/close";
const PUBLIC: &str = "http://documents.example.com";

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
            public_url: PUBLIC.parse().expect("a URL"),
            dials: Dials::NONE,
            connections_max: 8.try_into().expect("not zero"),
        };
        let app = App {
            store: base.store(),
            clock: Arc::new(Tuesday),
            public_url: Arc::new(config.public_url.clone()),
        };
        let router = router(app, &config, Readiness::starting());
        let server = TestServer::start(router.clone(), manners::CALLERS[0]).await;
        Self { base, router, server }
    }

    pub async fn generate(&self, key: &str, request: &Value) -> Reply {
        let body = manners::with_key(request, key);
        self.server.send(Method::POST, GENERATE, &[], Some(body)).await
    }

    async fn close(&self, order: &str, generation: u32) -> CloseAnswer {
        self.server.post(CLOSE, &closing(order, generation)).await.ok()
    }

    /// Everything that was done for an order, in order.
    async fn done(&self, order: &str) -> Vec<Done> {
        self.done_by_order().await.remove(order).unwrap_or_default()
    }

    async fn done_by_order(&self) -> BTreeMap<String, Vec<Done>> {
        let mut done: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for effect in manners::effects(&self.server).await {
            let told = (effect.kind, effect.subject, effect.parts.join(","));
            done.entry(effect.order_id).or_default().push(told);
        }
        done
    }
}

/// Kind, subject and parts of an effect.
type Done = (String, String, String);

/// A request for the documents of `order`, whose parcels have numbers of its own.
pub fn request(order: &str) -> Value {
    let brl = |value: f64| json!({ "value": value, "currency": "BRL" });
    json!({
        "order_id": order, "generation": 1, "type": "invoice_and_shipping_label", "customer_id": "CUST-BR-1",
        "reservation_id": "RSV-2026-1",
        "shipments": [
            { "carrier": "Correios", "tracking_number": format!("{order}-B") },
            { "carrier": "Correios", "tracking_number": format!("{order}-A") },
        ],
        "lines": [{ "sku": "A", "qty": 3, "unit_price": brl(1.15) }], "shipping_fee": brl(4.35), "total": brl(7.8),
    })
}

/// The same for another generation of it.
fn request_of(order: &str, generation: u32) -> Value {
    let mut request = request(order);
    request["generation"] = json!(generation);
    request
}

fn closing(order: &str, generation: u32) -> Value {
    json!({ "order_id": order, "generation": generation })
}

/// The path of an address of this service.
fn path_of(url: &str) -> String {
    url.strip_prefix(PUBLIC).expect("an address of this service").to_owned()
}
