//! One change of one order as data, with every message that it sends: the one place that says what a change entails.

use std::sync::Arc;

use crate::happened::Happened;
use crate::id::{Generation, MessageId, OrderId, Version};
use crate::message::OrderMessage;
use crate::order::{IllegalTransition, Order, State};
use crate::outgoing::{Completed, Outgoing};
use crate::steps::Step;

/// Who changes an order, for its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// A process or a person.
    pub name: String,
    /// Which try of which message; 0 where no message is being worked.
    pub attempt: u32,
    /// The message that is being worked.
    pub message: Option<MessageId>,
}

/// One change of one order, as data: all of it is stored, or nothing.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The order.
    pub order: OrderId,
    /// Generation before; the write is refused when the row has another.
    pub generation: Generation,
    /// Generation after: another one only for an edited replay.
    pub to_generation: Generation,
    /// State before; the write is refused when the row has another.
    pub from: State,
    /// State after.
    pub to: State,
    /// Version before; the write is refused when the row has another. The row's version moves by one.
    pub expected: Version,
    /// What happened, for whoever resumes; belongs to the generation after.
    pub happened: Happened,
    /// Which process or person did it.
    pub worker: String,
    /// 1 for the first try of a message; 0 where no message was being worked.
    pub attempt: u32,
    /// The order's document in the generation after; `Some` only for an edited replay.
    pub document: Option<Arc<str>>,
    /// The order's result; comes with [`State::Completed`].
    pub result: Option<Completed>,
    /// The message whose work ends with this change; comes with a final state.
    pub processed: Option<MessageId>,
    /// Messages that must leave because of it.
    pub outbox: Vec<Outgoing>,
}

impl Commit {
    /// Whether losing it in a crash of the database could lose or double anything. A journal entry alone may be lost: the
    /// step is then repeated under the same key and finds its own effect. Not so which reservation the order holds: a
    /// worker that outlives the crash would write what follows from its own onto a row that, at the same version by
    /// then, holds another.
    #[must_use]
    pub fn must_be_durable(&self) -> bool {
        let holds = matches!(self.happened, Happened::Reserve(_) | Happened::ReservationExpired(_));
        holds || self.to.is_final() || !self.outbox.is_empty()
    }
}

/// What `happened` makes of `order`, whose row has `version`: the order after it, and the change to store.
///
/// An order that has nothing left but to be recorded is recorded in the same change: that asks nobody.
///
/// # Errors
///
/// [`IllegalTransition`] when it cannot happen to the order as it stands.
pub fn change(
    order: &Order,
    version: Version,
    happened: Happened,
    by: &Actor,
) -> Result<(Order, Commit), IllegalTransition> {
    let mut after = order.clone().apply(happened.clone())?;
    if after.next_step() == Some(Step::Record) {
        after = after.apply(Happened::Record)?;
    }
    let result = (after.state == State::Completed)
        .then(|| Completed::of(&after.progress))
        .flatten();
    let commit = Commit {
        order: order.content.order.clone(),
        generation: order.generation,
        to_generation: after.generation,
        from: order.state,
        to: after.state,
        expected: version,
        outbox: messages(&after, &happened, result.as_ref()),
        happened,
        worker: by.name.clone(),
        attempt: by.attempt,
        document: None,
        result,
        processed: by.message.filter(|_| after.state.is_final()),
    };
    Ok((after, commit))
}

/// Every message that a change sends.
fn messages(after: &Order, happened: &Happened, result: Option<&Completed>) -> Vec<Outgoing> {
    let document = || Arc::clone(&after.document);
    match happened {
        Happened::OutOfStock(_) | Happened::Abandoned(_) | Happened::Redone(_) => vec![Outgoing::Compensate],
        Happened::DeadLettered(failed) => vec![
            Outgoing::ProcessDead {
                document: document(),
                failed: failed.clone(),
            },
            Outgoing::DeadLettered(failed.clone()),
        ],
        Happened::Stuck(failed) => vec![Outgoing::CompensateDead(failed.clone())],
        Happened::Replayed(_) | Happened::Edited(_) => vec![Outgoing::Process {
            document: document(),
            not_before: None,
            replay: true,
        }],
        Happened::Compensated(refund) => vec![Outgoing::Compensated(refund.clone())],
        Happened::CloseEarlier
        | Happened::CheckStock(_)
        | Happened::Reserve(_)
        | Happened::CalculateShipment(_)
        | Happened::CommitReservation(_)
        | Happened::IssueDocuments(_)
        | Happened::NotifyCustomer(_)
        | Happened::Record
        | Happened::ReservationExpired(_) => result.cloned().map(Outgoing::Completed).into_iter().collect(),
    }
}

/// An edited replay: the order goes on as its next generation, with `content` as read from `document`.
///
/// # Errors
///
/// [`IllegalTransition`] unless the order is dead-lettered.
pub fn edit(
    order: &Order,
    version: Version,
    happened: Happened,
    (content, document): (OrderMessage, Arc<str>),
    by: &Actor,
) -> Result<(Order, Commit), IllegalTransition> {
    let edited = Order {
        content,
        document: Arc::clone(&document),
        ..order.clone()
    };
    let (after, mut commit) = change(&edited, version, happened, by)?;
    commit.document = Some(document);
    Ok((after, commit))
}

#[cfg(test)]
mod tests;
