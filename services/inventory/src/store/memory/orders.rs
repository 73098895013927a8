//! Every reservation that an order ever had.

use std::collections::BTreeMap;

use pipeline::id::{OrderId, ReservationId};
use time::OffsetDateTime;

use crate::allocation::Shelf;
use crate::plan::Taken;
use crate::reservation::{Held, Status};
use crate::store::Reserve;
use crate::store::told::part;

/// The number of the first reservation.
const FIRST_NUMBER: u64 = 1_001;

#[derive(Debug, Clone)]
pub(super) struct Reservation {
    pub(super) held: Held,
    pub(super) goods: Vec<Taken>,
}

impl Reservation {
    /// When it ends, if it is live and within its time.
    pub(super) fn ends(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let Held { status, expires_at, .. } = self.held;
        (status == Status::Live && !status.ran_out(expires_at, now)).then_some(expires_at)
    }

    pub(super) fn shelves(&self) -> Vec<Shelf> {
        let lying = |taken: &Taken| Shelf {
            sku: taken.sku.clone(),
            warehouse: taken.warehouse.clone(),
            available: taken.units,
        };
        self.goods.iter().map(lying).collect()
    }

    pub(super) fn parts(&self) -> Vec<String> {
        let part = |taken: &Taken| part(taken.sku.as_str(), taken.warehouse.as_str(), taken.units);
        self.goods.iter().map(part).collect()
    }
}

/// Reservations by order, oldest first.
#[derive(Debug, Default)]
pub(super) struct Orders {
    all: BTreeMap<OrderId, Vec<Reservation>>,
    given: u64,
}

impl Orders {
    /// The name of the next reservation, made in this year.
    pub(super) fn next_id(&self, year: i32) -> String {
        format!("RSV-{year}-{}", FIRST_NUMBER + self.given)
    }

    /// Adds a live reservation under the name that [`Self::next_id`] gave.
    pub(super) fn add(&mut self, reserve: &Reserve, id: ReservationId, goods: Vec<Taken>) {
        self.given += 1;
        let held = Held {
            id,
            generation: reserve.generation,
            status: Status::Live,
            content: reserve.wanted.content(),
            expires_at: reserve.expires_at,
        };
        let of_order = self.all.entry(reserve.order.clone()).or_default();
        of_order.push(Reservation { held, goods });
    }

    /// All of an order.
    pub(super) fn of(&self, order: &OrderId) -> &[Reservation] {
        self.all.get(order).map_or(&[], Vec::as_slice)
    }

    /// The one of an order that is live or committed.
    pub(super) fn holding(&self, order: &OrderId) -> Option<&Reservation> {
        let mut of_order = self.of(order).iter();
        of_order.find(|reservation| matches!(reservation.held.status, Status::Live | Status::Committed))
    }

    /// Moves the one that is live or committed on.
    pub(super) fn set(&mut self, order: &OrderId, from: Status, to: Status) {
        let of_order = self.all.get_mut(order).into_iter().flatten();
        for reservation in of_order.filter(|reservation| reservation.held.status == from) {
            reservation.held.status = to;
        }
    }

    /// Orders whose reservation ran out, those first that did so first.
    pub(super) fn due(&self, now: OffsetDateTime, most: usize) -> Vec<OrderId> {
        let mut due: Vec<_> = self
            .all
            .keys()
            .filter_map(|order| Some((&self.holding(order)?.held, order)))
            .filter(|(held, _)| held.status.ran_out(held.expires_at, now))
            .map(|(held, order)| (held.expires_at, order))
            .collect();
        due.sort_unstable();
        due.into_iter().take(most).map(|(_, order)| order.clone()).collect()
    }
}
