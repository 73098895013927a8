//! The command line.

pub mod dead_letters;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use pipeline::id::OrderId;

use self::dead_letters::{DeadLetters, Why};
use crate::orders::pace::Rate;

/// Requests under way at once, at most.
const CONCURRENCY_MAX: i64 = 1_024;
/// Copies of one order, at most.
const COPIES_MAX: i64 = 1_000_000;
/// Orders in one list, at most.
const LIST_MAX: i64 = 100_000;
/// The longest that an audit waits (a day).
const WAIT_SECONDS_MAX: u64 = 24 * 60 * 60;

const EXAMPLE: &str = "Example:
  acuse stock load deploy/samples/stock.csv
  acuse orders submit deploy/samples/orders.jsonl
  acuse audit --wait 60s";

/// Lays the broker's topology, loads stock, submits and shows orders, sees to dead letters, and audits it all.
///
/// Servers are found by flags, then the environment, then the file env in the run folder that `make up` fills. Exit
/// codes: 0 all well, 1 failed or found something, 2 asked wrongly, 69 a server does not answer.
#[derive(Debug, Parser)]
#[command(name = "acuse", version, max_term_width = 100, after_help = EXAMPLE)]
pub struct Arguments {
    /// Which stack.
    #[command(flatten)]
    pub stack: Stack,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Where the servers are. The token and the broker's password have no flags: others on the machine could read them.
#[derive(Debug, Args)]
pub struct Stack {
    /// Run folder of the stack; else `ACUSE_RUN` of the environment, else .run in this folder or the nearest above
    #[arg(long, global = true, value_name = "DIR")]
    pub run: Option<PathBuf>,
    /// Before `ACUSE_CHECKOUT_URL`
    #[arg(long, global = true, value_name = "URL", help_heading = "Servers")]
    pub checkout_url: Option<String>,
    /// Before `ACUSE_INVENTORY_URL`
    #[arg(long, global = true, value_name = "URL", help_heading = "Servers")]
    pub inventory_url: Option<String>,
    /// Before `ACUSE_LOGISTICS_URL`
    #[arg(long, global = true, value_name = "URL", help_heading = "Servers")]
    pub logistics_url: Option<String>,
    /// Before `ACUSE_DOCUMENTS_URL`
    #[arg(long, global = true, value_name = "URL", help_heading = "Servers")]
    pub documents_url: Option<String>,
    /// Before `ACUSE_NOTIFICATIONS_URL`
    #[arg(long, global = true, value_name = "URL", help_heading = "Servers")]
    pub notifications_url: Option<String>,
    /// Before `ACUSE_CONSOLE_URL`
    #[arg(long, global = true, value_name = "URL", help_heading = "Servers")]
    pub console_url: Option<String>,
    /// Before `ACUSE_MANAGEMENT_URL`, the broker's HTTP API
    #[arg(long, global = true, value_name = "URL", help_heading = "Servers")]
    pub management_url: Option<String>,
    /// Before `ACUSE_MANAGEMENT_USER`
    #[arg(long, global = true, value_name = "NAME", help_heading = "Servers")]
    pub management_user: Option<String>,
    /// Before `ACUSE_VHOST`
    #[arg(long, global = true, value_name = "NAME", help_heading = "Servers")]
    pub vhost: Option<String>,
}

impl Stack {
    /// Flags that were given, by the variable that each comes before.
    #[must_use]
    pub fn flags(&self) -> BTreeMap<&'static str, String> {
        let flags = [
            ("ACUSE_CHECKOUT_URL", &self.checkout_url),
            ("ACUSE_INVENTORY_URL", &self.inventory_url),
            ("ACUSE_LOGISTICS_URL", &self.logistics_url),
            ("ACUSE_DOCUMENTS_URL", &self.documents_url),
            ("ACUSE_NOTIFICATIONS_URL", &self.notifications_url),
            ("ACUSE_CONSOLE_URL", &self.console_url),
            ("ACUSE_MANAGEMENT_URL", &self.management_url),
            ("ACUSE_MANAGEMENT_USER", &self.management_user),
            ("ACUSE_VHOST", &self.vhost),
        ];
        flags
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)))
            .collect()
    }
}

/// What there is to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The broker's exchanges, queues, bindings and policies
    #[command(subcommand, after_help = "Example:\n  acuse topology apply")]
    Topology(Topology),
    /// Goods in the warehouses
    #[command(subcommand, after_help = "Example:\n  acuse stock load deploy/samples/stock.csv")]
    Stock(Stock),
    /// Orders, and what became of them
    #[command(
        subcommand,
        after_help = "Example:\n  acuse orders submit deploy/samples/orders.jsonl"
    )]
    Orders(Orders),
    /// What could not be done and waits for a person
    #[command(
        subcommand,
        after_help = "Example:\n  acuse dead-letters groups\n  acuse dead-letters replay 1f2e3d4c --reason 'inventory is back'"
    )]
    DeadLetters(DeadLetters),
    /// Whether every order came to exactly one end
    ///
    /// Counts orders, outbox, queues, what each service did, and stock. Rest is two looks twelve seconds apart with
    /// nothing on its way and nothing changed between them.
    #[command(after_help = "Example:\n  acuse audit --wait 60s --ledger accepted.txt")]
    Audit {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// How long to wait for the first sign of rest, such as 60s or 2m
        #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
        wait: Duration,
        /// Ids that got a 202, a line each: one that checkout does not know is lost
        #[arg(long, value_name = "FILE")]
        ledger: Option<PathBuf>,
    },
}

