//! Undoing an order: one message in, one verdict out. No journal: every call is safe to repeat, so each try starts from
//! the first.

use std::sync::Arc;

use crate::change::{Actor, change};
use crate::failure::{Class, Failure, Fate};
use crate::happened::{Apology, Happened, Refund};
use crate::id::{IdempotencyKey, Version};
use crate::message::{Delivery, UndoMessage};
use crate::order::{Cause, Order, State};
use crate::ports::{CallError, Committed, Documents, Inventory, Notifications, OrderStore, Told};
use crate::retry::{ATTEMPTS_MAX, Rest};
use crate::verdict::{Duplicate, Retry, Settled, Verdict, invalid, try_again};

/// How often a delivery is decided anew because another actor moved the order.
const CONFLICTS_MAX: u32 = 3;

/// Undoes orders. Cheap to clone.
#[derive(Clone)]
pub struct Compensator {
    /// Where orders live.
    pub orders: Arc<dyn OrderStore>,
    /// The stock.
    pub inventory: Arc<dyn Inventory>,
    /// The fiscal documents.
    pub documents: Arc<dyn Documents>,
    /// What reaches the customer.
    pub notifications: Arc<dyn Notifications>,
    /// This worker's name in the order's history.
    pub worker: String,
}

impl Compensator {
    /// Safe to call any number of times, at once and in any order, with the same delivery.
    pub async fn handle(&self, delivery: &Delivery<UndoMessage>) -> Verdict {
        let message = match &delivery.message {
            Ok(message) => message,
            Err(malformed) => return invalid(malformed, delivery.attempt),
        };
        let mut last = Failure::Contended;
        for _ in 0..CONFLICTS_MAX {
            match self.attempt(message, delivery).await {
                Ok(Some(verdict)) => return verdict,
                Ok(None) => {}
                Err(failure) => {
                    last = failure;
                    break;
                }
            }
        }
        // The store could not be told, so no person can be told either: the last rest again and again.
        let of = message.order.as_str();
        Verdict::Retry(try_again(delivery, of, last.told()).unwrap_or_else(|| Retry {
            attempt: ATTEMPTS_MAX,
            rest: Rest::last(of),
            why: last.told(),
        }))
    }

    /// `None` when another actor moved the order meanwhile; an error when the store did not answer.
    async fn attempt(
        &self,
        message: &UndoMessage,
        delivery: &Delivery<UndoMessage>,
    ) -> Result<Option<Verdict>, Failure> {
        let Some((order, version)) = self.orders.load(&message.order).await? else {
            let failed = Failure::UnknownOrder.record(Class::UnknownOrder, delivery.attempt);
            return Ok(Some(Verdict::Unknown(failed)));
        };
        if let Some(duplicate) = recognise(&order, delivery) {
            return Ok(Some(Verdict::Settled(Settled::Duplicate(duplicate))));
        }
        let (happened, settled) = match self.undo(&order).await {
            Ok(refund) => (Happened::Compensated(refund), Settled::Compensated),
            Err(source) => {
                let failure = Failure::Undo(source);
                let class = match failure.fate() {
                    Fate::Retry | Fate::Defer | Fate::OutOfStock(_) | Fate::ReserveAgain => {
                        match try_again(delivery, message.order.as_str(), failure.told()) {
                            Some(retry) => return Ok(Some(Verdict::Retry(retry))),
                            None => Class::Exhausted,
                        }
                    }
                    Fate::DeadLetter(class) => class,
                };
                let failed = failure.record(class, delivery.attempt);
                (Happened::Stuck(failed), Settled::Stuck(class))
            }
        };
        let stored = self.store(&order, version, happened, delivery).await?;
        Ok(stored.then_some(Verdict::Settled(settled)))
    }

    /// Closes the generation everywhere, which is the undo and the fence, and only then tells the customer.
    async fn undo(&self, order: &Order) -> Result<Refund, CallError> {
        let id = &order.content.order;
        self.inventory.close(id, order.generation).await?;
        self.documents.close(id, order.generation).await?;
        let told = self.notifications.close(id, order.generation).await?;
        let notice = apology(order.progress.cause, told);
        let key = IdempotencyKey::derive(id, order.generation, notice.template());
        self.notifications.apologise(&key, order, notice).await?;
        Ok(Refund {
            payment: order.content.payment.clone(),
            amount: order.content.total,
            notice,
        })
    }

    /// Whether it is stored; not so on a conflict.
    async fn store(
        &self,
        order: &Order,
        version: Version,
        happened: Happened,
        delivery: &Delivery<UndoMessage>,
    ) -> Result<bool, Failure> {
        let actor = Actor {
            name: self.worker.clone(),
            attempt: delivery.attempt,
            message: delivery.id,
        };
        let (_after, commit) = change(order, version, happened, &actor)?;
        Ok(match self.orders.commit(commit).await? {
            Committed::Yes => true,
            Committed::Conflict => false,
        })
    }
}

/// Whoever was told that the order is confirmed hears that it is cancelled, and so does whoever's order was given up by
/// an operator: its goods may well be there.
fn apology(cause: Option<Cause>, told: Told) -> Apology {
    match cause {
        Some(Cause::OutOfStock) if !told.confirmed => Apology::OutOfStock,
        Some(Cause::OutOfStock | Cause::Abandoned) | None => Apology::OrderCancelled,
    }
}

fn recognise(order: &Order, delivery: &Delivery<UndoMessage>) -> Option<Duplicate> {
    if order.generation != delivery.generation {
        Some(Duplicate::OtherGeneration)
    } else if order.state.is_final() {
        Some(Duplicate::Final)
    } else if order.state == State::Compensating {
        None
    } else {
        Some(Duplicate::MovedOn)
    }
}
