//! Documents in PostgreSQL.

mod close;
mod issue;
mod reading;

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::{Scope, effects_page, is_race};
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use sqlx::PgPool;

use super::Store;
use crate::address::Kind;
use crate::credit::{Closing, Credit};
use crate::document::Papers;
use crate::sale::Sale;

/// [`Store`] in PostgreSQL.
#[derive(Debug, Clone)]
pub struct PgStore(pub PgPool);

#[async_trait]
impl Store for PgStore {
    async fn issue(&self, scope: Scope<'_>, sale: &Sale, papers: &Papers) -> Result<Outcome, StoreError> {
        issue::issue(&self.0, scope, sale, papers).await
    }

    async fn close(&self, caller: &str, closing: &Closing) -> Result<Vec<Credit>, StoreError> {
        close::close(&self.0, caller, closing).await
    }

    async fn document(&self, kind: Kind, id: &str) -> Result<Option<String>, StoreError> {
        reading::document(&self.0, kind, id).await
    }

    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        let page = effects_page(&self.0, after, limit).await;
        page.map_err(|error| failed("reading the effects", error))
    }
}

fn failed(doing: &'static str, error: sqlx::Error) -> StoreError {
    if is_race(&error) {
        return StoreError::Raced(doing);
    }
    unavailable(doing, error)
}

fn unavailable(doing: &'static str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable {
        doing,
        source: error.into(),
    }
}
