//! Process plumbing that every binary shares. Knows nothing of orders.

pub mod clock;
pub mod config;
pub mod health;
pub mod lifecycle;
pub mod logging;
pub mod process;
pub mod retry;
