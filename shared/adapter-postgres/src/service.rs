//! What the stores of the four services have in common: idempotency keys, the effect log and tombstones.

mod effects;
mod fate;
mod keys;
pub mod memory;
mod tombstones;
mod watch;

pub use effects::{NewEffect, effects_page, log};
pub use fate::is_race;
pub use keys::{Scope, Taken, keep, take};
pub use tombstones::{close, take_unless_closed};
pub use watch::watch;
