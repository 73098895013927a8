//! `acuse dead-letters list`: what waits, oldest first.

use std::fmt::Write as _;

use adapter_http::client::Api;
use contracts::console::{DeadLetterQuery, DeadLetterRow};
use time::OffsetDateTime;

use super::{age, is_open, order};
use crate::args::dead_letters::List;
use crate::failure::{Failure, Outcome};
use crate::servers::{Go, Listing, each_row};
use crate::table::{Column, Table};
use crate::terminal::{escape, escape_to, print};

/// Characters of a reason in a table; all of it is shown by `acuse dead-letters show`.
pub(super) const REASON_SHOWN_MAX: usize = 60;

/// Prints those that are asked for, as they are at `now`.
///
/// # Errors
///
/// When the console refuses a filter or cannot be read.
pub async fn list(api: &Api, asked: &List, now: OffsetDateTime) -> Result<Outcome, Failure> {
    let limit = usize::try_from(asked.limit).unwrap_or(usize::MAX);
    let query = DeadLetterQuery {
        state: Some(asked.state.clone()),
        class: asked.class.clone(),
        order_id: asked.order.as_ref().map(ToString::to_string),
        queue: asked.queue.clone(),
        after: None,
        limit: None,
    };
    // One more than is shown tells whether there are more.
    let listing = Listing::new("/dead-letters", query.pairs(), asked.limit.saturating_add(1));
    let mut rows: Vec<DeadLetterRow> = vec![];
    let mut more = false;
    each_row(api, listing, |row| {
        if rows.len() == limit {
            more = true;
            return Ok(Go::Enough);
        }
        rows.push(row);
        Ok(Go::On)
    })
    .await?;
    print(&if asked.json {
        serde_json::to_string_pretty(&rows).map_err(|error| Failure::Failed(error.to_string()))? + "\n"
    } else {
        text(&rows, &asked.state, more, now)
    })?;
    Ok(Outcome::Fine)
}

/// Dead letters for a person who asked for those in `state`; `more`: there are others.
#[must_use]
pub fn text(rows: &[DeadLetterRow], state: &str, more: bool, now: OffsetDateTime) -> String {
    if rows.is_empty() {
        return "no such dead letters\n".to_owned();
    }
    let states = (!is_open(state)).then_some(Column::Left("state"));
    let columns = [
        Column::Left("class"),
        Column::Left("step"),
        Column::Left("queue"),
        Column::Left("order"),
        Column::Right("tries"),
        Column::Right("age"),
        Column::Left("reason"),
    ];
    let columns: Vec<_> = [Column::Left("id")].into_iter().chain(states).chain(columns).collect();
    let mut table = Table::new(&columns);
    for row in rows {
        let cells = [
            escape(&row.class),
            row.step.as_deref().map(escape).unwrap_or_default(),
            escape(&row.queue),
            order(row.order_id.as_deref(), row.of_order),
            row.attempt.to_string(),
            age(now - row.at),
            escape_to(&row.reason, REASON_SHOWN_MAX),
        ];
        let state = states.map(|_| escape(&row.state));
        table.row([escape(&row.id)].into_iter().chain(state).chain(cells));
    }
    let mut text = table.text();
    if more {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "these are {}; there are more (--limit)", rows.len());
    }
    text
}
