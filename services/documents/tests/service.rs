//! The service on a database of its own.

use std::sync::Arc;

use adapter_http::server::Dials;
use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::migrations::migrate_service;
use adapter_postgres::service::watch;
use axum::Router;
use axum::http::Method;
use contracts::documents::{GenerateAnswer, Invoice, Label};
use documents::Config;
use documents::routes::{App, router};
use documents::serve::MIGRATIONS;
use documents::store::postgres::PgStore;
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

const PATH: &str = "/documents/generate";
const PUBLIC: &str = "http://documents.example.com";

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
            public_url: PUBLIC.parse().expect("a URL"),
            dials: Dials::NONE,
            connections_max: 8.try_into().expect("not zero"),
        };
        let app = App {
            store: Arc::new(PgStore(pool.clone())),
            clock: Arc::new(Tuesday),
            public_url: Arc::new(config.public_url.clone()),
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

/// A request for the documents of `order`, whose parcels have numbers of its own.
fn request(order: &str) -> Value {
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

#[tokio::test]
async fn documents_are_issued_once_and_can_be_read() {
    let world = World::new("documents_once").await;
    let other = {
        let mut other = request("ORD-1");
        other["reservation_id"] = json!("RSV-2026-2");
        other
    };
    let answer = manners::acts_once(&world.router, &world.server, PATH, &request("ORD-1"), &other).await;
    let answer: GenerateAnswer = serde_json::from_str(&answer.to_string()).unwrap();
    let read = |url: &str| url.strip_prefix(PUBLIC).expect("an address of this service").to_owned();
    let invoice = world.server.get(&read(&answer.invoice_url)).await;
    assert_eq!(invoice.header("content-type"), Some("application/json"));
    assert!(
        invoice.text.contains(r#""total":{"value":7.80,"currency":"BRL"}"#),
        "{}",
        invoice.text
    );
    let invoice: Invoice = invoice.ok();
    assert_eq!(
        (invoice.cfdi_uuid.as_str(), invoice.order_id.as_str()),
        (answer.cfdi_uuid.as_str(), "ORD-1")
    );
    assert_eq!(invoice.issued_at, Tuesday.now());
    let mut labels = vec![];
    for url in &answer.shipping_label_urls {
        let label: Label = world.server.get(&read(url)).await.ok();
        labels.push(label.tracking_number);
    }
    assert_eq!(labels, ["ORD-1-B", "ORD-1-A"], "in the order of the request");

    let effects = manners::effects(&world.server).await;
    let told: Vec<_> = effects
        .iter()
        .map(|effect| (effect.kind.as_str(), effect.subject.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("invoice.issued", answer.cfdi_uuid.as_str()),
            ("label.issued", "ORD-1-B"),
            ("label.issued", "ORD-1-A")
        ]
    );
}

#[tokio::test]
async fn an_order_has_one_uncredited_invoice_whatever_the_generation() {
    let world = World::new("documents_generation").await;
    let first: Value = world
        .server
        .send(
            Method::POST,
            PATH,
            &[],
            Some(manners::with_key(&request("ORD-1"), "K-1")),
        )
        .await
        .ok();
    let mut second = request("ORD-1");
    second["generation"] = json!(2);
    second["shipments"] = json!([{ "carrier": "Correios", "tracking_number": "NEW" }]);
    let second = manners::with_key(&second, "K-2");
    let refused = world.server.send(Method::POST, PATH, &[], Some(second.clone())).await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "already-exists"));
    assert!(
        refused.text.contains(first["cfdi_uuid"].as_str().unwrap()),
        "{}",
        refused.text
    );

    sqlx::query("update invoices set status = 'credited'")
        .execute(&world.pool)
        .await
        .unwrap();
    let issued: Value = world.server.send(Method::POST, PATH, &[], Some(second)).await.ok();
    assert_ne!(
        issued["cfdi_uuid"], first["cfdi_uuid"],
        "a credited invoice does not answer the lookup"
    );
}

#[tokio::test]
async fn a_shipment_has_one_label() {
    let world = World::new("documents_label").await;
    let first = manners::with_key(&request("ORD-1"), "K-1");
    assert_eq!(
        world.server.send(Method::POST, PATH, &[], Some(first)).await.status,
        200
    );
    let mut second = request("ORD-2");
    second["shipments"][1]["tracking_number"] = json!("ORD-1-A");
    let refused = world
        .server
        .send(Method::POST, PATH, &[], Some(manners::with_key(&second, "K-2")))
        .await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "already-exists"));
    assert!(refused.text.contains("ORD-1-A"), "{}", refused.text);
    assert_eq!(
        manners::effects(&world.server).await.len(),
        3,
        "nothing of the second order is left"
    );
}

#[tokio::test]
async fn a_crowd_gets_one_invoice() {
    let world = World::new("documents_crowd").await;
    for (order, one_key) in [("ORD-1", true), ("ORD-2", false)] {
        manners::acts_once_for_a_crowd(&world.server, PATH, &request(order), one_key).await;
    }
    assert_eq!(manners::effects(&world.server).await.len(), 6);
}

#[tokio::test]
async fn a_service_that_starts_again_remembers() {
    let world = World::new("documents_again").await;
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
    let world = World::new("documents_refused").await;
    manners::turns_strangers_away(&world.router, PATH).await;
    manners::refuses_what_cannot_be_read(&world.server, PATH, &request("ORD-1")).await;
    for (pointer, value, field) in [
        ("/total/value", json!(7.81), "total"),
        ("/type", json!("invoice"), "type"),
        ("/shipments", json!([]), "shipments"),
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
        assert_eq!((refused.status, refused.problem().as_str()), (422, "invalid"));
        assert_eq!(refused.json()["field"], field);
    }
    let too_fine = request("ORD-1").to_string().replace("4.35", "4.355");
    let refused = world
        .server
        .send(Method::POST, PATH, &[("idempotency-key", "K")], Some(too_fine))
        .await;
    assert_eq!((refused.status, refused.problem().as_str()), (400, "malformed"));
    assert!(manners::effects(&world.server).await.is_empty());
    let request = manners::with_key(&request("ORD-1"), "K");
    assert_eq!(
        world.server.send(Method::POST, PATH, &[], Some(request)).await.status,
        200,
        "a refusal took the key"
    );
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let world = World::new("documents_nothing").await;
    for path in [
        "invoice/x",
        "invoice/1d0c77f5-5e0b-4c3d-8a52-c0de5a1e0002",
        "label/x",
        "receipt/x",
        "label/a%00b",
        "label/%ff",
    ] {
        let nothing = world.server.get(&format!("/documents/{path}")).await;
        assert_eq!(
            (nothing.status, nothing.problem().as_str()),
            (404, "not-found"),
            "{path}"
        );
    }
    let stranger = TestServer::start(world.router.clone(), "stranger").await;
    assert_eq!(stranger.get("/documents/label/x").await.status, 401);
}

#[tokio::test]
async fn a_lost_database_is_told_and_met_again() {
    let world = World::new("documents_lost").await;
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
