//! The order's life as total functions: what comes next, and what a finished step makes of it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::failure::Failed;
use crate::happened::Happened;
use crate::id::Generation;
use crate::message::OrderMessage;
use crate::steps::{CommittedReservation, Documents, Notice, Reservation, Shipment, Step, StockCheck};

/// Where an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Checkout promised to process it.
    Accepted,
    /// A worker has finished at least one step.
    Processing,
    /// Everything is done; it never moves again.
    Completed,
    /// It is being undone.
    Compensating,
    /// It is undone, the customer told, the money on its way back; it never moves again.
    Compensated,
    /// It could not be processed and waits for a person.
    DeadLettered,
    /// It could not be undone and waits for a person.
    Stuck,
}

/// A state's name that this version does not know.
#[derive(Debug, thiserror::Error)]
#[error("unknown order state {0:?}; was it written by a newer version?")]
pub struct UnknownState(String);

impl State {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Accepted,
        Self::Processing,
        Self::Completed,
        Self::Compensating,
        Self::Compensated,
        Self::DeadLettered,
        Self::Stuck,
    ];

    /// The name in the database, in answers and in logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Processing => "processing",
            Self::Completed => "completed",
            Self::Compensating => "compensating",
            Self::Compensated => "compensated",
            Self::DeadLettered => "dead_lettered",
            Self::Stuck => "stuck",
        }
    }

    /// Whether an order in it never moves again.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Accepted | Self::Processing | Self::Compensating | Self::DeadLettered | Self::Stuck => false,
            Self::Completed | Self::Compensated => true,
        }
    }

    /// Whether an order worker may go on with it.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Accepted | Self::Processing)
    }

    /// Whether it waits for a person.
    #[must_use]
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::DeadLettered | Self::Stuck)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for State {
    type Err = UnknownState;

    fn from_str(name: &str) -> Result<Self, UnknownState> {
        Self::ALL
            .into_iter()
            .find(|state| state.name() == name)
            .ok_or_else(|| UnknownState(name.to_owned()))
    }
}

/// Why an order is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The goods ran out.
    OutOfStock,
    /// An operator gave it up.
    Abandoned,
}

/// What happened in this generation, boiled down to what the next decision needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Lower generations are closed since [`Step::CloseEarlier`].
    pub closed_earlier: bool,
    /// Advice of [`Step::CheckStock`].
    pub stock_check: Option<StockCheck>,
    /// Goods set aside by [`Step::Reserve`].
    pub reservation: Option<Reservation>,
    /// One shipment per origin, by [`Step::CalculateShipment`].
    pub shipments: Option<Vec<Shipment>>,
    /// The reservation is final since [`Step::CommitReservation`].
    pub committed: Option<CommittedReservation>,
    /// By [`Step::IssueDocuments`].
    pub documents: Option<Documents>,
    /// By [`Step::NotifyCustomer`].
    pub notice: Option<Notice>,
    /// Why it is being undone.
    pub cause: Option<Cause>,
    /// The last failure that made it wait for a person.
    pub failed: Option<Failed>,
}

/// One order in one generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// What was ordered, as checkout stored it or an operator edited it: the truth, whatever a message claims.
    pub content: OrderMessage,
    /// The document that [`Order::content`] was read from, byte for byte.
    pub document: Arc<str>,
    /// Which life of it this is.
    pub generation: Generation,
    /// Where it stands.
    pub state: State,
    /// How far it got.
    pub progress: Progress,
}

/// A bug in a caller, never an operating condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{happened} cannot follow: the order is {state} and needs {}", .needed.map_or("nothing", Step::name))]
pub struct IllegalTransition {
    state: State,
    needed: Option<Step>,
    happened: &'static str,
}

