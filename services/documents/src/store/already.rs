//! What is said of documents that are in the way.

use std::fmt::Display;

use adapter_http::server::Outcome;
use pipeline::id::OrderId;
use uuid::Uuid;

/// The order has an uncredited invoice, asked for with other content.
pub(super) fn invoiced(order: &OrderId, fiscal_id: Uuid, generation: impl Display) -> Outcome {
    Outcome::Exists(format!(
        "{order} has invoice {fiscal_id} of generation {generation}, asked for with other content"
    ))
}

/// A parcel has a label that is not void.
pub(super) fn labelled(number: &str) -> Outcome {
    Outcome::Exists(format!("shipment {number} has a label already, with another invoice"))
}
