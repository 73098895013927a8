//! Closing a generation of an order: the request is the same at every service.
//!
//! Closing is the undo and the fence. What the order had in this generation or a lower one is taken back, and a tombstone
//! is left: any later forward effect of these generations is refused as [`crate::problem::Kind::Superseded`], looked at
//! before any stored answer. Undo and notices of a compensation pass. Safe to repeat; the order and generation are the
//! key.

use serde::{Deserialize, Serialize};

/// `POST /inventory/close`, `/documents/close`, `/notifications/close`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloseRequest {
    /// Which order.
    pub order_id: String,
    /// This generation and all lower ones.
    pub generation: u32,
}
