//! What is announced on `orders.events`, for whoever listens.

use pipeline::id::{Generation, OrderId};
use pipeline::outgoing::Completed;
use serde::{Deserialize, Serialize};

/// Body of `order.completed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderCompleted {
    /// The order.
    pub order_id: String,
    /// Which life of it.
    pub generation: u32,
    /// What it came to.
    #[serde(flatten)]
    pub result: Completed,
}

impl OrderCompleted {
    /// The event of one order.
    #[must_use]
    pub fn new(order: &OrderId, generation: Generation, result: &Completed) -> Self {
        Self {
            order_id: order.to_string(),
            generation: generation.0,
            result: result.clone(),
        }
    }
}
