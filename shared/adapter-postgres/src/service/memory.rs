//! Keys, effects and tombstones in memory, with the meaning that they have in PostgreSQL: for tests, and for a process
//! that is to keep nothing.

use std::collections::BTreeMap;

use contracts::effects::{Effect, Page};
use time::OffsetDateTime;

use super::effects::PAGE_PARTS_LENGTH_MAX;
use super::{NewEffect, Scope, Taken};

/// What a store of a service has beside its own. Whoever holds it alone is in a transaction: no key is ever in progress.
/// It grows with what is done, as the tables do.
#[derive(Debug, Default)]
pub struct Ledger {
    keys: BTreeMap<(String, &'static str, String), Kept>,
    effects: Vec<Effect>,
    tombstones: BTreeMap<String, i32>,
}

#[derive(Debug)]
struct Kept {
    fingerprint: [u8; 32],
    answer: String,
}

impl Ledger {
    /// Looks up a key; see [`super::take`].
    pub fn take(&self, scope: Scope<'_>) -> Taken {
        let key = (scope.caller.to_owned(), scope.operation, scope.key.to_owned());
        match self.keys.get(&key) {
            None => Taken::Fresh,
            Some(kept) if kept.fingerprint == scope.fingerprint => Taken::Repeat(kept.answer.clone()),
            Some(_) => Taken::Reused,
        }
    }

    /// Looks up a key for a forward effect; see [`super::take_unless_closed`].
    #[must_use]
    pub fn take_unless_closed(&self, scope: Scope<'_>, order_id: &str, generation: i32) -> Option<Taken> {
        let tombstone = self.tombstones.get(order_id);
        let closed = tombstone.is_some_and(|closed| generation <= *closed);
        (!closed).then(|| self.take(scope))
    }

    /// Closes a generation; see [`super::close`].
    pub fn close(&mut self, order_id: &str, generation: i32) {
        let tombstone = self.tombstones.entry(order_id.to_owned()).or_insert(generation);
        *tombstone = generation.max(*tombstone);
    }

    /// Forgets the stored answer of a key; see [`super::forget`].
    pub fn forget(&mut self, scope: Scope<'_>) {
        let key = (scope.caller.to_owned(), scope.operation, scope.key.to_owned());
        self.keys.remove(&key);
    }

    /// Stores the key with its answer, and the effects, which are had `at` this time; see [`super::keep`].
    pub fn keep(&mut self, scope: Scope<'_>, answer: &str, effects: &[NewEffect<'_>], at: OffsetDateTime) {
        let key = (scope.caller.to_owned(), scope.operation, scope.key.to_owned());
        let kept = Kept {
            fingerprint: scope.fingerprint,
            answer: answer.to_owned(),
        };
        self.keys.insert(key, kept);
        self.log(scope.caller, effects, at);
    }

    /// Writes down effects that no key asked for; see [`super::log`].
    pub fn log(&mut self, caller: &str, effects: &[NewEffect<'_>], at: OffsetDateTime) {
        for effect in effects {
            self.effects.push(Effect {
                seq: i64::try_from(self.effects.len()).unwrap_or(i64::MAX).saturating_add(1),
                at,
                caller: caller.to_owned(),
                kind: effect.kind.to_owned(),
                order_id: effect.order_id.to_owned(),
                generation: effect.generation.unsigned_abs(),
                subject: effect.subject.clone(),
                parts: effect.parts.clone(),
            });
        }
    }

    /// A page of the log; see [`super::effects_page`].
    #[must_use]
    pub fn effects_page(&self, after: i64, limit: i64) -> Page<Effect> {
        let (after, limit) = [after, limit].map(|number| usize::try_from(number).unwrap_or(0)).into();
        let wanted = self.effects.iter().skip(after).take(limit);
        let mut before = 0;
        let fits = |effect: &&Effect| {
            let fits = before < PAGE_PARTS_LENGTH_MAX;
            before += i64::try_from(effect.parts.join(",").chars().count()).unwrap_or(i64::MAX);
            fits
        };
        let found = wanted.len();
        let rows: Vec<_> = wanted.take_while(fits).cloned().collect();
        let more = found == limit || found != rows.len();
        let next = rows.last().filter(|_| more).map(|last| last.seq.to_string());
        Page { rows, next }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn scope(caller: &str, fingerprint: u8) -> Scope<'_> {
        Scope {
            caller,
            operation: "reserve",
            key: "K",
            fingerprint: [fingerprint; 32],
        }
    }

    fn effect(parts: usize) -> NewEffect<'static> {
        NewEffect {
            kind: "k",
            order_id: "ORD-1",
            generation: 1,
            subject: "S".to_owned(),
            parts: vec!["x".repeat(1023); parts],
        }
    }

    #[test]
    fn a_key_is_its_callers_and_stands_for_one_request() {
        let mut ledger = Ledger::default();
        ledger.keep(scope("a", 1), "answer", &[], datetime!(2026-04-07 14:32 UTC));
        assert_eq!(ledger.take(scope("a", 1)), Taken::Repeat("answer".to_owned()));
        assert_eq!(ledger.take(scope("a", 2)), Taken::Reused);
        assert_eq!(ledger.take(scope("b", 1)), Taken::Fresh);
        ledger.forget(scope("a", 1));
        assert_eq!(ledger.take(scope("a", 2)), Taken::Fresh);
    }

    #[test]
    fn a_tombstone_comes_before_the_key_and_never_sinks() {
        let mut ledger = Ledger::default();
        ledger.keep(scope("a", 1), "answer", &[], datetime!(2026-04-07 14:32 UTC));
        for closed in [2, 1] {
            ledger.close("ORD-1", closed);
            assert_eq!(ledger.take_unless_closed(scope("a", 1), "ORD-1", 2), None);
        }
        let repeat = Some(Taken::Repeat("answer".to_owned()));
        assert_eq!(ledger.take_unless_closed(scope("a", 1), "ORD-1", 3), repeat);
        assert_eq!(ledger.take_unless_closed(scope("a", 1), "ORD-2", 1), repeat);
    }

    #[test]
    fn pages_are_bounded_by_rows_and_by_parts_and_miss_none() {
        let mut ledger = Ledger::default();
        let effects: Vec<_> = (0..5).map(|_| effect(600)).collect();
        ledger.log("a", &effects, datetime!(2026-04-07 14:32 UTC));
        for (limit, sizes) in [(3, [2, 2, 1]), (1_000, [2, 2, 1])] {
            let mut after = 0;
            for size in sizes {
                let page = ledger.effects_page(after, limit);
                assert_eq!(page.rows.len(), size);
                after = page.rows[size - 1].seq;
                assert_eq!(page.next, (after < 5).then(|| after.to_string()));
            }
            assert_eq!(after, 5);
        }
        assert_eq!(ledger.effects_page(0, 1).next.as_deref(), Some("1"));
    }
}
