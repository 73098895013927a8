//! What the operator reads, letter by letter.

mod audit;
mod ledger;
mod orders;
mod settings;
