//! One event a line on standard error, for a person or as JSON.

use std::str::FromStr;

use tracing_subscriber::EnvFilter;

use crate::config::Reader;

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a person.
    Human,
    /// For a log collector.
    Json,
}

/// Neither `human` nor `json`.
#[derive(Debug, thiserror::Error)]
#[error("must be human or json")]
pub struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        match text {
            "human" => Ok(Self::Human),
            "json" => Ok(Self::Json),
            _ => Err(UnknownFormat),
        }
    }
}

/// What is logged, and how.
#[derive(Debug, Clone)]
pub struct Logging {
    filter: String,
    format: Format,
}

impl Logging {
    /// Reads `ACUSE_LOG` (a filter such as `info` or `info,pipeline=debug`) and `ACUSE_LOG_FORMAT`.
    pub fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let filter = reader.with_default("ACUSE_LOG", "info,lapin=error,sqlx=warn".to_owned());
        let format = reader.with_default("ACUSE_LOG_FORMAT", Format::Human);
        Some(Self {
            filter: filter?,
            format: format?,
        })
    }

    /// Starts logging for the whole process. A filter that cannot be read is told, and `info` taken.
    pub fn start(&self) {
        let (filter, problem) = match EnvFilter::try_new(&self.filter) {
            Ok(filter) => (filter, None),
            Err(problem) => (EnvFilter::new("info"), Some(problem)),
        };
        let lines = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .with_target(true);
        // Started before by somebody else (a test): theirs stays.
        let _already = match self.format {
            Format::Human => lines
                .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
                .try_init(),
            Format::Json => lines.json().flatten_event(true).try_init(),
        };
        if let Some(problem) = problem {
            tracing::warn!("ACUSE_LOG cannot be read ({problem}); logging at info");
        }
    }
}

/// An error with its causes, on one line: `storing the order: connection refused`.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
