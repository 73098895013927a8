//! Where documents are kept.

pub mod postgres;

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::Scope;
use async_trait::async_trait;
use contracts::effects::{Effect, Page};

use crate::address::Kind;
use crate::document::Papers;
use crate::sale::Sale;

/// Where documents are kept.
#[async_trait]
pub trait Store: Send + Sync {
    /// Issues the documents of `sale`; key, documents and effects are stored together, or nothing. A key that was used
    /// gives its first answer. Under another key, the order's uncredited invoice is found and answered when the request
    /// said the same, and is [`Outcome::Exists`] otherwise, as is a label that a parcel has already.
    async fn issue(&self, scope: Scope<'_>, sale: &Sale, papers: &Papers) -> Result<Outcome, StoreError>;

    /// A document as it was issued, in JSON.
    async fn document(&self, kind: Kind, id: &str) -> Result<Option<String>, StoreError>;

    /// Up to `limit` effects after number `after`.
    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError>;
}
