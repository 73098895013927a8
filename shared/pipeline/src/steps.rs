//! The steps of the road and what each of them leaves behind.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::id::{ReservationId, Sku, WarehouseId};
use crate::money::Money;

/// What an order needs done, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Close what lower generations of the order left at the services. First of all, where there are any.
    CloseEarlier,
    /// Ask inventory whether the goods are there; advisory.
    CheckStock,
    /// Take them out of what others may take.
    Reserve,
    /// Ask logistics for one shipment per origin.
    CalculateShipment,
    /// Make the reservation final.
    CommitReservation,
    /// Have the fiscal documents issued.
    IssueDocuments,
    /// Tell the customer.
    NotifyCustomer,
    /// Write the result and announce it.
    Record,
}

impl Step {
    /// All of them, in the order in which they are done.
    pub const ALL: [Self; 8] = [
        Self::CloseEarlier,
        Self::CheckStock,
        Self::Reserve,
        Self::CalculateShipment,
        Self::CommitReservation,
        Self::IssueDocuments,
        Self::NotifyCustomer,
        Self::Record,
    ];

    /// The step's name in journals, logs and keys; never changes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CloseEarlier => "close_earlier",
            Self::CheckStock => "check_stock",
            Self::Reserve => "reserve",
            Self::CalculateShipment => "calculate_shipment",
            Self::CommitReservation => "commit_reservation",
            Self::IssueDocuments => "issue_documents",
            Self::NotifyCustomer => "notify_customer",
            Self::Record => "record",
        }
    }
}

/// What inventory said of the stock at one moment. Advice only: a refused reserve alone means out of stock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StockCheck {
    /// Whether every line was there.
    pub available: bool,
}

/// Goods taken out of the stock for one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// Inventory's name for it.
    pub id: ReservationId,
    /// After this it returns to the stock by itself, unless committed.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
    /// What was taken, and where. At least one.
    pub lines: Vec<ReservedLine>,
}

/// One product taken from one warehouse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservedLine {
    /// The product.
    pub sku: Sku,
    /// How many.
    pub quantity: u32,
    /// Where it lies.
    pub warehouse: WarehouseId,
    /// Weight of one, in grams.
    pub weight_grams: u32,
}

impl Reservation {
    /// The warehouses that goods leave from, each once, in order of their names. One shipment leaves from each.
    #[must_use]
    pub fn origins(&self) -> Vec<&WarehouseId> {
        let mut origins: Vec<_> = self.lines.iter().map(|line| &line.warehouse).collect();
        origins.sort();
        origins.dedup();
        origins
    }
}

/// A parcel on its way from one origin, as logistics calculated it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shipment {
    /// Where it leaves from.
    pub origin: WarehouseId,
    /// Who carries it.
    pub carrier: String,
    /// At which of the carrier's services.
    pub service: String,
    /// Day of delivery, `YYYY-MM-DD` in the destination's calendar.
    pub estimated_delivery: String,
    /// What the carrier calls it.
    pub tracking_number: String,
    /// What it costs.
    pub cost: Money,
}

/// The reservation became final.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommittedReservation {
    /// Inventory's name for it.
    pub id: ReservationId,
}

/// The fiscal documents of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Documents {
    /// The invoice's fiscal id.
    pub fiscal_id: String,
    /// Where the invoice is.
    pub invoice_url: String,
    /// Where the shipping labels are, one per shipment.
    pub label_urls: Vec<String>,
}

/// The customer was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The notification service's name for it.
    pub id: String,
    /// Over which channels.
    pub channels: Vec<String>,
}
