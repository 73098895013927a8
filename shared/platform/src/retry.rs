//! Named policies for reaching a server again. Messages have a policy of their own; call sites hold no durations.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};

/// How long to wait before each attempt, one after the other; ends when there is to be no further one.
pub type Waits = ExponentialBackoff;

/// Waits between attempts to reach a server that is gone: 100 ms, doubling, at most 5 s, spread at random so that a
/// fleet does not come back in step. Never ends.
#[must_use]
pub fn reconnect() -> Waits {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(100))
        .with_max_delay(Duration::from_secs(5))
        .with_factor(2.0)
        .with_jitter()
        .without_max_times()
        .build()
}

/// Waits between attempts to reach a server at the start of a process: as [`reconnect`], for about 30 s in all. A
/// server that is not there by then is a matter for whoever started the process.
#[must_use]
pub fn startup() -> Waits {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(100))
        .with_max_delay(Duration::from_secs(2))
        .with_factor(2.0)
        .with_max_times(20)
        .build()
}
