//! Consuming for the life of a process, across everything that can happen to the servers meanwhile.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pipeline::handler::{Handler, Verdict};
use pipeline::message::Delivery;
use pipeline::ports::Source;
use platform::health::Readiness;
use platform::retry;
use tokio_util::sync::CancellationToken;

use crate::bounds::within;
use crate::failure::Repeats;
use crate::session::{Ended, Session};
use crate::settle::Tally;
use crate::url::BrokerUrl;

/// One look at all servers that the work needs.
const PROBE_MAX: Duration = Duration::from_secs(10);

/// What is to be consumed.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the broker is.
    pub broker: BrokerUrl,
    /// The queue.
    pub queue: &'static str,
    /// Deliveries in work at once, each on a channel of its own.
    pub consumers: NonZeroU16,
    /// What operators see in the broker's list of connections.
    pub name: String,
}

/// What is done with a delivery.
#[async_trait]
pub trait Work: Send + Sync {
    /// Must be safe to call again with the same delivery, and to be dropped half-way: both happen when a connection is
    /// lost.
    async fn handle(&self, delivery: &Delivery) -> Verdict;
}

#[async_trait]
impl Work for Handler {
    async fn handle(&self, delivery: &Delivery) -> Verdict {
        Self::handle(self, delivery).await
    }
}

/// Asks whether work is possible at all.
#[async_trait]
pub trait Probe: Send + Sync {
    /// `Ok` when every server that [`Work`] needs answers; else what the first silent one said. Given up after 10 s.
    async fn all_answer(&self) -> Result<(), Source>;
}

/// An order that will fail again however often it is tried. It is back in the queue, at its head.
#[derive(Debug, thiserror::Error)]
#[error("order {order} was refused, and would be again; nothing is consumed until a person has looked at it")]
pub struct Refused {
    order: String,
    #[source]
    source: Source,
}

/// Consumes until `stopping` is cancelled: then takes no more, finishes what is in hand, gives back the rest, and
/// returns `Ok`.
///
/// When the broker, or an order's servers, cannot be reached, everything held goes back to the queue, `readiness` turns
/// red with the reason, and after a wait `probe` is asked until it answers; then consuming starts anew and `readiness`
/// turns green. No message is ever lost on the way: it is acked after its work is settled, or not at all.
///
/// # Errors
///
/// [`Refused`], with which the process should end.
pub async fn run(
    settings: Settings,
    work: Arc<dyn Work>,
    probe: Arc<dyn Probe>,
    readiness: Readiness,
    stopping: CancellationToken,
) -> Result<(), Refused> {
    let supervisor = Supervisor {
        settings,
        work,
        probe,
        readiness,
        stopping,
        tally: Arc::default(),
        waits: Box::new(retry::reconnect()),
        repeats: Repeats::default(),
    };
    supervisor.run().await
}

struct Supervisor {
    settings: Settings,
    work: Arc<dyn Work>,
    probe: Arc<dyn Probe>,
    readiness: Readiness,
    stopping: CancellationToken,
    tally: Arc<Tally>,
    waits: Box<dyn Iterator<Item = Duration> + Send + Sync>,
    repeats: Repeats,
}

impl Supervisor {
    async fn run(mut self) -> Result<(), Refused> {
        let stopping = self.stopping.clone();
        // Dropping an unfinished opening cuts its connection, and the broker takes back what it had delivered on it.
        while let Some(opened) = stopping.run_until_cancelled(self.open()).await {
            let ended = match opened {
                Ok(session) => self.consume(session).await,
                Err(cause) => Ended::Lost(cause),
            };
            self.readiness.red(ended.to_string());
            match ended {
                Ended::Stopped => break,
                Ended::Refused { order, source } => return Err(Refused { order, source }),
                Ended::Lost(_) | Ended::Unavailable { .. } => self.complain(&ended.to_string()),
            }
            let wait = self.waits.next().unwrap_or_default();
            stopping.run_until_cancelled(tokio::time::sleep(wait)).await;
        }
        Ok(())
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
        Ok(Session::open(&self.settings, &self.work, &self.tally, stop).await?)
    }

    async fn consume(&mut self, mut session: Session) -> Ended {
        self.readiness.green();
        let (queue, consumers) = (self.settings.queue, self.settings.consumers);
        tracing::info!(
            "consuming {queue} with {consumers} consumers from {}",
            self.settings.broker
        );
        let before = self.tally.settled();
        let first = session.consume().await;
        self.readiness.red(first.to_string());
        let ended = session.close(first).await;
        if self.tally.settled() > before {
            // It did work for a while, so this is a new trouble and not the old one going on.
            self.waits = Box::new(retry::reconnect());
            self.repeats.forget();
        }
        ended
    }

    fn complain(&mut self, reason: &str) {
        if let Some(times) = self.repeats.note(reason) {
            tracing::warn!(times, "not consuming: {reason}");
        }
    }
}
