//! One message in, one verdict out. The loop, the acks and the waiting are elsewhere.

use std::sync::Arc;

use crate::id::{IdempotencyKey, OrderId, Version};
use crate::message::{Delivery, OrderMessage};
use crate::order::{IllegalTransition, Order, State};
use crate::outgoing::{Completed, Outgoing};
use crate::ports::{
    CallError, Commit, Committed, Documents, Inventory, Logistics, Notifications, OrderStore, Source, StoreError,
};
use crate::steps::{Happened, Reservation, Shipment, Step};

/// How often a delivery is decided anew because another actor moved the order.
const CONFLICTS_MAX: u32 = 3;

/// What the consumer must do with the delivery.
#[derive(Debug)]
#[must_use]
pub enum Verdict {
    /// Acknowledge: the order's row says it all.
    Settled(Settled),
    /// Nothing is known of the last call's outcome. Give the delivery back and take none until the servers answer.
    Unavailable(Source),
    /// It will fail again however often it is tried. Nothing may be taken until a person has looked.
    Refused(Source),
}

/// Why a delivery is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// This delivery completed the order.
    Completed,
    /// The order had moved on before; a duplicate.
    Duplicate(State),
}

/// Does what an order needs. Cheap to clone.
#[derive(Clone)]
pub struct Handler {
    /// Where orders live.
    pub orders: Arc<dyn OrderStore>,
    /// The stock.
    pub inventory: Arc<dyn Inventory>,
    /// The carriers.
    pub logistics: Arc<dyn Logistics>,
    /// The fiscal documents.
    pub documents: Arc<dyn Documents>,
    /// What reaches the customer.
    pub notifications: Arc<dyn Notifications>,
    /// This worker's name in the order's history.
    pub worker: String,
}

/// Why a delivery got no further.
#[derive(Debug, thiserror::Error)]
enum Stopped {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("order {order} at step {}", .step.name())]
    Call {
        order: OrderId,
        step: Step,
        #[source]
        source: CallError,
    },
    #[error("order {0} is not known to checkout")]
    UnknownOrder(OrderId),
    #[error("the message about order {0} does not say what checkout accepted under that id")]
    NotAsAccepted(OrderId),
    #[error("order {0} was moved by others {CONFLICTS_MAX} times while it was being worked")]
    Contended(OrderId),
    #[error("order {order}: {source}")]
    Bug {
        order: OrderId,
        #[source]
        source: Source,
    },
}

impl From<Stopped> for Verdict {
    fn from(stopped: Stopped) -> Self {
        match &stopped {
            Stopped::Store(_) | Stopped::Contended(_) => Self::Unavailable(stopped.into()),
            Stopped::Call { source, .. } => match source {
                CallError::Unknown { .. } => Self::Unavailable(stopped.into()),
                CallError::Refused(_) => Self::Refused(stopped.into()),
            },
            Stopped::UnknownOrder(_) | Stopped::NotAsAccepted(_) | Stopped::Bug { .. } => Self::Refused(stopped.into()),
        }
    }
}

impl Handler {
    /// Safe to call any number of times, at once and in any order, with the same delivery.
    pub async fn handle(&self, delivery: &Delivery) -> Verdict {
        let message = match &delivery.message {
            Ok(message) => message,
            Err(malformed) => return Verdict::Refused(malformed.clone().into()),
        };
        for _ in 0..CONFLICTS_MAX {
            match self.work(message, delivery).await {
                Ok(Some(settled)) => return Verdict::Settled(settled),
                // Another actor moved the order: whatever was decided is void, look again.
                Ok(None) => {}
                Err(stopped) => return stopped.into(),
            }
        }
        Stopped::Contended(message.order.clone()).into()
    }

