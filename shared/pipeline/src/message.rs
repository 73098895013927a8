//! What an order says: the content of an order message, already valid.

use time::OffsetDateTime;

use crate::id::{CustomerId, Generation, IdempotencyKey, MessageId, OrderId, PaymentId, Sku, WarehouseId};
use crate::money::Money;

/// A paid order, as checkout took it. Every value was checked when it was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderMessage {
    /// The shop's name for it.
    pub order: OrderId,
    /// When the shop placed it; years old for imported orders, so no age counts from it.
    pub placed_at: OffsetDateTime,
    /// Who ordered.
    pub customer: CustomerId,
    /// The confirmed payment.
    pub payment: PaymentId,
    /// Where it goes.
    pub address: Address,
    /// What was ordered: at least one line.
    pub lines: Vec<Line>,
    /// Cost of shipping, where stated.
    pub shipping_fee: Option<Money>,
    /// What was paid.
    pub total: Money,
    /// The key under which the shop placed it.
    pub key: IdempotencyKey,
    /// A scheduled order is not worked before this.
    pub not_before: Option<OffsetDateTime>,
}

/// One ordered product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The product.
    pub sku: Sku,
    /// How many: 1 to 10,000.
    pub quantity: u32,
    /// Where the shop would like it to come from; a preference.
    pub warehouse_hint: Option<WarehouseId>,
    /// Price of one, where stated.
    pub unit_price: Option<Money>,
}

/// Where an order goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// ISO 3166-1 alpha-2, upper case.
    pub country: String,
    /// City.
    pub city: String,
    /// Postal code, as the country writes it.
    pub zip: String,
    /// Street and number.
    pub line1: String,
}

/// Why bytes are no valid order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct Malformed {
    /// Which kind of wrong.
    pub kind: MalformedKind,
    /// Path of the field, such as `items[2].qty`; `body` for the whole.
    pub field: String,
    /// What is wrong with it and what would be right.
    pub reason: String,
}

/// Kinds of [`Malformed`], by what a sender has to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MalformedKind {
    /// Larger than the limit.
    TooLarge,
    /// Not JSON, or not of this shape.
    Shape,
    /// The right shape with a value that the rules refuse.
    Rule,
}

/// A message as it came from a queue, decoded. What stands on it comes from outside and was bounded by the decoder.
#[derive(Debug, Clone)]
pub struct Delivery<M = OrderMessage> {
    /// What it says, or why the bytes say nothing.
    pub message: Result<M, Malformed>,
    /// The sender's id of the message, where it is one of ours.
    pub id: Option<MessageId>,
    /// The generation that it speaks of.
    pub generation: Generation,
    /// Which try this is: 1 to [`crate::retry::ATTEMPTS_MAX`].
    pub attempt: u32,
    /// How often it was put off without being tried.
    pub deferrals: u32,
    /// How often the broker got this very delivery back unsettled.
    pub returns: u32,
}

/// What a message to undo an order says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoMessage {
    /// Which order; its row says the rest.
    pub order: OrderId,
}
