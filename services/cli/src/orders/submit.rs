//! `acuse orders submit`: a file of orders to checkout, line by line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use adapter_http::client::Api;
use contracts::problem::Kind;
use futures_util::stream::{self, Stream, StreamExt as _};
use pipeline::id::OrderId;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::document::Document;
use super::lines::{self, Line};
use super::pace::{Pace, Rate};
use super::progress::Progress;
use super::send::{Sent, send};
use super::tally::{Fate, Tally};
use crate::failure::{Failure, Outcome};
use crate::ledger::Ledger;
use crate::servers::Server;
use crate::settings::Settings;
use crate::terminal::{Style, print};

/// Orders that were not accepted and are told one by one.
const TOLD_MAX: u64 = 10;

/// Orders in a row without an answer, after which checkout counts as gone. Each of them was tried for half a minute.
const GIVE_UP_AFTER: u64 = 32;

/// What to submit, and how.
#[derive(Debug)]
pub struct Submission {
    /// One JSON document a line; `-` is standard input.
    pub file: PathBuf,
    /// At most this many a second.
    pub rate: Option<Rate>,
    /// Requests under way at once.
    pub concurrency: NonZeroUsize,
    /// How many of each order.
    pub copies: u32,
    /// Gets the id of every order that got a `202`.
    pub ledger: Option<PathBuf>,
    /// Totals for a program.
    pub json: bool,
}

/// One copy of one line, on its way and back.
struct Job {
    line: Line,
    copy: u32,
    last: bool,
}

struct Done {
    line: u64,
    /// Of the line, with its last copy.
    bytes: u64,
    order: Option<OrderId>,
    sent: Sent,
}

/// Sends all of it and prints the totals.
///
/// # Errors
///
/// When the input or the ledger cannot be used, or checkout does not answer at all.
pub async fn submit(settings: &Settings<'_>, submission: Submission, style: Style) -> Result<Outcome, Failure> {
    let api = Server::Checkout.api(settings, submission.concurrency.get())?;
    let mut ledger = submission.ledger.as_deref().map(Ledger::open).transpose()?;
    let mut tasks = JoinSet::new();
    let lines = lines::read(&submission.file, &mut tasks)?;
    let mut progress = Progress::start(lines.bytes_total);
    let mut tally = Tally::default();

    let mut all_done = std::pin::pin!(work(&api, lines.receiver, &submission));
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    let mut unanswered = 0;
    let ended = loop {
        let done = tokio::select! {
            biased;
            Ok(()) = &mut interrupted => break Some("interrupted"),
            done = all_done.next() => done,
        };
        let Some(done) = done else { break None };
        if let (Fate::Accepted, Some(order), Some(ledger)) = (&done.sent.fate, &done.order, &mut ledger) {
            ledger.add(order)?;
        }
        tally.count(&done.sent.fate, done.sent.tries, done.sent.took);
        tell_unless_accepted(&progress, &tally, &done);
        progress.advance(done.bytes, &tally);
        if matches!(&done.sent.fate, Fate::Refused(kind) if Kind::of_uri(kind) == Some(Kind::Unauthorized)) {
            break Some("ACUSE_TOKEN is not a token of this checkout; `make up` writes the right one");
        }
        unanswered = if done.sent.fate == Fate::Unreachable {
            unanswered + 1
        } else {
            0
        };
        if unanswered == GIVE_UP_AFTER {
            break Some("checkout does not answer any more");
        }
    };
    let elapsed = progress.elapsed();
    drop(progress);
    let totals = tally.totals(elapsed);
    print(&if submission.json {
        serde_json::to_string(&totals).map_err(|error| Failure::Failed(error.to_string()))? + "\n"
    } else {
        totals.text(style)
    })?;
    verdict(ended, &tally)
}

/// Every copy of every line, in order, at its pace, so many at once; comes back in whatever order answers come.
fn work(api: &Api, receiver: mpsc::Receiver<Line>, submission: &Submission) -> impl Stream<Item = Done> {
    let copies = submission.copies;
    let lines = stream::unfold(receiver, |mut receiver| async {
        Some((receiver.recv().await?, receiver))
    });
    let jobs = lines.flat_map(move |line| {
        // A line that cannot be sent at all is told once.
        let good = copies == 1 || line.text.as_deref().is_ok_and(|text| Document::of(text, 1).is_ok());
        let copies = if good { copies } else { 1 };
        stream::iter((1..=copies).map(move |copy| Job {
            line: line.clone(),
            last: copy == copies,
            copy,
        }))
    });
    let (start, pace) = (Instant::now(), Pace::new(submission.rate));
    let paced = stream::unfold((Box::pin(jobs), pace), move |(mut jobs, mut pace)| async move {
        let job = jobs.next().await?;
        sleep_until(start + pace.next(start.elapsed())).await;
        Some((job, (jobs, pace)))
    });
    paced
        .map(|job| one(api, job))
        .buffer_unordered(submission.concurrency.get())
}

async fn one(api: &Api, job: Job) -> Done {
    let document = job
        .line
        .text
        .as_deref()
        .map_err(Clone::clone)
        .and_then(|line| Document::of(line, job.copy));
    let (order, sent) = match document {
        Ok(document) => (Some(document.order.clone()), send(api, &document).await),
        Err(why) => {
            let sent = Sent {
                fate: Fate::BadLine,
                why: Some(why),
                tries: 0,
                took: std::time::Duration::ZERO,
            };
            (None, sent)
        }
    };
    Done {
        line: job.line.number,
        bytes: if job.last { job.line.bytes } else { 0 },
        order,
        sent,
    }
}

fn tell_unless_accepted(progress: &Progress, tally: &Tally, done: &Done) {
    let Some(why) = &done.sent.why else { return };
    let count = tally.not_accepted();
    if count <= TOLD_MAX {
        let order = done
            .order
            .as_ref()
            .map(|order| format!(" ({order})"))
            .unwrap_or_default();
        progress.tell(&format!("line {}{order}: {why}", done.line));
    }
    if count == TOLD_MAX {
        progress.tell("further ones are counted only");
    }
}

fn verdict(ended: Option<&str>, tally: &Tally) -> Result<Outcome, Failure> {
    let again = "submit again: orders that were taken keep their keys, and are not taken twice";
    match ended {
        Some(why) if tally.unreachable() > 0 => Err(Failure::Unreachable(format!("{why}; {again}"))),
        Some(why) => Err(Failure::Failed(format!("{why}; {again}"))),
        None if tally.accepted() == 0 && tally.unreachable() > 0 => {
            Err(Failure::Unreachable(format!("checkout did not answer; {again}")))
        }
        None if tally.not_accepted() > 0 => Ok(Outcome::Found),
        None => Ok(Outcome::Fine),
    }
}
