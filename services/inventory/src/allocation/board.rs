//! Demands and stock by number, which is what the searches work on.

use std::collections::BTreeMap;

use pipeline::id::WarehouseId;

use super::Shelf;
use crate::wanted::Demand;

/// A demand, by number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// Which product.
    pub(super) product: usize,
    /// How many.
    pub(super) quantity: u32,
    /// Preferred warehouse; `None` as well where it has none of the product.
    pub(super) hint: Option<usize>,
}

/// What is wanted and what is there.
#[derive(Debug)]
pub(super) struct Board<'a> {
    /// Sorted by name, so that a smaller number is a name that comes first.
    pub(super) warehouses: Vec<&'a WarehouseId>,
    /// Sorted by product.
    pub(super) items: Vec<Item>,
    /// Units by product and warehouse.
    pub(super) stock: Vec<Vec<u32>>,
}

impl<'a> Board<'a> {
    pub(super) fn new(demands: &[Demand], shelves: &'a [Shelf]) -> Self {
        let mut warehouses: Vec<_> = shelves.iter().map(|shelf| &shelf.warehouse).collect();
        warehouses.sort_unstable();
        warehouses.dedup();
        let mut products = BTreeMap::new();
        for demand in demands {
            let next = products.len();
            products.entry(&demand.sku).or_insert(next);
        }
        let mut stock = vec![vec![0; warehouses.len()]; products.len()];
        for shelf in shelves {
            let (product, warehouse) = (products.get(&shelf.sku), warehouses.binary_search(&&shelf.warehouse));
            if let (Some(&product), Ok(warehouse)) = (product, warehouse) {
                stock[product][warehouse] = shelf.available;
            }
        }
        let item = |demand: &Demand| Item {
            product: products[&demand.sku],
            quantity: demand.quantity,
            hint: demand
                .hint
                .as_ref()
                .and_then(|hint| warehouses.binary_search(&hint).ok()),
        };
        Self {
            items: demands.iter().map(item).collect(),
            warehouses,
            stock,
        }
    }

    /// Warehouses that could serve `item` alone, by name.
    pub(super) fn serving(&self, item: Item) -> impl Iterator<Item = usize> {
        let stock = self.stock[item.product].iter().enumerate();
        stock
            .filter(move |&(_, &units)| units >= item.quantity)
            .map(|(warehouse, _)| warehouse)
    }

    /// Each product's items.
    pub(super) fn by_product(&self) -> Vec<Vec<usize>> {
        let mut items = vec![vec![]; self.stock.len()];
        for (at, item) in self.items.iter().enumerate() {
            items[item.product].push(at);
        }
        items
    }
}
