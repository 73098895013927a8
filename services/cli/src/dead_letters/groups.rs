//! `acuse dead-letters groups`: what waits, by cause.

use adapter_http::client::Api;
use contracts::console::{DeadLetterGroup, DeadLetterGroups};
use time::OffsetDateTime;

use super::age;
use super::list::REASON_SHOWN_MAX;
use crate::failure::{Failure, Outcome};
use crate::table::{Column, Table};
use crate::terminal::{escape, escape_to, print};

/// Prints the causes, as they are at `now`.
///
/// # Errors
///
/// When the console cannot be read.
pub async fn groups(api: &Api, json: bool, now: OffsetDateTime) -> Result<Outcome, Failure> {
    let DeadLetterGroups { groups } = api.get_json("/dead-letters/groups").await?;
    print(&if json {
        serde_json::to_string_pretty(&groups).map_err(|error| Failure::Failed(error.to_string()))? + "\n"
    } else {
        text(&groups, now)
    })?;
    Ok(Outcome::Fine)
}

/// Causes for a person.
#[must_use]
pub fn text(groups: &[DeadLetterGroup], now: OffsetDateTime) -> String {
    if groups.is_empty() {
        return "no open dead letters\n".to_owned();
    }
    let columns = [
        Column::Right("open"),
        Column::Left("class"),
        Column::Left("step"),
        Column::Left("queue"),
        Column::Right("oldest"),
        Column::Left("newest reason"),
    ];
    let mut table = Table::new(&columns);
    for group in groups {
        table.row([
            group.count.to_string(),
            escape(&group.class),
            group.step.as_deref().map(escape).unwrap_or_default(),
            escape(&group.queue),
            age(now - group.oldest_at),
            escape_to(&group.reason, REASON_SHOWN_MAX),
        ]);
    }
    table.text()
}
