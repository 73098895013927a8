//! One order to checkout, until it has an answer.

use std::time::Duration;

use adapter_http::client::{Api, ApiError};
use contracts::checkout::OrderAccepted;
use platform::retry;
use tokio::time::{Instant, sleep};

use super::document::Document;
use super::tally::Fate;
use crate::failure::chain;

/// The longest wait that checkout may ask for between two tries.
const RETRY_AFTER_SECONDS_MAX: u32 = 30;

/// What became of an order.
#[derive(Debug)]
pub struct Sent {
    /// How it fared.
    pub fate: Fate,
    /// What the last answer said, where it was no `202`.
    pub why: Option<String>,
    /// Requests that it took.
    pub tries: u32,
    /// All of it, waits included.
    pub took: Duration,
}

/// Sends `document`, again and again with the same key while the outcome is unknown or checkout is busy, a bounded number
/// of times; keeps to the wait that checkout asks for.
pub async fn send(api: &Api, document: &Document) -> Sent {
    let start = Instant::now();
    let mut waits = retry::startup();
    let mut tries = 0;
    loop {
        tries += 1;
        let key = Some(document.key.as_str());
        let answer: Result<OrderAccepted, _> = api.post_document("/orders", key, document.body.clone()).await;
        let error = match answer {
            Ok(_promise) => return sent(Fate::Accepted, None, tries, start),
            Err(error) => error,
        };
        let (fate, asked) = match &error {
            ApiError::Refused { problem, .. } => {
                let why = chain(&error);
                return sent(Fate::Refused(problem.kind.clone()), Some(why), tries, start);
            }
            ApiError::Busy {
                problem, retry_after_s, ..
            } => (Fate::Refused(problem.kind.clone()), *retry_after_s),
            ApiError::Unknown { .. } => (Fate::Unreachable, None),
        };
        let Some(wait) = waits.next() else {
            return sent(fate, Some(chain(&error)), tries, start);
        };
        let asked = asked.map(|seconds| Duration::from_secs(seconds.min(RETRY_AFTER_SECONDS_MAX).into()));
        sleep(asked.map_or(wait, |asked| asked.max(wait))).await;
    }
}

fn sent(fate: Fate, why: Option<String>, tries: u32, start: Instant) -> Sent {
    Sent {
        fate,
        why,
        tries,
        took: start.elapsed(),
    }
}
