//! When the next order may leave.

use std::str::FromStr;
use std::time::Duration;

/// Orders a second, at most; of a pause at most one second's worth is made up for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate(f64);

/// No rate.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be orders a second, such as 50/s, from 0.001 to 100000")]
pub struct InvalidRate;

impl FromStr for Rate {
    type Err = InvalidRate;

    fn from_str(text: &str) -> Result<Self, InvalidRate> {
        let rate: f64 = text
            .strip_suffix("/s")
            .unwrap_or(text)
            .parse()
            .map_err(|_| InvalidRate)?;
        if (0.001..=100_000.0).contains(&rate) {
            Ok(Self(rate))
        } else {
            Err(InvalidRate)
        }
    }
}

/// Gives each order its time; without a rate that is at once.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    next: Duration,
}

impl Pace {
    /// A pace that keeps `rate`.
    #[must_use]
    pub fn new(rate: Option<Rate>) -> Self {
        Self {
            interval: rate.map_or(Duration::ZERO, |Rate(rate)| Duration::from_secs_f64(1.0 / rate)),
            next: Duration::ZERO,
        }
    }

    /// When the next order may leave, if it is now `now`, both counted from the start.
    pub fn next(&mut self, now: Duration) -> Duration {
        let due = self.next.max(now.saturating_sub(Duration::from_secs(1)));
        self.next = due + self.interval;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_a_second() {
        assert_eq!("50/s".parse(), Ok(Rate(50.0)));
        assert_eq!("0.5".parse(), Ok(Rate(0.5)));
        for text in ["", "0", "-1", "NaN", "inf", "5/min", "1e9"] {
            assert_eq!(text.parse::<Rate>(), Err(InvalidRate), "{text}");
        }
    }

    #[test]
    fn orders_leave_evenly_and_a_long_pause_is_not_made_up_for() {
        let ms = Duration::from_millis;
        let mut pace = Pace::new("10/s".parse().ok());
        assert_eq!([ms(0); 3].map(|now| pace.next(now)), [ms(0), ms(100), ms(200)]);
        assert_eq!(pace.next(ms(60_000)), ms(59_000));
        let after = std::iter::from_fn(|| Some(pace.next(ms(60_000))))
            .take_while(|due| *due <= ms(60_000))
            .count();
        assert_eq!(after, 10);
    }

    #[test]
    fn without_a_rate_nothing_waits() {
        let mut pace = Pace::new(None);
        assert!((0..1_000).all(|_| pace.next(Duration::ZERO) == Duration::ZERO));
    }
}
