//! The worker, put together.

use std::num::NonZeroU16;
use std::sync::Arc;

use adapter_http::client::{Api, Bounds, HttpDocuments, HttpInventory, HttpLogistics, HttpNotifications};
use adapter_http::server::{health, serve as serve_http};
use adapter_postgres::connection::{self, Durability};
use adapter_postgres::migrations::migrate_acuse;
use adapter_postgres::orders::PgOrders;
use adapter_postgres::outbox::PgOutbox;
use adapter_postgres::relay::{self, Wake};
use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::supervisor;
use pipeline::handler::Handler;
use pipeline::outgoing::Destination;
use pipeline::relay::Bounds as RelayBounds;
use platform::clock::SystemClock;
use platform::health::Readiness;
use platform::lifecycle::Lifecycle;

use crate::config::Config;
use crate::probe::Servers;

/// Connections for the durable end of an order.
const DURABLE_CONNECTIONS_MAX: u32 = 8;

/// Channels for copies that move on; each carries one at a time.
const MOVE_CHANNELS_MAX: NonZeroU16 = NonZeroU16::new(16).unwrap();

/// What workers write into the outbox, and nothing of checkout's.
const RELAYED: [Destination; 3] = [Destination::Compensation, Destination::DeadLetters, Destination::Events];

/// Outbox rows claimed at once.
const CLAIM_ROWS_MAX: u32 = 200;

/// Messages published at once, each on a channel of its own.
const PUBLISH_CHANNELS_MAX: NonZeroU16 = NonZeroU16::new(16).unwrap();

/// Runs the worker until it is told to stop.
pub async fn serve(config: Config, mut life: Lifecycle) -> anyhow::Result<()> {
    let durable = DURABLE_CONNECTIONS_MAX;
    let durable = connection::pool(&config.database_url, "order-worker", durable, Durability::Durable)?;
    let relaxed = config.connections_max;
    let relaxed = connection::pool(
        &config.database_url,
        "order-worker-journal",
        relaxed,
        Durability::Relaxed,
    )?;
    connection::wait_for(&durable).await?;
    migrate_acuse(&durable).await?;

    let (wake, readiness) = (Wake::default(), Readiness::starting());
    let outbox = PgOutbox::open(relaxed.clone(), &RELAYED).await?;
    let publisher = Arc::new(ConfirmPublisher::new(
        config.broker.clone(),
        "order-worker-relay",
        PUBLISH_CHANNELS_MAX,
    ));
    let bounds = RelayBounds {
        rows_max: CLAIM_ROWS_MAX,
        in_flight_max: PUBLISH_CHANNELS_MAX.get().into(),
    };
    let (ring, stopping) = (wake.clone(), life.stopping());
    life.run("relay", async move {
        relay::run(outbox, publisher, ring, bounds, Arc::new(SystemClock), stopping).await;
        Ok(())
    });

    let listener = config.listen.bind().await?;
    life.run("http", serve_http(listener, health(readiness.clone()), life.stopping()));

    let apis = apis(&config)?;
    let probe = Servers {
        services: apis.to_vec(),
        database: durable.clone(),
    };
    let [inventory, logistics, documents, notifications] = apis;
    let handler = Handler {
        orders: Arc::new(PgOrders::new(durable, relaxed, wake)),
        inventory: Arc::new(HttpInventory(inventory)),
        logistics: Arc::new(HttpLogistics(logistics)),
        documents: Arc::new(HttpDocuments(documents)),
        notifications: Arc::new(HttpNotifications(notifications)),
        worker: config.instance.clone(),
        takes_suspects: config.line == Line::Suspect,
    };
    let moves = ConfirmPublisher::new(config.broker.clone(), "order-worker-moves", MOVE_CHANNELS_MAX);
    let settings = supervisor::Settings {
        broker: config.broker,
        line: config.line,
        consumers: config.consumers,
        name: config.instance,
    };
    let (work, moves, probe) = (Arc::new(handler), Arc::new(moves), Arc::new(probe));
    let consuming = supervisor::run(settings, work, moves, probe, readiness, life.stopping());
    life.run("consumers", async move {
        consuming.await;
        Ok(())
    });
    life.finish().await
}

/// One way to each service, with room for every consumer at once.
fn apis(config: &Config) -> anyhow::Result<[Api; 4]> {
    let bounds = Bounds {
        in_flight_max: usize::from(config.consumers.get()),
        call_ms: config.call_ms,
    };
    let services = &config.services;
    Ok([
        Api::new("inventory", &services.inventory, &config.token, bounds)?,
        Api::new("logistics", &services.logistics, &config.token, bounds)?,
        Api::new("documents", &services.documents, &config.token, bounds)?,
        Api::new("notifications", &services.notifications, &config.token, bounds)?,
    ])
}
