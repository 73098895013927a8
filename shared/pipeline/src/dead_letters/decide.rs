//! What an operator may do with an entry.

use std::sync::Arc;

use super::EntryState;
use crate::change::{Actor, Commit, change, edit};
use crate::happened::{Happened, Operated};
use crate::id::Version;
use crate::message::OrderMessage;
use crate::order::{Order, State};

/// What an operator wants done with an open entry.
#[derive(Debug, Clone)]
pub enum Action {
    /// Back on its road as it was, with a fresh ladder.
    Replay,
    /// Back on its road with another document, as the order's next generation.
    Edit(Box<OrderMessage>, Arc<str>),
    /// Give the order up and undo it.
    Abandon,
    /// Close the entry of a message that belongs to no order.
    Discard,
    /// Have the undoing of a stuck order tried again.
    Redo,
}

impl Action {
    /// The state of an entry after it.
    #[must_use]
    pub fn closes_as(&self) -> EntryState {
        match self {
            Self::Replay => EntryState::Replayed,
            Self::Edit(..) => EntryState::Edited,
            Self::Abandon => EntryState::Abandoned,
            Self::Discard => EntryState::Discarded,
            Self::Redo => EntryState::Redone,
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
            edit(order, *version, Happened::Edited(deed), (*content, document), &actor)
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
