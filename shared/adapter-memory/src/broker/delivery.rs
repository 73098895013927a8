//! What a consumer makes of a message: nothing on it is trusted.

use pipeline::failure::plain;
use pipeline::id::{Generation, MessageId, OrderId};
use pipeline::message::{Delivery, Malformed, MalformedKind, OrderMessage, UndoMessage};
use pipeline::retry::{ATTEMPTS_MAX, DEFERRALS_MAX};
use serde::Deserialize;
use uuid::Uuid;

use super::queues::Taken;

/// Characters of a decoder's complaint that are kept.
const COMPLAINT_LENGTH_MAX: usize = 200;

#[derive(Deserialize)]
struct Undo {
    order_id: String,
}

impl Taken {
    /// As an order worker reads it.
    #[must_use]
    pub fn order(&self) -> Delivery<OrderMessage> {
        self.delivery(contracts::order_message::decode(&self.message.body))
    }

    /// As a compensation worker reads it.
    #[must_use]
    pub fn undo(&self) -> Delivery<UndoMessage> {
        let read = || {
            let undo: Undo = serde_json::from_slice(&self.message.body).map_err(|error| error.to_string())?;
            let order = OrderId::parse(&undo.order_id).map_err(|error| error.to_string())?;
            Ok(UndoMessage { order })
        };
        let malformed = |reason: String| Malformed {
            kind: MalformedKind::Shape,
            field: "body".to_owned(),
            reason: plain(&reason, COMPLAINT_LENGTH_MAX),
        };
        self.delivery(read().map_err(malformed))
    }

    fn delivery<M>(&self, message: Result<M, Malformed>) -> Delivery<M> {
        let properties = &self.message.properties;
        let id = properties.id.as_deref().and_then(|id| Uuid::try_parse(id).ok());
        Delivery {
            message,
            id: id.map(MessageId),
            generation: Generation(properties.generation.max(1)),
            attempt: properties.attempt.clamp(1, ATTEMPTS_MAX),
            deferrals: properties.deferrals.min(DEFERRALS_MAX),
            returns: self.returns,
        }
    }
}
