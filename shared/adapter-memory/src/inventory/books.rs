//! What inventory knows, and what each request makes of it. No call in here gives way, so each is a transaction.

use std::collections::BTreeMap;

use contracts::effects::{
    RESERVATION_COMMITTED, RESERVATION_CONFIRMED, RESERVATION_EXPIRED, RESERVATION_RELEASED, RESERVATION_RETURNED,
};
use pipeline::happened::Short;
use pipeline::id::{Generation, IdempotencyKey, OrderId, ReservationId, Sku, WarehouseId};
use pipeline::message::Line;
use pipeline::order::Order;
use pipeline::ports::{Refusal, RefusalKind};
use pipeline::steps::{CommittedReservation, Reservation, ReservedLine, StockCheck};

use super::{RESERVATION_MS, SERVICE, Shelves};
use crate::clock::Clock;
use crate::effects::Log;
use crate::faults::refused;
use crate::keys::{Keys, Tombstones};

/// Weight of one of anything, in grams.
const WEIGHT_GRAMS: u32 = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Live,
    Committed,
    Expired,
    Closed,
}

#[derive(Debug)]
struct Held {
    order: OrderId,
    generation: Generation,
    asked: String,
    status: Status,
    expires_ms: u64,
    answer: Reservation,
}

impl Held {
    fn holds_goods(&self) -> bool {
        matches!(self.status, Status::Live | Status::Committed)
    }
}

#[derive(Debug, Default)]
pub(super) struct Books {
    pub(super) shelves: Shelves,
    pub(super) log: Log,
    pub(super) shortages: BTreeMap<OrderId, u32>,
    reservations: BTreeMap<ReservationId, Held>,
    /// The reservations that hold goods: one for each order at most.
    by_order: BTreeMap<OrderId, ReservationId>,
    reserve_keys: Keys<ReservationId>,
    commit_keys: Keys<ReservationId>,
    pub(super) tombstones: Tombstones,
    number: u64,
}

impl Books {
    pub(super) fn deliver(&mut self, sku: &Sku, warehouse: &WarehouseId, units: u32) {
        *self.shelves.entry((sku.clone(), warehouse.clone())).or_default() += units;
    }

    pub(super) fn sweep(&mut self, now_ms: u64) {
        let ended = |held: &&Held| held.status == Status::Live && held.expires_ms <= now_ms;
        let ended = self.reservations.values().filter(ended);
        for id in ended.map(|held| held.answer.id.clone()).collect::<Vec<_>>() {
            self.give_back(&id, Status::Expired, RESERVATION_EXPIRED);
        }
    }

    fn expire(&mut self, order: &OrderId, now_ms: u64) {
        let Some(id) = self.by_order.get(order).cloned() else {
            return;
        };
        let over = |held: &Held| held.status == Status::Live && held.expires_ms <= now_ms;
        if self.reservations.get(&id).is_some_and(over) {
            self.give_back(&id, Status::Expired, RESERVATION_EXPIRED);
        }
    }

    fn give_back(&mut self, id: &ReservationId, status: Status, kind: &'static str) {
        let Some(held) = self.reservations.get_mut(id) else {
            return;
        };
        held.status = status;
        for line in &held.answer.lines {
            let there = self.shelves.entry((line.sku.clone(), line.warehouse.clone()));
            *there.or_default() += line.quantity;
        }
        if self.by_order.get(&held.order) == Some(id) {
            self.by_order.remove(&held.order);
        }
        let of = (&held.order, held.generation);
        self.log.note(kind, of, id.as_str(), parts(&held.answer.lines));
    }

    pub(super) fn check(&self, order: &Order) -> Result<StockCheck, Refusal> {
        self.known(order)?;
        let own = self.by_order.contains_key(&order.content.order);
        let available = own || self.choose(&order.content.lines).is_ok();
        Ok(StockCheck { available })
    }

    pub(super) fn reserve(&mut self, key: &IdempotencyKey, order: &Order, now_ms: u64) -> Result<Reservation, Refusal> {
        let id = &order.content.order;
        self.tombstones.look(SERVICE, id, order.generation)?;
        self.known(order)?;
        self.expire(id, now_ms);
        let asked = wanted(&order.content.lines);
        if let Some(before) = self.reserve_keys.find(SERVICE, key, &asked)?
            && let Some(held) = self.reservations.get(&before).filter(|held| held.holds_goods())
        {
            return Ok(held.answer.clone());
        }
        if let Some(held) = self.by_order.get(id).and_then(|found| self.reservations.get(found)) {
            if held.generation != order.generation || held.asked != asked {
                let detail = format!("{id} holds {} already", held.answer.id);
                return Err(refused(SERVICE, RefusalKind::Other, &detail));
            }
            return Ok(held.answer.clone());
        }
        let lines = self.choose(&order.content.lines).inspect_err(|_| {
            *self.shortages.entry(id.clone()).or_default() += 1;
        })?;
        self.take(key, order, asked, lines, now_ms)
    }

