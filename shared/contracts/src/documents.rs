//! Documents' request and answer.

use serde::{Deserialize, Serialize};

use crate::money::WireMoney;

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
