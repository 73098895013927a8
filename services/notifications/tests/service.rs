//! The service on a database of its own.

use std::sync::Arc;

use adapter_http::server::Dials;
use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::migrations::migrate_service;
use adapter_postgres::service::watch;
use axum::Router;
use axum::http::Method;
use contracts::effects::Page;
use contracts::notifications::{SendAnswer, StoredMessage};
use notifications::Config;
use notifications::routes::{App, router};
use notifications::serve::MIGRATIONS;
use notifications::store::postgres::PgStore;
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

const PATH: &str = "/notifications/send";

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
        "order_id": order, "generation": 1, "customer_id": "CUST-MX-1", "template": "order_confirmed",
        "channels": ["email", "push"],
        "data": {
            "country": "MX", "total": "28500.00 MXN", "carriers": "FedEx Mexico", "tracking_numbers": "FMX1",
            "estimated_delivery": "2026-04-09",
        },
    })
}

async fn outbox(server: &TestServer, order: &str) -> Vec<StoredMessage> {
    let page: Page<StoredMessage> = server
        .get(&format!("/notifications/outbox?order_id={order}"))
        .await
        .ok();
    page.rows
}

#[tokio::test]
async fn a_customer_is_told_once_over_each_channel() {
    let world = World::new("notifications_once").await;
    let other = {
        let mut other = request("ORD-1");
        other["customer_id"] = json!("CUST-MX-2");
        other
    };
    let answer = manners::acts_once(&world.router, &world.server, PATH, &request("ORD-1"), &other).await;
    let answer: SendAnswer = serde_json::from_value(answer).unwrap();
    assert!(answer.notification_id.starts_with("NOTIF-2026-"), "{answer:?}");
    assert_eq!(answer.status, "queued");

    let messages = outbox(&world.server, "ORD-1").await;
    let channels: Vec<_> = messages.iter().map(|message| message.channel.as_str()).collect();
    assert_eq!(channels, ["email", "push"]);
    for message in &messages {
        assert_eq!(
            (message.language.as_str(), &message.notification_id),
            ("es", &answer.notification_id)
        );
        assert_eq!((message.customer_id.as_str(), &message.address), ("CUST-MX-1", &None));
        assert_eq!(message.subject, "Tu pedido ORD-1 está confirmado");
        assert!(message.body.contains("2026-04-09"), "{}", message.body);
    }
    let effects = manners::effects(&world.server).await;
    let told: Vec<_> = effects
        .iter()
        .map(|effect| (effect.kind.as_str(), effect.subject.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("notice.queued", "order_confirmed/email"),
            ("notice.queued", "order_confirmed/push")
        ]
    );
    assert!(effects.iter().all(|effect| effect.parts == ["email", "push"]));
}

#[tokio::test]
async fn another_generation_tells_nothing_twice() {
    let world = World::new("notifications_generation").await;
    let mut first = request("ORD-1");
    first["channels"] = json!(["push"]);
    let first: SendAnswer = world
        .server
        .send(Method::POST, PATH, &[], Some(manners::with_key(&first, "K-1")))
        .await
        .ok();
    let mut second = request("ORD-1");
    second["generation"] = json!(2);
    second["data"]["tracking_numbers"] = json!("FMX2");
    for (key, replayed) in [("K-2", None), ("K-3", Some("true"))] {
        let reply = world
            .server
            .send(Method::POST, PATH, &[], Some(manners::with_key(&second, key)))
            .await;
        assert_eq!(
            reply.header("idempotency-replayed"),
            replayed,
            "the e-mail is new the first time alone"
        );
        assert_eq!(reply.ok::<SendAnswer>(), first, "one notice, whatever the generation");
    }
    let effects = manners::effects(&world.server).await;
    let told: Vec<_> = effects
        .iter()
        .map(|effect| (effect.generation, effect.subject.as_str()))
        .collect();
    assert_eq!(told, [(1, "order_confirmed/push"), (2, "order_confirmed/email")]);
    assert_eq!(outbox(&world.server, "ORD-1").await.len(), 2);
}

