//! What each port promises, asserted the same way for every adapter of it, so that adapters of one port mean the same.
//!
//! A suite is one `hold`: it makes a fresh world for each of its facts and asserts them one after the other. A world is
//! the port under test and what a test must arrange and look at behind it.

pub mod dead_letters;
pub mod documents;
pub mod intake;
pub mod inventory;
pub mod logistics;
pub mod notifications;
pub mod orders;
pub mod outbox;
pub mod queue;
pub mod sample;
