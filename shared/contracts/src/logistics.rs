//! Logistics' request and answer.

use serde::{Deserialize, Serialize};

use crate::money::WireMoney;

/// `POST /logistics/calculate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalculateRequest {
    /// For which order.
    pub order_id: String,
    /// For which generation of it.
    pub generation: u32,
    /// Same as the `Idempotency-Key` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Where the parcel leaves from.
    pub origin_warehouse: String,
    /// Where it goes.
    pub destination: Destination,
    /// What is in it.
    pub items: Vec<Item>,
    /// `standard` or `express`; `standard` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
}

/// Where a parcel goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// City.
    pub city: String,
    /// Postal code.
    pub zip: String,
}

/// A product in a parcel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The product.
    pub sku: String,
    /// Weight of one.
    pub weight_kg: f64,
    /// How many.
    pub qty: u32,
}

/// Answer of calculate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalculateAnswer {
    /// Who carries it.
    pub carrier: String,
    /// At which of the carrier's services.
    pub service: String,
    /// Day of delivery, `YYYY-MM-DD`.
    pub estimated_delivery: String,
    /// The carrier's letters at the front of its numbers.
    pub tracking_prefix: String,
    /// What the carrier calls the parcel.
    pub tracking_number: String,
    /// What it costs, in the destination's currency.
    pub shipping_cost: WireMoney,
}
