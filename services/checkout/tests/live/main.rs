//! Checkout's answers, over a real database.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing where it is")]

mod bad_input;
mod base;
mod keys;
mod orders;
mod refunds;
