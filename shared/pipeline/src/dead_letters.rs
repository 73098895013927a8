//! What waits for a person: how a dead letter becomes an entry, and what an operator may do with one. Decisions only;
//! the store runs each in one transaction, with the order's row held.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use crate::change::{Actor, Commit, change, edit};
use crate::failure::{Class, Failed};
use crate::happened::{Happened, Operated};
use crate::id::{Generation, MessageId, OrderId, Version};
use crate::message::OrderMessage;
use crate::order::{Order, State};
use crate::ports::StoreError;
use crate::verdict::Duplicate;

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

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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

/// What becomes of a letter.
#[derive(Debug, Clone)]
pub enum Judgement {
    /// An entry opens. `Some` change: the order's row begins to wait with it, in the same transaction.
    Open {
        /// The entry.
        id: EntryId,
        /// The row's change.
        change: Option<Box<Commit>>,
        /// Why it is here.
        failed: Failed,
        /// Whether it is the entry of an order's row.
        of_row: bool,
    },
    /// Nothing is to be done.
    Drop(Duplicate),
}

/// Judges `letter` by its order's row and by whether the order has an open entry (rule 18 of the order protocol).
/// `by` signs the history of a row that moves.
#[must_use]
pub fn judge(letter: &Letter, row: Option<&(Order, Version)>, has_open: bool, by: &str) -> Judgement {
    let Some((order, version)) = row.filter(|_| letter.queue != Queue::Invalid) else {
        return Judgement::Open {
            id: EntryId::of_message(letter.queue, &letter.content),
            change: None,
            failed: told(letter),
            of_row: false,
        };
    };
    if letter.generation != order.generation {
        return Judgement::Drop(Duplicate::OtherGeneration);
    }
    let waits = match letter.queue {
        Queue::Process | Queue::Invalid => State::DeadLettered,
        Queue::Compensation => State::Stuck,
    };
    if order.state == waits {
        if has_open {
            return Judgement::Drop(Duplicate::OpenAlready);
        }
        return Judgement::Open {
            id: EntryId::of(&order.content.order, order.generation, *version),
            change: None,
            failed: order.progress.failed.clone().unwrap_or_else(|| told(letter)),
            of_row: true,
        };
    }
    // A letter that one of us wrote about a row speaks of a row that waited; this one does so no more. What the broker
    // gave up is the row's only message, for all we know, so the row begins to wait.
    let by_broker = letter.failed.is_none();
    let failed = told(letter);
    let happened = match letter.queue {
        Queue::Process | Queue::Invalid => Happened::DeadLettered(failed.clone()),
        Queue::Compensation => Happened::Stuck(failed.clone()),
    };
    let actor = Actor {
        name: by.to_owned(),
        attempt: letter.attempt,
        message: None,
    };
    match change(order, *version, happened, &actor) {
        Ok((_after, mut commit)) if by_broker => {
            // The letter itself is here, so none is sent; what happened is announced all the same.
            commit.outbox.retain(|message| !message.is_dead_letter());
            Judgement::Open {
                id: EntryId::of(&order.content.order, order.generation, version.next()),
                change: Some(Box::new(commit)),
                failed,
                of_row: true,
            }
        }
        Ok(_) | Err(_) => Judgement::Drop(Duplicate::DeadLetterLate),
    }
}

fn told(letter: &Letter) -> Failed {
    let gave_up = || {
        let reason = "the broker gave it up: it was returned more often than its queue allows";
        Failed::new(Class::DeliveryLimit, None, reason, letter.attempt)
    };
    letter.failed.clone().unwrap_or_else(gave_up)
}

/// What an operator wants done with an open entry.
#[derive(Debug, Clone)]
pub enum Action {
    /// Back on its road as it was, with a fresh ladder.
    Replay,
    /// Back on its road with another document, as the order's next generation.
    Edit(OrderMessage, Arc<str>),
    /// Give the order up and undo it.
    Abandon,
    /// Close the entry of a message that belongs to no order.
    Discard,
    /// Have the undoing of a stuck order tried again.
    Redo,
}

impl Action {
    /// The state of an entry after it, which is its name in answers too.
    #[must_use]
    pub fn closes_as(&self) -> &'static str {
        match self {
            Self::Replay => "replayed",
            Self::Edit(..) => "edited",
            Self::Abandon => "abandoned",
            Self::Discard => "discarded",
            Self::Redo => "redone",
        }
    }
}

