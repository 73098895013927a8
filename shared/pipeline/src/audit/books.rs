//! Everything that an audit read, boiled down.

use std::collections::{BTreeMap, HashMap};

use super::account::{Account, Mark, State, hash};
use super::goods::{Goods, Movement};
use super::seen::Seen;

/// Names of kinds that this audit does not know, kept for the report.
const FOREIGN_KINDS_MAX: usize = 64;
/// Characters of such a name.
const FOREIGN_NAME_LENGTH_MAX: usize = 64;

/// An order as checkout lists it.
#[derive(Debug, Clone, Copy)]
pub struct OrderRow<'a> {
    /// Its id.
    pub id: &'a str,
    /// The name of the state it is in.
    pub state: &'a str,
    /// Which life of it.
    pub generation: u32,
}

/// A line of a service's effect log.
#[derive(Debug, Clone, Copy)]
pub struct EffectRow<'a> {
    /// Its place in the log.
    pub seq: i64,
    /// What kind of effect.
    pub kind: &'a str,
    /// For which order.
    pub order: &'a str,
    /// What it made.
    pub subject: &'a str,
    /// What belongs to it.
    pub parts: &'a [String],
}

/// A line of inventory's log of movements.
#[derive(Debug, Clone, Copy)]
pub struct MovementRow<'a> {
    /// Its place in the log.
    pub seq: i64,
    /// What kind of movement.
    pub kind: &'a str,
    /// The product.
    pub sku: &'a str,
    /// The warehouse.
    pub warehouse: &'a str,
    /// How many.
    pub units: u32,
    /// For which order, where for one.
    pub order: Option<&'a str>,
}

/// What inventory says is available.
#[derive(Debug, Clone, Copy)]
pub struct StockRow<'a> {
    /// The product.
    pub sku: &'a str,
    /// The warehouse.
    pub warehouse: &'a str,
    /// How many.
    pub units: u32,
}

/// A service that keeps a log of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// Keeps the stock.
    Inventory,
    /// Calculates shipments.
    Logistics,
    /// Issues invoices and labels.
    Documents,
    /// Tells customers.
    Notifications,
    /// Takes orders in, and keeps what is paid back for them.
    Checkout,
}

impl Service {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Inventory,
        Self::Logistics,
        Self::Documents,
        Self::Notifications,
        Self::Checkout,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Inventory => "inventory",
            Self::Logistics => "logistics",
            Self::Documents => "documents",
            Self::Notifications => "notifications",
            Self::Checkout => "checkout",
        }
    }
}

/// Rows that came out of one log.
#[derive(Debug, Default)]
struct Log {
    seen: Seen,
    rows: u64,
}

impl Log {
    fn is_new(&mut self, seq: i64) -> bool {
        let new = self.seen.is_new(seq);
        self.rows += u64::from(new);
        new
    }
}

/// What was read so far. Orders are to be read first, then effects and movements, then stock: effects of an order that is
/// complete are all written, so whoever reads in this order finds them.
#[derive(Debug, Default)]
pub struct Books {
    pub(super) orders: HashMap<Box<str>, Account>,
    pub(super) goods: Goods,
    /// Kinds of rows that are not in this audit's lists: where, which, how many.
    pub(super) foreign: BTreeMap<(&'static str, String), u64>,
    effects: [Log; Service::ALL.len()],
    movements: Log,
}

impl Books {
    /// Somebody was promised that `order` is processed.
    pub fn promised(&mut self, order: &str) {
        self.account(order).promised = true;
    }

    /// Takes in an order; of one that comes twice the later row counts.
    pub fn order(&mut self, row: &OrderRow<'_>) {
        let account = self.account(row.id);
        account.state = Some(State::of(row.state));
        account.generation = row.generation;
    }

