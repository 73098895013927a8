//! Inventory: what there is, what is reserved for whom, and every movement between the two.

pub mod allocation;
pub mod wanted;
