//! Looks for a better way than the first one: more preferences met, then fewer origins, then names that come first.

use std::cmp::Ordering;

use super::board::{Board, Item};

/// Demands that do not come from where they prefer, then warehouses that the order comes from.
type Cost = (u32, u32);

struct Search<'a> {
    /// The items that have a place.
    items: Vec<Item>,
    /// Units left by product and warehouse.
    left: Vec<Vec<u32>>,
    /// Items placed in each warehouse.
    used: &'a mut [u32],
    cost: Cost,
    places: Vec<usize>,
    best_cost: Cost,
    best: Vec<usize>,
    improvements: u32,
    looks: u32,
}

/// The best placement of the items that `first` places; `first` itself if none better is found in `looks_max` looks.
pub(super) fn improve(board: &Board<'_>, first: Vec<Option<usize>>, looks_max: u32) -> Vec<Option<usize>> {
    let seated: Vec<_> = (0..first.len()).filter(|&at| first[at].is_some()).collect();
    let items: Vec<_> = seated.iter().map(|&at| board.items[at]).collect();
    let best: Vec<_> = first.iter().flatten().copied().collect();
    let mut search = Search {
        best_cost: cost(&items, &best),
        left: board.stock.clone(),
        used: &mut vec![0; board.warehouses.len()],
        cost: (0, 0),
        places: Vec::with_capacity(items.len()),
        items,
        best,
        improvements: 0,
        looks: looks_max,
    };
    search.descend(Ordering::Equal);
    let mut places = first;
    for (at, place) in seated.into_iter().zip(search.best) {
        places[at] = Some(place);
    }
    places
}

fn cost(items: &[Item], places: &[usize]) -> Cost {
    let missed = items
        .iter()
        .zip(places)
        .filter(|(item, place)| misses(**item, **place))
        .count();
    let mut origins = places.to_vec();
    origins.sort_unstable();
    origins.dedup();
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    (count(missed), count(origins.len()))
}

fn misses(item: Item, place: usize) -> bool {
    item.hint.is_some_and(|hint| hint != place)
}

impl Search<'_> {
    /// Tries every place of the next item that may still lead to something better. `so_far` says how the places so far
    /// compare with those of the best.
    fn descend(&mut self, so_far: Ordering) {
        let at = self.places.len();
        let Some(&item) = self.items.get(at) else {
            if self.cost.cmp(&self.best_cost).then(so_far) == Ordering::Less {
                self.best_cost = self.cost;
                self.best.clone_from(&self.places);
                self.improvements += 1;
            }
            return;
        };
        self.looks = self
            .looks
            .saturating_sub(u32::try_from(self.used.len()).unwrap_or(u32::MAX));
        let improvements = self.improvements;
        for place in self.candidates(item) {
            if self.looks == 0 {
                return;
            }
            // Whatever was found below here begins as we do.
            let so_far = if self.improvements == improvements {
                so_far
            } else {
                Ordering::Equal
            };
            let so_far = so_far.then(place.cmp(&self.best[at]));
            let before = self.cost;
            self.cost.0 += u32::from(misses(item, place));
            self.cost.1 += u32::from(self.used[place] == 0);
            if self.cost.cmp(&self.best_cost).then(so_far) != Ordering::Greater {
                self.used[place] += 1;
                self.left[item.product][place] -= item.quantity;
                self.places.push(place);
                self.descend(so_far);
                self.places.pop();
                self.left[item.product][place] += item.quantity;
                self.used[place] -= 1;
            }
            self.cost = before;
        }
    }

    /// Warehouses with enough left: the preferred one, those in use, the others.
    fn candidates(&self, item: Item) -> Vec<usize> {
        let left = &self.left[item.product];
        let mut enough: Vec<_> = (0..left.len()).filter(|&place| left[place] >= item.quantity).collect();
        enough.sort_by_key(|&place| (item.hint != Some(place), self.used[place] == 0));
        enough
    }
}
