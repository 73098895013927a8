//! Keeps the outbox moving for the life of a process.
//!
//! Whoever writes a row rings [`Wake`] after its commit; rows of a process that died are found by asking now and then.
//! `NOTIFY` is not used: its lock is held through the commit, so that commits that notify wait for one another's fsync.

use std::sync::Arc;
use std::time::Duration;

use pipeline::ports::{Outbox as _, Publisher};
use pipeline::relay::{Bounds, Pass, pass};
use platform::clock::Clock;
use platform::logging::chain;
use platform::retry;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::outbox::PgOutbox;

/// How often the outbox is asked for rows that nobody rang for.
const POLL_MS: u64 = 250;

/// How long rows are let gather after a ring, so that a claim takes many.
const GATHER_MS: u64 = 5;

/// How long a sent row is kept, in seconds.
const KEEP_S: i64 = 3_600;

/// How often sent rows are cleaned up.
const CLEAN_EVERY_S: u64 = 20;

/// Tells the relay of this process that the outbox has a new row. Clones ring the same bell.
#[derive(Debug, Clone, Default)]
pub struct Wake(Arc<Notify>);

impl Wake {
    /// Rings. Never waits; rings while nobody listens are remembered as one.
    pub fn ring(&self) {
        self.0.notify_one();
    }

    async fn rung(&self) {
        // Only the wait is bounded: a poll without a ring is what the timeout is for.
        let _rung_or_due = timeout(Duration::from_millis(POLL_MS), self.0.notified()).await;
    }
}

/// Relays until `stopping`; a pass under way is finished first.
///
/// Servers that do not answer are waited for, with growing waits; nothing is given up.
pub async fn run(
    outbox: PgOutbox,
    publisher: Arc<dyn Publisher>,
    wake: Wake,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
    stopping: CancellationToken,
) {
    let mut waits = retry::reconnect();
    let mut clean_at = Instant::now();
    while !stopping.is_cancelled() {
        let result = pass(&outbox, publisher.as_ref(), bounds).await;
        let pause = match &result {
            Ok(Pass { failed: None, more, .. }) => {
                waits = retry::reconnect();
                (!more).then_some(None)
            }
            Ok(Pass {
                failed: Some((count, cause)),
                sent,
                ..
            }) => {
                tracing::warn!("relay: {count} messages were not sent, {sent} were: {}", chain(cause));
                Some(waits.next())
            }
            Err(cause) => {
                tracing::warn!("relay: {}", chain(cause));
                Some(waits.next())
            }
        };
        if Instant::now() >= clean_at {
            clean(&outbox, clock.as_ref()).await;
            clean_at = Instant::now() + Duration::from_secs(CLEAN_EVERY_S);
        }
        let rest = async {
            match pause {
                None => {}
                Some(None) => {
                    wake.rung().await;
                    sleep(Duration::from_millis(GATHER_MS)).await;
                }
                Some(Some(wait)) => sleep(wait).await,
            }
        };
        tokio::select! {
            () = rest => {}
            () = stopping.cancelled() => {}
        }
    }
}

async fn clean(outbox: &PgOutbox, clock: &dyn Clock) {
    match outbox.clean(clock.now() - time::Duration::seconds(KEEP_S)).await {
        Ok(0) => {}
        Ok(rows) => tracing::debug!("relay: cleaned {rows} sent rows"),
        Err(cause) => tracing::warn!("relay: {}", chain(&cause)),
    }
}
