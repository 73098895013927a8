//! Why a command ends early, and with which exit code.

use std::error::Error;
use std::process::ExitCode;

use adapter_http::client::{ApiError, BadUrl};
use contracts::problem::Kind;

use crate::terminal::escape;

/// `EX_UNAVAILABLE` of sysexits.
const EXIT_UNREACHABLE: u8 = 69;

/// How a command that did its work ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well.
    Fine,
    /// The command did its work and found something that is not well; it has told what.
    Found,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::Found => Self::FAILURE,
        }
    }
}

/// Why a command could not do its work. The texts are fit to be shown: what came from outside is escaped.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It was asked for in a way that makes no sense, or lacks a setting.
    #[error("{0}")]
    Usage(String),
    /// It was refused, or some input is wrong.
    #[error("{0}")]
    Failed(String),
    /// A server does not answer.
    #[error("{0}")]
    Unreachable(String),
    /// Whoever read the output has gone.
    #[error("the output was closed")]
    OutputClosed,
}

impl Failure {
    /// 1 failed, 2 usage, 69 unreachable; a closed output (`| head`) is no failure.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::OutputClosed => ExitCode::SUCCESS,
            Self::Failed(_) => ExitCode::FAILURE,
            Self::Usage(_) => ExitCode::from(2),
            Self::Unreachable(_) => ExitCode::from(EXIT_UNREACHABLE),
        }
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        let told = chain(&error);
        match error {
            ApiError::Refused { problem, .. } if Kind::of_uri(&problem.kind) == Some(Kind::Unauthorized) => {
                Self::Failed(format!(
                    "{told}\nACUSE_TOKEN is not the token of this stack; `make up` writes the right one"
                ))
            }
            ApiError::Refused { .. } => Self::Failed(told),
            ApiError::Busy { .. } | ApiError::Unknown { .. } => Self::Unreachable(told),
        }
    }
}

impl From<BadUrl> for Failure {
    fn from(error: BadUrl) -> Self {
        Self::Usage(escape(&error.to_string()))
    }
}

/// An error and its causes in one line.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Some errors tell their cause themselves.
        if !told.contains(&text) {
            told.push_str(": ");
            told.push_str(&text);
        }
        cause = error.source();
    }
    escape(&told)
}
