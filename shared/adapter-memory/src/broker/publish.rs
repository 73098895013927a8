//! Publishing: `Ok` means confirmed and routed, and anything else means that it may have arrived all the same.

use async_trait::async_trait;
use pipeline::dead_letters::Queue;
use pipeline::id::MessageId;
use pipeline::outgoing::{Destination, Envelope, ORDER_COMPENSATE, ORDER_PROCESS};
use pipeline::ports::{PublishError, Publisher};
use uuid::Uuid;

use super::MemoryBroker;
use super::message::{Message, Place};
use crate::faults::Fault;
use crate::held;

#[async_trait]
impl Publisher for MemoryBroker {
    async fn publish(&self, envelope: &Envelope) -> Result<(), PublishError> {
        let message = Message::of(envelope);
        if envelope.destination == Destination::Events {
            let deed = || held(&self.queues).events.push(message);
            let told = self.faults.call("broker.publish", deed).await;
            return told.map_err(|fault| unconfirmed(envelope.id, fault));
        }
        match route(envelope) {
            Some(place) => self.publish_to(place, message).await,
            None => Err(PublishError::Unroutable(envelope.id)),
        }
    }
}

/// The bindings of the topology.
fn route(envelope: &Envelope) -> Option<Place> {
    match (envelope.destination, envelope.kind.as_str()) {
        (Destination::Orders, ORDER_PROCESS) => Some(Place::Process),
        (Destination::Compensation, ORDER_COMPENSATE) => Some(Place::Compensation),
        (Destination::DeadLetters, ORDER_PROCESS) => Some(Place::Dead(Queue::Process)),
        (Destination::DeadLetters, ORDER_COMPENSATE) => Some(Place::Dead(Queue::Compensation)),
        (Destination::Orders | Destination::Compensation | Destination::DeadLetters | Destination::Events, _) => None,
    }
}

impl MemoryBroker {
    /// Publishes to one queue and waits for the confirm.
    ///
    /// # Errors
    ///
    /// [`PublishError`]; the message may have arrived.
    pub async fn publish_to(&self, place: Place, message: Message) -> Result<(), PublishError> {
        let id = message.properties.id.as_deref().and_then(|id| Uuid::try_parse(id).ok());
        let id = MessageId(id.unwrap_or_default());
        let now = self.clock.ms();
        let deed = || {
            let mut queues = held(&self.queues);
            let routed = !(queues.unbound && matches!(place, Place::Process | Place::Compensation));
            if routed {
                queues.put(place, message, now);
            }
            routed
        };
        match self.faults.call("broker.publish", deed).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(PublishError::Unroutable(id)),
            Err(fault) => Err(unconfirmed(id, fault)),
        }
    }
}

fn unconfirmed(id: MessageId, fault: Fault) -> PublishError {
    match fault {
        Fault::Before | Fault::After => PublishError::Unconfirmed {
            id,
            source: format!("{fault:?}, as planned").into(),
        },
        Fault::Busy | Fault::Refused => PublishError::Refused(id),
    }
}
