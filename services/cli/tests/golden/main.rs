//! What the operator reads, letter by letter.

mod audit;
mod console;
mod dead_letters;
mod ledger;
mod orders;
mod settings;
mod shell;
