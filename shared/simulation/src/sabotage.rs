//! Rules taken out, each by a wrapper around a port: what a run without the rule comes to shows what the rule is for.

mod dead_letters;
mod documents;
mod inventory;
mod logistics;
mod notifications;
mod orders;
mod ports;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use self::ports::without;
use pipeline::ports::{CallError, RefusalKind};

fn is_superseded(error: &CallError) -> bool {
    matches!(error, CallError::Refused(refusal) if refusal.kind == RefusalKind::Superseded)
}

/// The lock's content.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A rule of the order protocol that is taken out, or turned round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Sabotage {
    /// Rule 1: a change does not look whether the row is as it expects.
    VersionIgnored,
    /// Rule 1: messages leave before the change that sends them is stored.
    MessageFirst,
    /// Rule 2: on a conflict the same verdict is stored anew.
    VerdictCarried,
    /// Rule 3: a generation inherits the journal of those before it.
    JournalOfAll,
    /// Rule 4: a late change moves a final row.
    FinalMoves,
    /// Rule 5: a check does not count what the order holds, and decides.
    CheckDecides,
    /// Rule 6: an order may hold a second reservation.
    SecondReservation,
    /// Rule 6: a stored answer of reserve is good for ever.
    StaleAnswer,
    /// Rule 7: a commit refused because the reservation ran out is a refusal like any other.
    ExpiredKept,
    /// Rule 8: closing undoes, and leaves no tombstone.
    NoTombstone,
    /// Rule 8: the tombstone forbids what compensation says, too.
    TombstoneForbidsUndo,
    /// Rule 8: stored answers are looked at before the tombstone.
    AnswerBeforeTombstone,
    /// Rule 9: a superseded delivery is acked without a look at the row.
    SupersededAcked,
    /// Rule 10: the next generation leaves the earlier ones open.
    EarlierLeftOpen,
    /// Rule 10: an edited replay closes the earlier generation before the row moves.
    CloseFirst,
    /// Rule 11: a plain replay begins with an empty journal and new keys.
    ReplayAnew,
    /// Rule 12: the lookup of an order's invoice finds the credited one.
    CreditedFound,
    /// Rule 13: a notice is keyed by generation.
    NoticePerGeneration,
    /// Rule 13: a customer who was sent a confirmation is told that the goods ran out.
    ConfirmationForgotten,
    /// Rule 14: the refund is paid before its change is stored, and not keyed by order.
    RefundUnkeyed,
    /// Rule 15: compensation skips the calls that it began before.
    UndoSkipsBegun,
    /// Rule 16: a stuck order is replayed.
    StuckReplayed,
    /// Rule 17: an entry's id leaves the row's version out.
    EntryWithoutVersion,
    /// Rule 18: a drain does not look at the row.
    DrainBlind,
    /// Rule 18: a drain keeps every letter of an order that waits.
    DrainOpensTwice,
    /// Rule 19: deliveries that came back are not set apart.
    NoSuspects,
    /// Rule 20: a late worker's ack hits whatever its channel's successor has in hand.
    LateAckHonoured,
    /// Rule 22: duplicates are not counted.
    DuplicatesUncounted,
}

impl Sabotage {
    /// All of them.
    pub const ALL: [Self; 28] = [
        Self::VersionIgnored,
        Self::MessageFirst,
        Self::VerdictCarried,
        Self::JournalOfAll,
        Self::FinalMoves,
        Self::CheckDecides,
        Self::SecondReservation,
        Self::StaleAnswer,
        Self::ExpiredKept,
        Self::NoTombstone,
        Self::TombstoneForbidsUndo,
        Self::AnswerBeforeTombstone,
        Self::SupersededAcked,
        Self::EarlierLeftOpen,
        Self::CloseFirst,
        Self::ReplayAnew,
        Self::CreditedFound,
        Self::NoticePerGeneration,
        Self::ConfirmationForgotten,
        Self::RefundUnkeyed,
        Self::UndoSkipsBegun,
        Self::StuckReplayed,
        Self::EntryWithoutVersion,
        Self::DrainBlind,
        Self::DrainOpensTwice,
        Self::NoSuspects,
        Self::LateAckHonoured,
        Self::DuplicatesUncounted,
    ];
}
