//! What the operator reads, letter by letter.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing where it is")]

mod audit;
mod console;
mod dead_letters;
mod ledger;
mod orders;
mod settings;
mod shell;
