//! `GET /effects`: what a service did, once per effect, in the order in which it was written down. Append-only, apart
//! from the tables that prevent doubles; the audit counts from it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Goods were set aside. `subject`: the reservation.
pub const RESERVATION_CONFIRMED: &str = "reservation.confirmed";
/// A reservation became final. `subject`: the reservation.
pub const RESERVATION_COMMITTED: &str = "reservation.committed";
/// A reservation was taken back before it was final; its goods are in stock again. `subject`: the reservation.
pub const RESERVATION_RELEASED: &str = "reservation.released";
/// A reservation ran out; its goods are in stock again. `subject`: the reservation.
pub const RESERVATION_EXPIRED: &str = "reservation.expired";
/// A final reservation was taken back: its goods came back in a return. `subject`: the reservation.
pub const RESERVATION_RETURNED: &str = "reservation.returned";
/// A shipment was calculated. `subject`: its tracking number.
pub const SHIPMENT_CALCULATED: &str = "shipment.calculated";
/// An invoice was issued. `subject`: its fiscal id.
pub const INVOICE_ISSUED: &str = "invoice.issued";
/// An invoice was taken back by a credit note. `subject`: the invoice's fiscal id; `parts`: the credit note's.
pub const INVOICE_CREDITED: &str = "invoice.credited";
/// A shipping label was made void. `subject`: the shipment's tracking number.
pub const LABEL_VOIDED: &str = "label.voided";
/// A shipping label was issued. `subject`: the shipment's tracking number.
pub const LABEL_ISSUED: &str = "label.issued";
/// A notice was handed to one channel. `subject`: `<template>/<channel>`; `parts`: all channels of the request.
pub const NOTICE_QUEUED: &str = "notice.queued";

/// A customer's money was given back. `subject`: the payment; `parts`: the amount, and the notice that the customer was
/// sent.
pub const REFUND_RECORDED: &str = "refund.recorded";

/// One effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// Its place in the log; rises, with gaps.
    pub seq: i64,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Who asked for it.
    pub caller: String,
    /// One of the constants of this module.
    pub kind: String,
    /// For which order.
    pub order_id: String,
    /// For which generation of it.
    pub generation: u32,
    /// What it made; see the kind.
    pub subject: String,
    /// What belongs to it; see the kind.
    #[serde(default)]
    pub parts: Vec<String>,
}

/// A page of anything, and where the next one starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Pass it as `after` to get what follows; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The query of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageQuery {
    /// Where to go on: `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// How many rows; at most [`crate::limits::PAGE_ROWS_MAX`], which is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
