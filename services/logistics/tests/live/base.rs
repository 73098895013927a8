use std::sync::Arc;

use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::migrations::migrate_service;
use logistics::serve::MIGRATIONS;
use logistics::store::Store;
use logistics::store::postgres::PgStore;
use sqlx::PgPool;
use testkit::database::TestDatabase;

/// A database, and the service's connections to it.
pub struct Base {
    pub database: TestDatabase,
    pub pool: PgPool,
}

impl Base {
    pub async fn new(name: &str) -> Self {
        Self::on(TestDatabase::create(&format!("logistics_{name}")).await).await
    }

    /// As it is met by a process that starts again.
    pub async fn again(self) -> Self {
        Self::on(self.database).await
    }

    pub fn store(&self) -> Arc<dyn Store> {
        Arc::new(PgStore(self.pool.clone()))
    }

    async fn on(database: TestDatabase) -> Self {
        let pool = pool(&database.url, "test", 8, Durability::Durable).expect("a URL");
        migrate_service(&pool, &MIGRATIONS).await.expect("the schema is taken");
        Self { database, pool }
    }
}
