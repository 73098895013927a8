//! What the service promises, whatever it keeps its shipments in.

mod conformance;

use std::sync::Arc;

use adapter_http::server::Dials;
use axum::Router;
use axum::http::Method;
use contracts::logistics::CalculateAnswer;
use logistics::Config;
use logistics::routes::{App, router};
use platform::clock::Clock;
use platform::health::Readiness;
use serde_json::{Value, json};
use testkit::http::{Reply, TestServer, callers};
use testkit::manners;
use time::OffsetDateTime;
use time::macros::datetime;

use crate::base::Base;

const PATH: &str = "/logistics/calculate";

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

    pub async fn calculate(&self, key: &str, request: &Value) -> Reply {
        let body = manners::with_key(request, key);
        self.server.send(Method::POST, PATH, &[], Some(body)).await
    }
}

/// A request to calculate the shipment of `order`.
pub fn request(order: &str) -> Value {
    json!({
        "order_id": order, "generation": 1, "origin_warehouse": "WH-MX-CDMX", "priority": "express",
        "destination": { "country": "MX", "city": "Ciudad de México", "zip": "06600" },
        "items": [{ "sku": "ELEC-LAPTOP-001", "weight_kg": 2.15, "qty": 1 }, { "sku": "ACC-HDMI-007", "weight_kg": 0.1, "qty": 2 }],
    })
}

#[tokio::test]
async fn a_shipment_is_calculated_once_and_found_again() {
    let world = World::new("once").await;
    let other = {
        let mut other = request("ORD-1");
        other["items"][0]["qty"] = json!(2);
        other
    };
    let answer =
        manners::acts_once_for_each_content(&world.router, &world.server, PATH, &request("ORD-1"), &other).await;
    let answer: CalculateAnswer = serde_json::from_str(&answer.to_string()).unwrap();
    assert_eq!(
        (answer.carrier.as_str(), answer.service.as_str()),
        ("FedEx Mexico", "Express")
    );
    assert_eq!(answer.estimated_delivery, "2026-04-09");
    assert_eq!(answer.shipping_cost.0.to_string(), "285.00 MXN");
    assert!(answer.tracking_number.starts_with("FMX") && answer.tracking_number.len() > 3);

    let effects = manners::effects(&world.server).await;
    assert_eq!(effects.len(), 1);
    let effect = &effects[0];
    assert_eq!(
        (effect.kind.as_str(), effect.caller.as_str()),
        ("shipment.calculated", "order-worker")
    );
    assert_eq!((effect.order_id.as_str(), effect.generation), ("ORD-1", 1));
    assert_eq!(
        (&effect.subject, effect.parts.as_slice()),
        (&answer.tracking_number, &["WH-MX-CDMX".to_owned()][..])
    );
}

#[tokio::test]
async fn each_origin_and_each_generation_has_a_shipment_of_its_own() {
    let world = World::new("each").await;
    let mut numbers = vec![];
    for (place, (origin, generation)) in [("WH-MX-CDMX", 1), ("WH-MX-MTY", 1), ("WH-MX-CDMX", 2)]
        .into_iter()
        .enumerate()
    {
        let mut request = request("ORD-1");
        request["origin_warehouse"] = json!(origin);
        request["generation"] = json!(generation);
        request["idempotency_key"] = json!(format!("K-{place}"));
        let answer: CalculateAnswer = world.server.post(PATH, &request).await.ok();
        numbers.push(answer.tracking_number);
    }
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), 3);
    assert_eq!(manners::effects(&world.server).await.len(), 3);
}

#[tokio::test]
async fn a_crowd_gets_one_shipment() {
    let world = World::new("crowd").await;
    for (order, one_key) in [("ORD-1", true), ("ORD-2", false)] {
        manners::acts_once_for_a_crowd(&world.server, PATH, &request(order), one_key).await;
    }
    assert_eq!(manners::effects(&world.server).await.len(), 2);
}

#[tokio::test]
async fn what_a_caller_asked_for_who_left_is_found_again() {
    let world = World::new("left").await;
    manners::acts_for_a_caller_who_left(&world.server, PATH, &request("ORD-1")).await;
    assert_eq!(manners::effects(&world.server).await.len(), 1);
}

#[tokio::test]
async fn a_service_that_starts_again_remembers() {
    let world = World::new("again").await;
    let first: Value = world.calculate("K-1", &request("ORD-1")).await.ok();
    let world = world.again().await;
    let again = world.calculate("K-1", &request("ORD-1")).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.ok::<Value>(), first);
}

#[tokio::test]
async fn what_cannot_be_done_is_named_and_leaves_nothing() {
    let world = World::new("refused").await;
    manners::turns_strangers_away(&world.router, PATH).await;
    manners::refuses_what_cannot_be_read(&world.server, PATH, &request("ORD-1")).await;
    for (pointer, value, problem, field) in [
        (
            "/destination/country",
            json!("SE"),
            "unknown-destination",
            "destination.country",
        ),
        ("/destination/country", json!("mx"), "invalid", "destination.country"),
        ("/items/1/qty", json!(0), "invalid", "items[1].qty"),
    ] {
        let mut request = request("ORD-1");
        *request.pointer_mut(pointer).unwrap() = value;
        let refused = world.calculate("K", &request).await;
        assert_eq!((refused.status, refused.problem().as_str()), (422, problem));
        assert_eq!(refused.json()["field"], field);
    }
    let page = world.server.get("/effects?after=x").await;
    assert_eq!((page.status, page.problem().as_str()), (400, "malformed"));
    assert!(manners::effects(&world.server).await.is_empty());
    let done = world.calculate("K", &request("ORD-1")).await;
    assert_eq!(done.status, 200, "a refusal took the key");
}
