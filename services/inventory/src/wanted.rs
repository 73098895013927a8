//! What a request wants, checked: every text is an id, every number in its bounds, equal lines are one demand.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use adapter_http::server::{Answer, field};
use contracts::canonical::fingerprint;
use contracts::inventory::Demand as WireDemand;
use contracts::limits::{LINES_MAX, QUANTITY_MAX};
use pipeline::id::{Id, Sku, WarehouseId};

/// A product, how many, and from where if possible. It comes out of one warehouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// The product.
    pub sku: Sku,
    /// How many, over all lines of the request that name the same product and warehouse.
    pub quantity: u32,
    /// Preferred warehouse.
    pub hint: Option<WarehouseId>,
}

/// All that one order wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Where it goes, as ISO 3166-1 has it: `MX`.
    pub country: String,
    /// Sorted by product and hint, each pair once.
    pub demands: Vec<Demand>,
    /// For each line of the request, in its order, the demand that it is part of.
    pub lines: Vec<usize>,
}

impl Wanted {
    /// Checks what a request says.
    ///
    /// # Errors
    ///
    /// A problem that names the field.
    pub fn parse(country: &str, items: &[WireDemand]) -> Answer<Self> {
        let country = field::country("country", country)?.to_owned();
        let items = field::list("items", items, LINES_MAX)?;
        let parsed = items.iter().enumerate().map(|(at, item)| demand(at, item));
        let parsed: Vec<_> = parsed.collect::<Result<_, _>>()?;
        let mut sums = BTreeMap::<_, u32>::new();
        for Demand { sku, quantity, hint } in &parsed {
            // At most LINES_MAX times QUANTITY_MAX, which fits.
            *sums.entry((sku, hint)).or_default() += quantity;
        }
        let place: BTreeMap<_, _> = sums.keys().enumerate().map(|(place, &pair)| (pair, place)).collect();
        let lines = parsed.iter().map(|line| place[&(&line.sku, &line.hint)]).collect();
        let demands = sums.iter().map(|(&(sku, hint), &quantity)| Demand {
            sku: sku.clone(),
            quantity,
            hint: hint.clone(),
        });
        Ok(Self {
            country,
            demands: demands.collect(),
            lines,
        })
    }

    /// SHA-256 of what is wanted: the same for two requests that want the same, however they list it.
    #[must_use]
    pub fn content(&self) -> [u8; 32] {
        let mut text = format!("{}\n", self.country);
        for Demand { sku, quantity, hint } in &self.demands {
            let hint = hint.as_ref().map_or("", Id::as_str);
            let _ = writeln!(text, "{sku} {quantity} {hint}");
        }
        fingerprint(&text)
    }

    /// The products, each once, sorted.
    #[must_use]
    pub fn skus(&self) -> Vec<String> {
        let mut skus: Vec<_> = self.demands.iter().map(|demand| demand.sku.to_string()).collect();
        skus.dedup();
        skus
    }
}

fn demand(at: usize, item: &WireDemand) -> Answer<Demand> {
    let named = |name: &str| format!("items[{at}].{name}");
    let hint = item.warehouse.as_deref();
    Ok(Demand {
        sku: field::id(&named("sku"), &item.sku)?,
        quantity: field::within(&named("qty"), item.qty, 1..=QUANTITY_MAX)?,
        hint: hint.map(|hint| field::id(&named("warehouse"), hint)).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(sku: &str, qty: u32, warehouse: Option<&str>) -> WireDemand {
        WireDemand {
            sku: sku.to_owned(),
            qty,
            warehouse: warehouse.map(str::to_owned),
        }
    }

    #[test]
    fn lines_of_one_product_and_warehouse_are_one_demand() {
        let items = [
            line("B", 2, None),
            line("A", 1, Some("WH-MX-1")),
            line("B", 3, None),
            line("B", 1, Some("WH-MX-1")),
        ];
        let wanted = Wanted::parse("MX", &items).unwrap();
        let sums: Vec<_> = wanted
            .demands
            .iter()
            .map(|d| (d.sku.as_str(), d.quantity, d.hint.is_some()))
            .collect();
        assert_eq!(sums, [("A", 1, true), ("B", 5, false), ("B", 1, true)]);
        assert_eq!(wanted.lines, [1, 0, 1, 2]);
        assert_eq!(wanted.skus(), ["A", "B"]);
    }

    #[test]
    fn the_order_of_lines_does_not_change_the_content_but_their_sums_do() {
        let content = |items: &[WireDemand]| Wanted::parse("MX", items).unwrap().content();
        let one = content(&[line("A", 1, None), line("B", 2, Some("WH-MX-1"))]);
        assert_eq!(one, content(&[line("B", 2, Some("WH-MX-1")), line("A", 1, None)]));
        assert_ne!(one, content(&[line("A", 2, None), line("B", 2, Some("WH-MX-1"))]));
        assert_ne!(one, content(&[line("A", 1, None), line("B", 2, None)]));
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        let field = |country: &str, items: &[WireDemand]| Wanted::parse(country, items).unwrap_err().0.field.unwrap();
        assert_eq!(field("mx", &[line("A", 1, None)]), "country");
        assert_eq!(field("MX", &[]), "items");
        assert_eq!(field("MX", &vec![line("A", 1, None); LINES_MAX + 1]), "items");
        assert_eq!(field("MX", &[line("A", 1, None), line("a b", 1, None)]), "items[1].sku");
        assert_eq!(field("MX", &[line("A", 0, None)]), "items[0].qty");
        assert_eq!(field("MX", &[line("A", QUANTITY_MAX + 1, None)]), "items[0].qty");
        assert_eq!(field("MX", &[line("A", 1, Some("ñ"))]), "items[0].warehouse");
    }
}
