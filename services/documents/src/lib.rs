//! Stands in for the shop's invoicing behind the same contract: one uncredited invoice per order, a label per shipment,
//! and what takes them back, all kept as JSON documents under addresses of their own.

pub mod address;
pub mod config;
pub mod credit;
pub mod document;
pub mod openapi;
pub mod request;
pub mod routes;
pub mod sale;
pub mod serve;
pub mod store;

pub use config::Config;
pub use serve::process;
