//! One connection full of consumers, from its start to its end. A session that has ended is never mended: everything
//! it held goes back to the queue with its channels, and the next one is built from nothing.

use std::fmt;
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use lapin::Channel;
use pipeline::ports::Source;
use tokio::task::{JoinError, JoinSet};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::bounds::{OPEN_MAX, within};
use crate::consumer::{Consumer, Duty};
use crate::failure::told;
use crate::link::{Link, LinkError, close_channel};
use crate::supervisor::Settings;

/// How often the connection is looked at; a busy consumer would notice its loss only at the next ack.
const WATCH_EVERY: Duration = Duration::from_secs(1);
/// What is in hand when the process is to stop may take this long; the process's own grace is shorter.
const FINISH_MAX: Duration = Duration::from_mins(1);
/// What is in hand when one order could not be worked may take this long: it may have the same trouble.
const DRAIN_MAX: Duration = Duration::from_secs(5);

/// Why a consumer, or a whole session, has ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It was to stop.
    Stopped,
    /// The way to the broker is gone. Whatever was in hand may be in somebody else's by now.
    Lost(Source),
    /// An order could neither be settled nor moved on.
    Held { order: String, source: Source },
}

/// For operators, with all causes.
impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopping"),
            Self::Lost(source) => f.write_str(&told(&**source)),
            Self::Held { order, source } => write!(f, "order {order} could not be settled: {}", told(&**source)),
        }
    }
}

impl Ended {
    /// Of two ends, the one that decides what is to be done.
    fn or_graver(self, other: Self) -> Self {
        let gravity = |ended: &Self| match ended {
            Self::Stopped => 0,
            Self::Lost(_) => 1,
            Self::Held { .. } => 2,
        };
        if gravity(&other) > gravity(&self) { other } else { self }
    }

    /// How long what is in hand may take to finish.
    fn patience(&self) -> Duration {
        match self {
            Self::Stopped => FINISH_MAX,
            Self::Held { .. } => DRAIN_MAX,
            // Nothing of it could be acked any more.
            Self::Lost(_) => Duration::ZERO,
        }
    }
}

/// A connection whose consumers all consume.
pub(crate) struct Session {
    link: Link,
    channels: Vec<Channel>,
    consumers: JoinSet<Ended>,
    stop: CancellationToken,
}

impl Session {
    /// Connects and starts all consumers. Should this be dropped before it is done, the broker takes everything back.
    pub(crate) async fn open(settings: &Settings, duty: &Duty, stop: CancellationToken) -> Result<Self, LinkError> {
        let link = Link::open(&settings.broker, &settings.name).await?;
        let open = |_| Consumer::open(&link, duty.clone(), stop.clone());
        let consumers = try_join_all((0..settings.consumers.get()).map(open));
        let consumers = within("starting the consumers", OPEN_MAX, consumers).await?;
        Ok(Self {
            channels: consumers.iter().map(Consumer::channel).collect(),
            consumers: consumers.into_iter().map(Consumer::run).collect(),
            link,
            stop,
        })
    }

    /// Consumes until the first consumer ends, or the way to the broker is gone.
    pub(crate) async fn consume(&mut self) -> Ended {
        tokio::select! {
            ended = self.consumers.join_next() => ended.map_or(Ended::Stopped, flatten),
            () = lost(&self.link, &self.channels) => Ended::Lost("the connection or a channel of it is gone".into()),
        }
    }

    /// Ends the other consumers after the `first` has ended, and closes everything; what decides what is to be done.
    /// The channels stay open until all consumers have ended, so that none gets what another gives back.
    pub(crate) async fn close(mut self, first: Ended) -> Ended {
        self.stop.cancel();
        let ended = drain(&mut self.consumers, first).await;
        self.consumers.shutdown().await;
        join_all(self.channels.iter().map(close_channel)).await;
        self.link.close().await;
        ended
    }
}

/// Waits for the rest of the consumers, for as long as the first one's end allows.
async fn drain(running: &mut JoinSet<Ended>, first: Ended) -> Ended {
    let deadline = tokio::time::Instant::now() + first.patience();
    let mut ended = first;
    while let Ok(Some(other)) = tokio::time::timeout_at(deadline, running.join_next()).await {
        ended = ended.or_graver(flatten(other));
    }
    ended
}

/// Returns when nothing can come over `link` any more.
async fn lost(link: &Link, channels: &[Channel]) {
    let mut watch = tokio::time::interval(WATCH_EVERY);
    watch.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while link.is_alive() && channels.iter().all(|channel| channel.status().connected()) {
        watch.tick().await;
    }
}

fn flatten(ended: Result<Ended, JoinError>) -> Ended {
    ended.unwrap_or_else(|error| Ended::Lost(error.into()))
}
