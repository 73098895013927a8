//! Where notices and customers are kept.

pub mod memory;
pub mod postgres;
mod told;

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::Scope;
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use contracts::notifications::StoredMessage;
use pipeline::id::{CustomerId, Generation, OrderId};

use crate::customer::Customer;
use crate::notice::{Message, Notice};

/// Where notices and customers are kept.
#[async_trait]
pub trait Store: Send + Sync {
    /// What the directory knows of a customer.
    async fn customer(&self, id: &CustomerId) -> Result<Option<Customer>, StoreError>;

    /// Enters a customer into the directory, or what is new of one.
    async fn enter(&self, id: &CustomerId, customer: &Customer) -> Result<(), StoreError>;

    /// Puts the `messages` of `notice` into the outbox, in `year`; key, messages and effects are stored together, or
    /// nothing. A notice that goes forward, of a closed generation, is [`Outcome::Superseded`], whatever its key has
    /// stored. Else a key that was used gives its first answer. Under another key, channels that the order's notice went
    /// over already are left as they are; a notice to another customer is [`Outcome::Exists`].
    async fn queue(
        &self,
        scope: Scope<'_>,
        notice: &Notice,
        messages: &[Message],
        year: i32,
    ) -> Result<Outcome, StoreError>;

    /// Closes a generation of an order and all lower ones, for ever. Gives the names of the templates that the order's
    /// customer was sent so far, in whatever generation, sorted.
    async fn close(&self, order: &OrderId, generation: Generation) -> Result<Vec<String>, StoreError>;

    /// Up to `limit` messages after number `after`, of one order or of all.
    async fn outbox(&self, order: Option<&OrderId>, after: i64, limit: i64) -> Result<Page<StoredMessage>, StoreError>;

    /// Up to `limit` effects after number `after`.
    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError>;
}