#[tokio::test]
async fn the_directory_knows_address_and_language() {
    let world = World::new("notifications_directory").await;
    let path = "/notifications/customers/CUST-MX-1";
    let nobody = world.server.get(path).await;
    assert_eq!((nobody.status, nobody.problem().as_str()), (404, "not-found"));
    for entry in [
        json!({ "language": "en" }),
        json!({ "email": "ana@example.com", "language": "pt" }),
    ] {
        let entered = world.server.send(Method::PUT, path, &[], Some(entry.to_string())).await;
        assert_eq!(entered.ok::<Value>(), entry);
        assert_eq!(world.server.get(path).await.ok::<Value>(), entry);
    }
    let sent = world
        .server
        .send(
            Method::POST,
            PATH,
            &[],
            Some(manners::with_key(&request("ORD-1"), "K-1")),
        )
        .await;
    assert_eq!(sent.status, 200);
    let messages = outbox(&world.server, "ORD-1").await;
    assert!(messages.iter().all(|message| message.language == "pt"));
    assert_eq!(messages[0].address.as_deref(), Some("ana@example.com"));
    assert_eq!(messages[1].address, None);
    let bad = json!({ "email": "a@b\r\nBcc: c@d", "language": "es" }).to_string();
    let bad = world.server.send(Method::PUT, path, &[], Some(bad)).await;
    assert_eq!((bad.status, bad.json()["field"].as_str()), (422, Some("email")));
    let bad = world.server.get("/notifications/customers/a%00b").await;
    assert_eq!((bad.status, bad.json()["field"].as_str()), (422, Some("id")));
}

#[tokio::test]
async fn the_outbox_is_read_in_pages() {
    let world = World::new("notifications_pages").await;
    for order in ["ORD-1", "ORD-2", "ORD-3"] {
        let body = manners::with_key(&request(order), order);
        assert_eq!(world.server.send(Method::POST, PATH, &[], Some(body)).await.status, 200);
    }
    let mut seen = vec![];
    let mut path = "/notifications/outbox?limit=4".to_owned();
    loop {
        let page: Page<StoredMessage> = world.server.get(&path).await.ok();
        seen.extend(page.rows.into_iter().map(|message| (message.order_id, message.channel)));
        let Some(next) = page.next else { break };
        path = format!("/notifications/outbox?limit=4&after={next}");
    }
    assert_eq!(seen.len(), 6);
    seen.dedup();
    assert_eq!(seen.len(), 6);
    let page: Page<StoredMessage> = world
        .server
        .get("/notifications/outbox?order_id=ORD-2&limit=1")
        .await
        .ok();
    assert_eq!((page.rows.len(), page.rows[0].order_id.as_str()), (1, "ORD-2"));
    let path = format!("/notifications/outbox?order_id=ORD-2&after={}", page.next.unwrap());
    let page: Page<StoredMessage> = world.server.get(&path).await.ok();
    assert_eq!((page.rows.len(), page.next), (1, None));
    let bad = world.server.get("/notifications/outbox?order_id=a/b").await;
    assert_eq!((bad.status, bad.json()["field"].as_str()), (422, Some("order_id")));
}

#[tokio::test]
async fn a_crowd_is_told_once() {
    let world = World::new("notifications_crowd").await;
    for (order, one_key) in [("ORD-1", true), ("ORD-2", false)] {
        manners::acts_once_for_a_crowd(&world.server, PATH, &request(order), one_key).await;
    }
    assert_eq!(manners::effects(&world.server).await.len(), 4);
}

#[tokio::test]
async fn a_service_that_starts_again_remembers() {
    let world = World::new("notifications_again").await;
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
    let world = World::new("notifications_refused").await;
    manners::turns_strangers_away(&world.router, PATH).await;
    manners::refuses_what_cannot_be_read(&world.server, PATH, &request("ORD-1")).await;
    for (pointer, value, field) in [
        ("/template", json!("order_lost"), "template"),
        ("/channels/0", json!("sms"), "channels[0]"),
        ("/data/country", json!("México"), "data.country"),
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
    let world = World::new("notifications_lost").await;
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
