//! Where the goods of an order come from. Pure: the same stock and the same wishes always give the same places.
//!
//! In this order of weight: every demand finds a place, if there is any way; demands come from the warehouse that they
//! prefer; the order comes from as few warehouses as possible; the warehouse that is first by name wins. A demand comes
//! out of one warehouse, whole.

mod board;
mod cover;
mod packing;
mod search;
#[cfg(test)]
mod tests;

use pipeline::id::{Sku, WarehouseId};

use crate::wanted::Demand;
use board::Board;

/// How far a search looks, in looks at one warehouse for one demand; some milliseconds, while rows are locked. Orders of
/// a few lines are always searched through. Beyond it the best that was found counts.
const LOOKS_MAX: u32 = 200_000;

/// What lies in one warehouse of one product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    /// The product.
    pub sku: Sku,
    /// The warehouse.
    pub warehouse: WarehouseId,
    /// Units that nobody has reserved.
    pub available: u32,
}

/// A demand that finds no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortage {
    /// Its place among the demands.
    pub demand: usize,
    /// The most that one warehouse has left of the product, once what fits is placed.
    pub available: u32,
}

/// Where each demand comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// A warehouse for each demand; `None` for those in `short`.
    pub places: Vec<Option<WarehouseId>>,
    /// Demands without a place.
    pub short: Vec<Shortage>,
}

/// Places `demands`, which are sorted by product and hint, on `shelves`, in any order and each once.
#[must_use]
pub fn allocate(demands: &[Demand], shelves: &[Shelf]) -> Allocation {
    let board = Board::new(demands, shelves);
    let (seats, short) = packing::seat(&board, LOOKS_MAX);
    let places = search::improve(&board, cover::cover(&board, &seats), LOOKS_MAX);
    let name = |place: Option<usize>| place.map(|warehouse| board.warehouses[warehouse].clone());
    Allocation {
        places: places.into_iter().map(name).collect(),
        short,
    }
}
