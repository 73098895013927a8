//! Messages on their way out: as the pipeline means them, and as an outbox row holds them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::dead_letters::EntryId;
use crate::failure::Failed;
use crate::happened::Refund;
use crate::id::{Generation, MessageId, OrderId, Version};
use crate::order::Progress;

/// Where a message goes; each is an exchange of the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Destination {
    /// What must be done: one consumer takes it.
    Orders,
    /// What must be undone.
    Compensation,
    /// What a person must look at.
    DeadLetters,
    /// What happened: anyone may listen, or nobody.
    Events,
}

impl Destination {
    const ALL: [Self; 4] = [Self::Orders, Self::Compensation, Self::DeadLetters, Self::Events];

    /// The exchange's name.
    #[must_use]
    pub fn exchange(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Compensation => "orders.compensation",
            Self::DeadLetters => "orders.dlx",
            Self::Events => "orders.events",
        }
    }

    /// Whether a message that reaches no queue counts as not sent.
    #[must_use]
    pub fn must_route(self) -> bool {
        match self {
            Self::Orders | Self::Compensation | Self::DeadLetters => true,
            Self::Events => false,
        }
    }

    /// The destination behind an exchange's name.
    #[must_use]
    pub fn of_exchange(exchange: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|destination| destination.exchange() == exchange)
    }
}

/// The message's type that has an order processed, and its routing key.
pub const ORDER_PROCESS: &str = "order.process";
/// The message's type that has an order undone, and its routing key.
pub const ORDER_COMPENSATE: &str = "order.compensate";

/// A message that must leave because an order changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// Process this order. Holds its document, byte for byte.
    Process {
        /// The order's document, JSON.
        document: Arc<str>,
        /// Not to be sent before this.
        not_before: Option<OffsetDateTime>,
        /// An operator sends it again.
        replay: bool,
    },
    /// Undo this order.
    Compensate,
    /// A person must look at this order: it could not be processed.
    ProcessDead {
        /// The order's document, JSON.
        document: Arc<str>,
        /// Why.
        failed: Failed,
    },
    /// A person must look at this order: it could not be undone.
    CompensateDead(Failed),
    /// The order is complete.
    Completed(Completed),
    /// The order is undone.
    Compensated(Refund),
    /// The order waits for a person.
    DeadLettered(Failed),
}

impl Outgoing {
    /// The message's type, which is its routing key as well.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Process { .. } | Self::ProcessDead { .. } => ORDER_PROCESS,
            Self::Compensate | Self::CompensateDead(_) => ORDER_COMPENSATE,
            Self::Completed(_) => "order.completed",
            Self::Compensated(_) => "order.compensated",
            Self::DeadLettered(_) => "order.dead_lettered",
        }
    }

    /// Where it goes.
    #[must_use]
    pub fn destination(&self) -> Destination {
        match self {
            Self::Process { .. } => Destination::Orders,
            Self::Compensate => Destination::Compensation,
            Self::ProcessDead { .. } | Self::CompensateDead(_) => Destination::DeadLetters,
            Self::Completed(_) | Self::Compensated(_) | Self::DeadLettered(_) => Destination::Events,
        }
    }

    /// Whether it is for a person to look at.
    #[must_use]
    pub fn is_dead_letter(&self) -> bool {
        self.destination() == Destination::DeadLetters
    }

    /// Its id. What can be said once in a generation is named after it, so that every repeat is recognised; what can
    /// be said again after a replay is named after the row's version too.
    #[must_use]
    pub fn id(&self, order: &OrderId, generation: Generation, version: Version) -> MessageId {
        match self {
            Self::Process { .. } | Self::Compensate | Self::Completed(_) | Self::Compensated(_) => {
                MessageId::derive(order, generation, self.kind())
            }
            Self::ProcessDead { .. } | Self::CompensateDead(_) => EntryId::of(order, generation, version).message(),
            Self::DeadLettered(_) => MessageId::derive(order, generation, &format!("{}/{}", self.kind(), version.0)),
        }
    }

    /// What stands on it beside its body; `version` is the row's after the change that sends it.
    #[must_use]
    pub fn marks(&self, version: Version) -> Marks {
        let mut marks = Marks::default();
        match self {
            Self::Process { replay, .. } => marks.replay = *replay,
            Self::ProcessDead { failed, .. } | Self::CompensateDead(failed) => {
                marks.failed = Some(failed.clone());
                marks.version = Some(version);
            }
            Self::Compensate | Self::Completed(_) | Self::Compensated(_) | Self::DeadLettered(_) => {}
        }
        marks
    }
}

/// What stands on a message beside its body and its identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// An operator sent it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replay: bool,
    /// Why it is a dead letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failed>,
    /// The version of the order's row that made it one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
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
    /// See [`Outgoing::id`]: derived, so that a repeat is recognisable.
    pub id: MessageId,
    /// Where it goes.
    pub destination: Destination,
    /// Its type, and routing key.
    pub kind: String,
    /// The order that it is about.
    pub order: OrderId,
    /// The generation that it is about.
    pub generation: Generation,
    /// What else stands on it.
    pub marks: Marks,
    /// JSON.
    pub body: String,
    /// When the row was written.
    pub created_at: OffsetDateTime,
}
