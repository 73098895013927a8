//! What services did, counted from their logs.

use std::collections::{BTreeMap, BTreeSet};

use adapter_memory::effects::Effect;
use adapter_memory::inventory::Shelves;
use adapter_memory::store::Row;
use pipeline::id::{OrderId, Sku, WarehouseId};
use pipeline::order::State;

use super::Violation;
use crate::world::World;

/// What one order has had.
#[derive(Debug, Default)]
struct Account {
    /// Reservations that hold goods, and whether each is committed.
    held: BTreeMap<String, bool>,
    lines: BTreeMap<String, Vec<String>>,
    invoices: BTreeSet<String>,
    labels: BTreeSet<String>,
    /// Tracking numbers by reservation and origin.
    parcels: BTreeMap<Vec<String>, String>,
    notices: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub(super) struct Accounts {
    orders: BTreeMap<OrderId, Account>,
    seen: [usize; 4],
    taken: BTreeMap<(Sku, WarehouseId), i64>,
}

const TWICE: &str = "no effect happens twice";

impl Accounts {
    pub(super) fn follow(&mut self, world: &World) -> Result<(), Violation> {
        let logs = [
            world.inventory.effects_after(self.seen[0]),
            world.logistics.effects_after(self.seen[1]),
            world.documents.effects_after(self.seen[2]),
            world.notifications.effects_after(self.seen[3]),
        ];
        for (at, effects) in logs.into_iter().enumerate() {
            self.seen[at] += effects.len();
            for effect in effects {
                after_the_end(world, &effect)?;
                self.effect(&effect)?;
            }
        }
        Ok(())
    }

    fn effect(&mut self, effect: &Effect) -> Result<(), Violation> {
        let account = self.orders.entry(effect.order.clone()).or_default();
        let subject = effect.subject.clone();
        let fine = match effect.kind {
            "reservation.confirmed" => {
                for (shelf, units) in effect.parts.iter().filter_map(|part| shelf(part)) {
                    *self.taken.entry(shelf).or_default() += units;
                }
                account.lines.insert(subject.clone(), effect.parts.clone());
                account.held.is_empty() && account.held.insert(subject, false).is_none()
            }
            "reservation.committed" => account.held.insert(subject, true) == Some(false),
            "reservation.released" | "reservation.expired" | "reservation.returned" => {
                for (shelf, units) in effect.parts.iter().filter_map(|part| shelf(part)) {
                    *self.taken.entry(shelf).or_default() -= units;
                }
                account.held.remove(&subject) == Some(effect.kind == "reservation.returned")
            }
            "shipment.calculated" => account.parcels.insert(effect.parts.clone(), subject).is_none(),
            "invoice.issued" => account.invoices.is_empty() && account.invoices.insert(subject),
            "invoice.credited" => account.invoices.remove(&subject),
            "label.issued" => account.labels.insert(subject),
            "label.voided" => account.labels.remove(&subject),
            "notice.queued" => {
                let sorry = account
                    .notices
                    .iter()
                    .any(|notice| !notice.starts_with("order_confirmed"));
                let late = sorry && subject.starts_with("order_confirmed");
                !late && account.notices.insert(subject)
            }
            _ => false,
        };
        if fine {
            return Ok(());
        }
        Err(Violation::new(TWICE, format!("{effect:?} on top of {account:?}")))
    }

    pub(super) fn was_confirmed(&self, order: &OrderId) -> bool {
        let confirmed = |account: &Account| {
            account
                .notices
                .iter()
                .any(|notice| notice.starts_with("order_confirmed"))
        };
        self.orders.get(order).is_some_and(confirmed)
    }

    /// What an order that has come to its end must have, and must not have.
    pub(super) fn ended(&self, world: &World, order: &OrderId) -> Result<(), Violation> {
        let nothing = Account::default();
        let account = self.orders.get(order).unwrap_or(&nothing);
        world.store.look(|tables| {
            let Some(row) = tables.orders.get(order) else {
                return Ok(());
            };
            let amounts = tables.refunds.iter().filter(|refund| refund.order == *order);
            let amounts: Vec<_> = amounts.map(|refund| refund.refund.amount).collect();
            let refunds = amounts.len();
            let (invariant, wrong) = match row.state {
                State::Completed => (
                    "a completed order has what it should, once",
                    account.completed(row, refunds),
                ),
                State::Compensated => {
                    let wrong = if amounts.iter().all(|amount| *amount == row.content.total) {
                        account.compensated(refunds)
                    } else {
                        Some("another amount goes back than was paid")
                    };
                    ("a compensated order keeps nothing, and is told and paid once", wrong)
                }
                _ => return Ok(()),
            };
            match wrong {
                Some(wrong) => Err(Violation::new(
                    invariant,
                    format!("{order}: {wrong}: {account:?} {row:?}"),
                )),
                None => Ok(()),
            }
        })
    }

