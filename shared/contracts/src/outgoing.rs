//! The body of each message that leaves because an order changed.

use pipeline::id::{Generation, OrderId};
use pipeline::outgoing::Outgoing;

use crate::events::{Compensated, DeadLettered, OrderEvent};
use crate::undo_message::UndoOrder;

/// The body of `message` about one generation of an order.
///
/// # Errors
///
/// When a value has no JSON.
pub fn body(order: &OrderId, generation: Generation, message: &Outgoing) -> serde_json::Result<String> {
    match message {
        Outgoing::Process { document, .. } | Outgoing::ProcessDead { document, .. } => Ok(document.to_string()),
        Outgoing::Compensate | Outgoing::CompensateDead(_) => serde_json::to_string(&UndoOrder::new(order, generation)),
        Outgoing::Completed(completed) => serde_json::to_string(&OrderEvent::new(order, generation, completed.clone())),
        Outgoing::Compensated(refund) => {
            serde_json::to_string(&OrderEvent::new(order, generation, Compensated::from(refund)))
        }
        Outgoing::DeadLettered(failed) => {
            serde_json::to_string(&OrderEvent::new(order, generation, DeadLettered::from(failed)))
        }
    }
}
