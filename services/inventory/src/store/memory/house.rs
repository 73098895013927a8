//! Products, shelves, and every movement.

use std::collections::BTreeMap;

use contracts::inventory::{MOVEMENT_DELIVERY, Movement};
use pipeline::id::{OrderId, Sku, WarehouseId};
use time::OffsetDateTime;

use crate::allocation::Shelf;
use crate::delivery::Row;
use crate::plan::Taken;
use crate::store::{Refusal, Survey};
use crate::wanted::Wanted;

/// Units of one product that may ever be delivered to one warehouse: as far as the database's column goes.
const DELIVERED_MAX: u32 = i32::MAX.unsigned_abs();

/// What lies on one shelf, and all that ever came there.
#[derive(Debug, Default)]
pub(super) struct Pile {
    pub(super) available: u32,
    delivered: u32,
}

#[derive(Debug, Default)]
pub(super) struct House {
    /// Weights in grams.
    pub(super) products: BTreeMap<Sku, u32>,
    pub(super) shelves: BTreeMap<(Sku, WarehouseId), Pile>,
    pub(super) moved: Vec<Movement>,
}

impl House {
    /// What there is of the products in `wanted`; nothing that an order holds.
    pub(super) fn survey(&self, wanted: &Wanted) -> Survey {
        let known = |sku| Some((Sku::clone(sku), *self.products.get(sku)?));
        let weights = wanted.demands.iter().filter_map(|demand| known(&demand.sku)).collect();
        let mut shelves = vec![];
        for ((sku, warehouse), pile) in &self.shelves {
            let near = warehouse.country() == Some(&wanted.country);
            let serves = |demand: &crate::wanted::Demand| {
                demand.sku == *sku && (near || demand.hint.as_ref() == Some(warehouse))
            };
            if pile.available > 0 && wanted.demands.iter().any(serves) {
                shelves.push(Shelf {
                    sku: sku.clone(),
                    warehouse: warehouse.clone(),
                    available: pile.available,
                });
            }
        }
        Survey {
            weights,
            shelves,
            own: None,
        }
    }

    /// Whether these rows can be counted, all of them.
    pub(super) fn can_take(&self, rows: &[Row]) -> Result<(), Refusal> {
        for row in rows {
            match self.products.get(&row.sku) {
                Some(&known) if known != row.weight_grams => return Err(Refusal::OtherWeight(row.sku.clone(), known)),
                Some(_) | None => {}
            }
        }
        let fits = |row: &Row| {
            let pile = self.shelves.get(&(row.sku.clone(), row.warehouse.clone()));
            let sum = pile.map_or(0, |pile| pile.delivered).checked_add(row.units);
            sum.is_some_and(|sum| sum <= DELIVERED_MAX)
        };
        if rows.iter().all(fits) {
            Ok(())
        } else {
            Err(Refusal::TooMany)
        }
    }

    /// Counts rows that it [can take](Self::can_take).
    pub(super) fn take_in(&mut self, rows: &[Row], at: OffsetDateTime) {
        for row in rows {
            self.products.insert(row.sku.clone(), row.weight_grams);
            if row.units > 0 {
                let place = (row.sku.clone(), row.warehouse.clone());
                let pile = self.shelves.entry(place.clone()).or_default();
                pile.available += row.units;
                pile.delivered += row.units;
                self.note(MOVEMENT_DELIVERY, place, row.units, None, at);
            }
        }
    }

    /// Takes goods off their shelves, where a plan saw them.
    pub(super) fn take_off(&mut self, goods: &[Taken]) {
        for taken in goods {
            let pile = self.shelves.entry((taken.sku.clone(), taken.warehouse.clone()));
            pile.or_default().available -= taken.units;
        }
    }

    /// Puts goods back on their shelves.
    pub(super) fn put_back(&mut self, goods: &[Taken]) {
        for taken in goods {
            let pile = self.shelves.entry((taken.sku.clone(), taken.warehouse.clone()));
            pile.or_default().available += taken.units;
        }
    }

    /// Writes down that an order's goods moved.
    pub(super) fn log(&mut self, kind: &str, goods: &[Taken], order: &OrderId, at: OffsetDateTime) {
        for taken in goods {
            let place = (taken.sku.clone(), taken.warehouse.clone());
            self.note(kind, place, taken.units, Some(order), at);
        }
    }

    fn note(
        &mut self,
        kind: &str,
        (sku, warehouse): (Sku, WarehouseId),
        units: u32,
        order: Option<&OrderId>,
        at: OffsetDateTime,
    ) {
        self.moved.push(Movement {
            seq: i64::try_from(self.moved.len()).unwrap_or(i64::MAX).saturating_add(1),
            at,
            kind: kind.to_owned(),
            sku: sku.to_string(),
            warehouse: warehouse.to_string(),
            units,
            order_id: order.map(ToString::to_string),
        });
    }
}
