//! The order pipeline: what an order is, what it needs next, and the ports it reaches the world through.
//!
//! Nothing in here knows a broker, a database or HTTP. Decisions are pure functions ([`order::Order::next_step`],
//! [`order::Order::apply`]); [`handler::Handler`] is the one place that acts on them.

pub mod audit;
pub mod change;
pub mod compensation;
pub mod dead_letters;
pub mod failure;
pub mod handler;
pub mod happened;
pub mod id;
pub mod message;
pub mod money;
pub mod order;
pub mod outgoing;
pub mod ports;
pub mod relay;
pub mod retry;
#[cfg(test)]
mod samples;
pub mod steps;
pub mod verdict;
