//! A delivery whose copy found no way.

use lapin::Acker;
use lapin::options::BasicAckOptions;
use platform::retry;

use crate::bounds::{ACK_MAX, within};
use crate::failure::{Repeats, told};
use crate::link::LinkError;
use crate::properties::copy::Changes;
use crate::publisher::{ConfirmPublisher, Unsent};
use crate::received::Received;
use crate::session::Ended;

/// Tries of a copy before its delivery is stranded. A connection that was lost is only noticed by a publish that fails;
/// the one after it has a new connection.
const TRIES_MAX: u32 = 2;

/// A copy on its way.
#[derive(Debug)]
pub(crate) struct Road {
    pub(crate) exchange: &'static str,
    pub(crate) key: String,
    pub(crate) changes: Changes,
}

impl Road {
    /// Publishes the copy; `Ok` once it is confirmed and routed.
    pub(crate) async fn take(&self, received: &Received, publisher: &ConfirmPublisher) -> Result<(), Unsent> {
        let mut tries = 1;
        loop {
            let sent = publisher.forward(received, self.exchange, &self.key, &self.changes);
            match sent.await {
                Err(Unsent::Unconfirmed(_)) if tries < TRIES_MAX => tries += 1,
                sent => return sent,
            }
        }
    }
}

/// It stays in its consumer's hands until there is a way: each return would count against it, and a few of them make a
/// dead letter of an order that has done nothing wrong.
#[derive(Debug)]
pub(crate) struct Stranded {
    pub(crate) received: Received,
    pub(crate) acker: Acker,
    pub(crate) road: Road,
}

impl Stranded {
    /// Tries again and again until the copy is sent, and acknowledges the delivery.
    pub(crate) async fn move_on(&self, publisher: &ConfirmPublisher) -> Result<(), Ended> {
        let (order, Road { exchange, key, .. }) = (self.received.name(), &self.road);
        let mut repeats = Repeats::default();
        for wait in retry::reconnect() {
            tokio::time::sleep(wait).await;
            let Err(unsent) = self.road.take(&self.received, publisher).await else {
                break;
            };
            let why = told(&unsent);
            if let Some(times) = repeats.note(&why) {
                tracing::warn!(
                    order.id = order,
                    times,
                    "order {order} waits for a way to {exchange} --{key}-->: {why}"
                );
            }
        }
        tracing::info!(order.id = order, "order {order} has moved on to {exchange} --{key}-->");
        acknowledge(&self.acker)
            .await
            .map_err(|error| Ended::Lost(error.into()))
    }
}

/// Acknowledges a delivery. `Ok` when it is written; an ack that is lost brings the delivery again.
pub(crate) async fn acknowledge(acker: &Acker) -> Result<(), LinkError> {
    let doing = "acknowledging";
    match within(doing, ACK_MAX, acker.ack(BasicAckOptions::default())).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(LinkError {
            doing,
            source: "the channel that delivered it is gone".into(),
        }),
        Err(error) => Err(error),
    }
}
