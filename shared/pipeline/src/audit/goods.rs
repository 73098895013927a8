//! Units of each product in each warehouse, and those of each order, from the movements.

use std::collections::BTreeMap;

use super::account::hash;

/// Ways in which units move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Movement {
    /// Into the house.
    Delivery,
    /// Out of what is available, for an order.
    Reserve,
    /// Out of the house, to the customer.
    Commit,
    /// Set aside no more: available again.
    Release,
    /// From out of the house: available again.
    Return,
}

impl Movement {
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "delivery" => Some(Self::Delivery),
            "reserve" => Some(Self::Reserve),
            "commit" => Some(Self::Commit),
            "release" | "expire" => Some(Self::Release),
            "return" => Some(Self::Return),
            _ => None,
        }
    }

    /// By how much one unit changes what is set aside, and what is out of the house.
    fn effect(self) -> (i64, i64) {
        match self {
            Self::Delivery => (0, 0),
            Self::Reserve => (1, 0),
            Self::Commit => (-1, 1),
            Self::Release => (-1, 0),
            Self::Return => (0, -1),
        }
    }
}

/// Units of one order in one respect.
#[derive(Debug, Default)]
pub(super) struct Sum {
    /// All of them.
    pub(super) units: i64,
    /// The same for each product and warehouse at once: units times the hash of both, added up. It is zero when each of
    /// them is, and otherwise only by a chance of one in 2^64.
    by_shelf: u64,
}

impl Sum {
    fn add(&mut self, moved: i64, place: u64) {
        self.units += moved;
        self.by_shelf = self.by_shelf.wrapping_add(place.wrapping_mul(moved.cast_unsigned()));
    }

    /// Whether nothing is left on any shelf.
    pub(super) fn is_even(&self) -> bool {
        self.units == 0 && self.by_shelf == 0
    }
}

/// What moved of goods for one order.
#[derive(Debug, Default)]
pub(super) struct OrderGoods {
    /// Set aside, and neither handed over nor given back.
    pub(super) held: Sum,
    /// Handed over, and not returned.
    pub(super) out: Sum,
    /// Any units reserved at all.
    pub(super) reserved: bool,
    /// Units that it has from each warehouse, by the warehouse's hash.
    warehouses: Vec<(u64, i64)>,
}

impl OrderGoods {
    pub(super) fn count(&mut self, movement: Movement, units: u32, sku: &str, warehouse: &str) {
        let (held, out) = movement.effect();
        let (moved, place) = (i64::from(units), hash((sku, warehouse)));
        self.held.add(held * moved, place);
        self.out.add(out * moved, place);
        self.reserved |= movement == Movement::Reserve;
        let (warehouse, got) = (hash(warehouse), (held + out) * moved);
        match self.warehouses.iter_mut().find(|(known, _)| *known == warehouse) {
            Some((_, had)) => *had += got,
            None => self.warehouses.push((warehouse, got)),
        }
    }

    /// How many warehouses it has goods from.
    pub(super) fn origins(&self) -> usize {
        self.warehouses.iter().filter(|(_, units)| *units > 0).count()
    }
}

/// What moved of one product in one warehouse, and what is there.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    delivered: u64,
    reserved: u64,
    committed: u64,
    released: u64,
    returned: u64,
    /// Units that moved for an order, and no order is named.
    pub(super) ownerless: u64,
    /// What inventory says is available; `None` where it has no such row.
    available: Option<u64>,
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
    pub(super) fn count(&mut self, movement: Movement, units: u64) {
        *match movement {
            Movement::Delivery => &mut self.delivered,
            Movement::Reserve => &mut self.reserved,
            Movement::Commit => &mut self.committed,
            Movement::Release => &mut self.released,
            Movement::Return => &mut self.returned,
        } += units;
    }

    /// Deliveries are what is available, what is set aside and what is out of the house.
    fn drift(&self) -> Option<String> {
        let (delivered, reserved, committed) = (self.delivered, self.reserved, self.committed);
        let (released, returned) = (self.released, self.returned);
        if self.ownerless > 0 {
            return Some(format!("{} units were moved for no order", self.ownerless));
        }
        if returned > committed {
            return Some(format!("{returned} units returned out of {committed} committed"));
        }
        if committed + released > reserved {
            return Some(match released {
                0 => format!("{committed} units committed out of {reserved} reserved"),
                _ => format!("{committed} units committed and {released} given back out of {reserved} reserved"),
            });
        }
        let taken = reserved - released - returned;
        let Some(should) = delivered.checked_sub(taken) else {
            return Some(format!("{taken} units reserved out of {delivered} delivered"));
        };
        match self.available {
            None => Some(format!(
                "has movements, and no row of stock; {should} units should be there"
            )),
            Some(_) if !self.moved => Some("has a row of stock, and no movement".to_owned()),
            Some(available) if available != should => Some(format!(
                "{available} units available; {delivered} delivered less {taken} reserved make {should}"
            )),
            Some(_) => None,
        }
    }
}
