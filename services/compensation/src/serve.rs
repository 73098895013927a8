//! The compensation worker, put together.

use std::num::NonZeroU16;
use std::sync::Arc;

use adapter_http::client::{Api, Bounds, HttpDocuments, HttpInventory, HttpNotifications};
use adapter_http::server::{health, serve as serve_http};
use adapter_postgres::connection::{self, Durability};
use adapter_postgres::migrations::migrate_acuse;
use adapter_postgres::orders::PgOrders;
use adapter_postgres::outbox::PgOutbox;
use adapter_postgres::relay::{self, Wake};
use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::supervisor;
use pipeline::compensation::Compensator;
use pipeline::outgoing::Destination;
use pipeline::relay::Bounds as RelayBounds;
use platform::clock::SystemClock;
use platform::health::Readiness;
use platform::lifecycle::Lifecycle;

use crate::config::Config;
use crate::probe::Servers;

/// What workers write into the outbox, and nothing of checkout's.
const RELAYED: [Destination; 3] = [Destination::Compensation, Destination::DeadLetters, Destination::Events];

/// Outbox rows claimed at once.
const CLAIM_ROWS_MAX: u32 = 200;

/// Connections for the relay, which may be answered before the disk has written.
const RELAXED_CONNECTIONS_MAX: u32 = 2;

/// Messages published at once, each on a channel of its own.
const PUBLISH_CHANNELS_MAX: NonZeroU16 = NonZeroU16::new(4).unwrap();

/// Runs the worker until it is told to stop.
pub async fn serve(config: Config, mut life: Lifecycle) -> anyhow::Result<()> {
    let url = &config.database_url;
    let durable = connection::pool(url, "compensation", config.connections_max, Durability::Durable)?;
    let relaxed = connection::pool(url, "compensation-relay", RELAXED_CONNECTIONS_MAX, Durability::Relaxed)?;
    connection::wait_for(&durable).await?;
    migrate_acuse(&durable).await?;

    let (wake, readiness) = (Wake::default(), Readiness::starting());
    let publisher = |name| Arc::new(ConfirmPublisher::new(config.broker.clone(), name, PUBLISH_CHANNELS_MAX));
    let outbox = PgOutbox::open(relaxed.clone(), &RELAYED).await?;
    let bounds = RelayBounds {
        rows_max: CLAIM_ROWS_MAX,
        in_flight_max: PUBLISH_CHANNELS_MAX.get().into(),
    };
    let (ring, relaying, stopping) = (wake.clone(), publisher("compensation-relay"), life.stopping());
    life.run("relay", async move {
        relay::run(outbox, relaying, ring, bounds, Arc::new(SystemClock), stopping).await;
        Ok(())
    });

    let listener = config.listen.bind().await?;
    life.run("http", serve_http(listener, health(readiness.clone()), life.stopping()));

    let apis = apis(&config)?;
    let probe = Servers {
        services: apis.to_vec(),
        database: durable.clone(),
    };
    let [inventory, documents, notifications] = apis;
    let work = Compensator {
        orders: Arc::new(PgOrders::new(durable, relaxed, wake)),
        inventory: Arc::new(HttpInventory(inventory)),
        documents: Arc::new(HttpDocuments(documents)),
        notifications: Arc::new(HttpNotifications(notifications)),
        worker: config.instance.clone(),
    };
    let moves = publisher("compensation-moves");
    let settings = supervisor::Settings {
        broker: config.broker,
        line: Line::Compensation,
        consumers: config.consumers,
        name: config.instance,
    };
    let consuming = supervisor::run(
        settings,
        Arc::new(work),
        moves,
        Arc::new(probe),
        readiness,
        life.stopping(),
    );
    life.run("consumers", async move {
        consuming.await;
        Ok(())
    });
    life.finish().await
}

/// One way to each service, with room for every consumer at once.
fn apis(config: &Config) -> anyhow::Result<[Api; 3]> {
    let bounds = Bounds {
        in_flight_max: usize::from(config.consumers.get()),
        call_ms: config.call_ms,
    };
    let services = &config.services;
    Ok([
        Api::new("inventory", &services.inventory, &config.token, bounds)?,
        Api::new("documents", &services.documents, &config.token, bounds)?,
        Api::new("notifications", &services.notifications, &config.token, bounds)?,
    ])
}
