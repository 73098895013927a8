//! What inventory needs of a store.

pub mod memory;
pub mod postgres;
mod told;

use std::collections::BTreeMap;

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::Scope;
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use contracts::inventory::{CloseAnswer, DeliveryAnswer, Movement, StockRow};
use contracts::problem::ShortLine;
use pipeline::id::{Generation, OrderId, ReservationId, Sku, WarehouseId};
use time::OffsetDateTime;

use crate::allocation::Shelf;
use crate::delivery::Delivery;
use crate::wanted::Wanted;

/// A reservation that is asked for.
#[derive(Debug, Clone)]
pub struct Reserve {
    /// For which order.
    pub order: OrderId,
    /// For which generation of it.
    pub generation: Generation,
    /// All of it, or nothing.
    pub wanted: Wanted,
    /// Now, in whole seconds.
    pub reserved_at: OffsetDateTime,
    /// When it ends unless committed.
    pub expires_at: OffsetDateTime,
}

/// A reservation that is to become final.
#[derive(Debug, Clone)]
pub struct Commit {
    /// For which order.
    pub order: OrderId,
    /// For which generation of it.
    pub generation: Generation,
    /// Which one.
    pub reservation: ReservationId,
    /// Now.
    pub committed_at: OffsetDateTime,
}

/// Generations of an order that are to be closed.
#[derive(Debug, Clone)]
pub struct Close {
    /// Of which order.
    pub order: OrderId,
    /// This one and all lower ones.
    pub generation: Generation,
    /// Now.
    pub closed_at: OffsetDateTime,
}

/// What there is of some products.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Weight of one, for each product that is known.
    pub weights: BTreeMap<Sku, u32>,
    /// What lies in the warehouses that come into question.
    pub shelves: Vec<Shelf>,
    /// What the order has reserved or committed.
    pub own: Option<Own>,
}

/// An order's own reservation.
#[derive(Debug, Clone)]
pub struct Own {
    /// When it ends; `None` once it is committed or past its time.
    pub ends: Option<OffsetDateTime>,
    /// Units that it holds, by shelf.
    pub goods: Vec<Shelf>,
}

/// A decision against a request. Nothing was stored: asked again, it is judged anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Never delivered, not even with 0 units.
    UnknownSku(Sku),
    /// These do not suffice.
    OutOfStock(Vec<ShortLine>),
    /// No such reservation, or it is another order's or generation's.
    UnknownReservation,
    /// The reservation ran out; its goods are available again.
    ReservationExpired,
    /// A delivery of this name was counted with another content.
    AlreadyDelivered,
    /// The product is known with another weight, in grams.
    OtherWeight(Sku, u32),
    /// More units of a product in one warehouse than can be counted.
    TooMany,
}

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// It is refused.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// The store could not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The goods. A change is stored with its key, its answer, its movements and its effect, or nothing is. Whatever
/// changes an order's reservation has the order for itself meanwhile, so that a close is met by all that comes after it.
#[async_trait]
pub trait Goods: Send + Sync {
    /// What there is of the products in `wanted`, in warehouses of its country and in those that it prefers, and what
    /// `order` holds, `now`. It may be out of date when it is read.
    async fn survey(&self, order: Option<&OrderId>, wanted: &Wanted, now: OffsetDateTime)
    -> Result<Survey, StoreError>;

    /// Reserves as [`crate::judgement::of_reserve`] and [`crate::plan::plan`] say, with the stock held fast meanwhile;
    /// available never goes below zero. What the order holds past its time ends first. [`Outcome::Superseded`] where
    /// the generation is closed, whatever the key has stored.
    async fn reserve(&self, scope: Scope<'_>, reserve: &Reserve) -> Result<Outcome, Failed>;

    /// Makes a reservation final; one that is final already stays so, and is answered as if it became so now. One that
    /// ran out ends, and that is stored though the commit is refused. [`Outcome::Superseded`] as for a reserve.
    async fn commit(&self, scope: Scope<'_>, commit: &Commit) -> Result<Outcome, Failed>;

    /// Closes generations for ever, of an order that was never seen as well, and ends their reservation if they have
    /// one. Done again it changes nothing, and is answered the same.
    async fn close(&self, caller: &str, close: &Close) -> Result<CloseAnswer, StoreError>;

    /// Counts a delivery, once: all of it, or nothing.
    async fn receive(&self, caller: &str, delivery: &Delivery) -> Result<DeliveryAnswer, Failed>;
}

/// What the house does by itself.
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Ends up to `most` reservations that ran out by `now`, those first that did so first, and gives how many; fewer
    /// where somebody is at work on their orders.
    async fn expire(&self, now: OffsetDateTime, most: u32) -> Result<u32, StoreError>;
}

/// What can be read back, page by page.
#[async_trait]
pub trait Books: Send + Sync {
    /// What is available, after that shelf.
    async fn stock(&self, after: Option<(Sku, WarehouseId)>, limit: i64) -> Result<Page<StockRow>, StoreError>;

    /// Movements after that number.
    async fn movements(&self, after: i64, limit: i64) -> Result<Page<Movement>, StoreError>;

    /// Effects after that number.
    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError>;
}

/// A page that is full may have a next one, which starts after its last row.
fn page<T>(rows: Vec<T>, limit: i64, name: impl Fn(&T) -> String) -> Page<T> {
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| full).map(name);
    Page { rows, next }
}
