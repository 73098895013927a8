//! What is announced on `orders.events`, for whoever listens.

use pipeline::failure::Failed;
use pipeline::happened::Refund;
use pipeline::id::{Generation, OrderId};
use pipeline::outgoing::Completed;
use serde::{Deserialize, Serialize};

use crate::money::WireMoney;

/// Body of an event: which order, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderEvent<T> {
    /// The order.
    pub order_id: String,
    /// Which life of it.
    pub generation: u32,
    /// What came of it.
    #[serde(flatten)]
    pub came: T,
}

/// Body of `order.completed`.
pub type OrderCompleted = OrderEvent<Completed>;
/// Body of `order.compensated`.
pub type OrderCompensated = OrderEvent<Compensated>;
/// Body of `order.dead_lettered`.
pub type OrderDeadLettered = OrderEvent<DeadLettered>;

/// What `order.compensated` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compensated {
    /// The payment that is given back, whole.
    pub payment_id: String,
    /// How much that is.
    pub refund: WireMoney,
    /// The notice that the customer was sent.
    pub notice: String,
}

/// What `order.dead_lettered` says. The reason stays with the dead letter: it may quote services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLettered {
    /// Why, as a class.
    pub class: String,
    /// At which step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

impl<T> OrderEvent<T> {
    /// The event of one order.
    #[must_use]
    pub fn new(order: &OrderId, generation: Generation, came: T) -> Self {
        Self {
            order_id: order.to_string(),
            generation: generation.0,
            came,
        }
    }
}

impl From<&Refund> for Compensated {
    fn from(refund: &Refund) -> Self {
        Self {
            payment_id: refund.payment.to_string(),
            refund: WireMoney(refund.amount),
            notice: refund.notice.template().to_owned(),
        }
    }
}

impl From<&Failed> for DeadLettered {
    fn from(failed: &Failed) -> Self {
        Self {
            class: failed.class.name().to_owned(),
            step: failed.step.clone(),
        }
    }
}
