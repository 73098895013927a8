//! Notifications' request and answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The template that tells a customer that the order is confirmed.
pub const ORDER_CONFIRMED: &str = "order_confirmed";

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
    /// Subject line.
    pub subject: String,
    /// Text.
    pub body: String,
}
