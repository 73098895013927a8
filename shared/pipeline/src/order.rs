//! The order's life as total functions: what comes next, and what a finished step makes of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::Generation;
use crate::message::OrderMessage;
use crate::steps::{CommittedReservation, Documents, Happened, Notice, Reservation, Shipment, Step, StockCheck};

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
}

/// A state's name that this version does not know.
#[derive(Debug, thiserror::Error)]
#[error("unknown order state {0:?}; was it written by a newer version?")]
pub struct UnknownState(String);

impl State {
    /// The name in the database, in answers and in logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Processing => "processing",
            Self::Completed => "completed",
        }
    }

    /// Whether an order in it never moves again.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Accepted | Self::Processing => false,
            Self::Completed => true,
        }
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
        [Self::Accepted, Self::Processing, Self::Completed]
            .into_iter()
            .find(|state| state.name() == name)
            .ok_or_else(|| UnknownState(name.to_owned()))
    }
}

/// What the finished steps of this generation left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
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
}

/// One order in one generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// What was ordered, as checkout stored it: the truth, whatever a message claims.
    pub content: OrderMessage,
    /// Which life of it this is.
    pub generation: Generation,
    /// Where it stands.
    pub state: State,
    /// How far it got.
    pub progress: Progress,
}

/// A bug in a caller, never an operating condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{happened:?} cannot follow: the order is {state} and needs {needed:?}")]
pub struct IllegalTransition {
    state: State,
    needed: Option<Step>,
    happened: Step,
}

impl Order {
    /// What to do next; `None` once nothing is left.
    #[must_use]
    pub fn next_step(&self) -> Option<Step> {
        let progress = &self.progress;
        match self.state {
            State::Completed => None,
            State::Accepted | State::Processing => Some(if progress.stock_check.is_none() {
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
            }),
        }
    }

    /// Folds the end of the next step into the order.
    ///
    /// # Errors
    ///
    /// [`IllegalTransition`] when any other step is next.
    pub fn apply(mut self, happened: Happened) -> Result<Self, IllegalTransition> {
        let needed = self.next_step();
        if needed != Some(happened.step()) {
            return Err(IllegalTransition {
                state: self.state,
                needed,
                happened: happened.step(),
            });
        }
        self.state = if needed == Some(Step::Record) {
            State::Completed
        } else {
            State::Processing
        };
        self.progress.keep(happened);
        Ok(self)
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
            Happened::CheckStock(check) => self.stock_check = Some(check),
            Happened::Reserve(reservation) => self.reservation = Some(reservation),
            Happened::CalculateShipment(shipments) => self.shipments = Some(shipments),
            Happened::CommitReservation(committed) => self.committed = Some(committed),
            Happened::IssueDocuments(documents) => self.documents = Some(documents),
            Happened::NotifyCustomer(notice) => self.notice = Some(notice),
            Happened::Record => {}
        }
    }
}
