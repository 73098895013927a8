//! Reading back, page by page.

use std::ops::Bound;

use contracts::effects::Page;
use contracts::inventory::{Movement, StockRow, kilograms};
use pipeline::id::{Sku, WarehouseId};

use super::house::{House, Pile};
use crate::store::page;

impl House {
    pub(super) fn stock(&self, after: Option<&(Sku, WarehouseId)>, limit: i64) -> Page<StockRow> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = self.shelves.range((start, Bound::Unbounded));
        let row = |((sku, warehouse), pile): (&(Sku, WarehouseId), &Pile)| StockRow {
            sku: sku.to_string(),
            warehouse: warehouse.to_string(),
            weight_kg: kilograms(self.products.get(sku).copied().unwrap_or_default()),
            units: pile.available,
        };
        let rows = rows.take(count(limit)).map(row).collect();
        page(rows, limit, |row| format!("{}/{}", row.sku, row.warehouse))
    }

    pub(super) fn movements(&self, after: i64, limit: i64) -> Page<Movement> {
        let rows = self.moved.iter().skip(count(after)).take(count(limit));
        page(rows.cloned().collect(), limit, |row| row.seq.to_string())
    }
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}
