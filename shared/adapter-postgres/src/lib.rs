//! PostgreSQL. [`orders`], [`intake`], [`outbox`] and [`ledger`] keep the order pipeline's database; [`service`] is
//! what the stores of the four services have in common; [`connection`] reaches a server.

pub mod connection;
pub mod dead_letters;
pub mod intake;
pub mod ledger;
pub mod migrations;
pub mod orders;
pub mod outbox;
pub mod relay;
pub mod service;

pub use sqlx::PgPool;
