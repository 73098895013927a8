//! Chance out of one seed: the same seed, the same draws.

use std::sync::atomic::{AtomicU64, Ordering};

/// A seeded source of numbers, `SplitMix64`: small, and the same in every release.
#[derive(Debug)]
pub struct Chance {
    state: AtomicU64,
}

impl Chance {
    /// All draws follow from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            state: AtomicU64::new(seed),
        }
    }

    /// A number below `bound`; 0 where `bound` is 0.
    pub fn draw(&self, bound: u64) -> u64 {
        const STRIDE: u64 = 0x9E37_79B9_7F4A_7C15;
        let state = self.state.fetch_add(STRIDE, Ordering::Relaxed).wrapping_add(STRIDE);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)).checked_rem(bound).unwrap_or(0)
    }

    /// True once in `many` draws.
    pub fn one_in(&self, many: u64) -> bool {
        self.draw(many) == 0
    }

    /// One of `length` places; 0 where there is none.
    pub fn place(&self, length: usize) -> usize {
        usize::try_from(self.draw(length as u64)).unwrap_or(0)
    }
}
