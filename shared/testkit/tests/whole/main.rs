//! The whole stack on real servers: orders survive the death of any process, and the audit finds what is wrong.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing where it is")]

mod batch;
mod ends;
mod kills;
mod late;
mod planted;
mod scene;
