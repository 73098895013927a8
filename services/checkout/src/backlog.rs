//! How much has been promised and not begun.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pipeline::ports::Intake;
use platform::health::Readiness;
use tokio_util::sync::CancellationToken;

/// How often the backlog is counted.
const COUNT_EVERY_MS: u64 = 500;

/// The backlog as last counted, and how much of it is too much. Clones share the count.
///
/// Between two counts orders still come in, so the limit is overshot by at most what arrives in half a second.
#[derive(Debug, Clone)]
pub struct Backlog {
    count: Arc<AtomicU64>,
    max: u64,
}

impl Backlog {
    /// An empty backlog of at most `max` orders.
    #[must_use]
    pub fn new(max: u64) -> Self {
        Self {
            count: Arc::default(),
            max,
        }
    }

    /// The count when there is no room for another order.
    #[must_use]
    pub fn full(&self) -> Option<u64> {
        let count = self.count.load(Ordering::Relaxed);
        (count >= self.max).then_some(count)
    }

    /// Takes a new count.
    pub fn set(&self, count: u64) {
        self.count.store(count, Ordering::Relaxed);
    }

    /// Counts until `stopping`. The database that it asks is the one thing that checkout cannot do without, so its
    /// answer is the process' readiness as well.
    pub async fn watch(self, intake: Arc<dyn Intake>, readiness: Readiness, stopping: CancellationToken) {
        loop {
            match intake.backlog().await {
                Ok(count) => {
                    self.set(count);
                    readiness.green();
                }
                Err(error) => {
                    tracing::warn!("counting the backlog: {error}");
                    readiness.red("the order database does not answer");
                }
            }
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(COUNT_EVERY_MS)) => {}
                () = stopping.cancelled() => return,
            }
        }
    }
}
