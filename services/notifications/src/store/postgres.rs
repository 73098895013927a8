//! Notices and customers in PostgreSQL.

mod close;
mod customers;
mod outbox;
mod queue;

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::{Scope, effects_page, is_race};
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use contracts::notifications::StoredMessage;
use pipeline::id::{CustomerId, Generation, OrderId};
use sqlx::PgPool;

use super::Store;
use crate::customer::Customer;
use crate::notice::{Message, Notice};

/// [`Store`] in PostgreSQL.
#[derive(Debug, Clone)]
pub struct PgStore(pub PgPool);

#[async_trait]
impl Store for PgStore {
    async fn customer(&self, id: &CustomerId) -> Result<Option<Customer>, StoreError> {
        customers::find(&self.0, id).await
    }

    async fn enter(&self, id: &CustomerId, customer: &Customer) -> Result<(), StoreError> {
        let entered = customers::enter(&self.0, id, customer).await;
        entered.map_err(|error| failed("entering a customer", error))
    }

    async fn queue(
        &self,
        scope: Scope<'_>,
        notice: &Notice,
        messages: &[Message],
        year: i32,
    ) -> Result<Outcome, StoreError> {
        queue::queue(&self.0, scope, notice, messages, year).await
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<Vec<String>, StoreError> {
        close::close(&self.0, order, generation).await
    }

    async fn outbox(&self, order: Option<&OrderId>, after: i64, limit: i64) -> Result<Page<StoredMessage>, StoreError> {
        let page = outbox::page(&self.0, order, after, limit).await;
        page.map_err(|error| failed("reading the outbox", error))
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
