//! From the outbox to the broker: claim, publish side by side, mark what was confirmed.

use futures_util::StreamExt as _;
use futures_util::stream;

use crate::ports::{Claimed, Outbox, PublishError, Publisher, StoreError};

/// Bounds of one [`pass`].
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Rows claimed at once.
    pub rows_max: u32,
    /// Messages under way at once; more than the publisher has channels gains nothing.
    pub in_flight_max: usize,
}

/// What one [`pass`] did.
#[derive(Debug, Default)]
pub struct Pass {
    /// Confirmed, routed and marked.
    pub sent: usize,
    /// Given back, with the first cause.
    pub failed: Option<(usize, PublishError)>,
    /// The claim was full, so more rows may wait.
    pub more: bool,
}

/// Sends what is due, once. A crash between a confirm and its mark sends the row again, under the same message id.
///
/// # Errors
///
/// [`StoreError`] when the outbox does not answer; rows claimed by then come back when the claim runs out.
pub async fn pass(outbox: &dyn Outbox, publisher: &dyn Publisher, bounds: Bounds) -> Result<Pass, StoreError> {
    let claimed = outbox.claim(bounds.rows_max).await?;
    let more = u32::try_from(claimed.len()).is_ok_and(|count| count == bounds.rows_max);
    let publish = |Claimed { row, envelope }| async move { (row, publisher.publish(&envelope).await) };
    let mut results = stream::iter(claimed.into_iter().map(publish)).buffer_unordered(bounds.in_flight_max);

    let (mut sent, mut unsent, mut first_cause) = (vec![], vec![], None);
    while let Some((row, result)) = results.next().await {
        match result {
            Ok(()) => sent.push(row),
            Err(cause) => {
                unsent.push(row);
                first_cause.get_or_insert(cause);
            }
        }
    }
    if !sent.is_empty() {
        outbox.mark_queued(&sent).await?;
    }
    if !unsent.is_empty() {
        outbox.release(&unsent).await?;
    }
    Ok(Pass {
        sent: sent.len(),
        failed: first_cause.map(|cause| (unsent.len(), cause)),
        more,
    })
}
