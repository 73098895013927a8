//! For tests alone: a broker, a database and a server of one's own.

pub mod bad_orders;
pub mod broker;
pub mod conformance;
pub mod database;
pub mod http;
pub mod manners;
pub mod openapi;
pub mod stack;
pub mod wait;
