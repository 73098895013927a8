//! Stands in for the shop's carriers behind the same contract: which carrier takes a parcel, when it arrives, what it
//! costs, and the number under which it travels. One shipment per order, generation and origin.

pub mod calendar;
pub mod carriers;
pub mod config;
pub mod openapi;
pub mod quote;
pub mod request;
pub mod routes;
pub mod serve;
pub mod store;

pub use config::Config;
pub use serve::process;
