//! The service on a PostgreSQL database of its own.

mod base;
#[path = "../cases/mod.rs"]
mod cases;
mod keys;
mod lost;
