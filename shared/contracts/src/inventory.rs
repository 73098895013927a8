//! Inventory's requests and answers.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::limits::WEIGHT_GRAMS_MAX;

/// `POST /inventory/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRequest {
    /// Count as available what this order holds itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// Where the goods go.
    pub country: String,
    /// What is asked for.
    pub items: Vec<Demand>,
}

/// A product, and how many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// The product.
    pub sku: String,
    /// How many.
    pub qty: u32,
    /// Preferred warehouse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warehouse: Option<String>,
}

/// Answer of check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckAnswer {
    /// One for each demand, in its order; demands for the same product and warehouse are judged by their sum.
    pub lines: Vec<CheckedLine>,
}

/// What is there for one demand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedLine {
    /// The product.
    pub sku: String,
    /// Whether it could be reserved now.
    pub available: bool,
    /// Where it would come from; absent when from nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warehouse: Option<String>,
    /// Weight of one.
    pub weight_kg: f64,
    /// When the order's own reservation ends, if it has one.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub reserved_until: Option<OffsetDateTime>,
}

/// `POST /inventory/reserve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReserveRequest {
    /// For which order.
    pub order_id: String,
    /// For which generation of it.
    pub generation: u32,
    /// Where the goods go; they come from its warehouses.
    pub country: String,
    /// Same as the `Idempotency-Key` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// What is wanted: all of it, or nothing.
    pub items: Vec<Demand>,
    /// How long the goods are kept without a commit; 60 where absent, at most 1,440.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation_ttl_minutes: Option<u32>,
}

/// Answer of reserve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReserveAnswer {
    /// Inventory's name for it.
    pub reservation_id: String,
    /// `confirmed`.
    pub status: String,
    /// When it ends unless committed.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
    /// What was taken, and where.
    pub lines: Vec<ReservedLine>,
}

/// A product taken from a warehouse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReservedLine {
    /// The product.
    pub sku: String,
    /// How many.
    pub qty: u32,
    /// Where it lies.
    pub warehouse: String,
    /// Weight of one.
    pub weight_kg: f64,
}

/// `POST /inventory/commit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRequest {
    /// For which order.
    pub order_id: String,
    /// For which generation of it.
    pub generation: u32,
    /// Same as the `Idempotency-Key` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// What becomes final.
    pub reservation_id: String,
}

/// Answer of commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitAnswer {
    /// What became final.
    pub reservation_id: String,
    /// `committed`.
    pub status: String,
}

/// Answer of close.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloseAnswer {
    /// Which order.
    pub order_id: String,
    /// This generation and all lower ones take no more.
    pub generation: u32,
    /// Every reservation that these generations ever had, oldest first.
    pub reservations: Vec<ClosedReservation>,
}

/// What became of a reservation of a closed generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedReservation {
    /// Inventory's name for it.
    pub reservation_id: String,
    /// `released`, `returned` or `expired`.
    pub status: String,
}

/// `PUT /inventory/stock`: a delivery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StockDelivery {
    /// The delivery's name; the hash of its content where absent. Counted once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery_id: Option<String>,
    /// What was delivered. A row with 0 units makes the product known.
    pub rows: Vec<StockRow>,
}

/// A product in a warehouse: in a delivery the units that came, in `GET /inventory/stock` those that are there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StockRow {
    /// The product.
    pub sku: String,
    /// The warehouse.
    pub warehouse: String,
    /// Weight of one.
    pub weight_kg: f64,
    /// How many.
    pub units: u32,
}

/// Answer of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryAnswer {
    /// The delivery's name.
    pub delivery_id: String,
    /// Rows in it.
    pub rows: u64,
    /// Units in it.
    pub units: u64,
    /// Whether it had been counted before.
    pub already_counted: bool,
}

/// A movement came with a delivery.
pub const MOVEMENT_DELIVERY: &str = "delivery";
/// A movement out of what is available, into a reservation.
pub const MOVEMENT_RESERVE: &str = "reserve";
/// A movement out of a reservation, out of the house.
pub const MOVEMENT_COMMIT: &str = "commit";

/// A movement out of a reservation, back to what is available: it was released.
pub const MOVEMENT_RELEASE: &str = "release";
/// A movement out of a reservation, back to what is available: it ran out.
pub const MOVEMENT_EXPIRE: &str = "expire";
/// A movement back into the house, to what is available: a final reservation was taken back.
pub const MOVEMENT_RETURN: &str = "return";

/// One row of `GET /inventory/movements`: units that moved, always positive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movement {
    /// Its place in the log; rises, with gaps.
    pub seq: i64,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// One of the constants of this module.
    pub kind: String,
    /// The product.
    pub sku: String,
    /// The warehouse.
    pub warehouse: String,
    /// How many.
    pub units: u32,
    /// For which order, where for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
}

/// Whole grams of a weight in kilograms; `None` below zero, above 10 t, or when it is no number.
#[must_use]
pub fn grams(weight_kg: f64) -> Option<u32> {
    let grams = (weight_kg * 1_000.0).round();
    let fits = (0.0..=f64::from(WEIGHT_GRAMS_MAX)).contains(&grams);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was just checked"
    )]
    fits.then_some(grams as u32)
}

/// Kilograms of a weight in grams.
#[must_use]
pub fn kilograms(weight_grams: u32) -> f64 {
    f64::from(weight_grams) / 1_000.0
}
