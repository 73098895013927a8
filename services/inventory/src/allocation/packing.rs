//! Demands for one product compete for its shelves: what looks short line by line may still fit together.

use super::Shortage;
use super::board::Board;

/// What is known of a demand before origins are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seat {
    /// Finds no place.
    Short,
    /// Competes with other demands for its product, and fits here beside them.
    Beside(usize),
    /// Has its product for itself, and at least one warehouse to choose.
    Free,
}

/// Finds out who fits, looking at most `looks_max` times where demands compete.
pub(super) fn seat(board: &Board<'_>, looks_max: u32) -> (Vec<Seat>, Vec<Shortage>) {
    let mut seats = vec![Seat::Short; board.items.len()];
    let mut short = vec![];
    let mut looks = looks_max;
    for (product, members) in board.by_product().into_iter().enumerate() {
        let mut left = board.stock[product].clone();
        if let [only] = members[..] {
            if board.serving(board.items[only]).next().is_some() {
                seats[only] = Seat::Free;
            }
        } else {
            let places = pack(board, &members, &mut left, &mut looks);
            for (member, place) in places {
                seats[member] = Seat::Beside(place);
            }
        }
        let available = left.iter().copied().max().unwrap_or(0);
        let without = members.iter().filter(|&&member| seats[member] == Seat::Short);
        short.extend(without.map(|&demand| Shortage { demand, available }));
    }
    (seats, short)
}

/// Places for as many of `members` as can be found: all, unless there is no way or it is too far to look. What they
/// take is taken from `left`.
fn pack(board: &Board<'_>, members: &[usize], left: &mut Vec<u32>, looks: &mut u32) -> Vec<(usize, usize)> {
    // The large ones first: the small ones find room in what remains.
    let mut members = members.to_vec();
    members.sort_by_key(|&member| std::cmp::Reverse(board.items[member].quantity));
    let wanted: u64 = members
        .iter()
        .map(|&member| u64::from(board.items[member].quantity))
        .sum();
    let there: u64 = left.iter().copied().map(u64::from).sum();
    let mut trial = left.clone();
    let mut places = vec![];
    if wanted <= there && fit(board, &members, &mut trial, &mut places, looks) {
        *left = trial;
        return members.into_iter().zip(places).collect();
    }
    let mut found = vec![];
    for member in members {
        if let Some(place) = candidates(board, member, left).first().copied() {
            left[place] -= board.items[member].quantity;
            found.push((member, place));
        }
    }
    found
}

/// Places all of `members` from the one at `places.len()` on, trying every way.
fn fit(board: &Board<'_>, members: &[usize], left: &mut [u32], places: &mut Vec<usize>, looks: &mut u32) -> bool {
    let Some(&member) = members.get(places.len()) else {
        return true;
    };
    *looks = looks.saturating_sub(u32::try_from(left.len()).unwrap_or(u32::MAX));
    let quantity = board.items[member].quantity;
    let mut tried = vec![];
    for place in candidates(board, member, left) {
        // Two warehouses with as much left are the same to all that follow.
        if *looks == 0 || tried.contains(&left[place]) {
            continue;
        }
        tried.push(left[place]);
        left[place] -= quantity;
        places.push(place);
        if fit(board, members, left, places, looks) {
            return true;
        }
        places.pop();
        left[place] += quantity;
    }
    false
}

/// Warehouses with enough left, the preferred one first.
fn candidates(board: &Board<'_>, member: usize, left: &[u32]) -> Vec<usize> {
    let item = board.items[member];
    let enough = |&warehouse: &usize| left[warehouse] >= item.quantity;
    let hint = item.hint.filter(enough);
    hint.into_iter()
        .chain(
            (0..left.len())
                .filter(|&warehouse| Some(warehouse) != hint)
                .filter(enough),
        )
        .collect()
}
