//! The console's requests and answers: what waits for a person, and what a person may do.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use time::OffsetDateTime;

/// One dead letter in `GET /dead-letters`. Says nothing of the customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetterRow {
    /// Its id.
    pub id: String,
    /// `open`, `replayed`, `edited`, `abandoned`, `discarded` or `redone`.
    pub state: String,
    /// The queue that it came out of.
    pub queue: String,
    /// The order that it is about, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// Which life of it.
    pub generation: u32,
    /// Whether it belongs to that order's row. One that does not is about no known order, or says something else.
    pub of_order: bool,
    /// Why it is here, as a class.
    pub class: String,
    /// The step that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Why it is here, in words; may quote services.
    pub reason: String,
    /// At which try.
    pub attempt: u32,
    /// When it came.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// Answer of `GET /dead-letters/{id}`: all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetterView {
    /// What the list shows.
    #[serde(flatten)]
    pub row: DeadLetterRow,
    /// All AMQP properties and headers; each header stands with its type.
    pub properties: Value,
    /// The message's bytes where they are UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The message's bytes in hexadecimal, where they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_hex: Option<String>,
    /// Who closed it, when and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
}

/// How a dead letter was closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Who.
    pub by: String,
    /// Why, in their words.
    pub reason: String,
}

/// The query of `GET /dead-letters`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetterQuery {
    /// Only in this state; `open` where absent, `all` for every one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Only of this class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Only about this order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// Only out of this queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Where to go on: `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// How many rows; at most [`crate::limits::PAGE_ROWS_MAX`], which is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// One row of `GET /dead-letters/groups`: open dead letters with one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetterGroup {
    /// The class.
    pub class: String,
    /// The step that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The queue.
    pub queue: String,
    /// How many.
    pub count: u64,
    /// When the first of them came.
    #[serde(with = "time::serde::rfc3339")]
    pub oldest_at: OffsetDateTime,
    /// The reason of the newest.
    pub reason: String,
}

/// Answer of `GET /dead-letters/groups`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetterGroups {
    /// The largest first.
    pub groups: Vec<DeadLetterGroup>,
}

/// Body of `POST /dead-letters/{id}/abandon`, `/discard` and `POST /orders/{id}/redo`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActRequest {
    /// Why, for the record: 1 to 200 characters.
    pub reason: String,
}

/// Body of `POST /dead-letters/{id}/replay`. A field that is not known is refused: a mistyped document would else send the
/// order on as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// Why, for the record: 1 to 200 characters.
    pub reason: String,
    /// Another document for the order, which goes on as its next generation. Whose order it is and what was paid must
    /// stay.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "whatever_stands_there"
    )]
    pub document: Option<Box<RawValue>>,
}

/// A `null` is a document too, and no order.
fn whatever_stands_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// Answer of every act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActAnswer {
    /// What was acted on: a dead letter's id, or an order's.
    pub id: String,
    /// What was done: `replayed`, `edited`, `abandoned`, `discarded` or `redone`.
    pub done: String,
    /// What the operator should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The parameters of the query, as pairs of name and value.
impl DeadLetterQuery {
    /// What is set, by name.
    #[must_use]
    pub fn pairs(&self) -> BTreeMap<&'static str, String> {
        let texts = [
            ("state", &self.state),
            ("class", &self.class),
            ("order_id", &self.order_id),
            ("queue", &self.queue),
            ("after", &self.after),
        ];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text.clone()?)));
        let limit = self.limit.map(|limit| ("limit", limit.to_string()));
        texts.chain(limit).collect()
    }
}