    /// Loads the order and does its steps until it is final; `None` on a conflict.
    async fn work(&self, message: &OrderMessage, delivery: &Delivery) -> Result<Option<Settled>, Stopped> {
        let found = self.orders.load(&message.order).await?;
        let (mut order, mut version) = found.ok_or_else(|| Stopped::UnknownOrder(message.order.clone()))?;
        if order.state.is_final() || order.generation != delivery.generation {
            return Ok(Some(Settled::Duplicate(order.state)));
        }
        if order.content != *message {
            return Err(Stopped::NotAsAccepted(message.order.clone()));
        }
        while let Some(step) = order.next_step() {
            let happened = self.perform(&order, step).await?;
            let Some(moved) = self.finish(order, version, happened, delivery).await? else {
                return Ok(None);
            };
            (order, version) = moved;
        }
        Ok(Some(Settled::Completed))
    }

    /// Stores the end of a step; `None` on a conflict.
    async fn finish(
        &self,
        order: Order,
        expected: Version,
        happened: Happened,
        delivery: &Delivery,
    ) -> Result<Option<(Order, Version)>, Stopped> {
        let id = order.content.order.clone();
        let from = order.state;
        let bug = |bug: IllegalTransition| Stopped::Bug {
            order: id.clone(),
            source: bug.into(),
        };
        let mut after = order.apply(happened.clone()).map_err(bug)?;
        if after.next_step() == Some(Step::Record) {
            // Recording asks nobody, so it shares the transaction of the step before it.
            after = after.apply(Happened::Record).map_err(bug)?;
        }
        let result = after.state.is_final().then(|| Completed::of(&after.progress)).flatten();
        let commit = Commit {
            order: id,
            generation: after.generation,
            from,
            to: after.state,
            expected,
            journal: happened,
            worker: self.worker.clone(),
            attempt: delivery.attempt,
            outbox: result.clone().map(Outgoing::Completed).into_iter().collect(),
            processed: delivery.id.filter(|_| after.state.is_final()),
            result,
        };
        match self.orders.commit(commit).await? {
            Committed::Yes => Ok(Some((after, expected.next()))),
            Committed::Conflict => Ok(None),
        }
    }

    /// Performs one step at the service that owns it.
    async fn perform(&self, order: &Order, step: Step) -> Result<Happened, Stopped> {
        self.call(order, step).await.map_err(|source| Stopped::Call {
            order: order.content.order.clone(),
            step,
            source,
        })
    }

    async fn call(&self, order: &Order, step: Step) -> Result<Happened, CallError> {
        let key = IdempotencyKey::derive(&order.content.order, order.generation, step.name());
        let progress = &order.progress;
        // `next_step` hands out a step only after the ones before it have left their results.
        let reservation = || progress.reservation.as_ref().ok_or_else(|| missing("reservation"));
        let shipments = || progress.shipments.as_deref().ok_or_else(|| missing("shipments"));
        Ok(match step {
            Step::CheckStock => Happened::CheckStock(self.inventory.check(order).await?),
            Step::Reserve => Happened::Reserve(self.inventory.reserve(&key, order).await?),
            Step::CalculateShipment => Happened::CalculateShipment(self.shipments(order, reservation()?).await?),
            Step::CommitReservation => {
                Happened::CommitReservation(self.inventory.commit(&key, order, reservation()?).await?)
            }
            Step::IssueDocuments => {
                let issued = self.documents.generate(&key, order, reservation()?, shipments()?);
                Happened::IssueDocuments(issued.await?)
            }
            Step::NotifyCustomer => {
                Happened::NotifyCustomer(self.notifications.confirm(&key, order, shipments()?).await?)
            }
            Step::Record => Happened::Record,
        })
    }

    /// One shipment per origin, each under a key of its own: a repeat after a crash in between finds the first ones.
    async fn shipments(&self, order: &Order, reservation: &Reservation) -> Result<Vec<Shipment>, CallError> {
        let mut shipments = vec![];
        for origin in reservation.origins() {
            let effect = format!("{}/{origin}", Step::CalculateShipment.name());
            let key = IdempotencyKey::derive(&order.content.order, order.generation, &effect);
            shipments.push(self.logistics.calculate(&key, order, reservation, origin).await?);
        }
        Ok(shipments)
    }
}

fn missing(what: &'static str) -> CallError {
    CallError::Unknown {
        service: "order-worker",
        source: format!("the order has no {what} yet").into(),
    }
}

#[cfg(test)]
mod tests;