/// Why an action is not done. Each says what would be right instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// No such entry.
    #[error("there is no dead letter of this id")]
    Unknown,
    /// Somebody was faster.
    #[error("the dead letter is closed already: it was {0}")]
    Closed(String),
    /// The order does not wait, or not for this.
    #[error("the order is {0}; {1}")]
    NotSo(State, &'static str),
    /// The entry belongs to no order's row.
    #[error("the message belongs to no known order: replay it as it is, or discard it")]
    NoOrder,
    /// The entry belongs to an order, which would be nobody's then.
    #[error("an accepted order cannot be discarded: replay it, or abandon it, which undoes it and pays it back")]
    AcceptedOrder,
    /// An edit may not change whose order it is, or what was paid.
    #[error("{0} must stay as it was accepted")]
    MustStay(&'static str),
}

/// What an action on an entry comes to.
#[derive(Debug, Clone)]
pub enum Deed {
    /// The row changes, and the entry closes with it.
    Change(Box<Commit>),
    /// The message is to be sent again as it was; the entry closes once that is confirmed.
    SendAgain,
    /// The entry closes.
    Close,
}

/// What `action` comes to on an open entry: `row` is its order's, where it belongs to one.
///
/// # Errors
///
/// [`Denied`].
pub fn decide(action: Action, row: Option<&(Order, Version)>, operated: &Operated) -> Result<Deed, Denied> {
    let Some((order, version)) = row else {
        return match action {
            Action::Replay => Ok(Deed::SendAgain),
            Action::Discard => Ok(Deed::Close),
            Action::Edit(..) | Action::Abandon | Action::Redo => Err(Denied::NoOrder),
        };
    };
    let actor = Actor {
        name: operated.by.clone(),
        attempt: 0,
        message: None,
    };
    let deed = operated.clone();
    let changed = match action {
        Action::Discard => return Err(Denied::AcceptedOrder),
        Action::Replay => change(order, *version, Happened::Replayed(deed), &actor),
        Action::Abandon => change(order, *version, Happened::Abandoned(deed), &actor),
        Action::Redo => change(order, *version, Happened::Redone(deed), &actor),
        Action::Edit(content, document) => {
            must_stay(&order.content, &content)?;
            edit(order, *version, Happened::Edited(deed), (content, document), &actor)
        }
    };
    let (_after, commit) = changed.map_err(|_| Denied::NotSo(order.state, advice(order.state)))?;
    Ok(Deed::Change(Box::new(commit)))
}

/// An edit mends what was wrong with an order; whose it is and what was paid are not its business.
fn must_stay(accepted: &OrderMessage, edited: &OrderMessage) -> Result<(), Denied> {
    let same = [
        ("order_id", accepted.order == edited.order),
        ("customer_id", accepted.customer == edited.customer),
        ("payment_id", accepted.payment == edited.payment),
        ("total_amount", accepted.total == edited.total),
        ("idempotency_key", accepted.key == edited.key),
    ];
    match same.into_iter().find(|(_, same)| !same) {
        Some((field, _)) => Err(Denied::MustStay(field)),
        None => Ok(()),
    }
}

fn advice(state: State) -> &'static str {
    match state {
        State::DeadLettered => "replay it or abandon it",
        State::Stuck => "the one way on is `acuse orders redo`",
        State::Accepted | State::Processing | State::Compensating => "it is being worked, so there is nothing to do",
        State::Completed | State::Compensated => "it is final and never moves again",
    }
}

/// What became of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Drained {
    /// It is kept as this entry.
    Kept(EntryId),
    /// It was known.
    Duplicate(Duplicate),
}

/// What became of an operator's action.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Acted {
    /// It is done.
    Done,
    /// This message is to be sent again as it was, and then [`DeadLetters::sent_again`] is to be told.
    SendAgain(Queue, Content),
    /// It is not done.
    Denied(Denied),
}

/// Where dead letters are kept until a person has seen to them.
#[async_trait]
pub trait DeadLetters: Send + Sync {
    /// Keeps a letter, in one transaction with the change of its order's row: see [`judge`]. Safe to repeat.
    async fn drain(&self, letter: &Letter) -> Result<Drained, StoreError>;

    /// Does `action` on an entry, in one transaction with the change of its order's row: see [`decide`].
    async fn act(&self, entry: EntryId, action: Action, operated: &Operated) -> Result<Acted, StoreError>;

    /// Closes an entry whose message was sent again. Safe to repeat.
    async fn sent_again(&self, entry: EntryId, operated: &Operated) -> Result<(), StoreError>;

    /// Has the undoing of a stuck order tried again, whether its letter has been drained by now or not.
    async fn redo(&self, order: &OrderId, operated: &Operated) -> Result<Acted, StoreError>;
}
