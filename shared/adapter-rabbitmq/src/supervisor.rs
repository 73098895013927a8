//! Consuming for the life of a process, across everything that can happen to the servers meanwhile.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pipeline::compensation::Compensator;
use pipeline::handler::Handler;
use pipeline::ports::Source;
use pipeline::verdict::Verdict;
use platform::health::Readiness;
use platform::retry;
use tokio_util::sync::CancellationToken;

use crate::bounds::within;
use crate::consumer::Duty;
use crate::failure::{Repeats, told};
use crate::line::Line;
use crate::publisher::ConfirmPublisher;
use crate::received::Received;
use crate::session::{Ended, Session};
use crate::url::BrokerUrl;

/// One look at all servers that the work needs.
const PROBE_MAX: Duration = Duration::from_secs(10);

/// What is to be consumed.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the broker is.
    pub broker: BrokerUrl,
    /// The queue, and the roads that lead away from it.
    pub line: Line,
    /// Deliveries in work at once.
    pub consumers: NonZeroU16,
    /// What operators see in the broker's list of connections.
    pub name: String,
}

/// What is done with a delivery.
#[async_trait]
pub trait Work: Send + Sync {
    /// Must be safe to call again with the same delivery, and to be dropped half-way: both happen when a connection is
    /// lost.
    async fn handle(&self, received: &Received) -> Verdict;
}

#[async_trait]
impl Work for Handler {
    async fn handle(&self, received: &Received) -> Verdict {
        Self::handle(self, &received.order()).await
    }
}

#[async_trait]
impl Work for Compensator {
    async fn handle(&self, received: &Received) -> Verdict {
        Self::handle(self, &received.undo()).await
    }
}

/// Asks whether work is possible at all.
#[async_trait]
pub trait Probe: Send + Sync {
    /// `Ok` when every server that [`Work`] needs answers; else what the first silent one said. Given up after 10 s.
    async fn all_answer(&self) -> Result<(), Source>;
}

/// Consumes until `stopping` is cancelled: then takes no more, finishes what is in hand, gives back the rest, and
/// returns.
///
/// What moves on goes out over `publisher`, whose connection is another one.
///
/// When the broker cannot be reached, or a delivery cannot be decided upon, everything held goes back to the queue,
/// `readiness` turns red with the reason, and after a wait `probe` is asked until it answers; then consuming starts anew
/// and `readiness` turns green. Where there is no way for what moves on, it stays in hand and `readiness` red until there
/// is one. No message is ever lost on the way: it is acked after its work is settled, or not at all.
pub async fn run(
    settings: Settings,
    work: Arc<dyn Work>,
    publisher: Arc<ConfirmPublisher>,
    probe: Arc<dyn Probe>,
    readiness: Readiness,
    stopping: CancellationToken,
) {
    let supervisor = Supervisor {
        duty: Duty {
            line: settings.line,
            work,
            publisher,
            tally: Arc::default(),
        },
        settings,
        probe,
        readiness,
        stopping,
        waits: Box::new(retry::reconnect()),
        repeats: Repeats::default(),
    };
    supervisor.run().await;
}

struct Supervisor {
    settings: Settings,
    duty: Duty,
    probe: Arc<dyn Probe>,
    readiness: Readiness,
    stopping: CancellationToken,
    waits: Box<dyn Iterator<Item = Duration> + Send + Sync>,
    repeats: Repeats,
}

impl Supervisor {
    async fn run(mut self) {
        let stopping = self.stopping.clone();
        // Dropping an unfinished opening cuts its connection, and the broker takes back what it had delivered on it.
        while let Some(opened) = stopping.run_until_cancelled(self.open()).await {
            match opened {
                Ok(session) => self.consume(session).await,
                Err(cause) => self.complain(told(&*cause)),
            }
            let wait = self.waits.next().unwrap_or_default();
            stopping.run_until_cancelled(tokio::time::sleep(wait)).await;
        }
        self.readiness.red(Ended::Stopped.to_string());
    }

    /// A new session, if the servers that its work needs answer.
    async fn open(&self) -> Result<Session, Source> {
        within(
            "asking the servers that the work needs",
            PROBE_MAX,
            self.probe.all_answer(),
        )
        .await?;
        let stop = self.stopping.child_token();
        Ok(Session::open(&self.settings, &self.duty, stop).await?)
    }

    async fn consume(&mut self, mut session: Session) {
        self.readiness.green();
        let (queue, consumers) = (self.settings.line.queue(), self.settings.consumers);
        tracing::info!("consuming {queue} with {consumers} hands from {}", self.settings.broker);
        let before = self.duty.tally.settled();
        let first = session.consume().await;
        match &first {
            Ended::Stopped => self.readiness.red(first.to_string()),
            Ended::Lost(_) | Ended::Held { .. } | Ended::Stranded { .. } => self.complain(first.to_string()),
        }
        session.close(first, &self.duty, &self.stopping).await;
        if self.duty.tally.settled() > before {
            // It did work for a while, so the next trouble is a new one and not the old one going on.
            self.waits = Box::new(retry::reconnect());
            self.repeats.forget();
        }
    }

    fn complain(&mut self, reason: String) {
        if let Some(times) = self.repeats.note(&reason) {
            tracing::warn!(times, "not consuming: {reason}");
        }
        self.readiness.red(reason);
    }
}
