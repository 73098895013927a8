//! One seed, one history: the production handlers over the adapters in memory, under a scheduler that crashes,
//! repeats, delays and forgets as chance has it, with invariants that are looked at all along.

mod catalogue;
mod coverage;
mod operator;
mod sabotage;
mod schedule;
mod staff;
mod tasks;
mod watch;
mod weather;
mod world;

pub use catalogue::{Goods, document};
pub use coverage::{Coverage, EXPECTED};
pub use sabotage::Sabotage;
pub use schedule::{Report, Settings, run};
pub use watch::Violation;
pub use world::World;
