//! A dial that makes a service as slow as the real one.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// Longest latency that can be dialled, in milliseconds.
const LATENCY_MS_MAX: u64 = 60_000;

/// How long each request waits before it is worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latency(RangeInclusive<u64>);

/// Neither `50` nor `20..80`.
#[derive(Debug, thiserror::Error)]
#[error("must be milliseconds such as 50, or a range such as 20..80, up to {LATENCY_MS_MAX}")]
pub struct BadLatency;

impl Latency {
    /// No waiting.
    pub const NONE: Self = Self(0..=0);

    /// Waits a time out of the range, each one as likely.
    pub(super) async fn wait(&self) {
        let waited_ms = fastrand::u64(self.0.clone());
        if waited_ms > 0 {
            tokio::time::sleep(Duration::from_millis(waited_ms)).await;
        }
    }
}

impl FromStr for Latency {
    type Err = BadLatency;

    fn from_str(text: &str) -> Result<Self, BadLatency> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let least: u64 = least.trim().parse().map_err(|_| BadLatency)?;
        let most: u64 = most.trim().parse().map_err(|_| BadLatency)?;
        if least > most || most > LATENCY_MS_MAX {
            return Err(BadLatency);
        }
        Ok(Self(least..=most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dial_is_a_number_or_a_range() {
        assert_eq!("50".parse::<Latency>().unwrap(), Latency(50..=50));
        assert_eq!("20..80".parse::<Latency>().unwrap(), Latency(20..=80));
        for bad in ["", "x", "80..20", "1..", "-1", "60001"] {
            assert!(bad.parse::<Latency>().is_err(), "{bad}");
        }
    }
}
