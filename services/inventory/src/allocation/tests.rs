use std::collections::BTreeSet;

use super::*;

const WAREHOUSES: [&str; 3] = ["WH-MX-1", "WH-MX-2", "WH-MX-3"];

fn warehouse(number: usize) -> WarehouseId {
    WarehouseId::parse(WAREHOUSES[number]).unwrap()
}

/// Product, quantity, preferred warehouse.
type Line = (usize, u32, Option<usize>);

fn demands(lines: &[Line]) -> Vec<Demand> {
    let demand = |&(product, quantity, hint): &Line| Demand {
        sku: Sku::parse(&format!("SKU-{product}")).unwrap(),
        quantity,
        hint: hint.map(warehouse),
    };
    lines.iter().map(demand).collect()
}

/// `stock[product][warehouse]`.
fn shelves(stock: &[&[u32]]) -> Vec<Shelf> {
    let shelf = |(product, row): (usize, &&[u32])| {
        let sku = Sku::parse(&format!("SKU-{product}")).unwrap();
        let shelf = |(place, &available): (usize, &u32)| Shelf {
            sku: sku.clone(),
            warehouse: warehouse(place),
            available,
        };
        row.iter().enumerate().map(shelf).collect::<Vec<_>>()
    };
    stock.iter().enumerate().flat_map(shelf).collect()
}

fn places(lines: &[Line], stock: &[&[u32]]) -> Vec<Option<usize>> {
    let placed = allocate(&demands(lines), &shelves(stock));
    let number = |place: &WarehouseId| WAREHOUSES.iter().position(|name| *name == place.as_str()).unwrap();
    placed.places.iter().map(|place| place.as_ref().map(number)).collect()
}

/// The best by trying everything; `None` where there is no way.
fn by_trying(lines: &[Line], stock: &[&[u32]]) -> Option<Vec<usize>> {
    let width = stock[0].len();
    let ways = width.pow(u32::try_from(lines.len()).unwrap());
    let way = |number: usize| -> Vec<usize> {
        (0..lines.len())
            .rev()
            .map(|digit| number / width.pow(u32::try_from(digit).unwrap()) % width)
            .collect()
    };
    let holds = |places: &Vec<usize>| {
        let mut left: Vec<Vec<u32>> = stock.iter().map(|row| row.to_vec()).collect();
        lines.iter().zip(places).all(|(&(product, quantity, _), &place)| {
            let rest = left[product][place].checked_sub(quantity);
            left[product][place] = rest.unwrap_or(0);
            rest.is_some()
        })
    };
    let cost = |places: &Vec<usize>| {
        let missed = lines
            .iter()
            .zip(places)
            .filter(|((_, _, hint), place)| hint.is_some_and(|hint| hint != **place));
        (
            missed.count(),
            places.iter().collect::<BTreeSet<_>>().len(),
            places.clone(),
        )
    };
    (0..ways).map(way).filter(holds).min_by_key(cost)
}

fn agrees_with_trying(lines: &[Line], stock: &[&[u32]]) {
    let found = places(lines, stock);
    match by_trying(lines, stock) {
        Some(best) => assert_eq!(
            found,
            best.into_iter().map(Some).collect::<Vec<_>>(),
            "{lines:?} {stock:?}"
        ),
        None => assert!(found.contains(&None), "{lines:?} {stock:?}: {found:?}"),
    }
}

#[test]
fn two_demands_for_one_product_are_placed_as_trying_everything_would() {
    let hints = [None, Some(0), Some(1)];
    for (one, other) in (0..9).map(|pair| (pair / 3, pair % 3)) {
        // Equal wishes would have been one demand.
        if one == other {
            continue;
        }
        for quantities in 0..9 {
            let lines = [
                (0, quantities / 3 + 1, hints[one]),
                (0, quantities % 3 + 1, hints[other]),
            ];
            for stock in 0..25 {
                agrees_with_trying(&lines, &[&[stock / 5, stock % 5]]);
            }
        }
    }
}

