//! The message that has an order undone.

use pipeline::id::{Generation, OrderId};
use pipeline::message::{Malformed, MalformedKind, UndoMessage};
use serde::{Deserialize, Serialize};

/// Body of `order.compensate`. The order's row says everything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoOrder {
    /// Which order.
    pub order_id: String,
    /// Which life of it.
    pub generation: u32,
}

/// Bytes of such a body, at most: an id and a number, with room.
const BODY_BYTES_MAX: usize = 1_024;

impl UndoOrder {
    /// The message about one order.
    #[must_use]
    pub fn new(order: &OrderId, generation: Generation) -> Self {
        Self {
            order_id: order.to_string(),
            generation: generation.0,
        }
    }
}

/// Reads a body.
///
/// # Errors
///
/// [`Malformed`]: which field, and why.
pub fn decode(body: &[u8]) -> Result<UndoMessage, Malformed> {
    let malformed = |kind, field: &str, reason: String| Malformed {
        kind,
        field: field.to_owned(),
        reason,
    };
    if body.len() > BODY_BYTES_MAX {
        let reason = format!("must have at most {BODY_BYTES_MAX} bytes");
        return Err(malformed(MalformedKind::TooLarge, "body", reason));
    }
    let read: UndoOrder = serde_json::from_slice(body)
        .map_err(|error| malformed(MalformedKind::Shape, "body", format!("is no order to undo: {error}")))?;
    let order = OrderId::parse(&read.order_id)
        .map_err(|error| malformed(MalformedKind::Rule, "order_id", error.to_string()))?;
    Ok(UndoMessage { order })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let order = OrderId::parse("ORD-1").unwrap();
        let written = serde_json::to_vec(&UndoOrder::new(&order, Generation(2))).unwrap();
        assert_eq!(decode(&written).unwrap().order, order);
    }

    #[test]
    fn anything_else_is_named() {
        let large = format!("{{\"order_id\":\"A\",\"generation\":1{}}}", " ".repeat(1_024));
        for (body, field) in [
            (&b""[..], "body"),
            (b"null", "body"),
            (b"\xff\xfe", "body"),
            (large.as_bytes(), "body"),
            (br#"{"order_id":"a b","generation":1}"#, "order_id"),
        ] {
            assert_eq!(decode(body).unwrap_err().field, field, "{body:?}");
        }
    }
}
