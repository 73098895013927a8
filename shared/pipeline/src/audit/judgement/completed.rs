//! An order that is done: goods handed over, one invoice, one label for each parcel, one confirmation.

use super::super::account::{Account, Mark};
use super::{Judgement, Left};

impl Judgement {
    pub(super) fn completed(&mut self, account: &Account, left: &Left) {
        self.reserved(account, left);
        if left.invoices.is_empty() {
            self.lacks.push(if account.subjects(Mark::InvoiceIssued).is_empty() {
                "no invoice issued".to_owned()
            } else {
                "its invoice was credited".to_owned()
            });
        }
        self.parcels(account, left);
        let queued = account.subjects(Mark::ConfirmationQueued);
        self.channels("a confirmation", queued, &account.subjects(Mark::ConfirmationWanted));
        let others = [Mark::OutOfStockQueued, Mark::CancelledQueued, Mark::OtherNoticeQueued];
        let others: usize = others.map(|mark| account.subjects(mark).len()).iter().sum();
        if others > 0 {
            self.excess
                .push(format!("{others} notices that do not belong to a completed order"));
        }
        self.unpaid(account, "is completed");
        self.goods = goods(account);
    }

    /// One reservation is left, and it is final.
    fn reserved(&mut self, account: &Account, left: &Left) {
        let committed = account.left(Mark::ReservationCommitted, &[Mark::ReservationReturned]);
        if left.reservations.is_empty() {
            self.lacks
                .push(if account.subjects(Mark::ReservationConfirmed).is_empty() {
                    "no reservation confirmed".to_owned()
                } else {
                    "its reservation was taken back".to_owned()
                });
        }
        if committed.is_empty() {
            self.lacks.push("no reservation committed".to_owned());
        }
        let strange = committed.iter().any(|subject| !left.reservations.contains(subject));
        if strange && !left.reservations.is_empty() {
            self.lacks
                .push("the committed reservation is not the confirmed one".to_owned());
        }
    }

    /// One shipment from each warehouse that goods were taken from, one label for each shipment. Parcels of goods that went
    /// back were calculated too, and have no label.
    fn parcels(&mut self, account: &Account, left: &Left) {
        let origins = account.goods.origins();
        let mut shipments = account.subjects(Mark::ShipmentCalculated);
        shipments.dedup();
        let mut labels = left.labels.clone();
        labels.dedup();
        let taken_back = [Mark::ReservationReleased, Mark::ReservationReturned];
        let once = taken_back.iter().all(|mark| account.subjects(*mark).is_empty());
        let parcels = format!("{} shipments for goods from {origins} warehouses", shipments.len());
        if shipments.is_empty() {
            self.lacks.push("no shipment calculated".to_owned());
        } else if shipments.len() < origins {
            self.lacks.push(parcels);
        } else if once && origins > 0 && shipments.len() > origins {
            self.excess.push(parcels);
        }
        // Where goods went back, as many labels are due as goods have origins.
        let due = if once { shipments.len() } else { origins };
        let labelled = shipments.iter().filter(|number| labels.contains(number)).count();
        let strange = labels.len() - labelled;
        if labelled < due {
            self.lacks
                .push(format!("no label for {} of {due} shipments", due - labelled));
        } else if labelled > due {
            self.excess
                .push(format!("{labelled} labels for goods from {origins} warehouses"));
        }
        if strange > 0 {
            self.excess
                .push(format!("{strange} labels for no shipment of this order"));
        }
    }
}

fn goods(account: &Account) -> Option<String> {
    let goods = &account.goods;
    if !goods.reserved {
        Some("completed, and no goods were ever reserved for it".to_owned())
    } else if goods.held.units > 0 {
        let held = goods.held.units;
        Some(format!("completed, and {held} units are reserved and not committed"))
    } else if goods.held.units == 0 && !goods.held.is_even() {
        Some("other goods were committed than were reserved".to_owned())
    } else if goods.out.is_even() {
        Some("completed, and all its goods went back".to_owned())
    } else {
        None
    }
}
