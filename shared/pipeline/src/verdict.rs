//! What is to be done with a delivery. Consumers turn verdicts into traffic; nothing else does.

use crate::failure::{Class, Failed};
use crate::message::{Delivery, Malformed};
use crate::ports::Source;
use crate::retry::{DEFERRALS_MAX, Rest};

/// What the consumer must do with the delivery. Whatever is moved is published there, confirmed, and then acked.
#[derive(Debug)]
#[must_use]
pub enum Verdict {
    /// Acknowledge: the store says it all.
    Settled(Settled),
    /// Move it to where it rests before its next try.
    Retry(Retry),
    /// Move it to where it rests without losing a try.
    Defer(Defer),
    /// Move it to where deliveries are taken one at a time: it may kill its worker.
    Suspect,
    /// Move it to the dead letters: nobody accepted it in these words, so no row says anything of it.
    Unknown(Failed),
    /// Move it to what cannot be understood.
    Invalid(Failed),
    /// Nothing could be decided. Give it back and take none until the servers answer.
    Hold(Source),
}

/// A further try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// Which try the next one is.
    pub attempt: u32,
    /// How long it rests.
    pub rest: Rest,
    /// Why this one failed, in one line.
    pub why: String,
}

/// A try put off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defer {
    /// How often it has been put off, this time included.
    pub deferrals: u32,
    /// Why, in one line.
    pub why: String,
}

/// Why a delivery is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// The order is complete.
    Completed,
    /// The order is to be undone.
    Compensating,
    /// The order is undone.
    Compensated,
    /// The order waits for a person.
    DeadLettered(Class),
    /// The undoing waits for a person.
    Stuck(Class),
    /// A dead letter is kept.
    Kept,
    /// It was known: dropped, and counted.
    Duplicate(Duplicate),
}

/// By which rule a delivery was recognised as a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Duplicate {
    /// The order had reached a final state.
    Final,
    /// The order had moved on to another state.
    MovedOn,
    /// It speaks of another generation of the order.
    OtherGeneration,
    /// This very dead letter is kept already.
    KeptAlready,
    /// The order has an open entry already.
    OpenAlready,
    /// The order had moved on when its dead letter came.
    DeadLetterLate,
}

impl Duplicate {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Final,
        Self::MovedOn,
        Self::OtherGeneration,
        Self::KeptAlready,
        Self::OpenAlready,
        Self::DeadLetterLate,
    ];

    /// The rule's name in logs and counters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Final => "final",
            Self::MovedOn => "moved_on",
            Self::OtherGeneration => "other_generation",
            Self::KeptAlready => "kept_already",
            Self::OpenAlready => "open_already",
            Self::DeadLetterLate => "dead_letter_late",
        }
    }
}

/// The next try of a delivery of `of`; `None` after the last.
pub(crate) fn try_again<M>(delivery: &Delivery<M>, of: &str, why: String) -> Option<Retry> {
    let rest = Rest::after(delivery.attempt, of)?;
    Some(Retry {
        attempt: delivery.attempt + 1,
        rest,
        why,
    })
}

/// The next try of a message named `name` whose work panicked at try `attempt`; `None` after the last.
#[must_use]
pub fn after_panic(attempt: u32, name: &str) -> Option<Retry> {
    Some(Retry {
        attempt: attempt + 1,
        rest: Rest::after(attempt, name)?,
        why: "its work panicked; the worker's log says where".to_owned(),
    })
}

/// The next deferral of a delivery; `None` after the last.
pub(crate) fn put_off<M>(delivery: &Delivery<M>, why: String) -> Option<Defer> {
    (delivery.deferrals < DEFERRALS_MAX).then(|| Defer {
        deferrals: delivery.deferrals + 1,
        why,
    })
}

/// The verdict on bytes that are no valid message.
pub(crate) fn invalid(malformed: &Malformed, attempt: u32) -> Verdict {
    Verdict::Invalid(Failed::new(Class::Invalid, None, &malformed.to_string(), attempt))
}
