//! What a store made of a request with a key, and how it is told.

use contracts::problem::Kind;

use super::{Answer, Failure, Stored};

/// What a store made of a request with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// The effect is there, had just now or before; this is its answer.
    Done(Stored),
    /// The key was used for another request.
    KeyReused,
    /// Another request with this key is being worked on.
    InProgress,
    /// The order has one already, with other content; which, in words.
    Exists(String),
    /// This generation of the order, or a higher one, is closed.
    Superseded,
}

/// A store could not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another request got in between; nothing was done. Asked again, this one is judged by what the other left.
    #[error("another request got in between while {0}")]
    Raced(&'static str),
    /// The database did not answer; what it did is unknown, and the key tells.
    #[error("the database did not answer while {doing}")]
    Unavailable {
        /// What was asked of it.
        doing: &'static str,
        /// Why it did not.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Outcome {
    /// The answer, or the problem that tells why there is none.
    ///
    /// # Errors
    ///
    /// A problem for everything but [`Outcome::Done`].
    pub fn told(self) -> Answer<Stored> {
        match self {
            Self::Done(stored) => Ok(stored),
            Self::KeyReused => Err(Failure::new(Kind::KeyReused, "use one key for one request")),
            Self::InProgress => Err(Failure::new(
                Kind::InProgress,
                "the first one is not done yet; ask again",
            )),
            Self::Superseded => Err(Failure::new(
                Kind::Superseded,
                "this generation of the order was closed; nothing more is done for it",
            )),
            Self::Exists(detail) => Err(Failure::new(Kind::AlreadyExists, detail)),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Raced(doing) => Self::new(
                Kind::InProgress,
                format!("another request got in between while {doing}; ask again"),
            ),
            StoreError::Unavailable { doing, source } => Self::unavailable(doing, source),
        }
    }
}
