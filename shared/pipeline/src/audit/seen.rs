//! Which rows of a log have been counted.

use std::collections::BTreeMap;

/// Sequence numbers, 64 of them to a word: logs are dense, so a million rows take a few hundred kilobytes.
#[derive(Debug, Default)]
pub(super) struct Seen(BTreeMap<i64, u64>);

impl Seen {
    /// Whether `seq` comes for the first time.
    pub(super) fn is_new(&mut self, seq: i64) -> bool {
        let word = self.0.entry(seq.div_euclid(64)).or_insert(0);
        let bit = 1 << seq.rem_euclid(64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_new_once_in_whatever_order_rows_come() {
        let mut seen = Seen::default();
        for seq in [1, 3, 2, 64, 63, -1, i64::MAX, i64::MIN] {
            assert!(seen.is_new(seq), "{seq}");
            assert!(!seen.is_new(seq), "{seq}");
        }
    }
}
