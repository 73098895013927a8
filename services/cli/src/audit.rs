//! `acuse audit`: whether every order came to exactly one end.

mod reading;
pub mod table;
mod watch;

use std::path::Path;
use std::time::Duration;

use pipeline::audit::Report;
use serde::Serialize;

use self::reading::Witnesses;
use self::watch::watch;
use crate::failure::{Failure, Outcome};
use crate::settings::Settings;
use crate::terminal::{Style, print};

/// The result as a program reads it.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    /// The result.
    #[serde(flatten)]
    pub report: &'a Report,
    /// Until nothing moved, or until it was given up.
    pub waited_ms: u64,
}

/// Reads everything, counts, and tells the result.
///
/// # Errors
///
/// When a server or the ledger cannot be read: nothing is ever called well on half the data.
pub async fn audit(
    settings: &Settings<'_>,
    ledger: Option<&Path>,
    wait: Duration,
    json: bool,
    style: Style,
) -> Result<Outcome, Failure> {
    let witnesses = Witnesses::find(settings)?;
    let watched = watch(&witnesses, ledger, wait).await?;
    let told = Told {
        report: &watched.report,
        waited_ms: u64::try_from(watched.waited.as_millis()).unwrap_or(u64::MAX),
    };
    print(&if json {
        serde_json::to_string_pretty(&told).map_err(|error| Failure::Failed(error.to_string()))? + "\n"
    } else {
        table::text(&watched.report, style)
    })?;
    Ok(if watched.report.ok {
        Outcome::Fine
    } else {
        Outcome::Found
    })
}
