//! The work queues, and the roads that lead away from each.

use pipeline::dead_letters::Queue as Dead;
use pipeline::outgoing::{ORDER_COMPENSATE, ORDER_PROCESS};
use pipeline::retry::Rest;

use crate::topology::{COMPENSATION_QUEUE, DEFER_QUEUE, PROCESS_QUEUE, SUSPECT_QUEUE, rest_queue};

/// What a process consumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Orders to process.
    Process,
    /// Orders that may kill whoever takes them; to be consumed by one consumer of one process.
    Suspect,
    /// Orders to undo.
    Compensation,
    /// Dead letters on their way to the console's store.
    Dead(Dead),
}

impl Line {
    /// The queue.
    #[must_use]
    pub fn queue(self) -> &'static str {
        match self {
            Self::Process => PROCESS_QUEUE,
            Self::Suspect => SUSPECT_QUEUE,
            Self::Compensation => COMPENSATION_QUEUE,
            Self::Dead(dead) => dead.name(),
        }
    }

    /// Where its messages rest; a suspect goes on among the others. `None` where none may rest.
    pub(crate) fn rest_queue(self, rest: Rest) -> Option<String> {
        match self {
            Self::Process | Self::Suspect => Some(rest_queue(PROCESS_QUEUE, rest)),
            Self::Compensation => Some(rest_queue(COMPENSATION_QUEUE, rest)),
            Self::Dead(_) => None,
        }
    }

    /// Where its messages wait without losing a try; `None` where none may: from there the way leads to `orders.process`.
    pub(crate) fn defer_queue(self) -> Option<&'static str> {
        match self {
            Self::Process | Self::Suspect => Some(DEFER_QUEUE),
            Self::Compensation | Self::Dead(_) => None,
        }
    }

    /// Where its messages are set apart that may kill whoever takes them; `None` where that is not done.
    pub(crate) fn suspect_queue(self) -> Option<&'static str> {
        match self {
            Self::Process => Some(SUSPECT_QUEUE),
            Self::Suspect | Self::Compensation | Self::Dead(_) => None,
        }
    }

    /// The type of its messages, which is the key of its dead letters.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Process | Self::Suspect | Self::Dead(Dead::Process | Dead::Invalid) => ORDER_PROCESS,
            Self::Compensation | Self::Dead(Dead::Compensation) => ORDER_COMPENSATE,
        }
    }
}
