//! What is kept: letters out of the dead-letter queues, and the entries that they become.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::failure::Failed;
use crate::id::{Generation, MessageId, OrderId, Version};

/// Names an entry. For an order: derived from order, generation and the row version that made it wait, so that only one
/// and the same dead letter comes twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub Uuid);

impl EntryId {
    /// The entry of an order whose row began to wait with `version`.
    #[must_use]
    pub fn of(order: &OrderId, generation: Generation, version: Version) -> Self {
        Self(MessageId::derive(order, generation, &format!("dead/{}", version.0)).0)
    }

    /// The entry of a message that belongs to no order's row: named after everything that it is.
    #[must_use]
    pub fn of_message(queue: Queue, content: &Content) -> Self {
        let mut bytes = queue.name().as_bytes().to_vec();
        bytes.extend_from_slice(content.properties.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&content.body);
        Self(Uuid::new_v5(&ROWLESS, &bytes))
    }

    /// The id of the message that brings it.
    #[must_use]
    pub fn message(self) -> MessageId {
        MessageId(self.0)
    }
}

/// Fixed for ever, as all namespaces are.
const ROWLESS: Uuid = Uuid::from_u128(0x1d1c_90a7_0b7e_4c22_8d53_9f64_27aa_e002);

impl FromStr for EntryId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::try_parse(text).map(Self)
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryState {
    /// It waits for a person.
    Open,
    /// Its order, or its message, went back on its road.
    Replayed,
    /// Its order went on with another document.
    Edited,
    /// Its order was given up.
    Abandoned,
    /// Nothing was to be done.
    Discarded,
    /// The undoing of its order was tried again.
    Redone,
}

/// No state of an entry.
#[derive(Debug, thiserror::Error)]
#[error("must be one of open, replayed, edited, abandoned, discarded, redone, or all")]
pub struct UnknownEntryState;

impl EntryState {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Open,
        Self::Replayed,
        Self::Edited,
        Self::Abandoned,
        Self::Discarded,
        Self::Redone,
    ];

    /// The name in databases and answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Replayed => "replayed",
            Self::Edited => "edited",
            Self::Abandoned => "abandoned",
            Self::Discarded => "discarded",
            Self::Redone => "redone",
        }
    }
}

impl FromStr for EntryState {
    type Err = UnknownEntryState;

    fn from_str(name: &str) -> Result<Self, UnknownEntryState> {
        Self::ALL
            .into_iter()
            .find(|state| state.name() == name)
            .ok_or(UnknownEntryState)
    }
}

/// Which dead letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// Orders that could not be processed.
    Process,
    /// Orders that could not be undone.
    Compensation,
    /// What could not be understood.
    Invalid,
}

impl Queue {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Process, Self::Compensation, Self::Invalid];

    /// The broker's name for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Process => "orders.process.dlq",
            Self::Compensation => "orders.compensation.dlq",
            Self::Invalid => "orders.invalid",
        }
    }

    /// The queue behind its name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|queue| queue.name() == name)
    }
}

/// A message as it lay in a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Its bytes.
    pub body: Vec<u8>,
    /// All its properties and headers, as JSON.
    pub properties: String,
}

/// A message out of a dead-letter queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Which queue.
    pub queue: Queue,
    /// The order that it is about, where it says so.
    pub order: Option<OrderId>,
    /// The generation that it is about.
    pub generation: Generation,
    /// Why it is here; `None` where the broker brought it.
    pub failed: Option<Failed>,
    /// Which try it was.
    pub attempt: u32,
    /// The message itself.
    pub content: Content,
}
