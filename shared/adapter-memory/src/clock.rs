//! Time that passes only when told to.

use std::sync::atomic::{AtomicU64, Ordering};

use time::{Duration, OffsetDateTime};

/// Milliseconds since a fixed day.
#[derive(Debug, Default)]
pub struct Clock(AtomicU64);

impl Clock {
    /// The time, in milliseconds.
    pub fn ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Lets `ms` milliseconds pass.
    pub fn pass(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }

    /// The time as a date.
    pub fn now(&self) -> OffsetDateTime {
        Self::at(self.ms())
    }

    /// A date as a time in milliseconds; 0 before the fixed day.
    #[must_use]
    pub fn ms_at(date: OffsetDateTime) -> u64 {
        let since = date - OffsetDateTime::UNIX_EPOCH;
        u64::try_from(since.whole_milliseconds()).unwrap_or(0)
    }

    /// A time in milliseconds as a date.
    #[must_use]
    pub fn at(ms: u64) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + Duration::milliseconds(i64::try_from(ms).unwrap_or(i64::MAX))
    }
}
