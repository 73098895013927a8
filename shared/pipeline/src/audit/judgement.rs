//! Whether one order had what its end calls for, once.

mod compensated;
mod completed;

use super::account::{Account, Mark, State};

/// What is wrong with an order, in words.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    /// Effects that an order at this end should have and has not; an effect that should be undone and is not, too.
    pub(super) lacks: Vec<String>,
    /// Effects too many.
    pub(super) excess: Vec<String>,
    /// Goods that are not where they should be for an order at this end.
    pub(super) goods: Option<String>,
}

/// What of an order has not been undone.
struct Left {
    /// Reservations that were confirmed and neither released, run out nor returned.
    reservations: Vec<u64>,
    /// Invoices without a credit note.
    invoices: Vec<u64>,
    /// Labels that are not void.
    labels: Vec<u64>,
}

impl Left {
    fn of(account: &Account) -> Self {
        let taken_back = [Mark::ReservationReleased, Mark::ReservationReturned];
        Self {
            reservations: account.left(Mark::ReservationConfirmed, &taken_back),
            invoices: account.left(Mark::InvoiceIssued, &[Mark::InvoiceCredited]),
            labels: account.left(Mark::LabelIssued, &[Mark::LabelVoided]),
        }
    }
}

impl Judgement {
    /// `at_rest`: the order's row and its effects were read while nothing moved.
    pub(super) fn of(account: &Account, at_rest: bool) -> Self {
        let mut judgement = Self::default();
        let left = Left::of(account);
        judgement.nothing_twice(account, &left);
        match account.state {
            Some(State::Completed) => judgement.completed(account, &left),
            Some(State::Compensated) => judgement.compensated(account, &left),
            Some(State::DeadLettered | State::Stuck) if at_rest => judgement.unpaid(account, "waits for a person"),
            _ => {}
        }
        if judgement.goods.is_none() {
            judgement.goods = more_than_there_was(account);
        }
        judgement
    }

    /// Holds for every order, wherever it stands: what was undone may be had again, and nothing is undone twice.
    fn nothing_twice(&mut self, account: &Account, left: &Left) {
        let single = [
            (&left.reservations, "reservations at once"),
            (&left.invoices, "invoices issued and not credited"),
            (&account.subjects(Mark::RefundRecorded), "refunds"),
        ];
        for (subjects, what) in single {
            if subjects.len() > 1 {
                self.excess.push(format!("{} {what}", subjects.len()));
            }
        }
        for (mark, what) in EACH_ONCE {
            let subjects = account.subjects(mark);
            let again = subjects.windows(2).filter(|pair| pair[0] == pair[1]).count();
            if again > 0 {
                self.excess.push(format!("{what} ({again} times)"));
            }
        }
        for (undone, of, what) in UNDOES {
            let had = account.subjects(of);
            let strange = |subject: &&u64| had.binary_search(subject).is_err();
            let strange = account.subjects(undone).iter().filter(strange).count();
            if strange > 0 {
                self.excess.push(format!("{strange} {what}"));
            }
        }
        if !account.subjects(Mark::OutOfStockQueued).is_empty() && !account.subjects(Mark::CancelledQueued).is_empty() {
            self.excess.push("two apologies".to_owned());
        }
        if account.apologised_first.is_some() && account.confirmed_last > account.apologised_first {
            self.excess.push("a confirmation after the apology".to_owned());
        }
    }

    /// Money goes back for compensated orders alone.
    fn unpaid(&mut self, account: &Account, what: &str) {
        let refunds = account.subjects(Mark::RefundRecorded).len();
        if refunds > 0 {
            self.excess.push(format!("{refunds} refunds of an order that {what}"));
        }
    }

    /// The channels in `queued` are those in `wanted`, and some. `what` was queued over them, with an article.
    fn channels(&mut self, what: &str, queued: Vec<u64>, wanted: &[u64]) {
        let mut queued = queued;
        queued.dedup();
        let missing = wanted.iter().filter(|channel| !queued.contains(channel)).count();
        let strange = queued.iter().filter(|channel| !wanted.contains(channel)).count();
        let bare = what.split_once(' ').map_or(what, |(_article, bare)| bare);
        if queued.is_empty() {
            self.lacks.push(format!("no {bare} queued"));
        } else if wanted.is_empty() {
            self.lacks
                .push(format!("{what} that does not say which channels it was to go over"));
        } else if missing > 0 {
            self.lacks
                .push(format!("no {bare} over {missing} of {} channels", wanted.len()));
        } else if strange > 0 {
            self.excess
                .push(format!("{what} over {strange} channels that nobody asked for"));
        }
    }
}

/// Effects that each subject has once at most.
const EACH_ONCE: [(Mark, &str); 13] = [
    (Mark::ReservationConfirmed, "a reservation confirmed again"),
    (Mark::ReservationCommitted, "a reservation committed again"),
    (Mark::ReservationReleased, "a reservation released again"),
    (Mark::ReservationReturned, "a reservation returned again"),
    (Mark::ShipmentCalculated, "a shipment calculated again"),
    (Mark::InvoiceIssued, "an invoice issued again"),
    (Mark::InvoiceCredited, "an invoice credited again"),
    (Mark::LabelIssued, "a label issued again"),
    (Mark::LabelVoided, "a label made void again"),
    (
        Mark::ConfirmationQueued,
        "the confirmation queued again over the same channel",
    ),
    (Mark::OutOfStockQueued, "the apology queued again over the same channel"),
    (Mark::CancelledQueued, "the apology queued again over the same channel"),
    (Mark::OtherNoticeQueued, "a notice queued again over the same channel"),
];

/// What undoes an effect, and the effect that it undoes.
const UNDOES: [(Mark, Mark, &str); 4] = [
    (
        Mark::ReservationReleased,
        Mark::ReservationConfirmed,
        "reservations released that nobody had",
    ),
    (
        Mark::ReservationReturned,
        Mark::ReservationCommitted,
        "reservations returned that were never committed",
    ),
    (
        Mark::InvoiceCredited,
        Mark::InvoiceIssued,
        "invoices credited that were never issued",
    ),
    (
        Mark::LabelVoided,
        Mark::LabelIssued,
        "labels made void that were never issued",
    ),
];

/// No order gives back or hands over what it does not have.
fn more_than_there_was(account: &Account) -> Option<String> {
    let (held, out) = (account.goods.held.units, account.goods.out.units);
    if held < 0 {
        Some(format!("{} more units committed or given back than reserved", -held))
    } else if out < 0 {
        Some(format!("{} more units returned than committed", -out))
    } else {
        None
    }
}
