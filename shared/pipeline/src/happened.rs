//! Everything that can happen to an order, as its journal keeps it.

use serde::{Deserialize, Serialize};

use crate::failure::Failed;
use crate::id::{PaymentId, ReservationId};
use crate::money::Money;
use crate::steps::{CommittedReservation, Documents, Notice, Reservation, Shipment, Step, StockCheck};

/// What happened to an order: the end of a step, or a turn off the straight road.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", content = "result", rename_all = "snake_case")]
pub enum Happened {
    /// [`Step::CloseEarlier`] is done.
    CloseEarlier,
    /// [`Step::CheckStock`] is done.
    CheckStock(StockCheck),
    /// [`Step::Reserve`] is done.
    Reserve(Reservation),
    /// [`Step::CalculateShipment`] is done: one shipment per origin.
    CalculateShipment(Vec<Shipment>),
    /// [`Step::CommitReservation`] is done.
    CommitReservation(CommittedReservation),
    /// [`Step::IssueDocuments`] is done.
    IssueDocuments(Documents),
    /// [`Step::NotifyCustomer`] is done.
    NotifyCustomer(Notice),
    /// [`Step::Record`]: everything else is done.
    Record,
    /// The reservation ran out before it was final: reserve again.
    ReservationExpired(ReservationId),
    /// Reserve was refused for want of goods: a business outcome.
    OutOfStock(Vec<Short>),
    /// It cannot be processed: a person has to look.
    DeadLettered(Failed),
    /// An operator sends a dead-lettered order back on its road, as it was.
    Replayed(Operated),
    /// An operator sends it back with another document, as a new generation.
    Edited(Operated),
    /// An operator gives a dead-lettered order up: compensate.
    Abandoned(Operated),
    /// An undo failed for good: a person has to look.
    Stuck(Failed),
    /// An operator has the undoing of a stuck order tried again.
    Redone(Operated),
    /// Everything is undone, the customer is told, and the money goes back.
    Compensated(Refund),
}

/// A line that stock does not cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Short {
    /// The product.
    pub sku: String,
    /// How many were wanted.
    pub wanted: u32,
    /// The most that any one warehouse could give.
    pub available: u32,
}

/// An operator's deed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operated {
    /// Who.
    pub by: String,
    /// Why, in the operator's words.
    pub reason: String,
}

/// Money that goes back to a customer, and what the customer was told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    /// The payment that is given back.
    pub payment: PaymentId,
    /// All of it.
    pub amount: Money,
    /// Which notice went out.
    pub notice: Apology,
}

/// What a customer is told whose order is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Apology {
    /// The goods ran out.
    OutOfStock,
    /// The order is cancelled: it had been confirmed, or an operator gave it up.
    OrderCancelled,
}

impl Apology {
    /// The template's name.
    #[must_use]
    pub fn template(self) -> &'static str {
        match self {
            Self::OutOfStock => "out_of_stock",
            Self::OrderCancelled => "order_cancelled",
        }
    }
}

impl Happened {
    /// The step whose end this is; `None` for a turn off the straight road.
    #[must_use]
    pub fn step(&self) -> Option<Step> {
        match self {
            Self::CloseEarlier => Some(Step::CloseEarlier),
            Self::CheckStock(_) => Some(Step::CheckStock),
            Self::Reserve(_) => Some(Step::Reserve),
            Self::CalculateShipment(_) => Some(Step::CalculateShipment),
            Self::CommitReservation(_) => Some(Step::CommitReservation),
            Self::IssueDocuments(_) => Some(Step::IssueDocuments),
            Self::NotifyCustomer(_) => Some(Step::NotifyCustomer),
            Self::Record => Some(Step::Record),
            Self::ReservationExpired(_)
            | Self::OutOfStock(_)
            | Self::DeadLettered(_)
            | Self::Replayed(_)
            | Self::Edited(_)
            | Self::Abandoned(_)
            | Self::Stuck(_)
            | Self::Redone(_)
            | Self::Compensated(_) => None,
        }
    }

    /// Its name in histories and logs; never changes.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ReservationExpired(_) => "reservation_expired",
            Self::OutOfStock(_) => "out_of_stock",
            Self::DeadLettered(_) => "dead_lettered",
            Self::Replayed(_) => "replayed",
            Self::Edited(_) => "edited",
            Self::Abandoned(_) => "abandoned",
            Self::Stuck(_) => "stuck",
            Self::Redone(_) => "redone",
            Self::Compensated(_) => "compensated",
            Self::CloseEarlier
            | Self::CheckStock(_)
            | Self::Reserve(_)
            | Self::CalculateShipment(_)
            | Self::CommitReservation(_)
            | Self::IssueDocuments(_)
            | Self::NotifyCustomer(_)
            | Self::Record => self.step().map_or("", Step::name),
        }
    }

    /// What a person should know of it beside its name.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        match self {
            Self::DeadLettered(failed) | Self::Stuck(failed) => Some(failed.to_string()),
            Self::Replayed(deed) | Self::Edited(deed) | Self::Abandoned(deed) | Self::Redone(deed) => {
                Some(format!("by {}: {}", deed.by, deed.reason))
            }
            Self::OutOfStock(lines) => {
                let line = |short: &Short| format!("{}: {} of {}", short.sku, short.available, short.wanted);
                Some(
                    lines
                        .iter()
                        .take(SHORT_LINES_TOLD_MAX)
                        .map(line)
                        .collect::<Vec<_>>()
                        .join(", "),
                )
            }
            Self::Compensated(refund) => Some(format!("{} goes back to {}", refund.amount, refund.payment)),
            Self::ReservationExpired(id) => Some(id.to_string()),
            Self::CloseEarlier
            | Self::CheckStock(_)
            | Self::Reserve(_)
            | Self::CalculateShipment(_)
            | Self::CommitReservation(_)
            | Self::IssueDocuments(_)
            | Self::NotifyCustomer(_)
            | Self::Record => None,
        }
    }
}

/// Short lines that a note names.
const SHORT_LINES_TOLD_MAX: usize = 5;