#[test]
fn orders_of_up_to_five_lines_are_placed_as_trying_everything_would() {
    let mut chance = fastrand::Rng::with_seed(20_260_407);
    for _ in 0..20_000 {
        let products = chance.usize(1..=3);
        let mut wishes = BTreeSet::new();
        for _ in 0..chance.usize(1..=5) {
            wishes.insert((
                chance.usize(0..products),
                [None, Some(0), Some(1), Some(2)][chance.usize(0..4)],
            ));
        }
        let lines: Vec<_> = wishes
            .iter()
            .map(|&(product, hint)| (product, chance.u32(1..=3), hint))
            .collect();
        let stock: Vec<Vec<u32>> = (0..3).map(|_| (0..3).map(|_| chance.u32(0..=5)).collect()).collect();
        let stock: Vec<_> = stock.iter().map(Vec::as_slice).collect();
        agrees_with_trying(&lines, &stock);
    }
}

#[test]
fn the_preferred_warehouse_comes_first_and_few_origins_after_that() {
    assert_eq!(places(&[(0, 1, Some(1))], &[&[9, 9, 9]]), [Some(1)]);
    assert_eq!(places(&[(0, 1, Some(1))], &[&[9, 0, 9]]), [Some(0)]);
    // The second line joins the first rather than the warehouse whose name comes first.
    assert_eq!(
        places(&[(0, 1, Some(2)), (1, 1, None)], &[&[9, 9, 9], &[9, 9, 9]]),
        [Some(2), Some(2)]
    );
    assert_eq!(
        places(&[(0, 1, None), (1, 1, None)], &[&[9, 9, 0], &[0, 9, 9]]),
        [Some(1), Some(1)]
    );
}

#[test]
fn a_preference_gives_way_where_all_lines_find_a_place_only_without_it() {
    assert_eq!(
        places(&[(0, 5, None), (0, 3, Some(0))], &[&[5, 3, 0]]),
        [Some(0), Some(1)]
    );
}

#[test]
fn a_line_is_never_split_and_a_short_one_is_told_with_the_most_that_one_warehouse_has() {
    let short = allocate(
        &demands(&[(0, 7, None), (1, 1, None)]),
        &shelves(&[&[4, 6, 5], &[1, 0, 0]]),
    );
    assert_eq!(
        short.short,
        [Shortage {
            demand: 0,
            available: 6
        }]
    );
    assert_eq!(short.places, [None, Some(warehouse(0))]);
    let nothing = allocate(&demands(&[(0, 1, Some(0))]), &[]);
    assert_eq!(
        nothing.short,
        [Shortage {
            demand: 0,
            available: 0
        }]
    );
}

#[test]
fn what_lines_of_one_product_want_together_counts() {
    let short = allocate(&demands(&[(0, 3, None), (0, 3, Some(0))]), &shelves(&[&[5, 1, 1]]));
    assert_eq!(
        short.short,
        [Shortage {
            demand: 1,
            available: 2
        }]
    );
}

#[test]
fn the_largest_order_is_placed_whole() {
    let lines: Vec<_> = (0..1_000).map(|product| (product, 1, Some(product % 3))).collect();
    let rows: Vec<[u32; 3]> = (0..1_000)
        .map(|product| if product % 7 == 0 { [0, 1, 1] } else { [1, 1, 1] })
        .collect();
    let rows: Vec<_> = rows.iter().map(<[u32; 3]>::as_slice).collect();
    let mut chosen = demands(&lines);
    chosen.sort_by(|a, b| a.sku.cmp(&b.sku));
    let placed = allocate(&chosen, &shelves(&rows));
    assert_eq!(placed.short, []);
    let kept = chosen
        .iter()
        .zip(&placed.places)
        .filter(|(demand, place)| demand.hint == **place)
        .count();
    assert_eq!(kept, 1_000 - 48); // every product that is missing where it was preferred, and no other
}