    fn take(
        &mut self,
        key: &IdempotencyKey,
        order: &Order,
        asked: String,
        lines: Vec<ReservedLine>,
        now_ms: u64,
    ) -> Result<Reservation, Refusal> {
        let id = &order.content.order;
        for line in &lines {
            if let Some(units) = self.shelves.get_mut(&(line.sku.clone(), line.warehouse.clone())) {
                *units -= line.quantity;
            }
        }
        self.number += 1;
        let number = format!("RSV-{}", self.number);
        let number = ReservationId::parse(&number);
        let number = number.map_err(|error| refused(SERVICE, RefusalKind::Other, &error.to_string()))?;
        let expires_ms = now_ms + RESERVATION_MS;
        let answer = Reservation {
            id: number.clone(),
            expires_at: Clock::at(expires_ms),
            lines,
        };
        let of = (id, order.generation);
        self.log
            .note(RESERVATION_CONFIRMED, of, number.as_str(), parts(&answer.lines));
        self.reserve_keys.keep(key, asked.clone(), number.clone());
        self.by_order.insert(id.clone(), number.clone());
        let held = Held {
            order: id.clone(),
            generation: order.generation,
            asked,
            status: Status::Live,
            expires_ms,
            answer: answer.clone(),
        };
        self.reservations.insert(number, held);
        Ok(answer)
    }

    pub(super) fn commit(
        &mut self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        now_ms: u64,
    ) -> Result<CommittedReservation, Refusal> {
        let (id, of) = (&reservation.id, &order.content.order);
        self.tombstones.look(SERVICE, of, order.generation)?;
        if let Some(id) = self.commit_keys.find(SERVICE, key, id.as_str())? {
            return Ok(CommittedReservation { id });
        }
        self.expire(of, now_ms);
        let ours = |held: &&mut Held| held.order == *of && held.generation == order.generation;
        let Some(held) = self.reservations.get_mut(id).filter(ours) else {
            return Err(refused(SERVICE, RefusalKind::Other, "there is no such reservation"));
        };
        match held.status {
            Status::Live => {
                held.status = Status::Committed;
                let lines = parts(&held.answer.lines);
                self.log
                    .note(RESERVATION_COMMITTED, (of, order.generation), id.as_str(), lines);
            }
            Status::Committed => {}
            Status::Expired | Status::Closed => {
                let detail = format!("{id} ran out");
                return Err(refused(SERVICE, RefusalKind::ReservationExpired, &detail));
            }
        }
        self.commit_keys.keep(key, id.to_string(), id.clone());
        Ok(CommittedReservation { id: id.clone() })
    }

    pub(super) fn close(&mut self, order: &OrderId, generation: Generation, now_ms: u64) {
        self.tombstones.close(order, generation);
        // What ran out has expired, whether or not somebody noticed in time.
        self.expire(order, now_ms);
        let closed = |held: &&Held| held.order == *order && held.generation <= generation && held.holds_goods();
        let closed = self.reservations.values().filter(closed);
        let closed: Vec<_> = closed.map(|held| (held.answer.id.clone(), held.status)).collect();
        for (id, status) in closed {
            let kind = if status == Status::Committed {
                RESERVATION_RETURNED
            } else {
                RESERVATION_RELEASED
            };
            self.give_back(&id, Status::Closed, kind);
        }
    }

    pub(super) fn close_untouched(&mut self, order: &OrderId, generation: Generation, now_ms: u64) -> bool {
        let open = self.tombstones.look(SERVICE, order, generation).is_ok();
        let untouched = open && !self.by_order.contains_key(order);
        if untouched {
            self.close(order, generation, now_ms);
        }
        untouched
    }

    pub(super) fn forget(&mut self, order: &OrderId) {
        self.by_order.remove(order);
        self.reserve_keys = Keys::default();
    }

    fn known(&self, order: &Order) -> Result<(), Refusal> {
        let is_known = |line: &&Line| self.shelves.keys().any(|(sku, _)| *sku == line.sku);
        match order.content.lines.iter().find(|line| !is_known(line)) {
            Some(line) => Err(refused(
                SERVICE,
                RefusalKind::Other,
                &format!("{} is no product", line.sku),
            )),
            None => Ok(()),
        }
    }

    /// Where each line comes from: the hinted warehouse first. Lines of one product are distinct in the orders that come
    /// here, so each is looked at by itself.
    fn choose(&self, lines: &[Line]) -> Result<Vec<ReservedLine>, Refusal> {
        let (mut chosen, mut short) = (vec![], vec![]);
        for line in lines {
            let of_product = || self.shelves.iter().filter(|((sku, _), _)| *sku == line.sku);
            let enough = |(_, units): &(&(Sku, WarehouseId), &u32)| **units >= line.quantity;
            let hinted = of_product().find(|found| enough(found) && Some(&found.0.1) == line.warehouse_hint.as_ref());
            match hinted.or_else(|| of_product().find(enough)) {
                Some(((sku, warehouse), _)) => chosen.push(ReservedLine {
                    sku: sku.clone(),
                    quantity: line.quantity,
                    warehouse: warehouse.clone(),
                    weight_grams: WEIGHT_GRAMS,
                }),
                None => short.push(Short {
                    sku: line.sku.to_string(),
                    wanted: line.quantity,
                    available: of_product().map(|(_, units)| *units).max().unwrap_or(0),
                }),
            }
        }
        if short.is_empty() {
            Ok(chosen)
        } else {
            Err(refused(SERVICE, RefusalKind::OutOfStock(short), "not enough"))
        }
    }
}

fn wanted(lines: &[Line]) -> String {
    let each = |line: &Line| format!("{}:{}:{:?}", line.sku, line.quantity, line.warehouse_hint);
    lines.iter().map(each).collect::<Vec<_>>().join(",")
}

fn parts(lines: &[ReservedLine]) -> Vec<String> {
    let each = |line: &ReservedLine| format!("{}:{}:{}", line.sku, line.warehouse, line.quantity);
    lines.iter().map(each).collect()
}
