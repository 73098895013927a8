//! Where shipments are filed.

pub mod memory;
pub mod postgres;
mod told;

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::Scope;
use async_trait::async_trait;
use contracts::effects::{Effect, Page};

use crate::quote::{Parcel, Quote};

/// Where shipments are filed.
#[async_trait]
pub trait Store: Send + Sync {
    /// Files the shipment of `parcel` and gives it a number; key, shipment and effect are stored together, or nothing.
    /// A key that was used gives its first answer. Under another key, the order's shipment of this generation and
    /// origin is found and answered when the request said the same, and is [`Outcome::Exists`] otherwise.
    async fn file(&self, scope: Scope<'_>, parcel: &Parcel, quote: &Quote) -> Result<Outcome, StoreError>;

    /// Up to `limit` effects after number `after`.
    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError>;
}
