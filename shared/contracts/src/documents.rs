//! Documents' request and answer.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::money::WireMoney;

/// The one value of [`GenerateRequest::kind`].
pub const INVOICE_AND_SHIPPING_LABEL: &str = "invoice_and_shipping_label";

/// `POST /documents/generate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerateRequest {
    /// For which order.
    pub order_id: String,
    /// For which generation of it.
    pub generation: u32,
    /// Same as the `Idempotency-Key` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// `invoice_and_shipping_label`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who is invoiced.
    pub customer_id: String,
    /// The goods.
    pub reservation_id: String,
    /// One label is issued for each.
    pub shipments: Vec<ShipmentRef>,
    /// What was sold; empty where the order states no unit prices, and then the invoice has one line at the total.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<InvoiceLine>,
    /// Cost of shipping, where stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipping_fee: Option<WireMoney>,
    /// What was paid.
    pub total: WireMoney,
}

/// A parcel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShipmentRef {
    /// Who carries it.
    pub carrier: String,
    /// What the carrier calls it.
    pub tracking_number: String,
}

/// A sold product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvoiceLine {
    /// The product.
    pub sku: String,
    /// How many.
    pub qty: u32,
    /// Price of one.
    pub unit_price: WireMoney,
}

/// Answer of generate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerateAnswer {
    /// Where the invoice is.
    pub invoice_url: String,
    /// Where the first shipment's label is.
    pub shipping_label_url: String,
    /// Where all labels are, one per shipment, in the order of the request.
    pub shipping_label_urls: Vec<String>,
    /// The invoice's fiscal id (Mexico: folio fiscal of the CFDI).
    pub cfdi_uuid: String,
}

/// Answer of close.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloseAnswer {
    /// Which order.
    pub order_id: String,
    /// This generation and all lower ones take no more.
    pub generation: u32,
    /// The credit note of every invoice that these generations ever had, oldest first.
    pub credit_notes: Vec<CreditNoteRef>,
}

/// A credit note and what it takes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreditNoteRef {
    /// Its own fiscal id.
    pub credit_note_uuid: String,
    /// The invoice that it takes back.
    pub cfdi_uuid: String,
    /// Where it is.
    pub credit_note_url: String,
}

/// A credit note as it is kept, at `GET /documents/credit-note/{uuid}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreditNote {
    /// `credit_note`.
    pub kind: String,
    /// Its fiscal id.
    pub credit_note_uuid: String,
    /// The invoice that it takes back, whole.
    pub cfdi_uuid: String,
    /// For which order.
    pub order_id: String,
    /// The generation that was closed.
    pub generation: u32,
    /// When it was issued.
    #[serde(with = "time::serde::rfc3339")]
    pub issued_at: OffsetDateTime,
    /// What is given back.
    pub total: WireMoney,
}

/// An invoice as it is kept, at `GET /documents/invoice/{cfdi_uuid}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    /// `invoice`.
    pub kind: String,
    /// Its fiscal id.
    pub cfdi_uuid: String,
    /// For which order.
    pub order_id: String,
    /// For which generation of it.
    pub generation: u32,
    /// Who is invoiced.
    pub customer_id: String,
    /// The goods.
    pub reservation_id: String,
    /// When it was issued.
    #[serde(with = "time::serde::rfc3339")]
    pub issued_at: OffsetDateTime,
    /// What was sold. Together with the fee they make the total.
    pub lines: Vec<InvoicedLine>,
    /// Cost of shipping, where the order states unit prices and a fee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipping_fee: Option<WireMoney>,
    /// What was paid.
    pub total: WireMoney,
}

/// A line of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvoicedLine {
    /// The product's name, or that of the whole order.
    pub description: String,
    /// How many.
    pub qty: u32,
    /// Price of one.
    pub unit_price: WireMoney,
    /// Price of all.
    pub amount: WireMoney,
}

/// A shipping label as it is kept, at `GET /documents/label/{tracking_number}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// `label`.
    pub kind: String,
    /// What the carrier calls the parcel.
    pub tracking_number: String,
    /// Who carries it.
    pub carrier: String,
    /// For which order.
    pub order_id: String,
    /// For which generation of it.
    pub generation: u32,
    /// The goods.
    pub reservation_id: String,
    /// When it was issued.
    #[serde(with = "time::serde::rfc3339")]
    pub issued_at: OffsetDateTime,
    /// Since when it is void; absent while it is not.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "time::serde::rfc3339::option"
    )]
    pub voided_at: Option<OffsetDateTime>,
}
