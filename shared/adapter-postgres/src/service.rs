//! What the stores of the four services have in common: idempotency keys, the effect log and tombstones.

mod effects;
mod fate;
mod keys;
pub mod memory;
mod tombstones;
mod watch;

pub use effects::{NewEffect, effects_page, log};
pub use fate::is_race;
pub use keys::{Scope, Taken, forget, keep, take};
pub use tombstones::{close, take_alone_unless_closed, take_unless_closed};
pub use watch::watch;
