//! Reservations that ran out go back into stock by themselves.

use std::sync::Arc;
use std::time::Duration;

use adapter_http::server::StoreError;
use platform::clock::Clock;
use tokio_util::sync::CancellationToken;

use crate::store::Upkeep;

/// From one look for reservations that ran out to the next, in milliseconds.
const EVERY_MS: u64 = 1_000;

/// Reservations that end in one transaction: it holds their shelves, and others wait.
pub const BATCH_MAX: u32 = 50;

/// Ends what ran out, by `clock`, until `stopping`. A store that does not answer is asked again.
pub async fn keep_house(house: Arc<dyn Upkeep>, clock: Arc<dyn Clock>, stopping: CancellationToken) {
    let mut failing = false;
    while !stopping.is_cancelled() {
        let swept = sweep(&*house, &*clock).await;
        match (&swept, failing) {
            (Ok(ended), _) if *ended > 0 => tracing::info!("{ended} reservations ran out; their goods are back"),
            (Err(error), false) => tracing::warn!("reservations that ran out wait to be ended: {error}"),
            (Ok(_) | Err(_), _) => {}
        }
        failing = swept.is_err();
        tokio::select! {
            () = stopping.cancelled() => {}
            () = tokio::time::sleep(Duration::from_millis(EVERY_MS)) => {}
        }
    }
}

/// Ends everything that ran out by now, and gives how many reservations that were.
///
/// # Errors
///
/// The store's; what was ended before stays so.
pub async fn sweep(house: &dyn Upkeep, clock: &dyn Clock) -> Result<u32, StoreError> {
    let now = clock.now();
    let mut all = 0;
    loop {
        let ended = house.expire(now, BATCH_MAX).await?;
        all += ended;
        if ended < BATCH_MAX {
            return Ok(all);
        }
    }
}
