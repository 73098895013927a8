//! What the pipeline needs of the world, in its own words. `async_trait` behind `Arc<dyn _>`: every call crosses a
//! network, so one allocation is nothing and plain types are much.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::change::Commit;
use crate::happened::{Apology, Short};
use crate::id::{Generation, IdempotencyKey, MessageId, OrderId, Version, WarehouseId};
use crate::message::OrderMessage;
use crate::order::{Order, State};
use crate::outgoing::Envelope;
use crate::steps::{self, CommittedReservation, Notice, Reservation, Shipment, StockCheck};

/// The cause below a port's error.
pub type Source = Box<dyn std::error::Error + Send + Sync>;

/// The store could not answer; nothing is known of what it did.
#[derive(Debug, thiserror::Error)]
#[error("the order store did not answer while {doing}")]
pub struct StoreError {
    /// What was asked of it.
    pub doing: &'static str,
    /// Why it did not answer.
    #[source]
    pub source: Source,
}

/// What came of a [`Commit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Committed {
    /// It is stored.
    Yes,
    /// Somebody else moved the order first: load it and decide anew.
    Conflict,
}

/// Where orders live.
#[async_trait]
pub trait OrderStore: Send + Sync {
    /// The order with its journal of the current generation; `None` when checkout never accepted it.
    async fn load(&self, order: &OrderId) -> Result<Option<(Order, Version)>, StoreError>;

    /// Stores the change if the row still has the expected state, generation and version. `Ok(Yes)`: the change and
    /// its outbox rows are stored together. `Err`: it may or may not be stored; load and look.
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError>;
}

/// An order as checkout takes it in.
#[derive(Debug, Clone)]
pub struct NewOrder {
    /// What it says.
    pub content: OrderMessage,
    /// The document to keep and to send, unknown fields included.
    pub document: String,
    /// Same for the same content, whatever its spelling.
    pub fingerprint: [u8; 32],
}

/// What became of a [`NewOrder`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Placement {
    /// Stored, with its message in the outbox.
    Accepted,
    /// It was here before, with this key and content; nothing changed.
    Known(State),
    /// Its id is taken by an order with another key or other content.
    OrderIdTaken,
    /// Its key is taken by another order.
    KeyTaken(OrderId),
}

/// Where checkout puts what it promises.
#[async_trait]
pub trait Intake: Send + Sync {
    /// Stores the order and its outbox row in one transaction; durable when this returns.
    async fn place(&self, order: &NewOrder) -> Result<Placement, StoreError>;

    /// Orders accepted that no worker has begun.
    async fn backlog(&self) -> Result<u64, StoreError>;
}

/// An outbox row in somebody's hands.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The row.
    pub row: i64,
    /// What it holds.
    pub envelope: Envelope,
}

/// Messages that must leave.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Takes up to `rows_max` unsent rows that are due, for the length of the store's lease. Nobody else gets them
    /// meanwhile.
    async fn claim(&self, rows_max: u32) -> Result<Vec<Claimed>, StoreError>;

    /// Marks rows as sent, if the claim still holds; a row whose claim ran out is left to its new holder.
    async fn mark_queued(&self, rows: &[i64]) -> Result<(), StoreError>;

    /// Gives rows back that could not be sent; they are due again after a short wait.
    async fn release(&self, rows: &[i64]) -> Result<(), StoreError>;

    /// Deletes a bounded number of rows that were sent before `before`; how many.
    async fn clean(&self, before: OffsetDateTime) -> Result<u64, StoreError>;
}

/// Why a message does not count as sent. It may still arrive: publish it again under the same id.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The broker answered that no queue takes it.
    #[error("message {0} reached no queue; run `acuse topology check`")]
    Unroutable(MessageId),
    /// The broker refused it.
    #[error("message {0} was refused by the broker (nack); is a queue full?")]
    Refused(MessageId),
    /// No answer in time, or the connection went away.
    #[error("message {id} was not confirmed by the broker")]
    Unconfirmed {
        /// The message.
        id: MessageId,
        /// Why there was no answer.
        #[source]
        source: Source,
    },
}

