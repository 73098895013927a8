//! Schemas, embedded. Run at the start of every process that needs them, one at a time under an advisory lock.

use anyhow::Context as _;
use sqlx::PgPool;
use sqlx::migrate::Migrator;

/// The order pipeline's schema.
static ACUSE: Migrator = sqlx::migrate!("migrations/acuse");

/// What every service's schema has in common.
static SERVICE: Migrator = sqlx::migrate!("migrations/service");

/// Brings the order pipeline's database up to date.
///
/// # Errors
///
/// When the server refuses, or the database is newer than this program.
pub async fn migrate_acuse(pool: &PgPool) -> anyhow::Result<()> {
    ACUSE.run(pool).await.context("migrating the order database")
}

/// Brings a service's database up to date: the common part first, then the service's `own`.
///
/// The versions of `own` start at 100, so that the two share one table of applied migrations.
///
/// # Errors
///
/// As [`migrate_acuse`].
pub async fn migrate_service(pool: &PgPool, own: &Migrator) -> anyhow::Result<()> {
    for part in [&SERVICE, own] {
        let mut part = Migrator::with_migrations(part.iter().cloned().collect());
        // Each part meets the other's versions in the table.
        part.set_ignore_missing(true);
        part.run(pool).await.context("migrating the service's database")?;
    }
    Ok(())
}
