//! Checkout: takes paid orders in, promises to process them, and sends them on their way.

pub mod backlog;
pub mod config;
pub mod routes;
pub mod serve;
