use std::sync::Arc;

use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::migrations::migrate_service;
use inventory::serve::MIGRATIONS;
use inventory::store::postgres::PgStore;
use inventory::store::{Books, Goods, Upkeep};
use platform::clock::Clock;
use sqlx::PgPool;
use testkit::database::TestDatabase;

const CONNECTIONS_MAX: u32 = 10;

/// A database, and the service's connections to it.
pub struct Base {
    pub database: TestDatabase,
    pub pool: PgPool,
}

impl Base {
    /// The database has a clock of its own.
    pub async fn new(name: &str, _clock: Arc<dyn Clock>) -> Self {
        Self::on(TestDatabase::create(&format!("inventory_{name}")).await).await
    }

    /// As it is met by a process that starts again.
    pub async fn again(self) -> Self {
        Self::on(self.database).await
    }

    pub fn goods(&self) -> Arc<dyn Goods> {
        Arc::new(PgStore(self.pool.clone()))
    }

    pub fn books(&self) -> Arc<dyn Books> {
        Arc::new(PgStore(self.pool.clone()))
    }

    pub fn upkeep(&self) -> Arc<dyn Upkeep> {
        Arc::new(PgStore(self.pool.clone()))
    }

    async fn on(database: TestDatabase) -> Self {
        let pool = pool(&database.url, "test", CONNECTIONS_MAX, Durability::Durable).expect("a URL");
        migrate_service(&pool, &MIGRATIONS).await.expect("the schema is taken");
        Self { database, pool }
    }
}
