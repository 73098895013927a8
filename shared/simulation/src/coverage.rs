//! What has happened in a run, counted by name: a run that claims to cover something must have met it.

use std::collections::BTreeMap;

/// Names that must have occurred over many seeds.
pub const EXPECTED: &[&str] = &[
    "settled completed",
    "settled compensating",
    "settled compensated",
    "settled dead-lettered",
    "settled stuck",
    "verdict retry",
    "verdict defer",
    "verdict suspect",
    "verdict unknown",
    "verdict invalid",
    "verdict hold",
    "duplicate final",
    "duplicate moved_on",
    "duplicate other_generation",
    "duplicate kept_already",
    "duplicate open_already",
    "duplicate dead_letter_late",
    "class refused",
    "class exhausted",
    "class deferred",
    "class unknown_order",
    "class mismatch",
    "class superseded",
    "class delivery_limit",
    "class invalid",
    "turn close_earlier",
    "turn reservation_expired",
    "turn out_of_stock",
    "turn dead_lettered",
    "turn replayed",
    "turn edited",
    "turn abandoned",
    "turn stuck",
    "turn redone",
    "turn compensated",
    "apology out_of_stock",
    "apology order_cancelled",
    "apology after a confirmation",
    "conflict",
    "crash of a process",
    "crash of the database",
    "journal entry lost",
    "killed by a message",
    "worker late",
    "worker late and still at it",
    "ack void",
    "confirm lost",
    "message unroutable",
    "lease lost",
    "duplicate sent",
    "garbage sent",
    "order sent twice to checkout",
    "closed by a stranger",
    "rowless replayed",
    "rowless discarded",
    "action denied",
];

/// Counts by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<String, u64>);

impl Coverage {
    /// It has happened once more.
    pub fn note(&mut self, name: &str) {
        self.add(name, 1);
    }

    /// It has happened `times` more.
    pub fn add(&mut self, name: &str, times: u64) {
        if let Some(count) = self.0.get_mut(name) {
            *count += times;
        } else if times > 0 {
            self.0.insert(name.to_owned(), times);
        }
    }

    /// How often it has happened.
    #[must_use]
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Adds another run's counts.
    pub fn merge(&mut self, other: &Self) {
        for (name, times) in &other.0 {
            self.add(name, *times);
        }
    }

    /// Names of [`EXPECTED`] that have not happened.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        EXPECTED.iter().copied().filter(|name| self.of(name) == 0).collect()
    }

    /// All counts, by name.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, count)| (name.as_str(), *count))
    }
}
