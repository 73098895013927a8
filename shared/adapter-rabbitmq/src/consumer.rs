//! One consumer of a queue, and the hands that take its deliveries, each one at a time.
//!
//! All hands of a process share one channel. When a connection dies its channels die one after the other, and what the
//! first gives back goes to the next that has nothing in hand, to be given back again: with a channel for each hand, one
//! crash of an idle process counted as up to six returns, and made a dead letter of an innocent order.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::{FutureExt as _, StreamExt as _};
use lapin::Channel;
use lapin::message;
use lapin::options::{BasicCancelOptions, BasicConsumeOptions, BasicQosOptions};
use lapin::types::{FieldTable, ShortString};
use pipeline::ports::Source;
use pipeline::verdict::{Verdict, after_panic};
use tokio::sync::{Mutex, OnceCell};
use tokio_util::sync::CancellationToken;

use crate::bounds::{ACK_MAX, within};
use crate::line::Line;
use crate::link::Link;
use crate::publisher::ConfirmPublisher;
use crate::received::Received;
use crate::session::Ended;
use crate::settle::{Settling, Tally};
use crate::supervisor::Work;

/// Takes deliveries of one queue.
#[derive(Clone)]
pub(crate) struct Consumer {
    channel: Channel,
    /// The stream wakes whoever looked last, so one hand looks at a time.
    deliveries: Arc<Mutex<lapin::Consumer>>,
    tag: ShortString,
    /// Filled when the broker was told to deliver no more.
    cancelled: Arc<OnceCell<()>>,
    duty: Duty,
    stop: CancellationToken,
}

/// What all hands of a process share.
#[derive(Clone)]
pub(crate) struct Duty {
    pub(crate) line: Line,
    pub(crate) work: Arc<dyn Work>,
    pub(crate) publisher: Arc<ConfirmPublisher>,
    pub(crate) tally: Arc<Tally>,
}

impl Consumer {
    /// Starts to consume, with at most `hands` deliveries unacked: as many as there are hands, so that each is in work
    /// at once and a slow order holds up no other. The first may be on its way when this returns.
    pub(crate) async fn open(link: &Link, hands: u16, duty: Duty, stop: CancellationToken) -> Result<Self, Source> {
        let channel = link.channel().await?;
        channel.basic_qos(hands, BasicQosOptions::default()).await?;
        let options = BasicConsumeOptions::default();
        let deliveries = channel
            .basic_consume(duty.line.queue().into(), "".into(), options, FieldTable::default())
            .await?;
        Ok(Self {
            channel,
            tag: deliveries.tag(),
            deliveries: Arc::new(Mutex::new(deliveries)),
            cancelled: Arc::default(),
            duty,
            stop,
        })
    }

    /// Its channel; whoever keeps it keeps what is unacked out of the queue.
    pub(crate) fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// One hand: works one delivery after the other until it is to stop, or cannot go on. What is in hand then is
    /// finished first; what has arrived and not been begun stays unacked on the channel.
    pub(crate) async fn run(self) -> Ended {
        loop {
            let next = tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    self.cancel().await;
                    return Ended::Stopped;
                }
                next = async { self.deliveries.lock().await.next().await } => next,
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

    /// Tells the broker to deliver no more, once for all hands. What is acked after this still counts.
    async fn cancel(&self) {
        let cancel = async {
            let cancel = self
                .channel
                .basic_cancel(self.tag.clone(), BasicCancelOptions::default());
            if let Err(error) = within("cancelling a consumer", ACK_MAX, cancel).await {
                tracing::debug!(%error, "the channel's end will cancel its consumer");
            }
        };
        self.cancelled.get_or_init(|| cancel).await;
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
