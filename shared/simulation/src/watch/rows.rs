//! An order's row: every arrow of it, written out.

use adapter_memory::store::{HistoryRow, Row};
use pipeline::happened::Happened;
use pipeline::id::Version;
use pipeline::order::State;

use super::Violation;
use crate::world::World;

/// Every change that may be: from, to, and what happened.
const ARROWS: &[(&str, &str, &str)] = &[
    ("open", "processing", "close_earlier"),
    ("open", "processing", "check_stock"),
    ("open", "processing", "reserve"),
    ("open", "processing", "calculate_shipment"),
    ("open", "processing", "commit_reservation"),
    ("open", "processing", "issue_documents"),
    ("open", "processing", "reservation_expired"),
    ("open", "completed", "notify_customer"),
    ("open", "compensating", "out_of_stock"),
    ("open", "dead_lettered", "dead_lettered"),
    ("dead_lettered", "accepted", "replayed"),
    ("dead_lettered", "accepted", "edited"),
    ("dead_lettered", "compensating", "abandoned"),
    ("compensating", "compensated", "compensated"),
    ("compensating", "stuck", "stuck"),
    ("stuck", "compensating", "redone"),
];

/// Tries of a message, at most.
const ATTEMPTS_MAX: u32 = 6;

pub(super) fn check(
    world: &World,
    state: State,
    generation: u32,
    version: Version,
    change: &HistoryRow,
) -> Result<(), Violation> {
    let order = &change.order;
    let wrong = |invariant, what: String| Err(Violation::new(invariant, format!("{order}: {what}: {change:?}")));
    if matches!(state, State::Completed | State::Compensated) {
        return wrong("a final order never moves", format!("it is {state}"));
    }
    if change.version.0 != version.0 + 1 {
        return wrong(
            "a version rises by one with each change",
            format!("it was {}", version.0),
        );
    }
    if change.from != state {
        return wrong("a change names the state that it finds", format!("it is {state}"));
    }
    let happened = change.happened.name();
    let from = if matches!(state, State::Accepted | State::Processing) {
        "open"
    } else {
        state.name()
    };
    if !ARROWS.contains(&(from, change.to.name(), happened)) {
        return wrong(
            "every change is a legal arrow",
            format!("{from} to {} by {happened}", change.to),
        );
    }
    let expected = generation + u32::from(happened == "edited");
    if change.generation.0 != expected {
        return wrong(
            "an edit alone opens the next generation",
            format!("it was {generation}"),
        );
    }
    if change.attempt > ATTEMPTS_MAX {
        return wrong("no try is above the ladder", format!("try {}", change.attempt));
    }
    if happened == "out_of_stock" && world.inventory.shortages(order) == 0 {
        return wrong(
            "out of stock is inventory's verdict",
            "inventory never said so".to_owned(),
        );
    }
    world.store.look(
        |tables| match tables.orders.get(order).map(|row| journal(row, change)) {
            Some(Err(what)) => wrong("a journal tells one story", what.to_owned()),
            Some(Ok(())) | None => Ok(()),
        },
    )
}

/// What the journal of the generation held before the change, and whether the change can follow.
fn journal(row: &Row, change: &HistoryRow) -> Result<(), &'static str> {
    let (mut checked, mut held, mut shipped, mut committed) = (false, None, false, false);
    let (mut documents, mut closed) = (false, change.generation.0 == 1);
    let before = row.history.iter();
    let before = before.filter(|before| before.generation == change.generation && before.version < change.version);
    for happened in before.map(|before| &before.happened) {
        match happened {
            Happened::CloseEarlier => closed = true,
            Happened::CheckStock(_) => checked = true,
            Happened::Reserve(reservation) => held = Some(reservation.id.clone()),
            Happened::CalculateShipment(_) => shipped = true,
            Happened::CommitReservation(_) => committed = true,
            Happened::IssueDocuments(_) => documents = true,
            Happened::ReservationExpired(_) => (held, shipped) = (None, false),
            _ => {}
        }
    }
    let open = closed && checked;
    let can = match &change.happened {
        Happened::CloseEarlier => !closed,
        Happened::CheckStock(_) => closed && !checked,
        Happened::Reserve(_) | Happened::OutOfStock(_) => open && held.is_none(),
        Happened::CalculateShipment(_) => open && held.is_some() && !shipped,
        Happened::CommitReservation(committing) => shipped && !committed && held.as_ref() == Some(&committing.id),
        Happened::ReservationExpired(expired) => !committed && held.as_ref() == Some(expired),
        Happened::IssueDocuments(_) => committed && !documents,
        Happened::NotifyCustomer(_) => committed && documents,
        _ => true,
    };
    if can {
        Ok(())
    } else {
        Err("this cannot follow what is there")
    }
}
