//! Whether one order had what it should, once.

use super::account::{Account, Mark, State};

/// What is wrong with an order, in words.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    /// Effects that a completed order should have and has not.
    pub(super) lacks: Vec<String>,
    /// Effects too many.
    pub(super) excess: Vec<String>,
    /// Goods that were taken for it and not handed over, or the other way round.
    pub(super) goods: Option<String>,
}

impl Judgement {
    pub(super) fn of(account: &Account) -> Self {
        let mut judgement = Self::default();
        judgement.nothing_twice(account);
        if account.state == Some(State::Completed) {
            judgement.reservation(account);
            judgement.parcels(account);
            judgement.confirmation(account);
            judgement.goods(account);
        }
        judgement
    }

    /// Holds for every order, wherever it stands.
    fn nothing_twice(&mut self, account: &Account) {
        let single = [
            (Mark::ReservationConfirmed, "reservations confirmed"),
            (Mark::ReservationCommitted, "reservations committed"),
            (Mark::InvoiceIssued, "invoices issued"),
        ];
        for (mark, what) in single {
            let count = account.subjects(mark).len();
            if count > 1 {
                self.excess.push(format!("{count} {what}"));
            }
        }
        let each_once = [
            (Mark::ShipmentCalculated, "a shipment calculated again"),
            (Mark::LabelIssued, "a label issued again"),
            (
                Mark::ConfirmationQueued,
                "the confirmation queued again over the same channel",
            ),
            (Mark::OtherNoticeQueued, "a notice queued again over the same channel"),
        ];
        for (mark, what) in each_once {
            let subjects = account.subjects(mark);
            let again = subjects.windows(2).filter(|pair| pair[0] == pair[1]).count();
            if again > 0 {
                self.excess.push(format!("{what} ({again} times)"));
            }
        }
    }

    fn reservation(&mut self, account: &Account) {
        let confirmed = account.subjects(Mark::ReservationConfirmed);
        let committed = account.subjects(Mark::ReservationCommitted);
        if confirmed.is_empty() {
            self.lacks.push("no reservation confirmed".to_owned());
        }
        if committed.is_empty() {
            self.lacks.push("no reservation committed".to_owned());
        }
        let strange = committed.iter().any(|subject| !confirmed.contains(subject));
        if strange && !confirmed.is_empty() {
            self.lacks
                .push("the committed reservation is not the confirmed one".to_owned());
        }
        if account.subjects(Mark::InvoiceIssued).is_empty() {
            self.lacks.push("no invoice issued".to_owned());
        }
    }

    /// One shipment from each warehouse that goods were taken from, one label for each shipment.
    fn parcels(&mut self, account: &Account) {
        let distinct = |mark| {
            let mut subjects = account.subjects(mark);
            subjects.dedup();
            subjects
        };
        let origins = account.subjects(Mark::Origin).len();
        let (shipments, labels) = (distinct(Mark::ShipmentCalculated), distinct(Mark::LabelIssued));
        if shipments.is_empty() {
            self.lacks.push("no shipment calculated".to_owned());
        } else if origins > 0 && shipments.len() < origins {
            self.lacks.push(format!(
                "{} shipments for goods from {origins} warehouses",
                shipments.len()
            ));
        } else if origins > 0 && shipments.len() > origins {
            self.excess.push(format!(
                "{} shipments for goods from {origins} warehouses",
                shipments.len()
            ));
        }
        let missing = shipments.iter().filter(|number| !labels.contains(number)).count();
        let strange = labels.iter().filter(|number| !shipments.contains(number)).count();
        if missing > 0 {
            self.lacks
                .push(format!("no label for {missing} of {} shipments", shipments.len()));
        }
        if strange > 0 {
            self.excess
                .push(format!("{strange} labels for no shipment of this order"));
        }
    }

    fn confirmation(&mut self, account: &Account) {
        let wanted = account.subjects(Mark::ChannelWanted);
        let mut queued = account.subjects(Mark::ConfirmationQueued);
        queued.dedup();
        let missing = wanted.iter().filter(|channel| !queued.contains(channel)).count();
        let strange = queued.iter().filter(|channel| !wanted.contains(channel)).count();
        if queued.is_empty() {
            self.lacks.push("no confirmation queued".to_owned());
        } else if wanted.is_empty() {
            self.lacks
                .push("a confirmation that does not say which channels it was to go over".to_owned());
        } else if missing > 0 {
            self.lacks
                .push(format!("no confirmation over {missing} of {} channels", wanted.len()));
        } else if strange > 0 {
            self.excess
                .push(format!("a confirmation over {strange} channels that nobody asked for"));
        }
        let other = account.subjects(Mark::OtherNoticeQueued).len();
        if other > 0 {
            self.excess
                .push(format!("{other} notices that do not belong to a completed order"));
        }
    }

    fn goods(&mut self, account: &Account) {
        let held = account.units_held;
        self.goods = if !account.reserved {
            Some("completed, and no goods were ever reserved for it".to_owned())
        } else if held > 0 {
            Some(format!("completed, and {held} units are reserved and not committed"))
        } else if held < 0 {
            Some(format!("{} more units committed than reserved", -held))
        } else if account.goods_held != 0 {
            Some("other goods were committed than were reserved".to_owned())
        } else {
            None
        };
    }
}
