//! The service, put together.

use std::process::ExitCode;
use std::sync::Arc;

use adapter_http::server;
use adapter_postgres::connection::{Durability, pool, wait_for};
use adapter_postgres::migrations::migrate_service;
use adapter_postgres::service::watch;
use platform::clock::SystemClock;
use platform::health::Readiness;
use platform::lifecycle::Lifecycle;
use sqlx::migrate::Migrator;

use crate::config::Config;
use crate::expiry::keep_house;
use crate::routes::{Inventory, router};
use crate::store::postgres::PgStore;

/// Inventory's tables, beside those that every service has.
pub static MIGRATIONS: Migrator = sqlx::migrate!();

/// The whole process, under its name. In here rather than in `main.rs`, so that everything is compiled once, with this
/// library, and not again in the program and in each of its tests.
#[must_use]
pub fn process() -> ExitCode {
    platform::process::run("inventory", Config::read, serve)
}

/// Runs inventory until it is told to stop.
///
/// # Errors
///
/// When the database does not answer at the start, or the port is taken.
pub async fn serve(config: Config, mut life: Lifecycle) -> anyhow::Result<()> {
    let connections = config.connections_max.get();
    let pool = pool(&config.database_url, "inventory", connections, Durability::Durable)?;
    wait_for(&pool).await?;
    migrate_service(&pool, &MIGRATIONS).await?;
    let listener = config.listen.bind().await?;
    let readiness = Readiness::starting();
    let store = Arc::new(PgStore(pool.clone()));
    let clock = Arc::new(SystemClock);
    let inventory = Inventory {
        goods: store.clone(),
        books: store.clone(),
        clock: clock.clone(),
    };
    let router = router(inventory, &config, readiness.clone());
    life.run("http", server::serve(listener, router, life.stopping()));
    let stopping = life.stopping();
    life.run("watching the database", async {
        watch(pool, readiness, stopping).await;
        Ok(())
    });
    let stopping = life.stopping();
    life.run("ending what ran out", async {
        keep_house(store, clock, stopping).await;
        Ok(())
    });
    life.finish().await
}
