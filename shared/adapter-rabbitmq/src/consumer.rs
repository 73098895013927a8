//! One consumer: a channel that holds one delivery at a time.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::{FutureExt as _, StreamExt as _};
use lapin::Channel;
use lapin::message;
use lapin::options::{BasicCancelOptions, BasicConsumeOptions, BasicQosOptions};
use lapin::types::FieldTable;
use pipeline::ports::Source;
use pipeline::verdict::{Verdict, after_panic};
use tokio_util::sync::CancellationToken;

use crate::bounds::{ACK_MAX, within};
use crate::line::Line;
use crate::link::Link;
use crate::publisher::ConfirmPublisher;
use crate::received::Received;
use crate::session::Ended;
use crate::settle::{Settling, Tally};
use crate::supervisor::Work;

/// Deliveries in a consumer's hands. One, so that a slow order holds up no other.
const PREFETCH: u16 = 1;

/// Takes deliveries of one queue and has them worked, one after the other.
pub(crate) struct Consumer {
    channel: Channel,
    deliveries: lapin::Consumer,
    duty: Duty,
    stop: CancellationToken,
}

/// What all consumers of a process share.
#[derive(Clone)]
pub(crate) struct Duty {
    pub(crate) line: Line,
    pub(crate) work: Arc<dyn Work>,
    pub(crate) publisher: Arc<ConfirmPublisher>,
    pub(crate) tally: Arc<Tally>,
}

impl Consumer {
    /// Starts to consume. The first delivery may be on its way when this returns.
    pub(crate) async fn open(link: &Link, duty: Duty, stop: CancellationToken) -> Result<Self, Source> {
        let channel = link.channel().await?;
        channel.basic_qos(PREFETCH, BasicQosOptions::default()).await?;
        let options = BasicConsumeOptions::default();
        let deliveries = channel
            .basic_consume(duty.line.queue().into(), "".into(), options, FieldTable::default())
            .await?;
        Ok(Self {
            channel,
            deliveries,
            duty,
            stop,
        })
    }

    /// Its channel; whoever keeps it keeps the consumer's unacked delivery out of the queue.
    pub(crate) fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Consumes until it is to stop, or cannot go on. What is in hand then is finished first; what has arrived and not
    /// been begun stays unacked on the channel.
    pub(crate) async fn run(mut self) -> Ended {
        loop {
            let next = tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    self.cancel().await;
                    return Ended::Stopped;
                }
                next = self.deliveries.next() => next,
            };
            let raw = match next {
                Some(Ok(raw)) => raw,
                Some(Err(error)) => return Ended::Lost(error.into()),
                None => return Ended::Lost("the broker has ended the consumer; is the queue still there?".into()),
            };
            let mut work = Box::pin(self.process(raw));
            let worked = tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    // Before the ack, which would else bring one more delivery that only goes back again.
                    self.cancel().await;
                    work.await.and(Err(Ended::Stopped))
                }
                worked = &mut work => worked,
            };
            if let Err(ended) = worked {
                return ended;
            }
        }
    }

    /// Has one delivery worked and settles it.
    async fn process(&self, raw: message::Delivery) -> Result<(), Ended> {
        let received = Received {
            body: raw.data,
            properties: raw.properties,
        };
        let Duty {
            line,
            work,
            publisher,
            tally,
        } = &self.duty;
        let worked = AssertUnwindSafe(work.handle(&received)).catch_unwind().await;
        let verdict = worked.unwrap_or_else(|_| after_panic_on(*line, &received));
        let settling = Settling {
            line: *line,
            received,
            acker: raw.acker,
            publisher,
            tally,
        };
        settling.settle(verdict).await
    }

    /// Tells the broker to deliver no more. What is acked after this still counts.
    async fn cancel(&self) {
        let cancel = self
            .channel
            .basic_cancel(self.deliveries.tag(), BasicCancelOptions::default());
        if let Err(error) = within("cancelling a consumer", ACK_MAX, cancel).await {
            tracing::debug!(%error, "the channel's end will cancel its consumer");
        }
    }
}

/// What becomes of a delivery whose work panicked. Whatever that was doing is as unknown as after a crash of the
/// process. It costs this try, not the process; after the last one it is treated as what kills its worker.
fn after_panic_on(line: Line, received: &Received) -> Verdict {
    match after_panic(received.attempt(), &received.name()) {
        Some(retry) => Verdict::Retry(retry),
        None if line.suspect_queue().is_some() => Verdict::Suspect,
        None => Verdict::Hold("its work panicked at its last try".into()),
    }
}
