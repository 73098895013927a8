//! The service on a database of its own.

use std::sync::Arc;

use adapter_http::server::Dials;
use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::migrations::migrate_service;
use adapter_postgres::service::watch;
use axum::Router;
use axum::http::Method;
use contracts::logistics::CalculateAnswer;
use logistics::Config;
use logistics::routes::{App, router};
use logistics::serve::MIGRATIONS;
use logistics::store::postgres::PgStore;
use platform::clock::Clock;
use platform::health::Readiness;
use serde_json::{Value, json};
use sqlx::PgPool;
use testkit::database::TestDatabase;
use testkit::http::{TestServer, callers};
use testkit::manners;
use testkit::wait::until;
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const PATH: &str = "/logistics/calculate";

/// A Tuesday.
struct Tuesday;

impl Clock for Tuesday {
    fn now(&self) -> OffsetDateTime {
        datetime!(2026-04-07 14:32:15 UTC)
    }
}

struct World {
    database: TestDatabase,
    pool: PgPool,
    router: Router,
    server: TestServer,
}

impl World {
    async fn new(name: &str) -> Self {
        let database = TestDatabase::create(name).await;
        Self::on(database).await
    }

    /// The service as it starts on a database that may have a past.
    async fn on(database: TestDatabase) -> Self {
        let pool = pool(&database.url, "test", 8, Durability::Durable).expect("a URL");
        migrate_service(&pool, &MIGRATIONS).await.expect("the schema is taken");
        let config = Config {
            listen: "127.0.0.1:0".parse().expect("an address"),
            database_url: database.url.clone(),
            callers: callers(&manners::CALLERS),
            dials: Dials::NONE,
            connections_max: 8.try_into().expect("not zero"),
        };
        let app = App {
            store: Arc::new(PgStore(pool.clone())),
            clock: Arc::new(Tuesday),
        };
        let router = router(app, &config, Readiness::starting());
        let server = TestServer::start(router.clone(), manners::CALLERS[0]).await;
        Self {
            database,
            pool,
            router,
            server,
        }
    }
}

fn request(order: &str) -> Value {
    json!({
        "order_id": order, "generation": 1, "origin_warehouse": "WH-MX-CDMX", "priority": "express",
        "destination": { "country": "MX", "city": "Ciudad de México", "zip": "06600" },
        "items": [{ "sku": "ELEC-LAPTOP-001", "weight_kg": 2.15, "qty": 1 }, { "sku": "ACC-HDMI-007", "weight_kg": 0.1, "qty": 2 }],
    })
}

#[tokio::test]
async fn a_shipment_is_calculated_once_and_found_again() {
    let world = World::new("logistics_once").await;
    let other = {
        let mut other = request("ORD-1");
        other["items"][0]["qty"] = json!(2);
        other
    };
    let answer = manners::acts_once(&world.router, &world.server, PATH, &request("ORD-1"), &other).await;
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
    let world = World::new("logistics_each").await;
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
    let world = World::new("logistics_crowd").await;
    for (order, one_key) in [("ORD-1", true), ("ORD-2", false)] {
        manners::acts_once_for_a_crowd(&world.server, PATH, &request(order), one_key).await;
    }
    assert_eq!(manners::effects(&world.server).await.len(), 2);
}

#[tokio::test]
async fn a_service_that_starts_again_remembers() {
    let world = World::new("logistics_again").await;
    let body = manners::with_key(&request("ORD-1"), "K-1");
    let first: Value = world
        .server
        .send(Method::POST, PATH, &[], Some(body.clone()))
        .await
        .ok();
    let world = World::on(world.database).await;
    let again = world.server.send(Method::POST, PATH, &[], Some(body)).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.ok::<Value>(), first);
}

#[tokio::test]
async fn what_cannot_be_done_is_named_and_leaves_nothing() {
    let world = World::new("logistics_refused").await;
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
        let refused = world
            .server
            .send(
                Method::POST,
                PATH,
                &[("idempotency-key", "K")],
                Some(request.to_string()),
            )
            .await;
        assert_eq!((refused.status, refused.problem().as_str()), (422, problem));
        assert_eq!(refused.json()["field"], field);
    }
    let page = world.server.get("/effects?after=x").await;
    assert_eq!((page.status, page.problem().as_str()), (400, "malformed"));
    assert!(manners::effects(&world.server).await.is_empty());
    let request = manners::with_key(&request("ORD-1"), "K");
    assert_eq!(
        world.server.send(Method::POST, PATH, &[], Some(request)).await.status,
        200,
        "a refusal took the key"
    );
}

#[tokio::test]
async fn a_lost_database_is_told_and_met_again() {
    let world = World::new("logistics_lost").await;
    let readiness = Readiness::starting();
    let stopping = CancellationToken::new();
    let mut watching = JoinSet::new();
    watching.spawn(watch(world.pool.clone(), readiness.clone(), stopping.clone()));
    until("the database is there", async || readiness.reason().is_none()).await;
    world.database.shut().await;
    until("the loss is told", async || readiness.reason().is_some()).await;
    let body = manners::with_key(&request("ORD-1"), "K-1");
    let unavailable = world.server.send(Method::POST, PATH, &[], Some(body.clone())).await;
    assert_eq!(
        (unavailable.status, unavailable.problem().as_str()),
        (503, "unavailable")
    );
    assert_eq!(unavailable.header("retry-after"), Some("1"));
    assert!(!unavailable.text.contains("postgres"), "{}", unavailable.text);
    world.database.open().await;
    until("the database is back", async || readiness.reason().is_none()).await;
    assert_eq!(world.server.send(Method::POST, PATH, &[], Some(body)).await.status, 200);
    stopping.cancel();
    watching.join_all().await;
}
