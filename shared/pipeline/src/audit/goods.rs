//! Units of each product in each warehouse, from the movements.

use std::collections::BTreeMap;

/// What moved of one product in one warehouse, and what is there.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    pub(super) delivered: u64,
    pub(super) reserved: u64,
    pub(super) committed: u64,
    /// Units that no order took or got.
    pub(super) ownerless: u64,
    /// What inventory says is available; `None` where it has no such row.
    pub(super) available: Option<u64>,
    moved: bool,
}

/// All shelves, by product and warehouse.
#[derive(Debug, Default)]
pub(super) struct Goods(BTreeMap<Box<str>, BTreeMap<Box<str>, Shelf>>);

impl Goods {
    pub(super) fn moved(&mut self, sku: &str, warehouse: &str) -> &mut Shelf {
        let here = self.shelf(sku, warehouse);
        here.moved = true;
        here
    }

    pub(super) fn available(&mut self, sku: &str, warehouse: &str, units: u64) {
        self.shelf(sku, warehouse).available = Some(units);
    }

    fn shelf(&mut self, sku: &str, warehouse: &str) -> &mut Shelf {
        self.0
            .entry(sku.into())
            .or_default()
            .entry(warehouse.into())
            .or_default()
    }

    /// Every shelf that does not add up: product, warehouse and why.
    pub(super) fn drifts(&self) -> impl Iterator<Item = (&str, &str, String)> {
        let shelves = self
            .0
            .iter()
            .flat_map(|(sku, rows)| rows.iter().map(move |(warehouse, shelf)| (sku, warehouse, shelf)));
        shelves.filter_map(|(sku, warehouse, shelf)| Some((&**sku, &**warehouse, shelf.drift()?)))
    }

    pub(super) fn units_available(&self) -> u64 {
        let shelves = self.0.values().flat_map(BTreeMap::values);
        shelves.filter_map(|shelf| shelf.available).fold(0, u64::wrapping_add)
    }
}

impl Shelf {
    fn drift(&self) -> Option<String> {
        let (delivered, reserved, committed) = (self.delivered, self.reserved, self.committed);
        if self.ownerless > 0 {
            return Some(format!(
                "{} units were reserved or committed for no order",
                self.ownerless
            ));
        }
        if reserved > delivered {
            return Some(format!("{reserved} units reserved out of {delivered} delivered"));
        }
        if committed > reserved {
            return Some(format!("{committed} units committed out of {reserved} reserved"));
        }
        match self.available {
            None => Some(format!(
                "has movements, and no row of stock; {} units should be there",
                delivered - reserved
            )),
            Some(_) if !self.moved => Some("has a row of stock, and no movement".to_owned()),
            Some(available) if available != delivered - reserved => {
                let should = delivered - reserved;
                Some(format!(
                    "{available} units available; {delivered} delivered less {reserved} reserved make {should}"
                ))
            }
            Some(_) => None,
        }
    }
}
