//! How long most of many things took.

use std::time::Duration;

/// Durations that are kept (40 MB); of more than these the percentiles speak of the first.
const KEPT_MAX: usize = 10_000_000;

/// Durations, in tenths of a millisecond; none above five days counts as more than that.
#[derive(Debug, Default)]
pub struct Durations(Vec<u32>);

/// Three of them, in milliseconds: half, 95 % and 99 % of all took no longer.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Percentiles {
    /// Half.
    pub p50_ms: f64,
    /// 95 %.
    pub p95_ms: f64,
    /// 99 %.
    pub p99_ms: f64,
}

impl Durations {
    /// Adds one.
    pub fn add(&mut self, duration: Duration) {
        if self.0.len() < KEPT_MAX {
            self.0
                .push(u32::try_from(duration.as_micros() / 100).unwrap_or(u32::MAX));
        }
    }

    /// By nearest rank; `None` of nothing.
    #[must_use]
    pub fn percentiles(&self) -> Option<Percentiles> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |percent: usize| {
            let rank = (sorted.len() * percent).div_ceil(100);
            Some(f64::from(*sorted.get(rank.checked_sub(1)?)?) / 10.0)
        };
        Some(Percentiles {
            p50_ms: at(50)?,
            p95_ms: at(95)?,
            p99_ms: at(99)?,
        })
    }
}

impl std::fmt::Display for Percentiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "p50 {} ms, p95 {} ms, p99 {} ms",
            self.p50_ms, self.p95_ms, self.p99_ms
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_duration_that_occurred() {
        let mut durations = Durations::default();
        assert_eq!(durations.percentiles(), None);
        durations.add(Duration::from_micros(1_250));
        assert_eq!(
            durations.percentiles().unwrap().to_string(),
            "p50 1.2 ms, p95 1.2 ms, p99 1.2 ms"
        );
        (2..=100).for_each(|ms| durations.add(Duration::from_millis(ms)));
        assert_eq!(
            durations.percentiles().unwrap().to_string(),
            "p50 50 ms, p95 95 ms, p99 99 ms"
        );
    }
}