    /// On every shelf lies what was delivered, less what reservations hold.
    pub(super) fn stock_adds_up(&self, world: &World, delivered: &Shelves) -> Result<(), Violation> {
        let shelves = world.inventory.shelves();
        for (shelf, units) in delivered {
            let taken = self.taken.get(shelf).copied().unwrap_or(0);
            let there = shelves.get(shelf).copied().unwrap_or(0);
            if i64::from(*units) - taken != i64::from(there) {
                let what = format!("{shelf:?}: {units} delivered, {taken} taken, {there} there");
                return Err(Violation::new("stock is exact", what));
            }
        }
        Ok(())
    }
}

impl Account {
    fn completed(&self, row: &Row, refunds: usize) -> Option<&'static str> {
        let Some(result) = &row.result else {
            return Some("no result");
        };
        let [(held, committed)] = self.held.iter().collect::<Vec<_>>()[..] else {
            return Some("not one reservation");
        };
        let ordered = |line: &pipeline::message::Line| (line.sku.to_string(), line.quantity.to_string());
        let mut ordered: Vec<_> = row.content.lines.iter().map(ordered).collect();
        let lines = self.lines.get(held).map(Vec::as_slice).unwrap_or_default();
        let sent = |part: &String| {
            let mut words = part.split(':');
            let sku = words.next().unwrap_or_default().to_owned();
            (sku, words.nth(1).unwrap_or_default().to_owned())
        };
        let mut sent: Vec<_> = lines.iter().map(sent).collect();
        ordered.sort();
        sent.sort();
        let origins: BTreeSet<_> = lines.iter().filter_map(|part| part.split(':').nth(1)).collect();
        let parcels: BTreeSet<_> = result
            .shipments
            .iter()
            .map(|shipment| shipment.tracking_number.clone())
            .collect();
        let checks = [
            (!*committed, "the reservation is not committed"),
            (*held != result.reservation_id, "the result names another reservation"),
            (sent != ordered, "other goods than were ordered"),
            (self.invoices.len() != 1, "not one uncredited invoice"),
            (
                !self.invoices.contains(&result.fiscal_id),
                "the result names another invoice",
            ),
            (parcels.len() != origins.len(), "not one parcel from each origin"),
            (self.labels != parcels, "labels and parcels differ"),
            (refunds != 0, "a refund"),
            (
                !self.told("order_confirmed"),
                "not told once over each channel that it is confirmed",
            ),
        ];
        checks.into_iter().find(|(wrong, _)| *wrong).map(|(_, what)| what)
    }

    fn compensated(&self, refunds: usize) -> Option<&'static str> {
        let confirmed = self.notices.iter().any(|notice| notice.starts_with("order_confirmed"));
        let sorry = |template: &str| {
            let rest: BTreeSet<_> = self
                .notices
                .iter()
                .filter(|notice| !notice.starts_with("order_confirmed"))
                .collect();
            rest == ["email", "push"]
                .map(|channel| format!("{template}/{channel}"))
                .iter()
                .collect()
        };
        let told = sorry("order_cancelled") || (sorry("out_of_stock") && !confirmed);
        let checks = [
            (!self.held.is_empty(), "goods are held"),
            (!self.invoices.is_empty(), "an invoice is not credited"),
            (!self.labels.is_empty(), "a label is not void"),
            (refunds != 1, "not one refund"),
            (!told, "not told once over each channel what became of it"),
        ];
        checks.into_iter().find(|(wrong, _)| *wrong).map(|(_, what)| what)
    }

    fn told(&self, template: &str) -> bool {
        let wanted = ["email", "push"].map(|channel| format!("{template}/{channel}"));
        self.notices.iter().collect::<BTreeSet<_>>() == wanted.iter().collect()
    }
}

fn shelf(part: &str) -> Option<((Sku, WarehouseId), i64)> {
    let mut words = part.split(':');
    let (sku, warehouse) = (words.next()?, words.next()?);
    let shelf = (Sku::parse(sku).ok()?, WarehouseId::parse(warehouse).ok()?);
    Some((shelf, words.next()?.parse().ok()?))
}

/// A final order has no effects any more; a shipment alone may be calculated for goods that it never gets.
fn after_the_end(world: &World, effect: &Effect) -> Result<(), Violation> {
    let state = world
        .store
        .look(|tables| tables.orders.get(&effect.order).map(|row| row.state));
    // The change itself may come in the same turn as an effect, but never before it.
    match state {
        Some(state) if state.is_final() && effect.kind != "shipment.calculated" => {
            let what = format!("{}, which is {state}: {effect:?}", effect.order);
            Err(Violation::new("a final order has no effects any more", what))
        }
        _ => Ok(()),
    }
}
