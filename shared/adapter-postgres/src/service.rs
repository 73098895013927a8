//! What the stores of the four services have in common: idempotency keys and the effect log.

mod effects;
mod keys;

pub use effects::{NewEffect, effects_page};
pub use keys::{Scope, Taken, keep, take};
