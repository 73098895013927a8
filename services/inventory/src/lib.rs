//! Inventory: what there is, what is reserved for whom, and every movement between the two.

pub mod allocation;
pub mod config;
pub mod delivery;
pub mod expiry;
pub mod judgement;
pub mod openapi;
pub mod plan;
pub mod reservation;
pub mod routes;
pub mod serve;
pub mod store;
pub mod wanted;
