//! The console's answers and drains, over a real database and a real broker.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing where it is")]

mod acts;
mod again;
mod base;
mod broker;
mod describing;
mod drains;
mod edits;
mod lists;
mod refusals;
