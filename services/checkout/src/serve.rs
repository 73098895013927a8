//! The service, put together.

use std::process::ExitCode;
use std::sync::Arc;

use adapter_http::server::serve as serve_http;
use adapter_postgres::connection::{self, Durability};
use adapter_postgres::intake::PgIntake;
use adapter_postgres::ledger::PgLedger;
use adapter_postgres::migrations::migrate_acuse;
use adapter_postgres::outbox::PgOutbox;
use adapter_postgres::relay::{self, Wake};
use adapter_rabbitmq::publisher::ConfirmPublisher;
use pipeline::outgoing::Destination;
use pipeline::ports::Intake;
use pipeline::relay::Bounds;
use platform::clock::{Clock, SystemClock};
use platform::health::Readiness;
use platform::lifecycle::Lifecycle;

use crate::backlog::Backlog;
use crate::config::Config;
use crate::routes::{Desk, router};

/// Connections for outbox claims and marks.
const RELAXED_CONNECTIONS_MAX: u32 = 4;

/// Outbox rows claimed at once.
const CLAIM_ROWS_MAX: u32 = 200;

/// The whole process, under its name. In here rather than in `main.rs`, so that everything is compiled once, with this
/// library, and not again in the program and in each of its tests.
#[must_use]
pub fn process() -> ExitCode {
    platform::process::run("checkout", Config::read, serve)
}

/// Runs checkout until it is told to stop.
///
/// # Errors
///
/// When a server that it cannot start without does not answer, or its port is taken.
pub async fn serve(config: Config, mut life: Lifecycle) -> anyhow::Result<()> {
    let pool = connection::pool(
        &config.database_url,
        "checkout",
        config.connections_max,
        Durability::Durable,
    )?;
    let relaxed = RELAXED_CONNECTIONS_MAX;
    let relaxed = connection::pool(&config.database_url, "checkout-relay", relaxed, Durability::Relaxed)?;
    connection::wait_for(&pool).await?;
    migrate_acuse(&pool).await?;

    let (wake, readiness) = (Wake::default(), Readiness::starting());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let intake: Arc<dyn Intake> = Arc::new(PgIntake::new(pool.clone(), config.instance, wake.clone()));
    let backlog = Backlog::new(config.backlog_max);
    let desk = Desk {
        intake: Arc::clone(&intake),
        ledger: PgLedger(pool),
        backlog: backlog.clone(),
        clock: Arc::clone(&clock),
    };

    // Checkout relays commands, and nothing that a worker wrote.
    let outbox = PgOutbox::open(relaxed, &[Destination::Orders]).await?;
    let publisher = Arc::new(ConfirmPublisher::new(
        config.broker,
        "checkout-relay",
        config.publish_channels_max,
    ));
    let bounds = Bounds {
        rows_max: CLAIM_ROWS_MAX,
        in_flight_max: config.publish_channels_max.get().into(),
    };
    let stopping = life.stopping();
    life.run("relay", async move {
        relay::run(outbox, publisher, wake, bounds, clock, stopping).await;
        Ok(())
    });

    let listener = config.listen.bind().await?;
    let (watch, stopping) = (
        backlog.watch(intake, readiness.clone(), life.stopping()),
        life.stopping(),
    );
    life.run("backlog", async move {
        watch.await;
        Ok(())
    });
    let router = router(desk, config.callers, readiness);
    life.run("http", serve_http(listener, router, stopping));
    life.finish().await
}