/// The way to the broker.
#[async_trait]
pub trait Publisher: Send + Sync {
    /// `Ok` once the broker has confirmed the message *and*, where the destination must route, put it in a queue.
    async fn publish(&self, envelope: &Envelope) -> Result<(), PublishError>;
}

/// A service said no, and says so again when asked again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{service} refused: {problem}: {detail}")]
pub struct Refusal {
    /// Which service.
    pub service: &'static str,
    /// What it means to the order.
    pub kind: RefusalKind,
    /// The problem's type, as the service named it.
    pub problem: String,
    /// The service's own words.
    pub detail: String,
}

/// What a refusal means to the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusalKind {
    /// The stock does not suffice; these lines are short.
    OutOfStock(Vec<Short>),
    /// The reservation ran out.
    ReservationExpired,
    /// The generation is closed.
    Superseded,
    /// Anything else: a person has to look.
    Other,
}

/// Why a call did not succeed. Three variants, because callers do three things.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The other side decided against it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It is working on this very request for somebody else: ask again later.
    #[error("{service} is at work on the same request")]
    Busy {
        /// Which service.
        service: &'static str,
    },
    /// It may or may not have acted: ask again, with the same key.
    #[error("{service} did not answer; whether it acted is unknown")]
    Unknown {
        /// Which service.
        service: &'static str,
        /// Why there was no answer.
        #[source]
        source: Source,
    },
}

/// The stock. A key that was used before gets the first answer again.
#[async_trait]
pub trait Inventory: Send + Sync {
    /// Whether the order's lines are there; counts what the order itself holds.
    async fn check(&self, order: &Order) -> Result<StockCheck, CallError>;

    /// Takes all lines out of the stock, or none.
    async fn reserve(&self, key: &IdempotencyKey, order: &Order) -> Result<Reservation, CallError>;

    /// Makes the order's reservation final.
    async fn commit(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
    ) -> Result<CommittedReservation, CallError>;

    /// Closes the generation and all lower ones: what they hold goes back to stock, and they get nothing more. Safe to
    /// repeat; works for an order that was never heard of.
    async fn close(&self, order: &OrderId, generation: Generation) -> Result<(), CallError>;
}

/// The carriers.
#[async_trait]
pub trait Logistics: Send + Sync {
    /// The shipment of what `reservation` holds at `origin`. Same key, same shipment.
    async fn calculate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        origin: &WarehouseId,
    ) -> Result<Shipment, CallError>;
}

/// The fiscal documents.
#[async_trait]
pub trait Documents: Send + Sync {
    /// Issues invoice and labels, at most once per order.
    async fn generate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        shipments: &[Shipment],
    ) -> Result<steps::Documents, CallError>;

    /// Closes the generation and all lower ones: their invoices are credited, and they get none more. Safe to repeat.
    async fn close(&self, order: &OrderId, generation: Generation) -> Result<(), CallError>;
}

/// What reaches the customer.
#[async_trait]
pub trait Notifications: Send + Sync {
    /// Tells the customer that the order is confirmed: one message per channel, at most once per order.
    async fn confirm(&self, key: &IdempotencyKey, order: &Order, shipments: &[Shipment]) -> Result<Notice, CallError>;

    /// Closes the generation and all lower ones: they confirm nothing more. Tells what the customer was told before, in
    /// whatever generation. Safe to repeat.
    async fn close(&self, order: &OrderId, generation: Generation) -> Result<Told, CallError>;

    /// Tells the customer that the order is undone: one message per template and channel, at most once per order.
    async fn apologise(&self, key: &IdempotencyKey, order: &Order, apology: Apology) -> Result<(), CallError>;
}

/// What a customer was told before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// That the order is confirmed.
    pub confirmed: bool,
}
