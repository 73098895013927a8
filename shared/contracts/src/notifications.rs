//! Notifications' request and answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The template that tells a customer that the order is confirmed.
pub const ORDER_CONFIRMED: &str = "order_confirmed";

/// The template that tells a customer that the goods ran out and the money comes back.
pub const OUT_OF_STOCK: &str = "out_of_stock";

/// The template that tells a customer that the order is cancelled and the money comes back.
pub const ORDER_CANCELLED: &str = "order_cancelled";

/// `POST /notifications/send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendRequest {
    /// For which order.
    pub order_id: String,
    /// For which generation of it.
    pub generation: u32,
    /// Same as the `Idempotency-Key` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Whom to tell.
    pub customer_id: String,
    /// What to tell; see the constants of this module.
    pub template: String,
    /// Over which channels: `email`, `push`.
    pub channels: Vec<String>,
    /// What the template needs: `country` for the language, `tracking_numbers`, and so on.
    #[serde(default)]
    pub data: BTreeMap<String, String>,
}

/// Answer of send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendAnswer {
    /// The notice's name.
    pub notification_id: String,
    /// `queued`.
    pub status: String,
}

/// Answer of close.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloseAnswer {
    /// Which order.
    pub order_id: String,
    /// This generation and all lower ones take no more.
    pub generation: u32,
    /// Templates that the customer was sent before, in whatever generation, by name.
    pub sent: Vec<String>,
}

/// One row of `GET /notifications/outbox`: a message as it was written for one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMessage {
    /// The notice's name.
    pub notification_id: String,
    /// When it was written.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// For which order.
    pub order_id: String,
    /// To whom.
    pub customer_id: String,
    /// From which template.
    pub template: String,
    /// For which channel.
    pub channel: String,
    /// In which language: `es`, `pt` or `en`.
    pub language: String,
    /// The e-mail address that it goes to, where the channel has one and the directory knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Subject line.
    pub subject: String,
    /// Text.
    pub body: String,
}

/// The query of `GET /notifications/outbox`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxQuery {
    /// Where to go on: `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// How many rows; at most [`crate::limits::PAGE_ROWS_MAX`], which is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only what belongs to this order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
}

/// An entry of the customer directory: body of `PUT /notifications/customers/{id}` and answer of it and of `GET`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomerEntry {
    /// Where e-mail reaches the customer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Which language the customer reads: `es`, `pt` or `en`.
    pub language: String,
}
