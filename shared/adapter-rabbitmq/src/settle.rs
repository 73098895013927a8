//! The one place where verdicts become traffic. An ack is the only word that a queue hears from us: what is not acked
//! goes back by itself when its channel closes, and never by a nack that could bring it round in circles.

use std::sync::atomic::{AtomicU64, Ordering};

use lapin::Acker;
use lapin::options::BasicAckOptions;
use pipeline::handler::{Settled, Verdict};
use pipeline::message::Delivery;

use crate::bounds::{ACK_MAX, within};
use crate::session::Ended;

/// What a consuming process has settled since it started.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    settled: AtomicU64,
    duplicates: AtomicU64,
}

impl Tally {
    pub(crate) fn settled(&self) -> u64 {
        self.settled.load(Ordering::Relaxed)
    }
}

/// Does what `verdict` asks for; `Err` when the delivery is not acked, and why its consumer ends with it.
pub(crate) async fn settle(
    verdict: Verdict,
    order: String,
    delivery: &Delivery,
    acker: &Acker,
    tally: &Tally,
) -> Result<(), Ended> {
    match verdict {
        Verdict::Settled(settled) => {
            tell(settled, &order, delivery, tally);
            acknowledge(acker, &order).await?;
            tally.settled.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
        Verdict::Unavailable(source) => Err(Ended::Unavailable { order, source }),
        Verdict::Refused(source) => Err(Ended::Refused { order, source }),
    }
}

fn tell(settled: Settled, order: &str, delivery: &Delivery, tally: &Tally) {
    let message = delivery.id.map(tracing::field::display);
    match settled {
        Settled::Completed => tracing::debug!(order.id = order, message.id = message, "order {order} is completed"),
        Settled::Duplicate(state) => {
            let duplicates = tally.duplicates.fetch_add(1, Ordering::Relaxed) + 1;
            tracing::info!(
                order.id = order,
                order.state = state.name(),
                message.id = message,
                duplicates,
                "order {order} had moved on before: a duplicate, dropped"
            );
        }
    }
}

async fn acknowledge(acker: &Acker, order: &str) -> Result<(), Ended> {
    let lost = match within("acknowledging", ACK_MAX, acker.ack(BasicAckOptions::default())).await {
        Ok(true) => return Ok(()),
        Ok(false) => "the channel that delivered it is gone".into(),
        Err(error) => error.into(),
    };
    tracing::warn!(
        order.id = order,
        "the ack of order {order} is lost; it comes again, and is then recognised as a duplicate"
    );
    Err(Ended::Lost(lost))
}
