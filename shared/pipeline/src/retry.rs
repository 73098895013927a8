//! How often a message is tried, and how long it rests in between: the one place that says so.

use std::hash::{DefaultHasher, Hash, Hasher as _};

/// Rests between tries; the first try is attempt 1, the last is [`ATTEMPTS_MAX`].
pub const RUNGS: u32 = 5;

/// Tries of one message before a person is told.
pub const ATTEMPTS_MAX: u32 = RUNGS + 1;

/// Lanes of each rung, with rests of their own, so that orders that failed together do not return together.
pub const LANES: u32 = 3;

/// Rest of a deferred message, in milliseconds.
pub const DEFER_MS: u64 = 5_000;

/// Deferrals of one message before a person is told: an hour of them.
pub const DEFERRALS_MAX: u32 = 720;

/// Returns of one delivery after which it is suspected of killing its workers.
pub const RETURNS_MAX: u32 = 2;

/// Rest on the first rung, in milliseconds; it doubles with each.
const FIRST_MS: u64 = 1_000;

/// Share of a rung's rest by lane, in percent.
const LANE_PERCENT: [u64; LANES as usize] = [75, 100, 125];

/// Where a message rests before it is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rest {
    rung: u32,
    lane: u32,
}

impl Rest {
    /// The rest after attempt number `attempt` has failed; `None` after the last. Which lane follows from `of`, the
    /// message's own name, and the attempt.
    #[must_use]
    pub fn after(attempt: u32, of: &str) -> Option<Self> {
        (1..=RUNGS).contains(&attempt).then(|| Self {
            rung: attempt,
            lane: lane(of, attempt),
        })
    }

    /// The longest one.
    #[must_use]
    pub fn last(of: &str) -> Self {
        Self {
            rung: RUNGS,
            lane: lane(of, RUNGS),
        }
    }

    /// All of them, by rung and lane.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=RUNGS).flat_map(|rung| (0..LANES).map(move |lane| Self { rung, lane }))
    }

    /// 1 to [`RUNGS`].
    #[must_use]
    pub fn rung(self) -> u32 {
        self.rung
    }

    /// 0 to [`LANES`] - 1.
    #[must_use]
    pub fn lane(self) -> u32 {
        self.lane
    }

    /// How long it is, in milliseconds.
    #[must_use]
    pub fn milliseconds(self) -> u64 {
        (FIRST_MS << (self.rung - 1)) * LANE_PERCENT[self.lane as usize] / 100
    }
}

fn lane(of: &str, attempt: u32) -> u32 {
    let mut hasher = DefaultHasher::new();
    (of, attempt).hash(&mut hasher);
    u32::try_from(hasher.finish() % u64::from(LANES)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_rests_double_and_then_a_person_is_told() {
        let middle: Vec<_> = Rest::all()
            .filter(|rest| rest.lane == 1)
            .map(Rest::milliseconds)
            .collect();
        assert_eq!(middle, [1_000, 2_000, 4_000, 8_000, 16_000]);
        assert_eq!(Rest::after(ATTEMPTS_MAX, "ORD-1"), None);
        assert_eq!(Rest::after(0, "ORD-1"), None);
    }

    #[test]
    fn orders_that_failed_together_do_not_return_together() {
        let lanes: Vec<_> = (0..300)
            .filter_map(|order| Rest::after(1, &format!("ORD-{order}")))
            .map(Rest::lane)
            .collect();
        for lane in 0..LANES {
            let share = lanes.iter().filter(|found| **found == lane).count();
            assert!((50..150).contains(&share), "lane {lane} gets {share} of 300");
        }
        assert_eq!(Rest::after(1, "ORD-7"), Rest::after(1, "ORD-7"));
    }
}
