//! Checkout's answers. The request of `POST /orders` is the order message itself.

use pipeline::outgoing::Completed;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Answer of `POST /orders`: the promise to process the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderAccepted {
    /// The order.
    pub order_id: String,
    /// Where it stands.
    pub state: String,
    /// Where to ask for it.
    pub status_url: String,
}

/// One order in `GET /orders`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderSummary {
    /// The order.
    pub order_id: String,
    /// Where it stands.
    pub state: String,
    /// Which life of it.
    pub generation: u32,
    /// When checkout promised to process it; ages count from here.
    #[serde(with = "time::serde::rfc3339")]
    pub accepted_at: OffsetDateTime,
    /// When it reached a final state.
    #[serde(
        default,
        with = "time::serde::rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub finished_at: Option<OffsetDateTime>,
}

/// Answer of `GET /orders/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderView {
    /// The summary.
    #[serde(flatten)]
    pub summary: OrderSummary,
    /// How often its row changed.
    pub version: i64,
    /// Every change, oldest first.
    pub history: Vec<HistoryEntry>,
    /// What it came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Completed>,
}

/// One change of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// State before; absent for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// State after.
    pub to: String,
    /// Which step ended with it, or what else happened.
    pub event: String,
    /// In which generation.
    pub generation: u32,
    /// At which attempt; 0 where no message was being worked.
    pub attempt: u32,
    /// Who did it.
    pub worker: String,
    /// What else there is to say of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Answer of `GET /outbox`: messages that have not left yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxDepth {
    /// How many.
    pub pending: u64,
    /// When the oldest of them was written.
    #[serde(
        default,
        with = "time::serde::rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub oldest_at: Option<OffsetDateTime>,
}