impl Order {
    /// What a worker does next; `None` where it has nothing to do.
    #[must_use]
    pub fn next_step(&self) -> Option<Step> {
        let progress = &self.progress;
        match self.state {
            State::Completed | State::Compensating | State::Compensated | State::DeadLettered | State::Stuck => None,
            State::Accepted | State::Processing => {
                Some(if self.generation > Generation::FIRST && !progress.closed_earlier {
                    Step::CloseEarlier
                } else if progress.stock_check.is_none() {
                    Step::CheckStock
                } else if progress.reservation.is_none() {
                    Step::Reserve
                } else if progress.shipments.is_none() {
                    Step::CalculateShipment
                } else if progress.committed.is_none() {
                    Step::CommitReservation
                } else if progress.documents.is_none() {
                    Step::IssueDocuments
                } else if progress.notice.is_none() {
                    Step::NotifyCustomer
                } else {
                    Step::Record
                })
            }
        }
    }

    /// Folds what happened into the order. An edited replay leaves content and document for the caller to set.
    ///
    /// # Errors
    ///
    /// [`IllegalTransition`] when it cannot happen to an order that stands like this.
    pub fn apply(mut self, happened: Happened) -> Result<Self, IllegalTransition> {
        self.state = self.state_after(&happened).ok_or_else(|| IllegalTransition {
            state: self.state,
            needed: self.next_step(),
            happened: happened.name(),
        })?;
        if matches!(happened, Happened::Edited(_)) {
            self.generation = self.generation.next();
            self.progress = Progress::default();
        }
        self.progress.keep(happened);
        Ok(self)
    }

    /// Every arrow of an order's life; `None` where there is none.
    fn state_after(&self, happened: &Happened) -> Option<State> {
        let next = self.next_step();
        let from = |state: State, to: State| (self.state == state).then_some(to);
        match happened {
            Happened::CloseEarlier
            | Happened::CheckStock(_)
            | Happened::Reserve(_)
            | Happened::CalculateShipment(_)
            | Happened::CommitReservation(_)
            | Happened::IssueDocuments(_)
            | Happened::NotifyCustomer(_) => (next.is_some() && next == happened.step()).then_some(State::Processing),
            Happened::Record => (next == Some(Step::Record)).then_some(State::Completed),
            Happened::ReservationExpired(id) => {
                let ours = self.progress.reservation.as_ref().is_some_and(|held| held.id == *id);
                (next == Some(Step::CommitReservation) && ours).then_some(State::Processing)
            }
            Happened::OutOfStock(_) => (next == Some(Step::Reserve)).then_some(State::Compensating),
            Happened::DeadLettered(_) => self.state.is_open().then_some(State::DeadLettered),
            Happened::Replayed(_) | Happened::Edited(_) => from(State::DeadLettered, State::Accepted),
            Happened::Abandoned(_) => from(State::DeadLettered, State::Compensating),
            Happened::Stuck(_) => from(State::Compensating, State::Stuck),
            Happened::Redone(_) => from(State::Stuck, State::Compensating),
            Happened::Compensated(_) => from(State::Compensating, State::Compensated),
        }
    }
}

impl Progress {
    /// Progress as a journal tells it; later entries of one step win.
    #[must_use]
    pub fn replay(journal: impl IntoIterator<Item = Happened>) -> Self {
        let mut progress = Self::default();
        journal.into_iter().for_each(|happened| progress.keep(happened));
        progress
    }

    fn keep(&mut self, happened: Happened) {
        match happened {
            Happened::CloseEarlier => self.closed_earlier = true,
            Happened::CheckStock(check) => self.stock_check = Some(check),
            Happened::Reserve(reservation) => self.reservation = Some(reservation),
            Happened::CalculateShipment(shipments) => self.shipments = Some(shipments),
            Happened::CommitReservation(committed) => self.committed = Some(committed),
            Happened::IssueDocuments(documents) => self.documents = Some(documents),
            Happened::NotifyCustomer(notice) => self.notice = Some(notice),
            Happened::ReservationExpired(_) => {
                // The parcels belonged to the goods that went back.
                self.reservation = None;
                self.shipments = None;
            }
            Happened::OutOfStock(_) => self.cause = Some(Cause::OutOfStock),
            Happened::Abandoned(_) => self.cause = Some(Cause::Abandoned),
            Happened::DeadLettered(failed) | Happened::Stuck(failed) => self.failed = Some(failed),
            Happened::Record
            | Happened::Replayed(_)
            | Happened::Edited(_)
            | Happened::Redone(_)
            | Happened::Compensated(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
