//! One message in, one verdict out. The loop, the acks and the waiting are elsewhere.

use std::sync::Arc;

use crate::change::{Actor, change};
use crate::failure::{Class, Failure, Fate};
use crate::happened::Happened;
use crate::id::{IdempotencyKey, Version};
use crate::message::{Delivery, OrderMessage};
use crate::order::{Order, State};
use crate::ports::{CallError, Committed, Documents, Inventory, Logistics, Notifications, OrderStore};
use crate::retry::{DEFERRALS_MAX, RETURNS_MAX};
use crate::steps::{Reservation, Shipment, Step};
use crate::verdict::{Defer, Duplicate, Settled, Verdict};
use crate::verdict::{invalid, put_off, try_again};

/// How often a delivery is decided anew because another actor moved the order.
const CONFLICTS_MAX: u32 = 3;

/// How often a delivery reserves anew because its reservation ran out.
const EXPIRIES_MAX: u32 = 3;

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
    /// Whether it works on what others suspect: one at a time, in a process of its own.
    pub takes_suspects: bool,
}

/// Why the work on an order ended without a verdict.
enum Stopped {
    /// Another actor moved the order: whatever was decided is void, look again.
    Conflict,
    /// Something failed, while the row was like this.
    Failed(Box<(Failure, Option<(Order, Version)>)>),
}

impl<F: Into<Failure>> From<F> for Stopped {
    fn from(failure: F) -> Self {
        Self::Failed(Box::new((failure.into(), None)))
    }
}

impl Handler {
    /// Safe to call any number of times, at once and in any order, with the same delivery.
    pub async fn handle(&self, delivery: &Delivery) -> Verdict {
        if delivery.returns >= RETURNS_MAX && !self.takes_suspects {
            return Verdict::Suspect;
        }
        let message = match &delivery.message {
            Ok(message) => message,
            Err(malformed) => return invalid(malformed, delivery.attempt),
        };
        for _ in 0..CONFLICTS_MAX {
            let stopped = match self.work(message, delivery).await {
                Ok(settled) => return Verdict::Settled(settled),
                Err(stopped) => stopped,
            };
            let (failure, row) = match stopped {
                Stopped::Conflict => continue,
                Stopped::Failed(failed) => *failed,
            };
            match self.end(&failure, row, message, delivery).await {
                Ok(verdict) => return verdict,
                Err(Stopped::Conflict) => {}
                // The row could not be told. Its last word has to wait until the store answers.
                Err(Stopped::Failed(untold)) => return wait(&untold.0, message, delivery),
            }
        }
        wait(&Failure::Contended, message, delivery)
    }

    /// Loads the order and does its steps until nothing is left for a worker.
    async fn work(&self, message: &OrderMessage, delivery: &Delivery) -> Result<Settled, Stopped> {
        let found = self.orders.load(&message.order).await.map_err(Failure::from)?;
        let (mut order, mut version) = found.ok_or(Failure::UnknownOrder)?;
        if let Some(duplicate) = recognise(&order, delivery) {
            return Ok(Settled::Duplicate(duplicate));
        }
        if order.content != *message {
            return Err(Stopped::Failed(Box::new((Failure::Mismatch, Some((order, version))))));
        }
        let mut expiries = 0;
        while let Some(step) = order.next_step() {
            let happened = match self.call(&order, step).await {
                Ok(happened) => happened,
                Err(source) => {
                    let failure = Failure::Call { step, source };
                    match turn(&order, &failure) {
                        Some(Happened::ReservationExpired(_)) if expiries == EXPIRIES_MAX => {
                            return Err(Failure::KeepsExpiring.into());
                        }
                        Some(turn) => turn,
                        None => return Err(Stopped::Failed(Box::new((failure, Some((order, version)))))),
                    }
                }
            };
            expiries += u32::from(matches!(happened, Happened::ReservationExpired(_)));
            (order, version) = self.store(&order, version, happened, delivery).await?;
        }
        Ok(if order.state == State::Compensating {
            Settled::Compensating
        } else {
            Settled::Completed
        })
    }

    /// Stores what happened.
    async fn store(
        &self,
        order: &Order,
        version: Version,
        happened: Happened,
        delivery: &Delivery,
    ) -> Result<(Order, Version), Stopped> {
        let actor = Actor {
            name: self.worker.clone(),
            attempt: delivery.attempt,
            message: delivery.id,
        };
        let (after, commit) = match change(order, version, happened, &actor) {
            Ok(changed) => changed,
            Err(bug) => return Err(Stopped::Failed(Box::new((bug.into(), Some((order.clone(), version)))))),
        };
        match self.orders.commit(commit).await.map_err(Failure::from)? {
            Committed::Yes => Ok((after, version.next())),
            Committed::Conflict => Err(Stopped::Conflict),
        }
    }