/// `acuse topology`
#[derive(Debug, Subcommand)]
pub enum Topology {
    /// Create what is missing; deletes nothing, can be repeated
    #[command(after_help = "Example:\n  acuse topology apply")]
    Apply,
    /// Tell what is not as it should be; changes nothing
    #[command(after_help = "Example:\n  acuse topology check && echo as it should be")]
    Check,
}

/// `acuse stock`
#[derive(Debug, Subcommand)]
pub enum Stock {
    /// Load a delivery; the same one counts once
    ///
    /// The file's first line is `sku,warehouse,weight_kg,units`. A row with 0 units makes the product known.
    #[command(after_help = "Example:\n  acuse stock load deploy/samples/stock.csv")]
    Load {
        /// The delivery, CSV
        file: PathBuf,
        /// The delivery's name; the hash of its content where not given
        #[arg(long, value_name = "ID")]
        delivery_id: Option<String>,
    },
    /// Show what is available
    #[command(after_help = "Example:\n  acuse stock list --json | jq 'map(.units) | add'")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// `acuse orders`
#[derive(Debug, Subcommand)]
pub enum Orders {
    /// Send orders to checkout, one JSON document a line
    ///
    /// An unknown outcome is tried again with the same key, for half a minute; a busy checkout is given the time it asks
    /// for. Can be repeated: an order that was taken is not taken twice.
    #[command(after_help = "Example:\n  acuse orders submit orders.jsonl --rate 50/s --ledger accepted.txt")]
    Submit {
        /// The orders; - reads standard input
        file: PathBuf,
        /// Orders a second, at most, such as 50/s
        #[arg(long)]
        rate: Option<Rate>,
        /// Requests under way at once
        #[arg(long, default_value = "32", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=CONCURRENCY_MAX))]
        concurrency: u32,
        /// Copies of each order; further ones get -c2, -c3 and so on behind order id and key
        #[arg(long, default_value = "1", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=COPIES_MAX))]
        copies: u32,
        /// Append the id of every order that got a 202
        #[arg(long, value_name = "FILE")]
        ledger: Option<PathBuf>,
        /// Print the totals as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one order: state, times, result, history
    #[command(after_help = "Example:\n  acuse orders show ORD-2026-1127-00001")]
    Show {
        /// The order's id
        #[arg(value_parser = order_id)]
        id: OrderId,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List orders
    #[command(after_help = "Example:\n  acuse orders list --state processing --limit 100")]
    List {
        /// Only those in this state
        #[arg(long)]
        state: Option<String>,
        /// How many, at most
        #[arg(long, default_value = "20", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=LIST_MAX))]
        limit: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Have the undoing of a stuck order tried again
    #[command(after_help = "Example:\n  acuse orders redo ORD-2026-1127-00001 --reason 'documents is back'")]
    Redo {
        /// The order's id
        #[arg(value_parser = order_id)]
        id: OrderId,
        /// Why
        #[command(flatten)]
        why: Why,
    },
    /// How long completed orders took from accepted to completed
    #[command(after_help = "Example:\n  acuse orders latency --json")]
    Latency {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

fn order_id(text: &str) -> Result<OrderId, String> {
    OrderId::parse(text).map_err(|error| error.to_string())
}

/// `500ms`, `60s`, `60`, `2m`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit_ms = match &text[digits.len()..] {
        "ms" => 1,
        "s" | "" => 1_000,
        "m" => 60_000,
        _ => 0,
    };
    let ms = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(unit_ms));
    let ms = ms.filter(|ms| unit_ms > 0 && *ms <= WAIT_SECONDS_MAX * 1_000);
    ms.map(Duration::from_millis)
        .ok_or_else(|| "must be a time such as 500ms, 60s or 2m, up to a day".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound_and_every_command_has_an_example() {
        fn examples(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{}", command.get_name());
            command.get_subcommands().for_each(examples);
        }
        Arguments::command().debug_assert();
        examples(&Arguments::command());
    }

    #[test]
    fn times_have_a_unit_and_a_bound() {
        assert_eq!(duration("60s"), Ok(Duration::from_mins(1)));
        assert_eq!(duration("2m"), Ok(Duration::from_mins(2)));
        assert_eq!(
            (duration("500ms"), duration("7")),
            (Ok(Duration::from_millis(500)), Ok(Duration::from_secs(7)))
        );
        for text in ["", "s", "-1s", "1h", "1.5s", "é", "99999999m"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn secrets_have_no_flags() {
        let mut names = vec![];
        Arguments::command()
            .get_arguments()
            .for_each(|argument| names.extend(argument.get_long().map(str::to_owned)));
        assert!(names.contains(&"checkout-url".to_owned()));
        assert!(
            !names
                .iter()
                .any(|name| name.contains("token") || name.contains("password")),
            "{names:?}"
        );
    }
}
