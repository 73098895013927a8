//! What failed, and what is to become of it: the verdict table. `docs/verdicts.md` tells the same for people.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::happened::Short;
use crate::order::IllegalTransition;
use crate::ports::{CallError, RefusalKind, StoreError};
use crate::steps::Step;

/// Why a message needs a person; what dead letters are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A service refused it, and will again.
    Refused,
    /// It was tried as often as may be, and each time something did not answer.
    Exhausted,
    /// It was put off as often as may be.
    Deferred,
    /// A valid message about an order that checkout never accepted.
    UnknownOrder,
    /// A message that does not say what checkout accepted under its order id.
    Mismatch,
    /// The services have closed this generation, and the order's row still claims it.
    Superseded,
    /// The broker gave it up: it was returned too often, as if it killed whoever took it.
    DeliveryLimit,
    /// It cannot be understood.
    Invalid,
    /// A bug of ours.
    Internal,
}

/// A class's name that this version does not know.
#[derive(Debug, thiserror::Error)]
#[error("unknown failure class {0:?}")]
pub struct UnknownClass(String);

impl Class {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Refused,
        Self::Exhausted,
        Self::Deferred,
        Self::UnknownOrder,
        Self::Mismatch,
        Self::Superseded,
        Self::DeliveryLimit,
        Self::Invalid,
        Self::Internal,
    ];

    /// Whether it says something of an order's row. A message that nobody accepted in these words says nothing of the
    /// order that it names: that one goes on, and the message waits for a person by itself.
    #[must_use]
    pub fn is_of_row(self) -> bool {
        match self {
            Self::UnknownOrder | Self::Mismatch | Self::Invalid => false,
            Self::Refused
            | Self::Exhausted
            | Self::Deferred
            | Self::Superseded
            | Self::DeliveryLimit
            | Self::Internal => true,
        }
    }

    /// Its name in headers, databases and answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Exhausted => "exhausted",
            Self::Deferred => "deferred",
            Self::UnknownOrder => "unknown_order",
            Self::Mismatch => "mismatch",
            Self::Superseded => "superseded",
            Self::DeliveryLimit => "delivery_limit",
            Self::Invalid => "invalid",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(name: &str) -> Result<Self, UnknownClass> {
        let found = Self::ALL.into_iter().find(|class| class.name() == name);
        found.ok_or_else(|| UnknownClass(name.to_owned()))
    }
}

/// Characters of a reason that are kept; with everything else it must fit a frame of the broker.
pub const REASON_LENGTH_MAX: usize = 500;

/// A failure as a dead letter, a history and a header keep it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// What operators group it by.
    pub class: Class,
    /// The step at which it failed, by name; `None` outside of any.
    pub step: Option<String>,
    /// In words; may quote services. No control characters, [`REASON_LENGTH_MAX`] at most.
    pub reason: String,
    /// Which try it was.
    pub attempt: u32,
}

impl Failed {
    /// A failure for the record; `reason` is cut and cleaned.
    #[must_use]
    pub fn new(class: Class, step: Option<&str>, reason: &str, attempt: u32) -> Self {
        Self {
            class,
            step: step.map(|step| plain(step, REASON_LENGTH_MAX)),
            reason: plain(reason, REASON_LENGTH_MAX),
            attempt,
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.class)?;
        if let Some(step) = &self.step {
            write!(f, " at {step}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// The first `length_max` characters of a text from outside, with a space for each control character.
#[must_use]
pub fn plain(text: &str, length_max: usize) -> String {
    let shown = |character: char| if character.is_control() { ' ' } else { character };
    text.chars().take(length_max).map(shown).collect()
}

/// Why a delivery got no further.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The order store did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A call of a step did not succeed.
    #[error("at step {}", .step.name())]
    Call {
        /// Which step.
        step: Step,
        /// Why.
        #[source]
        source: CallError,
    },
    /// A call of an undo did not succeed.
    #[error("while undoing")]
    Undo(#[source] CallError),
    /// Other actors moved the order each time that it was worked.
    #[error("the order was moved by others each time that it was worked")]
    Contended,
    /// The reservation ran out each time that it was taken.
    #[error("the reservation ran out each time before it could be committed")]
    KeepsExpiring,
    /// Checkout never accepted the order.
    #[error("checkout does not know the order")]
    UnknownOrder,
    /// The message does not say what checkout accepted.
    #[error("the message does not say what checkout accepted under its order id")]
    Mismatch,
    /// The order's own rules refuse what happened: a bug.
    #[error(transparent)]
    Bug(#[from] IllegalTransition),
}

/// What is to become of a failed delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Try again after a rest; after the last try it is [`Class::Exhausted`].
    Retry,
    /// Try again after a rest, without counting it as a try; after the last deferral it is [`Class::Deferred`].
    Defer,
    /// A person has to look.
    DeadLetter(Class),
    /// Not a failure: the order is to be compensated.
    OutOfStock(Vec<Short>),
    /// Not a failure: the reservation is to be taken anew.
    ReserveAgain,
}

impl Failure {
    /// The verdict table: one line for each thing that can fail.
    #[must_use]
    pub fn fate(&self) -> Fate {
        match self {
            // A lost connection, a read-only primary, a serialization failure, a deadlock, a shutdown: all pass.
            Self::Store(_) | Self::Contended | Self::KeepsExpiring => Fate::Retry,
            Self::UnknownOrder => Fate::DeadLetter(Class::UnknownOrder),
            Self::Mismatch => Fate::DeadLetter(Class::Mismatch),
            Self::Bug(_) => Fate::DeadLetter(Class::Internal),
            Self::Call { source, .. } | Self::Undo(source) => match source {
                // A time-out is never a refusal.
                CallError::Unknown { .. } => Fate::Retry,
                CallError::Busy { .. } => Fate::Defer,
                CallError::Refused(refusal) => match (&refusal.kind, self.step()) {
                    (RefusalKind::OutOfStock(short), Some(Step::Reserve)) => Fate::OutOfStock(short.clone()),
                    (RefusalKind::ReservationExpired, Some(Step::CommitReservation)) => Fate::ReserveAgain,
                    (RefusalKind::Superseded, _) => Fate::DeadLetter(Class::Superseded),
                    (RefusalKind::OutOfStock(_) | RefusalKind::ReservationExpired | RefusalKind::Other, _) => {
                        Fate::DeadLetter(Class::Refused)
                    }
                },
            },
        }
    }

    /// The step that failed.
    #[must_use]
    pub fn step(&self) -> Option<Step> {
        match self {
            Self::Call { step, .. } => Some(*step),
            Self::Store(_)
            | Self::Undo(_)
            | Self::Contended
            | Self::KeepsExpiring
            | Self::UnknownOrder
            | Self::Mismatch
            | Self::Bug(_) => None,
        }
    }

    /// For the record, as of `class`.
    #[must_use]
    pub fn record(&self, class: Class, attempt: u32) -> Failed {
        let step = match self {
            Self::Undo(_) => Some("undo"),
            Self::Call { .. }
            | Self::Store(_)
            | Self::Contended
            | Self::KeepsExpiring
            | Self::UnknownOrder
            | Self::Mismatch
            | Self::Bug(_) => self.step().map(Step::name),
        };
        Failed::new(class, step, &self.told(), attempt)
    }

    /// All causes, in one line.
    #[must_use]
    pub fn told(&self) -> String {
        let mut told = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(source) = cause {
            told = format!("{told}: {source}");
            cause = source.source();
        }
        plain(&told, REASON_LENGTH_MAX)
    }
}

#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod tests;
