//! Messages as the broker holds them, and where it holds them.

use std::sync::Arc;

use pipeline::dead_letters::{Content, Letter, Queue};
use pipeline::id::{Generation, OrderId};
use pipeline::outgoing::{Envelope, Marks, ORDER_COMPENSATE, ORDER_PROCESS};
use pipeline::retry::Rest;
use serde::{Deserialize, Serialize};

/// What stands on a message beside its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Properties {
    /// The sender's id of it.
    pub id: Option<String>,
    /// Its type.
    pub kind: String,
    /// The order that it says it is about.
    pub order: Option<String>,
    /// The generation that it says it is about.
    pub generation: u32,
    /// Which try it is.
    pub attempt: u32,
    /// How often it was put off.
    pub deferrals: u32,
    /// See [`Marks`].
    pub marks: Marks,
    /// Why the last try failed.
    pub last_error: Option<String>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its bytes.
    pub body: Arc<[u8]>,
    /// All else.
    pub properties: Properties,
}

/// What a consumer does with messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Road {
    /// Orders are processed.
    Orders,
    /// Orders are undone.
    Compensation,
}

impl Road {
    /// The queue that its messages go to.
    #[must_use]
    pub fn queue(self) -> Place {
        match self {
            Self::Orders => Place::Process,
            Self::Compensation => Place::Compensation,
        }
    }

    /// Where its dead letters go.
    #[must_use]
    pub fn dead(self) -> Queue {
        match self {
            Self::Orders => Queue::Process,
            Self::Compensation => Queue::Compensation,
        }
    }
}

/// A queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Orders to process.
    Process,
    /// Deliveries that may kill their worker.
    Suspect,
    /// Orders to undo.
    Compensation,
    /// A rest between two tries.
    Resting(Road, Rest),
    /// A rest that costs no try.
    Deferred(Road),
    /// What waits for a person.
    Dead(Queue),
}

impl Message {
    /// A message of ours, as the relay sends it.
    #[must_use]
    pub fn of(envelope: &Envelope) -> Self {
        Self {
            body: envelope.body.as_bytes().into(),
            properties: Properties {
                id: Some(envelope.id.to_string()),
                kind: envelope.kind.clone(),
                order: Some(envelope.order.to_string()),
                generation: envelope.generation.0,
                attempt: 1,
                deferrals: 0,
                marks: envelope.marks.clone(),
                last_error: None,
            },
        }
    }

    /// The order that it says it is about.
    #[must_use]
    pub fn order(&self) -> Option<OrderId> {
        OrderId::parse(self.properties.order.as_deref()?).ok()
    }

    /// The road that its type belongs to.
    #[must_use]
    pub fn road(&self) -> Option<Road> {
        match self.properties.kind.as_str() {
            ORDER_PROCESS => Some(Road::Orders),
            ORDER_COMPENSATE => Some(Road::Compensation),
            _ => None,
        }
    }

    /// It, as a dead letter out of `queue`.
    #[must_use]
    pub fn letter(&self, queue: Queue) -> Letter {
        Letter {
            queue,
            order: self.order(),
            generation: Generation(self.properties.generation),
            failed: self.properties.marks.failed.clone(),
            attempt: self.properties.attempt,
            content: Content {
                body: self.body.to_vec(),
                properties: serde_json::to_string(&self.properties).unwrap_or_default(),
            },
        }
    }

    /// The message that a dead letter was, to be sent again as an operator's replay: with a fresh ladder.
    #[must_use]
    pub fn again(content: &Content) -> Option<Self> {
        let before: Properties = serde_json::from_str(&content.properties).ok()?;
        let marks = Marks {
            replay: true,
            ..Marks::default()
        };
        Some(Self {
            body: content.body.as_slice().into(),
            properties: Properties {
                attempt: 1,
                deferrals: 0,
                last_error: None,
                marks,
                ..before
            },
        })
    }
}
