//! Messages on their way out: as the pipeline means them, and as an outbox row holds them.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::id::{Generation, MessageId, OrderId};
use crate::order::Progress;

/// Where a message goes; each is an exchange of the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Destination {
    /// What must be done: one consumer takes it.
    Orders,
    /// What happened: anyone may listen, or nobody.
    Events,
}

impl Destination {
    /// The exchange's name.
    #[must_use]
    pub fn exchange(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Events => "orders.events",
        }
    }

    /// Whether a message that reaches no queue counts as not sent.
    #[must_use]
    pub fn must_route(self) -> bool {
        match self {
            Self::Orders => true,
            Self::Events => false,
        }
    }

    /// The destination behind an exchange's name.
    #[must_use]
    pub fn of_exchange(exchange: &str) -> Option<Self> {
        [Self::Orders, Self::Events]
            .into_iter()
            .find(|destination| destination.exchange() == exchange)
    }
}

/// A message that must leave because an order changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// Process this order. Holds the document as checkout accepted it, byte for byte.
    Process {
        /// The order's document, JSON.
        document: String,
        /// Not to be sent before this.
        not_before: Option<OffsetDateTime>,
    },
    /// The order is complete.
    Completed(Completed),
}

impl Outgoing {
    /// The message's type, which is its routing key as well.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Process { .. } => "order.process",
            Self::Completed(_) => "order.completed",
        }
    }

    /// Where it goes.
    #[must_use]
    pub fn destination(&self) -> Destination {
        match self {
            Self::Process { .. } => Destination::Orders,
            Self::Completed(_) => Destination::Events,
        }
    }
}

/// What a completed order came to: its result, and the body of `order.completed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completed {
    /// Inventory's reservation.
    pub reservation_id: String,
    /// Each parcel: carrier and tracking number.
    pub shipments: Vec<CompletedShipment>,
    /// The invoice's fiscal id.
    pub fiscal_id: String,
    /// Where the invoice is.
    pub invoice_url: String,
    /// Where the labels are.
    pub label_urls: Vec<String>,
    /// The confirmation's id.
    pub notification_id: String,
}

/// A parcel of a completed order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletedShipment {
    /// Warehouse that it leaves from.
    pub origin: String,
    /// Who carries it.
    pub carrier: String,
    /// What the carrier calls it.
    pub tracking_number: String,
    /// Day of delivery, `YYYY-MM-DD`.
    pub estimated_delivery: String,
}

impl Completed {
    /// The result of an order whose every step is done; `None` while one is missing.
    #[must_use]
    pub fn of(progress: &Progress) -> Option<Self> {
        let (documents, notice) = (progress.documents.as_ref()?, progress.notice.as_ref()?);
        let shipments = progress.shipments.as_ref()?.iter().map(|shipment| CompletedShipment {
            origin: shipment.origin.to_string(),
            carrier: shipment.carrier.clone(),
            tracking_number: shipment.tracking_number.clone(),
            estimated_delivery: shipment.estimated_delivery.clone(),
        });
        Some(Self {
            reservation_id: progress.committed.as_ref()?.id.to_string(),
            shipments: shipments.collect(),
            fiscal_id: documents.fiscal_id.clone(),
            invoice_url: documents.invoice_url.clone(),
            label_urls: documents.label_urls.clone(),
            notification_id: notice.id.clone(),
        })
    }
}

/// A message as an outbox row holds it and as the broker gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// Derived from order, generation and kind, so that a repeat is recognisable.
    pub id: MessageId,
    /// Where it goes.
    pub destination: Destination,
    /// Its type, and routing key.
    pub kind: String,
    /// The order that it is about.
    pub order: OrderId,
    /// The generation that it is about.
    pub generation: Generation,
    /// JSON.
    pub body: String,
    /// When the row was written.
    pub created_at: OffsetDateTime,
}
