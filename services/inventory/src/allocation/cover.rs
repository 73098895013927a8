//! A first way to place everything, from few warehouses.

use std::cmp::Reverse;

use super::board::Board;
use super::packing::Seat;

/// A place for every demand that is not short: those that compete where they fit, the others at the warehouse that they
/// prefer, the rest wherever most of them can come from together.
pub(super) fn cover(board: &Board<'_>, seats: &[Seat]) -> Vec<Option<usize>> {
    let hint = |at: usize| {
        let item = board.items[at];
        item.hint
            .filter(|&hint| board.stock[item.product][hint] >= item.quantity)
    };
    let settled = seats.iter().enumerate().map(|(at, seat)| match seat {
        Seat::Short => None,
        Seat::Beside(place) => Some(*place),
        Seat::Free => hint(at),
    });
    let mut places: Vec<_> = settled.collect();
    let mut used = vec![false; board.warehouses.len()];
    for &place in places.iter().flatten() {
        used[place] = true;
    }

    let mut open: Vec<_> = (0..seats.len())
        .filter(|&at| seats[at] == Seat::Free && places[at].is_none())
        .collect();
    // How many open demands each warehouse could serve.
    let mut serves = vec![0_u32; used.len()];
    for warehouse in open.iter().flat_map(|&at| board.serving(board.items[at])) {
        serves[warehouse] += 1;
    }
    while !open.is_empty() {
        let useful = (0..used.len()).filter(|&warehouse| serves[warehouse] > 0);
        let Some(next) = useful.max_by_key(|&warehouse| (used[warehouse], serves[warehouse], Reverse(warehouse)))
        else {
            break; // no open demand is without a warehouse
        };
        used[next] = true;
        open.retain(|&at| {
            let item = board.items[at];
            if board.stock[item.product][next] < item.quantity {
                return true;
            }
            places[at] = Some(next);
            board.serving(item).for_each(|warehouse| serves[warehouse] -= 1);
            false
        });
    }
    places
}
