//! Whether anything is on its way.

use std::time::Duration;

use serde::Serialize;

/// Two samples must lie this far apart to agree on anything: a broker's figures for quorum queues lag 5 s, and those of
/// a queue that was just made 10 s (measured on RabbitMQ 3.10.8). Closer, and a message in a young queue reads as lost.
pub const SAMPLES_APART: Duration = Duration::from_secs(12);

/// Queues of the pipeline begin with it.
const OURS: &str = "orders.";
/// Queues of subscribers, who take their time.
const SUBSCRIBERS: &str = "orders.events.";

/// How full a queue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Depth {
    /// Waiting.
    pub ready: u64,
    /// Handed to a consumer that has not said that it is done.
    pub unacked: u64,
}

/// Something that messages can be in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// How full it is; `None` where the broker does not know yet, as in the first seconds of a queue's life.
    #[serde(flatten)]
    pub depth: Option<Depth>,
}

/// Outbox and queues at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    /// Messages that checkout has not sent yet.
    pub outbox: u64,
    /// Every queue of the broker.
    pub queues: Vec<Place>,
}

impl Sample {
    /// Whether no message is on its way, as far as these figures go.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.busy().next().is_none()
    }

    /// Where messages are, or may be: a dead letter that the console has not taken over yet is on its way too.
    pub fn busy(&self) -> impl Iterator<Item = Place> {
        let outbox = Place {
            name: "outbox".to_owned(),
            depth: Some(Depth {
                ready: self.outbox,
                unacked: 0,
            }),
        };
        let ours = self
            .queues
            .iter()
            .filter(|queue| queue.name.starts_with(OURS) && !queue.name.starts_with(SUBSCRIBERS));
        std::iter::once(outbox)
            .chain(ours.cloned())
            .filter(|place| place.messages() != Some(0))
    }
}

impl Place {
    /// Messages in it; `None` where that is not known.
    #[must_use]
    pub fn messages(&self) -> Option<u64> {
        self.depth.map(|depth| depth.ready.saturating_add(depth.unacked))
    }
}

/// What was seen at one moment, and what the books read right after it came to.
#[derive(Debug, Clone)]
pub struct Look {
    /// When the sample was taken, on a clock that only rises.
    pub at: Duration,
    /// The figures.
    pub sample: Sample,
    /// [`super::Books::digest`].
    pub digest: u64,
}

impl Look {
    /// Whether nothing moved from `earlier` to this one: both were quiet, far enough apart, and the books did not change.
    #[must_use]
    pub fn confirms(&self, earlier: &Self) -> bool {
        self.at.saturating_sub(earlier.at) >= SAMPLES_APART
            && earlier.sample.is_quiet()
            && self.sample.is_quiet()
            && self.digest == earlier.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(seconds: u64, ready: Option<u64>, digest: u64) -> Look {
        let depth = ready.map(|ready| Depth { ready, unacked: 0 });
        Look {
            at: Duration::from_secs(seconds),
            sample: Sample {
                outbox: 0,
                queues: vec![Place {
                    name: "orders.process".to_owned(),
                    depth,
                }],
            },
            digest,
        }
    }

    #[test]
    fn rest_is_two_quiet_looks_far_enough_apart_with_nothing_changed_between() {
        let first = look(1, Some(0), 7);
        assert!(look(13, Some(0), 7).confirms(&first));
        assert!(!look(12, Some(0), 7).confirms(&first), "too soon");
        assert!(!look(13, Some(1), 7).confirms(&first), "a message");
        assert!(
            !look(13, None, 7).confirms(&first),
            "a depth that the broker does not know"
        );
        assert!(!look(13, Some(0), 8).confirms(&first), "the books changed");
    }

    #[test]
    fn every_queue_of_the_pipeline_disturbs_rest_and_those_of_others_do_not() {
        let place = |name: &str, ready| Place {
            name: name.to_owned(),
            depth: Some(Depth { ready, unacked: 0 }),
        };
        let mut sample = Sample {
            outbox: 0,
            queues: vec![place("orders.events.mail", 9), place("somebody.else", 2)],
        };
        assert!(sample.is_quiet());
        for name in [
            "orders.process.retry.5.c",
            "orders.process.defer",
            "orders.process.dlq",
            "orders.compensation.dlq",
            "orders.invalid",
        ] {
            sample.queues.push(place(name, 1));
            assert_eq!(sample.busy().count(), 1, "{name}");
            sample.queues.pop();
        }
        sample.outbox = 2;
        assert!(!sample.is_quiet());
    }
}
