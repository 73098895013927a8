//! What is known of one order, in a few dozen bytes.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use super::goods::OrderGoods;

/// Where checkout says that an order stands; its own list, on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum State {
    Accepted,
    Processing,
    NoticePending,
    Completed,
    Compensating,
    Compensated,
    DeadLettered,
    Stuck,
    /// A name that is not in this list.
    Foreign,
}

impl State {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "accepted" => Self::Accepted,
            "processing" => Self::Processing,
            "notice_pending" => Self::NoticePending,
            "completed" => Self::Completed,
            "compensating" => Self::Compensating,
            "compensated" => Self::Compensated,
            "dead_lettered" => Self::DeadLettered,
            "stuck" => Self::Stuck,
            _ => Self::Foreign,
        }
    }

    pub(super) fn standing(self) -> Standing {
        match self {
            Self::Completed => Standing::Completed,
            Self::Compensated => Standing::Compensated,
            Self::DeadLettered => Standing::DeadLettered,
            Self::Stuck => Standing::Stuck,
            Self::Accepted => Standing::Unfinished("accepted, never taken up, and no message of it is anywhere"),
            Self::Processing => Standing::Unfinished("half processed, and no message of it is anywhere"),
            Self::NoticePending => Standing::Unfinished("its notice is pending, and no message of it is anywhere"),
            Self::Compensating => Standing::Unfinished("half compensated, and no message of it is anywhere"),
            Self::Foreign => {
                Standing::Unfinished("in a state that this audit does not know; is checkout newer than it?")
            }
        }
    }
}

/// What a state means to the accountant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Completed,
    Compensated,
    DeadLettered,
    Stuck,
    /// May not rest; why it is lost if it does.
    Unfinished(&'static str),
}

/// What a mark says that an order had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Mark {
    ReservationConfirmed,
    ReservationCommitted,
    /// Taken back before it was final, or run out.
    ReservationReleased,
    /// Taken back after it was final.
    ReservationReturned,
    ShipmentCalculated,
    InvoiceIssued,
    InvoiceCredited,
    LabelIssued,
    LabelVoided,
    /// A confirmation over one channel.
    ConfirmationQueued,
    /// A channel that a confirmation was to go over; kept once.
    ConfirmationWanted,
    /// That the goods ran out, over one channel.
    OutOfStockQueued,
    /// That the order is cancelled, over one channel.
    CancelledQueued,
    /// A channel that one of these two was to go over; kept once.
    ApologyWanted,
    /// Any other notice over one channel.
    OtherNoticeQueued,
    RefundRecorded,
}

/// Bits of a mark that say of what it is; the rest is the kind.
const SUBJECT_BITS: u32 = 58;

/// Marks kept for one order. One with more has, for at least one kind, far more than it may have.
const MARKS_MAX: usize = 10_000;

/// Marks of an order with one parcel and two channels.
const MARKS_USUAL: usize = 10;

/// One order.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Where it stands; `None` where checkout does not know it.
    pub(super) state: Option<State>,
    pub(super) generation: u32,
    /// Somebody holds a `202` for it.
    pub(super) promised: bool,
    /// What moved of goods for it.
    pub(super) goods: OrderGoods,
    /// Place in the log of the last confirmation.
    pub(super) confirmed_last: Option<i64>,
    /// Place in the log of the first notice that takes a confirmation back, or that says that there is none.
    pub(super) apologised_first: Option<i64>,
    /// Kind and hashed subject of each effect. Hashes keep a subject in 58 bits; two subjects of one order and kind are
    /// taken for one with a chance of one in 2^58.
    marks: Vec<u64>,
}

impl Account {
    pub(super) fn note(&mut self, mark: Mark, subject: &str) {
        if self.marks.len() < MARKS_MAX {
            if self.marks.capacity() == 0 {
                self.marks.reserve_exact(MARKS_USUAL);
            }
            self.marks.push(pack(mark, subject));
        }
    }

    pub(super) fn note_once(&mut self, mark: Mark, subject: &str) {
        if !self.marks.contains(&pack(mark, subject)) {
            self.note(mark, subject);
        }
    }

    /// The subjects that have `mark` more often than the marks in `undone`, each as often as it has it more, sorted.
    pub(super) fn left(&self, mark: Mark, undone: &[Mark]) -> Vec<u64> {
        let mut left = self.subjects(mark);
        for subject in undone.iter().flat_map(|undone| self.subjects(*undone)) {
            if let Ok(at) = left.binary_search(&subject) {
                left.remove(at);
            }
        }
        left
    }

    /// The subjects that have `mark`, each as often as it has it, sorted.
    pub(super) fn subjects(&self, mark: Mark) -> Vec<u64> {
        let of_kind = self
            .marks
            .iter()
            .filter(|packed| *packed >> SUBJECT_BITS == u64::from(mark as u8));
        let mut subjects: Vec<_> = of_kind.map(|packed| packed & ((1 << SUBJECT_BITS) - 1)).collect();
        subjects.sort_unstable();
        subjects
    }

    pub(super) fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }
}

fn pack(mark: Mark, subject: &str) -> u64 {
    u64::from(mark as u8) << SUBJECT_BITS | hash(subject) >> (u64::BITS - SUBJECT_BITS)
}

/// The same in every process and at every time: two readings must agree on it.
pub(super) fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
