//! The one place where verdicts become traffic. What moves on is published there as a copy, confirmed, and only then
//! acked: a crash in between makes a duplicate, which the order's row absorbs; the other order would make a loss. An ack
//! is the only word that a queue hears from us: what is not acked goes back by itself when its channel closes, and never
//! by a nack that could bring it round in circles.

use std::sync::atomic::{AtomicU64, Ordering};

use lapin::Acker;
use pipeline::outgoing::Destination;
use pipeline::ports::Source;
use pipeline::verdict::{Duplicate, Settled, Verdict};

use crate::failure::told;
use crate::line::Line;
use crate::properties::copy::Changes;
use crate::publisher::ConfirmPublisher;
use crate::received::Received;
use crate::session::Ended;
use crate::stranded::{Road, Stranded, acknowledge};
use crate::topology::{INVALID_EXCHANGE, RETRY_EXCHANGE};

/// What a consuming process has settled since it started.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    settled: AtomicU64,
    duplicates: [AtomicU64; Duplicate::ALL.len()],
}

impl Tally {
    pub(crate) fn settled(&self) -> u64 {
        self.settled.load(Ordering::Relaxed)
    }

    /// One more is settled.
    pub(crate) fn settle(&self) {
        self.settled.fetch_add(1, Ordering::Relaxed);
    }

    /// How many duplicates the rule has recognised, this one included.
    fn count(&self, duplicate: Duplicate) -> u64 {
        self.duplicates[duplicate as usize].fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// A delivery and everything that settling it needs.
pub(crate) struct Settling<'a> {
    pub(crate) line: Line,
    pub(crate) received: Received,
    pub(crate) acker: Acker,
    pub(crate) publisher: &'a ConfirmPublisher,
    pub(crate) tally: &'a Tally,
}

impl Settling<'_> {
    /// Does what `verdict` asks for; `Err` when the delivery is not acked, and why its consumer ends with it.
    pub(crate) async fn settle(self, verdict: Verdict) -> Result<(), Ended> {
        let order = self.received.name();
        if let Some(road) = self.road(verdict, &order)? {
            // The copy first: see above.
            if let Err(unsent) = road.take(&self.received, self.publisher).await {
                let Road { exchange, key, .. } = &road;
                let source = format!("no way to {exchange} --{key}-->: {}", told(&unsent)).into();
                let Self { received, acker, .. } = self;
                let stranded = Box::new(Stranded { received, acker, road });
                return Err(Ended::Stranded {
                    order,
                    source,
                    stranded,
                });
            }
        }
        acknowledge(&self.acker).await.map_err(|error| {
            tracing::warn!(
                order.id = order,
                "the ack of order {order} is lost; it comes again, and is then recognised as a duplicate"
            );
            Ended::Lost(error.into())
        })?;
        self.tally.settle();
        Ok(())
    }

    /// Where the delivery moves on to; `None` where it goes no further.
    fn road(&self, verdict: Verdict, order: &str) -> Result<Option<Road>, Ended> {
        let queue = self.line.queue();
        Ok(Some(match verdict {
            Verdict::Settled(settled) => {
                self.tell(&settled, order);
                return Ok(None);
            }
            Verdict::Hold(source) => return Err(self.held(source)),
            Verdict::Retry(retry) => {
                let Some(key) = self.line.rest_queue(retry.rest) else {
                    return Err(self.held(retry.why.into()));
                };
                tracing::info!(
                    order.id = order,
                    attempt = retry.attempt,
                    "order {order} rests in {key}: {}",
                    retry.why
                );
                Road {
                    exchange: RETRY_EXCHANGE,
                    key,
                    changes: Changes {
                        attempt: Some(retry.attempt),
                        last_error: Some(retry.why),
                        ..Changes::default()
                    },
                }
            }
            Verdict::Defer(defer) => {
                let Some(key) = self.line.defer_queue() else {
                    return Err(self.held(defer.why.into()));
                };
                let deferrals = defer.deferrals;
                tracing::info!(order.id = order, deferrals, "order {order} is put off: {}", defer.why);
                Road {
                    exchange: RETRY_EXCHANGE,
                    key: key.to_owned(),
                    changes: Changes {
                        deferrals: Some(deferrals),
                        last_error: Some(defer.why),
                        ..Changes::default()
                    },
                }
            }
            Verdict::Suspect => {
                let Some(key) = self.line.suspect_queue() else {
                    return Err(self.held("it may kill its worker, and is not to be set apart".into()));
                };
                tracing::warn!(
                    order.id = order,
                    "order {order} may have killed its worker: it moves from {queue} to {key}"
                );
                Road {
                    exchange: RETRY_EXCHANGE,
                    key: key.to_owned(),
                    changes: Changes::default(),
                }
            }
            Verdict::Unknown(failed) => {
                tracing::warn!(
                    order.id = order,
                    "order {order} is not known to checkout: it goes to the dead letters"
                );
                Road {
                    exchange: Destination::DeadLetters.exchange(),
                    key: self.line.key().to_owned(),
                    changes: Changes {
                        failed: Some(failed),
                        ..Changes::default()
                    },
                }
            }
            Verdict::Invalid(failed) => {
                tracing::warn!("a message in {queue} cannot be understood: {}", failed.reason);
                Road {
                    exchange: INVALID_EXCHANGE,
                    key: self.line.key().to_owned(),
                    changes: Changes {
                        failed: Some(failed),
                        ..Changes::default()
                    },
                }
            }
        }))
    }

    fn held(&self, source: Source) -> Ended {
        Ended::Held {
            order: self.received.name(),
            source,
        }
    }

    fn tell(&self, settled: &Settled, order: &str) {
        match settled {
            Settled::Completed => tracing::debug!(order.id = order, "order {order} is completed"),
            Settled::Compensating => {
                tracing::info!(order.id = order, "order {order} is out of stock: it is to be undone");
            }
            Settled::Compensated => tracing::info!(order.id = order, "order {order} is undone"),
            Settled::DeadLettered(class) => {
                tracing::warn!(
                    order.id = order,
                    class = class.name(),
                    "order {order} waits for a person: {class}"
                );
            }
            Settled::Stuck(class) => {
                tracing::warn!(
                    order.id = order,
                    class = class.name(),
                    "order {order} cannot be undone: {class}"
                );
            }
            Settled::Kept => tracing::info!(order.id = order, "a dead letter of order {order} is kept"),
            Settled::Duplicate(duplicate) => {
                let rule = duplicate.name();
                let duplicates = self.tally.count(*duplicate);
                tracing::info!(
                    order.id = order,
                    rule,
                    duplicates,
                    "a duplicate of order {order} is dropped: {rule}"
                );
            }
        }
    }
}
