//! Dials that make a service as slow and as unsure as the real one. All are off unless they are set.

use std::str::FromStr;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use contracts::problem::Kind;
use platform::config::Reader;

use super::{Failure, Latency};

/// Longest time for which an answer is withheld, in milliseconds.
const WITHHELD_MS_MAX: u64 = 60_000;

/// How the routes of a service are disturbed. Logs that auditors read never are.
#[derive(Debug, Clone, PartialEq)]
pub struct Dials {
    /// How long each request waits before it is worked on.
    pub latency: Latency,
    /// Share of the requests that are answered 503 before anything is done.
    pub errors: Percent,
    /// Share of the requests that are worked to their end and then never answered. Where both shares are more than all,
    /// errors come first.
    pub timeouts: Percent,
}

/// A share in percent: 0 to 100, fractions allowed.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Percent(f64);

/// Not `0.5`.
#[derive(Debug, thiserror::Error)]
#[error("must be percent from 0 to 100, such as 5 or 0.5")]
pub struct BadPercent;

/// What becomes of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Refused,
    Withheld,
    Answered,
}

/// Marks an answer that its caller is not to get.
#[derive(Debug, Clone, Copy)]
struct Withheld;

impl Dials {
    /// Everything off.
    pub const NONE: Self = Self {
        latency: Latency::NONE,
        errors: Percent::NONE,
        timeouts: Percent::NONE,
    };

    /// Reads `ACUSE_LATENCY_MS`, `ACUSE_ERRORS_PERCENT` and `ACUSE_TIMEOUTS_PERCENT`, each off where it is absent; what
    /// is wrong with them is noted in `reader`.
    pub fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let latency = reader.with_default("ACUSE_LATENCY_MS", Latency::NONE);
        let errors = reader.with_default("ACUSE_ERRORS_PERCENT", Percent::NONE);
        let timeouts = reader.with_default("ACUSE_TIMEOUTS_PERCENT", Percent::NONE);
        Some(Self {
            latency: latency?,
            errors: errors?,
            timeouts: timeouts?,
        })
    }

    /// Middleware around the routes that are dialled.
    pub(super) async fn turn(State(dials): State<Self>, request: Request, next: Next) -> Response {
        dials.latency.wait().await;
        match dials.fate(fastrand::f64() * 100.0) {
            Fate::Refused => Failure::new(Kind::Unavailable, "the error dial of this service is on").into_response(),
            Fate::Withheld => {
                let mut response = next.run(request).await;
                response.extensions_mut().insert(Withheld);
                response
            }
            Fate::Answered => next.run(request).await,
        }
    }

    /// What becomes of a request that drew this number out of 0 to 100.
    fn fate(&self, drawn: f64) -> Fate {
        if drawn < self.errors.0 {
            Fate::Refused
        } else if drawn < self.errors.0 + self.timeouts.0 {
            Fate::Withheld
        } else {
            Fate::Answered
        }
    }
}

/// Holds an answer that is to be withheld until its caller goes away, which drops this, or the longest time is over.
pub(super) async fn withhold(response: Response) -> Response {
    if response.extensions().get::<Withheld>().is_none() {
        return response;
    }
    tokio::time::sleep(Duration::from_millis(WITHHELD_MS_MAX)).await;
    let told = "the time-out dial of this service is on; what was done is not told";
    Failure::new(Kind::Unavailable, told).into_response()
}

impl Percent {
    /// Nothing of it.
    pub const NONE: Self = Self(0.0);
}

impl FromStr for Percent {
    type Err = BadPercent;

    fn from_str(text: &str) -> Result<Self, BadPercent> {
        let share: f64 = text.trim().parse().map_err(|_| BadPercent)?;
        let fits = (0.0..=100.0).contains(&share);
        fits.then_some(Self(share)).ok_or(BadPercent)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_share_is_percent_with_or_without_a_fraction() {
        assert_eq!("0.5".parse::<Percent>().unwrap(), Percent(0.5));
        assert_eq!("100".parse::<Percent>().unwrap(), Percent(100.0));
        for bad in ["", "x", "-1", "100.1", "NaN", "inf", "5%"] {
            assert!(bad.parse::<Percent>().is_err(), "{bad}");
        }
    }

    #[test]
    fn each_dial_takes_its_share() {
        let dials = Dials {
            latency: Latency::NONE,
            errors: Percent(0.5),
            timeouts: Percent(2.0),
        };
        for (drawn, fate) in [
            (0.0, Fate::Refused),
            (0.49, Fate::Refused),
            (0.5, Fate::Withheld),
            (2.49, Fate::Withheld),
            (2.5, Fate::Answered),
            (99.9, Fate::Answered),
        ] {
            assert_eq!(dials.fate(drawn), fate, "{drawn}");
        }
        assert_eq!(Dials::NONE.fate(0.0), Fate::Answered);
    }

    #[test]
    fn dials_are_off_unless_they_are_set() {
        let read = |settings: &[(&'static str, &'static str)]| {
            let source: BTreeMap<_, _> = settings.iter().copied().collect();
            let mut reader = Reader::new(&source);
            let dials = Dials::read(&mut reader);
            reader.finish(dials)
        };
        assert_eq!(read(&[]).unwrap(), Dials::NONE);
        let set = [("ACUSE_ERRORS_PERCENT", "1"), ("ACUSE_TIMEOUTS_PERCENT", "0.5")];
        let dials = read(&set).unwrap();
        assert_eq!((dials.errors, dials.timeouts), (Percent(1.0), Percent(0.5)));
        let wrong = read(&[("ACUSE_ERRORS_PERCENT", "101"), ("ACUSE_TIMEOUTS_PERCENT", "x")]);
        let told = wrong.unwrap_err().to_string();
        assert!(told.contains("ERRORS") && told.contains("TIMEOUTS"), "{told}");
    }
}
