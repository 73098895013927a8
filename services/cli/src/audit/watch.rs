//! Waiting for rest.

use std::path::Path;
use std::time::Duration;

use pipeline::audit::{Books, Look, Report, SAMPLES_APART, Sample};
use tokio::time::{Instant, sleep, sleep_until};

use super::reading::Witnesses;
use super::table::places;
use crate::failure::Failure;
use crate::terminal::tell;

/// Between two samples while something moves.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// Between two lines that say what moves.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// What was found, and how long it took until nothing moved or until it was given up.
pub struct Watched {
    /// The result.
    pub report: Report,
    /// From the start.
    pub waited: Duration,
}

/// Looks until nothing moves, or for as long as `limit` while something does. A first quiet look within the limit is
/// always followed by the second one that confirms it.
///
/// # Errors
///
/// When a server cannot be read; within the limit it is asked again.
pub async fn watch(witnesses: &Witnesses, ledger: Option<&Path>, limit: Duration) -> Result<Watched, Failure> {
    let start = Instant::now();
    let mut earlier: Option<Look> = None;
    let mut told = start;
    loop {
        let last = start.elapsed() >= limit;
        let (look, books) = match look(witnesses, ledger, last, start).await {
            Ok(Looked::Read(look, books)) => (look, books),
            Ok(Looked::Moving(sample)) => {
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    tell(&format!("on the way: {}", places(&sample.busy().collect::<Vec<_>>())));
                }
                earlier = None;
                sleep(POLL_EVERY).await;
                continue;
            }
            Err(Failure::Unreachable(why)) if !last => {
                tell(&format!("{why}; asking again"));
                earlier = None;
                sleep(POLL_EVERY).await;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let at_rest = earlier.as_ref().is_some_and(|earlier| look.confirms(earlier));
        if at_rest || last && (earlier.is_some() || !look.sample.is_quiet()) {
            return Ok(Watched {
                report: books.report(&look.sample, at_rest),
                waited: start.elapsed(),
            });
        }
        sleep_until(start + look.at + SAMPLES_APART).await;
        earlier = Some(look);
    }
}

enum Looked {
    Moving(Sample),
    Read(Look, Box<Books>),
}

/// One sample and, where it is quiet or this is the `last` look, the books after it.
async fn look(witnesses: &Witnesses, ledger: Option<&Path>, last: bool, start: Instant) -> Result<Looked, Failure> {
    let sample = witnesses.sample().await?;
    let at = start.elapsed();
    if !last && !sample.is_quiet() {
        return Ok(Looked::Moving(sample));
    }
    let books = witnesses.books(ledger).await?;
    let digest = books.digest();
    Ok(Looked::Read(Look { at, sample, digest }, Box::new(books)))
}
