//! `acuse dead-letters replay`, `abandon`, `discard`, and `acuse orders redo`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use adapter_http::client::Api;
use contracts::console::{ActAnswer, ActRequest, DeadLetterRow, ReplayRequest};
use contracts::limits::BODY_BYTES_MAX;
use pipeline::dead_letters::EntryState;
use pipeline::id::OrderId;
use serde_json::value::RawValue;

use super::id::Found;
use super::show;
use crate::failure::{Failure, Outcome};
use crate::servers::Server;
use crate::settings::Settings;
use crate::terminal::{escape, print, tell};

/// What is to be done with a dead letter, and why.
#[derive(Debug)]
pub struct Act {
    /// What.
    pub deed: Deed,
    /// Why, for the record.
    pub reason: String,
}

/// What can be done with a dead letter.
#[derive(Debug)]
pub enum Deed {
    /// Send it back on its road, maybe with another document.
    Replay(Option<Box<RawValue>>),
    /// Give its order up.
    Abandon,
    /// Close it.
    Discard,
}

/// Does it, and tells what was done.
///
/// # Errors
///
/// When the console refuses or does not answer. Where it is unknown whether it was done, doing it again tells.
pub async fn perform(api: &Api, found: Found, act: Act) -> Result<Outcome, Failure> {
    let id = found.id;
    let Act { deed, reason } = act;
    let answer: ActAnswer = match deed {
        Deed::Replay(document) => {
            let request = ReplayRequest { reason, document };
            api.post_json(&format!("/dead-letters/{id}/replay"), None, &request)
                .await?
        }
        Deed::Abandon => {
            let path = format!("/dead-letters/{id}/abandon");
            api.post_json(&path, None, &ActRequest { reason }).await?
        }
        Deed::Discard => {
            let path = format!("/dead-letters/{id}/discard");
            api.post_json(&path, None, &ActRequest { reason }).await?
        }
    };
    // It is done, so that whatever cannot be read now is left out.
    let row = match found.row {
        Some(row) => Some(row),
        None => show::view(api, id).await.ok().map(|view| view.row),
    };
    told(&answer, row.as_ref())
}

/// Has the undoing of a stuck order tried again.
///
/// # Errors
///
/// See [`perform`].
pub async fn redo(settings: &Settings<'_>, order: &OrderId, reason: String) -> Result<Outcome, Failure> {
    let api = Server::Console.api(settings, 1)?;
    let path = format!("/orders/{order}/redo");
    let answer: ActAnswer = api.post_json(&path, None, &ActRequest { reason }).await?;
    told(&answer, None)
}

/// The other document of an order.
///
/// # Errors
///
/// When the file cannot be read, is larger than any order, or holds no JSON.
pub fn read(path: &Path) -> Result<Box<RawValue>, Failure> {
    let failed = |reason: &dyn std::fmt::Display| Failure::Failed(format!("{}: {reason}", path.display()));
    let file = File::open(path).map_err(|error| failed(&error))?;
    let mut text = String::new();
    let bytes_max = u64::try_from(BODY_BYTES_MAX).unwrap_or(u64::MAX);
    let read = file.take(bytes_max + 1).read_to_string(&mut text);
    if read.map_err(|error| failed(&error))? > BODY_BYTES_MAX {
        return Err(failed(&format!("is larger than {BODY_BYTES_MAX} bytes")));
    }
    // Blanks around it are no part of a document.
    RawValue::from_string(text.trim().to_owned()).map_err(|error| failed(&format!("is no JSON: {error}")))
}

fn told(answer: &ActAnswer, row: Option<&DeadLetterRow>) -> Result<Outcome, Failure> {
    for warning in &answer.warnings {
        tell(&format!("acuse: warning: {}", escape(warning)));
    }
    print(&line(answer, row))?;
    Ok(Outcome::Fine)
}

/// What was done, in one line.
#[must_use]
pub fn line(answer: &ActAnswer, row: Option<&DeadLetterRow>) -> String {
    let done = escape(&answer.done);
    let order = row.filter(|row| row.of_order).and_then(|row| row.order_id.as_deref());
    let order = order.map_or_else(|| "its order".to_owned(), |order| format!("order {}", escape(order)));
    let rowless = row.is_some_and(|row| !row.of_order);
    let state = answer.done.parse::<EntryState>().ok();
    let then = match state {
        Some(EntryState::Replayed) if rowless => ": the message is in its queue again".to_owned(),
        Some(EntryState::Replayed) if row.is_none() => String::new(),
        Some(EntryState::Replayed) => format!(": {order} goes on"),
        Some(EntryState::Edited) => format!(": {order} goes on with the other document"),
        Some(EntryState::Abandoned) => format!(": {order} is being undone"),
        Some(EntryState::Redone) => ": the order is being undone".to_owned(),
        Some(EntryState::Discarded | EntryState::Open) | None => String::new(),
    };
    format!("{done} {}{then}\n", escape(&answer.id))
}