    /// What becomes of a delivery that failed while the row was `row`. A dead letter is the row's change, at the version
    /// at which it failed: on a conflict the failure is void.
    async fn end(
        &self,
        failure: &Failure,
        row: Option<(Order, Version)>,
        message: &OrderMessage,
        delivery: &Delivery,
    ) -> Result<Verdict, Stopped> {
        let class = match failure.fate() {
            Fate::Retry | Fate::OutOfStock(_) | Fate::ReserveAgain => {
                match try_again(delivery, message.order.as_str(), failure.told()) {
                    Some(retry) => return Ok(Verdict::Retry(retry)),
                    None => Class::Exhausted,
                }
            }
            Fate::Defer => match put_off(delivery, failure.told()) {
                Some(defer) => return Ok(Verdict::Defer(defer)),
                None => Class::Deferred,
            },
            Fate::DeadLetter(class) => class,
        };
        let failed = failure.record(class, delivery.attempt);
        if !class.is_of_row() {
            return Ok(Verdict::Unknown(failed));
        }
        let (order, version) = if let Some(row) = row {
            row
        } else {
            let found = self.orders.load(&message.order).await.map_err(Failure::from)?;
            found.ok_or(Failure::UnknownOrder)?
        };
        if let Some(duplicate) = recognise(&order, delivery) {
            return Ok(Verdict::Settled(Settled::Duplicate(duplicate)));
        }
        self.store(&order, version, Happened::DeadLettered(failed), delivery)
            .await?;
        Ok(Verdict::Settled(Settled::DeadLettered(class)))
    }

    /// Performs one step at the service that owns it.
    async fn call(&self, order: &Order, step: Step) -> Result<Happened, CallError> {
        let key = |of: &str| IdempotencyKey::derive(&order.content.order, order.generation, of);
        let progress = &order.progress;
        // `next_step` hands out a step only after the ones before it have left their results.
        let reservation = || progress.reservation.as_ref().ok_or_else(|| missing("reservation"));
        let shipments = || progress.shipments.as_deref().ok_or_else(|| missing("shipments"));
        Ok(match step {
            Step::CloseEarlier => {
                self.close_earlier(order).await?;
                Happened::CloseEarlier
            }
            Step::CheckStock => Happened::CheckStock(self.inventory.check(order).await?),
            Step::Reserve => Happened::Reserve(self.inventory.reserve(&key(step.name()), order).await?),
            Step::CalculateShipment => Happened::CalculateShipment(self.shipments(order, reservation()?).await?),
            Step::CommitReservation => {
                let held = reservation()?;
                let key = key(&format!("{}/{}", step.name(), held.id));
                Happened::CommitReservation(self.inventory.commit(&key, order, held).await?)
            }
            Step::IssueDocuments => {
                let key = key(step.name());
                let issued = self.documents.generate(&key, order, reservation()?, shipments()?);
                Happened::IssueDocuments(issued.await?)
            }
            Step::NotifyCustomer => {
                let key = key(step.name());
                Happened::NotifyCustomer(self.notifications.confirm(&key, order, shipments()?).await?)
            }
            Step::Record => Happened::Record,
        })
    }

    /// Closes everything that lower generations left, everywhere: what an edited replay begins with.
    async fn close_earlier(&self, order: &Order) -> Result<(), CallError> {
        let id = &order.content.order;
        if let Some(earlier) = order.generation.previous() {
            self.inventory.close(id, earlier).await?;
            self.documents.close(id, earlier).await?;
            let _told = self.notifications.close(id, earlier).await?;
        }
        Ok(())
    }

    /// One shipment per origin, each under a key of its own: a repeat after a crash in between finds the first ones. The
    /// reservation is part of the key, since another one may hold other goods at the same origin.
    async fn shipments(&self, order: &Order, reservation: &Reservation) -> Result<Vec<Shipment>, CallError> {
        let mut shipments = vec![];
        for origin in reservation.origins() {
            let effect = format!("{}/{}/{origin}", Step::CalculateShipment.name(), reservation.id);
            let key = IdempotencyKey::derive(&order.content.order, order.generation, &effect);
            shipments.push(self.logistics.calculate(&key, order, reservation, origin).await?);
        }
        Ok(shipments)
    }
}

/// What a failed call means where it is no failure but a turn of the road.
fn turn(order: &Order, failure: &Failure) -> Option<Happened> {
    match failure.fate() {
        Fate::OutOfStock(short) => Some(Happened::OutOfStock(short)),
        Fate::ReserveAgain => {
            let held = order.progress.reservation.as_ref()?;
            Some(Happened::ReservationExpired(held.id.clone()))
        }
        Fate::Retry | Fate::Defer | Fate::DeadLetter(_) => None,
    }
}

/// The next rest of a delivery of which the store could not be told; without end, since nobody else could be told.
fn wait(failure: &Failure, message: &OrderMessage, delivery: &Delivery) -> Verdict {
    match try_again(delivery, message.order.as_str(), failure.told()) {
        Some(retry) => Verdict::Retry(retry),
        None => Verdict::Defer(Defer {
            deferrals: (delivery.deferrals + 1).min(DEFERRALS_MAX),
            why: failure.told(),
        }),
    }
}

/// By which rule a delivery is a duplicate, if it is one: its generation is not the row's, or the row is not a worker's.
fn recognise(order: &Order, delivery: &Delivery) -> Option<Duplicate> {
    if order.generation != delivery.generation {
        Some(Duplicate::OtherGeneration)
    } else if order.state.is_final() {
        Some(Duplicate::Final)
    } else if order.state.is_open() {
        None
    } else {
        Some(Duplicate::MovedOn)
    }
}

fn missing(what: &'static str) -> CallError {
    CallError::Unknown {
        service: "order-worker",
        source: format!("the order has no {what} yet").into(),
    }
}
