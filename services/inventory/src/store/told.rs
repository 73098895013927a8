//! Answers and effects, the same for every store.

use adapter_postgres::service::NewEffect;
use contracts::effects::{RESERVATION_COMMITTED, RESERVATION_CONFIRMED};
use contracts::inventory::{CloseAnswer, ClosedReservation, CommitAnswer, ReserveAnswer, ReservedLine, kilograms};
use pipeline::id::{OrderId, ReservationId};
use time::OffsetDateTime;

use super::{Close, Commit, Reserve};
use crate::plan::Taken;
use crate::reservation::{Ending, Status};

/// Goods as a part of an effect.
pub(super) fn part(sku: &str, warehouse: &str, units: u32) -> String {
    format!("{sku}:{warehouse}:{units}")
}

/// A reservation that is committed by now is told as it was when it was confirmed.
pub(super) fn confirmed(id: String, expires_at: OffsetDateTime, lines: Vec<ReservedLine>) -> ReserveAnswer {
    ReserveAnswer {
        reservation_id: id,
        status: "confirmed".to_owned(),
        expires_at,
        lines,
    }
}

pub(super) fn lines(goods: &[Taken]) -> Vec<ReservedLine> {
    let line = |taken: &Taken| ReservedLine {
        sku: taken.sku.to_string(),
        qty: taken.units,
        warehouse: taken.warehouse.to_string(),
        weight_kg: kilograms(taken.weight_grams),
    };
    goods.iter().map(line).collect()
}

pub(super) fn confirmation<'a>(reserve: &'a Reserve, answer: &ReserveAnswer) -> NewEffect<'a> {
    let part = |line: &ReservedLine| part(&line.sku, &line.warehouse, line.qty);
    NewEffect {
        kind: RESERVATION_CONFIRMED,
        order_id: reserve.order.as_str(),
        generation: reserve.generation.0.cast_signed(),
        subject: answer.reservation_id.clone(),
        parts: answer.lines.iter().map(part).collect(),
    }
}

pub(super) fn committed(commit: &Commit) -> CommitAnswer {
    CommitAnswer {
        reservation_id: commit.reservation.to_string(),
        status: Status::Committed.name().to_owned(),
    }
}

pub(super) fn commitment(commit: &Commit, parts: Vec<String>) -> NewEffect<'_> {
    NewEffect {
        kind: RESERVATION_COMMITTED,
        order_id: commit.order.as_str(),
        generation: commit.generation.0.cast_signed(),
        subject: commit.reservation.to_string(),
        parts,
    }
}

/// A reservation that ended just now.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) id: ReservationId,
    pub(super) order: OrderId,
    pub(super) generation: i32,
    /// What came back, as [`part`]s.
    pub(super) parts: Vec<String>,
}

impl Ended {
    pub(super) fn effect(&self, ending: Ending) -> NewEffect<'_> {
        NewEffect {
            kind: ending.effect(),
            order_id: self.order.as_str(),
            generation: self.generation,
            subject: self.id.to_string(),
            parts: self.parts.clone(),
        }
    }
}

pub(super) fn closed(close: &Close, reservations: impl Iterator<Item = (String, Status)>) -> CloseAnswer {
    let reservation = |(id, status): (String, Status)| ClosedReservation {
        reservation_id: id,
        status: status.name().to_owned(),
    };
    CloseAnswer {
        order_id: close.order.to_string(),
        generation: close.generation.0,
        reservations: reservations.map(reservation).collect(),
    }
}
