//! What became of the orders that were sent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::percentiles::{Durations, Percentiles};
use crate::terminal::{Style, escape};

/// What every type of our problems starts with.
const PROBLEM_PREFIX: &str = "urn:acuse:problem:";

/// Different problems that are counted apart.
const PROBLEMS_MAX: usize = 32;

/// How one order fared.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    /// Checkout answered `202`.
    Accepted,
    /// Checkout decided against it, or stayed busy: the problem's type.
    Refused(String),
    /// No answer in all the tries; it may have been taken.
    Unreachable,
    /// The line cannot be sent.
    BadLine,
}

/// Counts so far.
#[derive(Debug, Default)]
pub struct Tally {
    accepted: u64,
    refused: BTreeMap<String, u64>,
    unreachable: u64,
    bad_lines: u64,
    sent_again: u64,
    durations: Durations,
}

/// The counts at the end, as a program reads them.
#[derive(Debug, Serialize)]
pub struct Totals {
    accepted: u64,
    refused: BTreeMap<String, u64>,
    unreachable: u64,
    bad_lines: u64,
    sent_again: u64,
    seconds: f64,
    accepted_per_s: f64,
    #[serde(flatten)]
    to_accepted: Option<Percentiles>,
}

impl Tally {
    /// Counts one order, which took `tries` requests and `took` in all, waits between them included.
    pub fn count(&mut self, fate: &Fate, tries: u32, took: Duration) {
        self.sent_again += u64::from(tries.saturating_sub(1));
        match fate {
            Fate::Accepted => {
                self.accepted += 1;
                self.durations.add(took);
            }
            Fate::Refused(kind) => {
                let name = escape(kind.strip_prefix(PROBLEM_PREFIX).unwrap_or(kind));
                let known = self.refused.contains_key(&name) || self.refused.len() < PROBLEMS_MAX;
                *self
                    .refused
                    .entry(if known { name } else { "others".to_owned() })
                    .or_default() += 1;
            }
            Fate::Unreachable => self.unreachable += 1,
            Fate::BadLine => self.bad_lines += 1,
        }
    }

    /// Orders that got a `202`.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Orders that got no answer.
    #[must_use]
    pub fn unreachable(&self) -> u64 {
        self.unreachable
    }

    /// Everything that did not become an accepted order.
    #[must_use]
    pub fn not_accepted(&self) -> u64 {
        self.refused.values().sum::<u64>() + self.unreachable + self.bad_lines
    }

    /// One line for the way, after `elapsed`.
    #[must_use]
    pub fn so_far(&self, elapsed: Duration) -> String {
        let others = match self.not_accepted() {
            0 => String::new(),
            count => format!(", {count} not"),
        };
        format!(
            "{} accepted{others}, {:.0}/s",
            self.accepted,
            per_second(self.accepted, elapsed)
        )
    }

    /// The end.
    #[must_use]
    pub fn totals(&self, elapsed: Duration) -> Totals {
        Totals {
            accepted: self.accepted,
            refused: self.refused.clone(),
            unreachable: self.unreachable,
            bad_lines: self.bad_lines,
            sent_again: self.sent_again,
            seconds: tenths(elapsed.as_secs_f64()),
            accepted_per_s: tenths(per_second(self.accepted, elapsed)),
            to_accepted: self.durations.percentiles(),
        }
    }
}

impl Totals {
    /// For a person.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let mut text = String::new();
        let mut line = |name: &str, count: u64, more: &str| {
            let count = format!("{count:>8}");
            let count = if name != "accepted" && count.trim() != "0" {
                style.bad(&count)
            } else {
                count
            };
            // Writing to a string cannot fail.
            let _written = writeln!(text, "{}", format!("{name:<12}{count}  {more}").trim_end());
        };
        let speed = format!("{}/s over {} s", self.accepted_per_s, self.seconds);
        line("accepted", self.accepted, &speed);
        let kinds: Vec<_> = self
            .refused
            .iter()
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        line("refused", self.refused.values().sum(), &kinds.join(", "));
        line("unreachable", self.unreachable, "");
        line("bad lines", self.bad_lines, "");
        if self.sent_again > 0 {
            let _written = writeln!(text, "{:<12}{:>8}  with the same keys", "sent again", self.sent_again);
        }
        if let Some(percentiles) = &self.to_accepted {
            let _written = writeln!(text, "{:<12}{percentiles}", "to a 202");
        }
        text
    }
}

fn per_second(count: u64, elapsed: Duration) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a figure to look at, of far fewer orders than 2^52"
    )]
    let count = count as f64;
    count / elapsed.as_secs_f64().max(0.001)
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally() -> Tally {
        let mut tally = Tally::default();
        (1..=4).for_each(|ms| tally.count(&Fate::Accepted, 1, Duration::from_millis(ms)));
        let refused = |kind: &str| Fate::Refused(format!("{PROBLEM_PREFIX}{kind}"));
        tally.count(&refused("invalid"), 1, Duration::ZERO);
        tally.count(&refused("invalid"), 1, Duration::ZERO);
        tally.count(&refused("overloaded"), 21, Duration::ZERO);
        tally.count(&Fate::BadLine, 0, Duration::ZERO);
        tally
    }

    #[test]
    fn totals_for_a_person() {
        let text = tally().totals(Duration::from_secs(2)).text(Style::plain());
        let expected = "\
accepted           4  2/s over 2 s
refused            3  invalid 2, overloaded 1
unreachable        0
bad lines          1
sent again        20  with the same keys
to a 202    p50 2 ms, p95 4 ms, p99 4 ms
";
        assert_eq!(text, expected);
    }

    #[test]
    fn totals_for_a_program() {
        let json = serde_json::to_string(&tally().totals(Duration::from_millis(2_500))).unwrap();
        let expected = r#"{"accepted":4,"refused":{"invalid":2,"overloaded":1},"unreachable":0,"bad_lines":1,"sent_again":20,"seconds":2.5,"accepted_per_s":1.6,"p50_ms":2.0,"p95_ms":4.0,"p99_ms":4.0}"#;
        assert_eq!(json, expected);
    }

    #[test]
    fn kinds_of_problems_without_end_are_counted_together() {
        let mut tally = Tally::default();
        (0..100).for_each(|number| tally.count(&Fate::Refused(format!("urn:other:{number}")), 1, Duration::ZERO));
        assert_eq!(tally.not_accepted(), 100);
        assert_eq!(tally.refused.len(), PROBLEMS_MAX + 1);
    }
}
