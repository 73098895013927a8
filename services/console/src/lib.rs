//! The console: drains the dead-letter queues into its store and lets a person see to what is in it. It has no pages yet;
//! the `acuse` command speaks its API.

pub mod config;
pub mod drain;
pub mod routes;
pub mod serve;
