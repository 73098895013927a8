//! The running service.

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

use crate::Config;
use crate::routes::{App, router};
use crate::store::postgres::PgStore;

/// The service's schema, beside what all services have.
pub static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// The whole process, under its name. In here rather than in `main.rs`, so that everything is compiled once, with this
/// library, and not again in the program and in each of its tests.
#[must_use]
pub fn process() -> ExitCode {
    platform::process::run("documents", Config::read, serve)
}

/// Serves until the process is to end.
///
/// # Errors
///
/// When the database is not there at the start or refuses the schema, the port is taken, or the server fails.
pub async fn serve(config: Config, mut life: Lifecycle) -> anyhow::Result<()> {
    let pool = pool(
        &config.database_url,
        "documents",
        config.connections_max.get(),
        Durability::Durable,
    )?;
    wait_for(&pool).await?;
    migrate_service(&pool, &MIGRATIONS).await?;
    let listener = config.listen.bind().await?;
    let readiness = Readiness::starting();
    let app = App {
        store: Arc::new(PgStore(pool.clone())),
        clock: Arc::new(SystemClock),
        public_url: Arc::new(config.public_url.clone()),
    };
    let router = router(app, &config, readiness.clone());
    life.run("http", server::serve(listener, router, life.stopping()));
    let stopping = life.stopping();
    life.run("watching the database", async {
        watch(pool, readiness, stopping).await;
        Ok(())
    });
    life.finish().await
}
