//! From what is wanted and what is there to what is taken: the decision behind reserve and check.

use std::collections::BTreeMap;

use contracts::inventory::{CheckAnswer, CheckedLine, kilograms};
use contracts::problem::ShortLine;
use pipeline::id::{Sku, WarehouseId};

use crate::allocation::{Allocation, Shelf, allocate};
use crate::store::{Refusal, Survey};
use crate::wanted::Wanted;

/// Units taken from one shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The product.
    pub sku: Sku,
    /// The warehouse.
    pub warehouse: WarehouseId,
    /// How many.
    pub units: u32,
    /// Weight of one.
    pub weight_grams: u32,
}

/// What a reservation takes, sorted by product and warehouse, each shelf once.
///
/// # Errors
///
/// The refusal when a product is unknown or does not suffice; then nothing may be taken.
pub fn plan(wanted: &Wanted, survey: &Survey) -> Result<Vec<Taken>, Refusal> {
    let weights = weights(wanted, survey)?;
    let Allocation { places, short } = allocate(&wanted.demands, &survey.shelves);
    if !short.is_empty() {
        let line = |short: crate::allocation::Shortage| ShortLine {
            sku: wanted.demands[short.demand].sku.to_string(),
            wanted: wanted.demands[short.demand].quantity,
            available: short.available,
        };
        return Err(Refusal::OutOfStock(short.into_iter().map(line).collect()));
    }
    let mut units = BTreeMap::<_, u32>::new();
    for (demand, place) in wanted.demands.iter().zip(places) {
        if let Some(place) = place {
            *units.entry((&demand.sku, place)).or_default() += demand.quantity;
        }
    }
    let taken = units.into_iter().map(|((sku, warehouse), units)| Taken {
        sku: sku.clone(),
        warehouse,
        units,
        weight_grams: weights[sku],
    });
    Ok(taken.collect())
}

/// What check says: for each line of the request, in its order, whether and from where it could be reserved. What the
/// order holds itself counts as available.
///
/// # Errors
///
/// [`Refusal::UnknownSku`].
pub fn check(wanted: &Wanted, survey: &Survey) -> Result<CheckAnswer, Refusal> {
    let weights = weights(wanted, survey)?;
    let mut shelves = survey.shelves.clone();
    for held in survey.own.iter().flat_map(|own| &own.goods) {
        let same = |shelf: &&mut Shelf| shelf.sku == held.sku && shelf.warehouse == held.warehouse;
        match shelves.iter_mut().find(same) {
            Some(shelf) => shelf.available += held.available,
            None => shelves.push(held.clone()),
        }
    }
    let places = allocate(&wanted.demands, &shelves).places;
    let line = |&demand: &usize| {
        let sku = &wanted.demands[demand].sku;
        CheckedLine {
            sku: sku.to_string(),
            available: places[demand].is_some(),
            warehouse: places[demand].as_ref().map(ToString::to_string),
            weight_kg: kilograms(weights[sku]),
            reserved_until: survey.own.as_ref().and_then(|own| own.ends),
        }
    };
    Ok(CheckAnswer {
        lines: wanted.lines.iter().map(line).collect(),
    })
}

fn weights<'a>(wanted: &Wanted, survey: &'a Survey) -> Result<&'a BTreeMap<Sku, u32>, Refusal> {
    let unknown = wanted
        .demands
        .iter()
        .find(|demand| !survey.weights.contains_key(&demand.sku));
    match unknown {
        Some(demand) => Err(Refusal::UnknownSku(demand.sku.clone())),
        None => Ok(&survey.weights),
    }
}

#[cfg(test)]
mod tests {
    use contracts::inventory::Demand;
    use time::macros::datetime;

    use super::*;
    use crate::store::Own;

    fn wanted(lines: &[(&str, u32, Option<&str>)]) -> Wanted {
        let item = |&(sku, qty, warehouse): &(&str, u32, Option<&str>)| Demand {
            sku: sku.to_owned(),
            qty,
            warehouse: warehouse.map(str::to_owned),
        };
        Wanted::parse("MX", &lines.iter().map(item).collect::<Vec<_>>()).unwrap()
    }

    fn shelf(sku: &str, warehouse: &str, available: u32) -> Shelf {
        Shelf {
            sku: Sku::parse(sku).unwrap(),
            warehouse: WarehouseId::parse(warehouse).unwrap(),
            available,
        }
    }

    fn survey(shelves: &[(&str, &str, u32)]) -> Survey {
        Survey {
            weights: ["A", "B"].map(|sku| (Sku::parse(sku).unwrap(), 1_500)).into(),
            shelves: shelves
                .iter()
                .map(|&(sku, warehouse, units)| shelf(sku, warehouse, units))
                .collect(),
            own: None,
        }
    }

    #[test]
    fn demands_that_end_on_one_shelf_are_taken_together() {
        let lines = [("A", 1, None), ("A", 2, Some("WH-MX-1")), ("B", 1, None)];
        let taken = plan(&wanted(&lines), &survey(&[("A", "WH-MX-1", 3), ("B", "WH-MX-1", 1)])).unwrap();
        let taken: Vec<_> = taken
            .iter()
            .map(|t| (t.sku.as_str(), t.warehouse.as_str(), t.units))
            .collect();
        assert_eq!(taken, [("A", "WH-MX-1", 3), ("B", "WH-MX-1", 1)]);
    }

    #[test]
    fn an_unknown_product_comes_before_a_short_one() {
        let refusal = plan(&wanted(&[("A", 1, None), ("C", 1, None)]), &survey(&[])).unwrap_err();
        assert_eq!(refusal, Refusal::UnknownSku(Sku::parse("C").unwrap()));
        let Refusal::OutOfStock(short) = plan(&wanted(&[("A", 4, None)]), &survey(&[("A", "WH-MX-1", 3)])).unwrap_err()
        else {
            panic!("out of stock");
        };
        assert_eq!((short[0].wanted, short[0].available), (4, 3));
    }

    #[test]
    fn check_counts_what_the_order_holds_itself() {
        let ends = datetime!(2026-04-07 15:32:15 UTC);
        let mut survey = survey(&[("A", "WH-MX-1", 1)]);
        survey.own = Some(Own {
            ends: Some(ends),
            goods: vec![shelf("A", "WH-MX-1", 2), shelf("B", "WH-MX-2", 1)],
        });
        let lines = [("B", 1, None), ("A", 3, None), ("A", 1, Some("WH-MX-9"))];
        let answer = check(&wanted(&lines), &survey).unwrap();
        assert_eq!(
            answer.lines.iter().map(|line| line.available).collect::<Vec<_>>(),
            [true, true, false]
        );
        assert_eq!(answer.lines[0].warehouse.as_deref(), Some("WH-MX-2"));
        assert_eq!(answer.lines[0].reserved_until, Some(ends));
        survey.own = None;
        let answer = check(&wanted(&lines[..2]), &survey).unwrap();
        assert_eq!(
            answer.lines.iter().map(|line| line.available).collect::<Vec<_>>(),
            [false, false]
        );
    }
}
