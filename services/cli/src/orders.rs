//! `acuse orders`: into checkout, and what became of them.

mod document;
pub mod latency;
mod lines;
pub mod list;
pub mod pace;
mod progress;
mod send;
pub mod show;
pub mod submit;
mod tally;

use time::OffsetDateTime;
use time::macros::format_description;

use crate::terminal::{Style, escape};

/// A moment as a person reads it, in UTC, to the millisecond.
pub(crate) fn moment(at: OffsetDateTime) -> String {
    let form = format_description!("[year]-[month]-[day] [hour]:[minute]:[second].[subsecond digits:3]Z");
    at.to_offset(time::UtcOffset::UTC)
        .format(form)
        .unwrap_or_else(|_| at.to_string())
}

/// A state in its colour.
fn coloured(state: &str, style: Style) -> String {
    let shown = escape(state);
    match state {
        "completed" => style.good(&shown),
        "dead_lettered" | "stuck" => style.bad(&shown),
        _ => shown,
    }
}
