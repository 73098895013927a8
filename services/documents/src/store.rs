//! Where documents are kept.

mod already;
mod effects;
pub mod memory;
pub mod postgres;

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::Scope;
use async_trait::async_trait;
use contracts::effects::{Effect, Page};

use crate::address::Kind;
use crate::credit::{Closing, Credit};
use crate::document::Papers;
use crate::sale::Sale;

/// Where documents are kept.
#[async_trait]
pub trait Store: Send + Sync {
    /// Issues the documents of `sale`; key, documents and effects are stored together, or nothing. A closed generation is
    /// [`Outcome::Superseded`], whatever its key has stored. Else a key that was used gives its first answer. Under
    /// another key, the order's uncredited invoice is found and answered when the request said the same, and is
    /// [`Outcome::Exists`] otherwise, as is a label that a parcel has already; void labels do not count.
    async fn issue(&self, scope: Scope<'_>, sale: &Sale, papers: &Papers) -> Result<Outcome, StoreError>;

    /// Closes a generation of an order and all lower ones, for ever. Their uncredited invoice is credited and its labels
    /// become void; that, its effects and the tombstone are stored together, or nothing. Gives the credits of all
    /// invoices that these generations ever had, oldest first: closed again, the same.
    async fn close(&self, caller: &str, closing: &Closing) -> Result<Vec<Credit>, StoreError>;

    /// A document as it was issued, in JSON; a label that is void says so. Where a tracking number came again, the label
    /// that is not void.
    async fn document(&self, kind: Kind, id: &str) -> Result<Option<String>, StoreError>;

    /// Up to `limit` effects after number `after`.
    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError>;
}
