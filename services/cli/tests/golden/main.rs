//! What the operator reads, letter by letter.

mod audit;
mod orders;
mod settings;