    /// Takes in an effect, unless it was taken in before.
    pub fn effect(&mut self, service: Service, row: &EffectRow<'_>) {
        if !self.effects[service as usize].is_new(row.seq) {
            return;
        }
        let mark = match (service, row.kind) {
            (Service::Inventory, "reservation.confirmed") => Mark::ReservationConfirmed,
            (Service::Inventory, "reservation.committed") => Mark::ReservationCommitted,
            (Service::Inventory, "reservation.released" | "reservation.expired") => Mark::ReservationReleased,
            (Service::Inventory, "reservation.returned") => Mark::ReservationReturned,
            (Service::Logistics, "shipment.calculated") => Mark::ShipmentCalculated,
            (Service::Documents, "invoice.issued") => Mark::InvoiceIssued,
            (Service::Documents, "invoice.credited") => Mark::InvoiceCredited,
            (Service::Documents, "label.issued") => Mark::LabelIssued,
            (Service::Documents, "label.voided") => Mark::LabelVoided,
            (Service::Checkout, "refund.recorded") => Mark::RefundRecorded,
            (Service::Notifications, "notice.queued") => return self.notice(row),
            (service, kind) => return self.foreign(service.name(), kind),
        };
        self.account(row.order).note(mark, row.subject);
    }

    fn notice(&mut self, row: &EffectRow<'_>) {
        let account = self.account(row.order);
        let (template, channel) = row.subject.split_once('/').unwrap_or((row.subject, ""));
        let (queued, wanted) = match template {
            "order_confirmed" => (Mark::ConfirmationQueued, Mark::ConfirmationWanted),
            "out_of_stock" => (Mark::OutOfStockQueued, Mark::ApologyWanted),
            "order_cancelled" => (Mark::CancelledQueued, Mark::ApologyWanted),
            _ => return account.note(Mark::OtherNoticeQueued, row.subject),
        };
        if queued == Mark::ConfirmationQueued {
            account.confirmed_last = account.confirmed_last.max(Some(row.seq));
        } else {
            let first = account.apologised_first.unwrap_or(row.seq);
            account.apologised_first = Some(first.min(row.seq));
        }
        account.note(queued, channel);
        row.parts.iter().for_each(|channel| account.note_once(wanted, channel));
    }

    /// Takes in a movement of stock, unless it was taken in before.
    pub fn movement(&mut self, row: &MovementRow<'_>) {
        if !self.movements.is_new(row.seq) {
            return;
        }
        let Some(movement) = Movement::of(row.kind) else {
            return self.foreign("movements", row.kind);
        };
        let (here, units) = (self.goods.moved(row.sku, row.warehouse), u64::from(row.units));
        here.count(movement, units);
        match row.order {
            _ if movement == Movement::Delivery => {}
            None => here.ownerless += units,
            Some(order) => self
                .account(order)
                .goods
                .count(movement, row.units, row.sku, row.warehouse),
        }
    }

    /// Takes in a row of stock; of one that comes twice the later counts.
    pub fn stock(&mut self, row: &StockRow<'_>) {
        self.goods.available(row.sku, row.warehouse, u64::from(row.units));
    }

    /// Rows in the log of `service`.
    #[must_use]
    pub fn effects_of(&self, service: Service) -> u64 {
        self.effects[service as usize].rows
    }

    /// Two readings between which anything changed have, but for a chance of one in 2^64, another digest.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let orders = self
            .orders
            .iter()
            .map(|(id, account)| hash((id, account.state, account.generation)));
        let logs = self
            .effects
            .iter()
            .chain([&self.movements])
            .enumerate()
            .map(|(at, log)| hash((at, log.rows)));
        orders.chain(logs).fold(self.goods.units_available(), u64::wrapping_add)
    }

    fn account(&mut self, order: &str) -> &mut Account {
        self.orders.entry(order.into()).or_default()
    }

    fn foreign(&mut self, place: &'static str, kind: &str) {
        let name: String = kind.chars().take(FOREIGN_NAME_LENGTH_MAX).collect();
        let name = (place, name);
        let known = self.foreign.contains_key(&name) || self.foreign.len() < FOREIGN_KINDS_MAX;
        let name = if known {
            name
        } else {
            ("elsewhere", "further kinds".to_owned())
        };
        *self.foreign.entry(name).or_default() += 1;
    }
}
