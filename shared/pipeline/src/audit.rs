//! The independent accountant: counts what an audit read and says whether every order came to exactly one end.
//!
//! It shares no code and no names with what it checks: states and effects are its own, read from text, and what it does
//! not know is told, never passed over. Rows are fed in one by one and boiled down to a few marks for each order, so
//! that millions of orders fit into memory. What is read in two pages, or twice, counts once.

mod account;
mod books;
mod goods;
mod judgement;
mod report;
mod rest;
mod seen;
#[cfg(test)]
mod tests;

pub use books::{Books, EffectRow, MovementRow, OrderRow, Service, StockRow};
pub use report::{FINDINGS_OF_ONE_KIND_MAX, Finding, Report, Subject};
pub use rest::{Depth, Look, Place, SAMPLES_APART, Sample};
