//! `acuse dead-letters`: what waits for a person, and what the person does with it.

pub mod act;
pub mod groups;
pub mod id;
pub mod list;
mod properties;
pub mod show;

use pipeline::dead_letters::EntryState;
use platform::clock::Clock;
use time::Duration;

use self::act::{Act, Deed};
use crate::args::dead_letters::DeadLetters;
use crate::failure::{Failure, Outcome};
use crate::servers::Server;
use crate::settings::Settings;
use crate::terminal::{Style, escape};

/// Does what is asked.
///
/// # Errors
///
/// When the console refuses or cannot be read, or there is no such dead letter.
pub async fn perform(
    command: DeadLetters,
    settings: &Settings<'_>,
    clock: &dyn Clock,
    style: Style,
) -> Result<Outcome, Failure> {
    let api = Server::Console.api(settings, 1)?;
    let act = async |entry: crate::args::dead_letters::Entry, reason: String, deed: Deed| {
        let entry = id::find(&api, &entry.id).await?;
        act::perform(&api, entry, Act { deed, reason }).await
    };
    match command {
        DeadLetters::List(asked) => list::list(&api, &asked, clock.now()).await,
        DeadLetters::Groups { json } => groups::groups(&api, json, clock.now()).await,
        DeadLetters::Show { entry, json, body } => {
            let entry = id::find(&api, &entry.id).await?;
            let view = show::view(&api, entry.id).await?;
            if body {
                show::print_body(&view)
            } else {
                show::print_view(&view, json, clock.now(), style)
            }
        }
        DeadLetters::Replay { entry, why, document } => {
            let document = document.as_deref().map(act::read).transpose()?;
            act(entry, why.reason, Deed::Replay(document)).await
        }
        DeadLetters::Abandon { entry, why } => act(entry, why.reason, Deed::Abandon).await,
        DeadLetters::Discard { entry, why } => act(entry, why.reason, Deed::Discard).await,
    }
}

/// The order that a dead letter speaks of; in brackets where it does not belong to that order.
fn order(order: Option<&str>, belongs: bool) -> String {
    match order {
        Some(order) if belongs => escape(order),
        Some(order) => format!("({})", escape(order)),
        None => String::new(),
    }
}

/// How long ago, in the largest whole unit.
fn age(past: Duration) -> String {
    let seconds = past.whole_seconds().max(0);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Whether it waits.
fn is_open(state: &str) -> bool {
    state == EntryState::Open.name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let ages =
            [-5, 0, 59, 60, 3_599, 3_600, 86_399, 86_400, 8_640_000].map(|seconds| age(Duration::seconds(seconds)));
        assert_eq!(
            ages,
            ["0 s", "0 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d", "100 d"]
        );
    }
}
