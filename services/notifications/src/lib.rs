//! Stands in for the shop's mailing behind the same contract: what customers are told, in their language, one message per
//! order, template and channel, kept in an outbox that can be read back; and the directory of customers.

pub mod config;
pub mod customer;
pub mod language;
pub mod notice;
pub mod openapi;
pub mod request;
pub mod routes;
pub mod serve;
pub mod store;
pub mod template;

pub use config::Config;
pub use serve::process;
