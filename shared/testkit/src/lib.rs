//! For tests alone: a broker, a database and a server of one's own.

pub mod database;
pub mod http;
pub mod openapi;
