//! Reaching a database: bounded waits, a named application, and how durable a commit must be.

use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use platform::config::Secret;
use platform::retry;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

/// Longest wait for a free connection of the pool.
const ACQUIRE_MS: u64 = 5_000;

/// Longest run of one statement, in milliseconds; the server ends it.
const STATEMENT_MS: &str = "10000";

/// Longest wait for a row lock, in milliseconds.
const LOCK_MS: &str = "5000";

/// When a commit is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Once it survives a crash of the server. What a promise rests on.
    Durable,
    /// At once. A crash of the server may lose the last commits (never corrupt any), so this is for writes whose loss
    /// only repeats an idempotent call or a publish under the same message id: journal entries, outbox claims and
    /// marks.
    Relaxed,
}

/// A pool of up to `connections_max` connections to `url`. Nothing is connected yet.
///
/// # Errors
///
/// When the URL cannot be read. The error does not show it: it holds a password.
pub fn pool(url: &Secret, name: &str, connections_max: u32, durability: Durability) -> anyhow::Result<PgPool> {
    let options = PgConnectOptions::from_str(url.expose())
        .map_err(|_| anyhow::anyhow!("ACUSE_DATABASE_URL is no postgres://user:password@host:port/database"))?;
    let synchronous_commit = match durability {
        Durability::Durable => "on",
        Durability::Relaxed => "off",
    };
    let options = options.application_name(name).options([
        ("synchronous_commit", synchronous_commit),
        ("statement_timeout", STATEMENT_MS),
        ("lock_timeout", LOCK_MS),
    ]);
    let pool = PgPoolOptions::new()
        .max_connections(connections_max)
        .acquire_timeout(Duration::from_millis(ACQUIRE_MS))
        // A dead connection is found by the statement that uses it; asking first would double the round trips.
        .test_before_acquire(false);
    Ok(pool.connect_lazy_with(options))
}

/// Waits until the server behind `pool` answers, for about 30 s.
///
/// # Errors
///
/// The last attempt's error.
pub async fn wait_for(pool: &PgPool) -> anyhow::Result<()> {
    let mut waits = retry::startup();
    loop {
        let error = match ping(pool).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let Some(wait) = waits.next() else {
            return Err(error).context("PostgreSQL does not answer");
        };
        tracing::warn!("PostgreSQL does not answer yet: {error}");
        tokio::time::sleep(wait).await;
    }
}

/// Whether the server answers.
///
/// # Errors
///
/// Why it does not.
pub async fn ping(pool: &PgPool) -> Result<(), sqlx::Error> {
    sqlx::query("select 1").execute(pool).await.map(|_| ())
}
