//! One connection with its consumer, from its start to its end. A session that has ended is never mended: everything
//! it held goes back to the queue with its channels, and the next one is built from nothing.

use std::fmt;
use std::time::Duration;

use lapin::Channel;
use pipeline::ports::Source;
use tokio::task::{JoinError, JoinSet};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::bounds::{OPEN_MAX, within};
use crate::consumer::{Consumer, Duty};
use crate::failure::told;
use crate::link::{Link, LinkError, close_channel};
use crate::stranded::Stranded;
use crate::supervisor::Settings;

/// How often the connection is looked at; a busy consumer would notice its loss only at the next ack.
const WATCH_EVERY: Duration = Duration::from_secs(1);
/// What is in hand when the process is to stop may take this long; the process's own grace is shorter.
const FINISH_MAX: Duration = Duration::from_mins(1);
/// What is in hand when one order could not be worked may take this long: it may have the same trouble.
const DRAIN_MAX: Duration = Duration::from_secs(5);

/// Why a hand, or a whole session, has ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It was to stop.
    Stopped,
    /// The way to the broker is gone. Whatever was in hand may be in somebody else's by now.
    Lost(Source),
    /// An order could not be decided upon.
    Held { order: String, source: Source },
    /// There is no way for an order that is to move on.
    Stranded {
        order: String,
        source: Source,
        stranded: Box<Stranded>,
    },
}

/// For operators, with all causes.
impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopping"),
            Self::Lost(source) => f.write_str(&told(&**source)),
            Self::Held { order, source } => write!(f, "order {order} could not be settled: {}", told(&**source)),
            Self::Stranded { order, source, .. } => write!(f, "order {order} cannot move on: {}", told(&**source)),
        }
    }
}

impl Ended {
    /// How long what is in hand may take to finish.
    fn patience(&self) -> Duration {
        match self {
            Self::Stopped => FINISH_MAX,
            Self::Held { .. } | Self::Stranded { .. } => DRAIN_MAX,
            // Nothing of it could be acked any more.
            Self::Lost(_) => Duration::ZERO,
        }
    }
}

/// A connection whose consumer consumes.
pub(crate) struct Session {
    link: Link,
    channel: Channel,
    hands: JoinSet<Ended>,
    stop: CancellationToken,
}

impl Session {
    /// Connects and starts to consume. Should this be dropped before it is done, the broker takes everything back.
    pub(crate) async fn open(settings: &Settings, duty: &Duty, stop: CancellationToken) -> Result<Self, LinkError> {
        let link = Link::open(&settings.broker, &settings.name).await?;
        let hands = settings.consumers.get();
        let consumer = Consumer::open(&link, hands, duty.clone(), stop.clone());
        let consumer = within("starting to consume", OPEN_MAX, consumer).await?;
        Ok(Self {
            channel: consumer.channel(),
            hands: (0..hands).map(|_| consumer.clone().run()).collect(),
            link,
            stop,
        })
    }

    /// Consumes until the first hand ends, or the way to the broker is gone.
    pub(crate) async fn consume(&mut self) -> Ended {
        tokio::select! {
            ended = self.hands.join_next() => ended.map_or(Ended::Stopped, flatten),
            () = lost(&self.link, &self.channel) => Ended::Lost("the connection or its channel is gone".into()),
        }
    }

    /// Ends the other hands after the `first` has ended, sees to it that what is stranded moves on unless `stopping` comes
    /// first, and closes everything. The channel stays open until all hands are empty: what it holds then goes back.
    pub(crate) async fn close(mut self, first: Ended, duty: &Duty, stopping: &CancellationToken) {
        self.stop.cancel();
        let stranded = drain(&mut self.hands, first).await;
        self.hands.shutdown().await;
        for delivery in &stranded {
            tokio::select! {
                biased;
                () = stopping.cancelled() => break,
                () = lost(&self.link, &self.channel) => break,
                moved = delivery.move_on(&duty.publisher) => match moved {
                    Ok(()) => duty.tally.settle(),
                    Err(_) => break,
                },
            }
        }
        close_channel(&self.channel).await;
        self.link.close().await;
    }
}

/// Waits for the rest of the hands, for as long as the first one's end allows; what is stranded among them.
async fn drain(running: &mut JoinSet<Ended>, first: Ended) -> Vec<Stranded> {
    let deadline = tokio::time::Instant::now() + first.patience();
    let mut all = vec![first];
    while let Ok(Some(other)) = tokio::time::timeout_at(deadline, running.join_next()).await {
        all.push(flatten(other));
    }
    let stranded = all.into_iter().filter_map(|ended| match ended {
        Ended::Stranded { stranded, .. } => Some(*stranded),
        Ended::Stopped | Ended::Lost(_) | Ended::Held { .. } => None,
    });
    stranded.collect()
}

/// Returns when nothing can come over `link` any more.
async fn lost(link: &Link, channel: &Channel) {
    let mut watch = tokio::time::interval(WATCH_EVERY);
    watch.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while link.is_alive() && channel.status().connected() {
        watch.tick().await;
    }
}

fn flatten(ended: Result<Ended, JoinError>) -> Ended {
    ended.unwrap_or_else(|error| Ended::Lost(error.into()))
}
