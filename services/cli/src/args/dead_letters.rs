//! `acuse dead-letters` and the reasons that people give.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use contracts::limits::TEXT_LENGTH_MAX;
use pipeline::dead_letters::EntryState;
use pipeline::id::OrderId;

use super::{LIST_MAX, order_id};
use crate::dead_letters::id::Wanted;

/// The word for every state.
const ALL: &str = "all";

/// `acuse dead-letters`
#[derive(Debug, Subcommand)]
pub enum DeadLetters {
    /// List them, oldest first
    #[command(after_help = "Example:\n  acuse dead-letters list --class exhausted --limit 100")]
    List(List),
    /// Those that are open, by cause
    #[command(after_help = "Example:\n  acuse dead-letters groups")]
    Groups {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one: why it is here, its properties and headers, its body
    #[command(
        after_help = "Example:\n  acuse dead-letters show 1f2e3d4c\n  acuse dead-letters show 1f2e3d4c --body > body.json"
    )]
    Show {
        /// Which one
        #[command(flatten)]
        entry: Entry,
        /// Print JSON
        #[arg(long, conflicts_with = "body")]
        json: bool,
        /// Print the body alone, byte for byte
        #[arg(long)]
        body: bool,
    },
    /// Send it back on its road: done steps are found, not done again
    ///
    /// A message that belongs to no order is sent again as it was.
    #[command(
        after_help = "Example:\n  acuse dead-letters replay 1f2e3d4c --reason 'inventory is back'\n  \
                      acuse dead-letters replay 1f2e3d4c --reason 'right postcode' --document order.json"
    )]
    Replay {
        /// Which one
        #[command(flatten)]
        entry: Entry,
        /// Why
        #[command(flatten)]
        why: Why,
        /// Another document for the order, which is done anew; whose order it is and what was paid must stay
        #[arg(long, value_name = "FILE")]
        document: Option<PathBuf>,
    },
    /// Give its order up: undo it, tell the customer, pay back
    #[command(after_help = "Example:\n  acuse dead-letters abandon 1f2e3d4c --reason 'the customer asked'")]
    Abandon {
        /// Which one
        #[command(flatten)]
        entry: Entry,
        /// Why
        #[command(flatten)]
        why: Why,
    },
    /// Close it and do nothing; only for a message that belongs to no order
    #[command(after_help = "Example:\n  acuse dead-letters discard 1f2e3d4c --reason 'a test that went astray'")]
    Discard {
        /// Which one
        #[command(flatten)]
        entry: Entry,
        /// Why
        #[command(flatten)]
        why: Why,
    },
}

/// Which ones to list.
#[derive(Debug, Args)]
pub struct List {
    /// Only in this state: open, replayed, edited, abandoned, discarded, redone, or all
    #[arg(long, default_value = "open", value_parser = state)]
    pub state: String,
    /// Only of this class, such as exhausted
    #[arg(long)]
    pub class: Option<String>,
    /// Only about this order
    #[arg(long, value_name = "ID", value_parser = order_id)]
    pub order: Option<OrderId>,
    /// Only out of this queue, such as orders.process.dlq
    #[arg(long)]
    pub queue: Option<String>,
    /// How many, at most
    #[arg(long, default_value = "20", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=LIST_MAX))]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Which dead letter.
#[derive(Debug, Args)]
pub struct Entry {
    /// The dead letter's id, or the first six or more characters of it that name one open dead letter
    pub id: Wanted,
}

/// Why something is done.
#[derive(Debug, Args)]
pub struct Why {
    /// Why, for the record
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub reason: String,
}

fn state(text: &str) -> Result<String, String> {
    if text != ALL {
        text.parse::<EntryState>().map_err(|error| error.to_string())?;
    }
    Ok(text.to_owned())
}

/// The console asks for the same; told here, it costs no call.
fn reason(text: &str) -> Result<String, String> {
    let fits =
        !text.trim().is_empty() && text.chars().count() <= TEXT_LENGTH_MAX && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
        .ok_or_else(|| format!("must be 1 to {TEXT_LENGTH_MAX} characters, without control characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_words_and_a_bound() {
        let longest = "ñ".repeat(TEXT_LENGTH_MAX);
        assert_eq!(reason(&longest), Ok(longest.clone()));
        for text in ["", "  ", "a\nb", "\u{1b}[2J", &(longest + "x")] {
            assert!(reason(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_state_that_never_is_is_told() {
        assert_eq!(state("redone").as_deref(), Ok("redone"));
        assert_eq!(state("all").as_deref(), Ok("all"));
        assert!(state("Open").is_err_and(|told| told.contains("open, replayed")));
    }
}
