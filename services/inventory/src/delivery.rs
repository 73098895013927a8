//! A delivery, checked: equal shelves are one row, and the content has a name.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;

use adapter_http::server::{Answer, field};
use contracts::canonical::fingerprint;
use contracts::inventory::{StockDelivery, grams};
use contracts::limits::WEIGHT_GRAMS_MAX;
use pipeline::id::{Id, Kind, Sku, WarehouseId};

/// Rows of one delivery.
pub const ROWS_MAX: usize = 100_000;

/// Units of one product in one warehouse, delivered at once.
pub const UNITS_MAX: u32 = 1_000_000_000;

/// See [`DeliveryId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryKind {}

impl Kind for DeliveryKind {
    const NAME: &'static str = "delivery id";
}

/// Names a delivery: as its sender does, or the SHA-256 of its content in hexadecimal.
pub type DeliveryId = Id<DeliveryKind>;

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its name; it is counted once.
    pub id: DeliveryId,
    /// SHA-256 of what came, however it was listed.
    pub content: [u8; 32],
    /// Sorted by product and warehouse, each shelf once.
    pub rows: Vec<Row>,
    /// Rows as they were sent.
    pub rows_sent: u64,
    /// Units of all rows.
    pub units: u64,
}

/// What came for one shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The product.
    pub sku: Sku,
    /// The warehouse.
    pub warehouse: WarehouseId,
    /// Weight of one.
    pub weight_grams: u32,
    /// How many; 0 makes the product known and nothing else.
    pub units: u32,
}

impl Delivery {
    /// Checks what was sent.
    ///
    /// # Errors
    ///
    /// A problem that names the field.
    pub fn parse(sent: &StockDelivery) -> Answer<Self> {
        field::list("rows", &sent.rows, ROWS_MAX)?;
        let rows = rows(sent)?;
        let mut text = String::new();
        for row in &rows {
            let _ = writeln!(text, "{} {} {} {}", row.sku, row.warehouse, row.weight_grams, row.units);
        }
        let content = fingerprint(&text);
        let name = match &sent.delivery_id {
            Some(given) => given.clone(),
            None => content.iter().fold(String::new(), |mut name, byte| {
                let _ = write!(name, "{byte:02x}");
                name
            }),
        };
        Ok(Self {
            id: field::id("delivery_id", &name)?,
            content,
            units: rows.iter().map(|row| u64::from(row.units)).sum(),
            rows,
            rows_sent: sent.rows.len() as u64,
        })
    }
}

fn rows(sent: &StockDelivery) -> Answer<Vec<Row>> {
    let mut weights = BTreeMap::<Sku, u32>::new();
    let mut shelves = BTreeMap::<(Sku, WarehouseId), u32>::new();
    for (at, row) in sent.rows.iter().enumerate() {
        let named = |name: &str| format!("rows[{at}].{name}");
        let sku: Sku = field::id(&named("sku"), &row.sku)?;
        let warehouse = field::id(&named("warehouse"), &row.warehouse)?;
        let weight = grams(row.weight_kg).ok_or_else(|| {
            let reason = format!("must be kilograms from 0 to {}", WEIGHT_GRAMS_MAX / 1_000);
            field::refused(named("weight_kg"), reason)
        })?;
        match weights.entry(sku.clone()) {
            Entry::Vacant(new) => {
                new.insert(weight);
            }
            Entry::Occupied(known) if *known.get() != weight => {
                let told = format!("{sku} weighs {} g in a row before, {weight} g here", known.get());
                return Err(field::refused(named("weight_kg"), told));
            }
            Entry::Occupied(_) => {}
        }
        let units = shelves.entry((sku, warehouse)).or_default();
        let sum = units.checked_add(row.units).filter(|&sum| sum <= UNITS_MAX);
        let too_many = || {
            field::refused(
                named("units"),
                format!("more than {UNITS_MAX} of one product in one warehouse"),
            )
        };
        *units = sum.ok_or_else(too_many)?;
    }
    let row = |((sku, warehouse), units): ((Sku, WarehouseId), u32)| Row {
        weight_grams: weights[&sku],
        sku,
        warehouse,
        units,
    };
    Ok(shelves.into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use contracts::inventory::StockRow;

    use super::*;

    fn delivery(id: Option<&str>, rows: &[(&str, &str, f64, u32)]) -> StockDelivery {
        let row = |&(sku, warehouse, weight_kg, units): &(&str, &str, f64, u32)| StockRow {
            sku: sku.to_owned(),
            warehouse: warehouse.to_owned(),
            weight_kg,
            units,
        };
        StockDelivery {
            delivery_id: id.map(str::to_owned),
            rows: rows.iter().map(row).collect(),
        }
    }

    #[test]
    fn a_delivery_without_a_name_is_named_after_its_content_in_any_order() {
        let (a, b) = (("A", "WH-MX-1", 0.6, 2), ("B", "WH-MX-1", 1.0, 1));
        let one = Delivery::parse(&delivery(None, &[a, b])).unwrap();
        assert_eq!(one, Delivery::parse(&delivery(None, &[b, a])).unwrap());
        assert_ne!(one.id, Delivery::parse(&delivery(None, &[a])).unwrap().id);
        assert_eq!(one.rows[0].weight_grams, 600);
        let named = Delivery::parse(&delivery(Some("D-1"), &[a, b])).unwrap();
        assert_eq!((named.id.as_str(), named.content), ("D-1", one.content));
    }

    #[test]
    fn rows_for_one_shelf_are_added_up() {
        let sum = Delivery::parse(&delivery(None, &[("A", "WH-MX-1", 1.0, 2), ("A", "WH-MX-1", 1.0, 3)])).unwrap();
        assert_eq!(
            (sum.rows.len(), sum.rows[0].units, sum.rows_sent, sum.units),
            (1, 5, 2, 5)
        );
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        let field =
            |rows: &[(&str, &str, f64, u32)]| Delivery::parse(&delivery(None, rows)).unwrap_err().0.field.unwrap();
        assert_eq!(field(&[]), "rows");
        assert_eq!(
            field(&[("A", "WH-MX-1", 1.0, 0), ("ñ", "WH-MX-1", 1.0, 0)]),
            "rows[1].sku"
        );
        assert_eq!(field(&[("A", "", 1.0, 0)]), "rows[0].warehouse");
        for weight in [-1.0, f64::NAN, 10_001.0] {
            assert_eq!(field(&[("A", "WH-MX-1", weight, 0)]), "rows[0].weight_kg");
        }
        assert_eq!(
            field(&[("A", "WH-MX-1", 1.0, 1), ("A", "WH-MX-2", 2.0, 1)]),
            "rows[1].weight_kg"
        );
        assert_eq!(
            field(&[("A", "WH-MX-1", 1.0, UNITS_MAX), ("A", "WH-MX-1", 1.0, 1)]),
            "rows[1].units"
        );
    }
}
