//! `acuse dead-letters show`: all of one.

use std::fmt::Write as _;

use adapter_http::client::Api;
use contracts::console::DeadLetterView;
use pipeline::dead_letters::EntryId;
use pipeline::failure::REASON_LENGTH_MAX;
use time::OffsetDateTime;

use super::{age, is_open, properties};
use crate::failure::{Failure, Outcome};
use crate::orders::moment;
use crate::terminal::{Style, escape, escape_lines, escape_to, print, print_bytes};

/// Hexadecimal digits in a line.
const HEX_LINE_LENGTH: usize = 64;

/// Everything about one.
///
/// # Errors
///
/// When there is none of this id, or the console cannot be read.
pub async fn view(api: &Api, id: EntryId) -> Result<DeadLetterView, Failure> {
    Ok(api.get_json(&format!("/dead-letters/{id}")).await?)
}

/// Prints one, as it is at `now`.
///
/// # Errors
///
/// When it cannot be written.
pub fn print_view(view: &DeadLetterView, json: bool, now: OffsetDateTime, style: Style) -> Result<Outcome, Failure> {
    print(&if json {
        serde_json::to_string_pretty(view).map_err(|error| Failure::Failed(error.to_string()))? + "\n"
    } else {
        text(view, now, style)
    })?;
    Ok(Outcome::Fine)
}

/// Prints the body's bytes and nothing else.
///
/// # Errors
///
/// When the answer holds no body that can be read, or it cannot be written.
pub fn print_body(view: &DeadLetterView) -> Result<Outcome, Failure> {
    print_bytes(&bytes(view).ok_or_else(|| Failure::Failed("console answered without a body".to_owned()))?)?;
    Ok(Outcome::Fine)
}

/// The body's bytes.
#[must_use]
pub fn bytes(view: &DeadLetterView) -> Option<Vec<u8>> {
    let from_hex = |text: &String| {
        let pairs = text.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        pairs.map(byte).collect()
    };
    let text = view.body.as_ref().map(|text| text.as_bytes().to_vec());
    text.or_else(|| view.body_hex.as_ref().and_then(from_hex))
}

/// A dead letter for a person.
#[must_use]
pub fn text(view: &DeadLetterView, now: OffsetDateTime, style: Style) -> String {
    let row = &view.row;
    let state = match (&view.closed, is_open(&row.state)) {
        (_, true) => style.bad(&escape(&row.state)),
        (Some(closed), false) => {
            let (by, at) = (escape(&closed.by), moment(closed.at));
            format!("{} by {by} at {at}: {}", escape(&row.state), escape(&closed.reason))
        }
        (None, false) => escape(&row.state),
    };
    let order = match &row.order_id {
        Some(order) if row.of_order => format!("{}, generation {}", escape(order), row.generation),
        Some(order) => format!("{}, says the message, which belongs to no order's row", escape(order)),
        None => "none that it says".to_owned(),
    };
    let mut lines = vec![
        ("id".to_owned(), style.bold(&escape(&row.id))),
        ("state".to_owned(), state),
        ("queue".to_owned(), escape(&row.queue)),
        ("order".to_owned(), order),
        ("class".to_owned(), escape(&row.class)),
    ];
    lines.extend(row.step.as_deref().map(|step| ("step".to_owned(), escape(step))));
    lines.push(("reason".to_owned(), escape_to(&row.reason, REASON_LENGTH_MAX)));
    lines.push(("try".to_owned(), row.attempt.to_string()));
    let came = format!("{}, {} ago", moment(row.at), age(now - row.at));
    lines.push(("came".to_owned(), came));
    format!(
        "{}\n{}\n{}",
        columns(&lines),
        columns(&properties::lines(&view.properties)),
        body(view)
    )
}

/// Names, and values behind them in one column.
fn columns(lines: &[(String, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) + 2;
    lines.iter().fold(String::new(), |mut text, (name, value)| {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "{name:<width$}{value}");
        text
    })
}

fn body(view: &DeadLetterView) -> String {
    if let Some(text) = &view.body {
        return escape_lines(text);
    }
    let hex = view.body_hex.as_deref().unwrap_or_default();
    let mut told = format!("{} bytes that are no text, in hexadecimal:\n", hex.len() / 2);
    for line in hex.as_bytes().chunks(HEX_LINE_LENGTH) {
        told.push_str(&escape(&String::from_utf8_lossy(line)));
        told.push('\n');
    }
    told
}
