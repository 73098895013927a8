//! An order that was undone: nothing is left of it but a refund and an apology.

use super::super::account::{Account, Mark};
use super::{Judgement, Left};

impl Judgement {
    pub(super) fn compensated(&mut self, account: &Account, left: &Left) {
        for (subjects, what) in [
            (&left.reservations, "reservations that were not taken back"),
            (&left.invoices, "invoices that were not credited"),
            (&left.labels, "labels that were not made void"),
        ] {
            if !subjects.is_empty() {
                self.lacks.push(format!("{} {what}", subjects.len()));
            }
        }
        if account.subjects(Mark::RefundRecorded).is_empty() {
            self.lacks.push("no refund".to_owned());
        }
        self.apology(account);
        self.goods = goods(account);
    }

    /// One apology over each of its channels; whoever was told that the order is confirmed hears that it is cancelled.
    fn apology(&mut self, account: &Account) {
        let cancelled = account.subjects(Mark::CancelledQueued);
        let confirmed = !account.subjects(Mark::ConfirmationQueued).is_empty();
        let told = if cancelled.is_empty() {
            account.subjects(Mark::OutOfStockQueued)
        } else {
            cancelled.clone()
        };
        if confirmed && cancelled.is_empty() && !told.is_empty() {
            self.lacks
                .push("no word that the order is cancelled, and it was confirmed".to_owned());
        }
        self.channels("an apology", told, &account.subjects(Mark::ApologyWanted));
        let others = account.subjects(Mark::OtherNoticeQueued).len();
        if others > 0 {
            self.excess
                .push(format!("{others} notices that do not belong to a compensated order"));
        }
    }
}

fn goods(account: &Account) -> Option<String> {
    let (held, out) = (&account.goods.held, &account.goods.out);
    if held.units > 0 {
        Some(format!("compensated, and {} units are still reserved", held.units))
    } else if out.units > 0 {
        Some(format!("compensated, and {} units did not come back", out.units))
    } else if held.units == 0 && out.units == 0 && !(held.is_even() && out.is_even()) {
        Some("other goods came back than were taken".to_owned())
    } else {
        None
    }
}
