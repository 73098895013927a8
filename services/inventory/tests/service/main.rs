//! The service in memory: needs no server.

mod base;
#[path = "../cases/mod.rs"]
mod cases;
