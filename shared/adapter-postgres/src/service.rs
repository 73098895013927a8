//! What the stores of the four services have in common: idempotency keys and the effect log.

mod effects;
mod fate;
mod keys;
mod watch;

pub use effects::{NewEffect, effects_page};
pub use fate::is_race;
pub use keys::{Scope, Taken, keep, take};
pub use watch::watch;
