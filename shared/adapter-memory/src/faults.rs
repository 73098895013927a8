//! When and how calls fail.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use pipeline::ports::{CallError, Refusal, RefusalKind, StoreError};

use crate::chance::Chance;
use crate::held;

/// How a call fails, relative to its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The request was lost: no effect.
    Before,
    /// The answer was lost: the effect stands, the caller cannot know.
    After,
    /// The other side is at work on the same request: no effect.
    Busy,
    /// The other side says no: no effect.
    Refused,
}

/// A fault that is to come at a certain call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// At the next such call.
    Once(Fault),
    /// At every one.
    Always(Fault),
}

/// Decides over every call: first what was planned for it, then chance.
#[derive(Debug)]
pub struct Faults {
    chance: Arc<Chance>,
    percent: AtomicU64,
    plans: Mutex<BTreeMap<&'static str, Plan>>,
    met: Mutex<BTreeMap<(&'static str, Fault), u64>>,
}

impl Faults {
    /// `percent` of all calls fail, as `chance` has it.
    #[must_use]
    pub fn new(chance: Arc<Chance>, percent: u64) -> Self {
        Self {
            chance,
            percent: AtomicU64::new(percent),
            plans: Mutex::default(),
            met: Mutex::default(),
        }
    }

    /// From now on nothing fails by chance.
    pub fn calm(&self) {
        self.percent.store(0, Ordering::Relaxed);
    }

    /// Plans a fault for the call of this name, such as `inventory.reserve`.
    pub fn plan(&self, call: &'static str, plan: Plan) {
        held(&self.plans).insert(call, plan);
    }

    /// Forgets every plan.
    pub fn heal(&self) {
        held(&self.plans).clear();
    }

    /// How often each call met each fault.
    pub fn met(&self) -> BTreeMap<(&'static str, Fault), u64> {
        held(&self.met).clone()
    }

    fn next(&self, call: &'static str) -> Option<Fault> {
        let fault = self.planned(call).or_else(|| self.by_chance())?;
        *held(&self.met).entry((call, fault)).or_default() += 1;
        Some(fault)
    }

    fn planned(&self, call: &'static str) -> Option<Fault> {
        let mut plans = held(&self.plans);
        match *plans.get(call)? {
            Plan::Always(fault) => Some(fault),
            Plan::Once(fault) => {
                plans.remove(call);
                Some(fault)
            }
        }
    }

    fn by_chance(&self) -> Option<Fault> {
        let percent = self.percent.load(Ordering::Relaxed);
        if percent == 0 || self.chance.draw(100) >= percent {
            return None;
        }
        Some(match self.chance.draw(8) {
            0..4 => Fault::Before,
            4..7 => Fault::After,
            _ => Fault::Busy,
        })
    }

    /// Does `deed` as the call of this name, unless a fault forbids it.
    ///
    /// # Errors
    ///
    /// The fault.
    pub async fn call<T>(&self, call: &'static str, deed: impl FnOnce() -> T) -> Result<T, Fault> {
        give_way().await;
        let fault = self.next(call);
        match fault {
            Some(Fault::Before | Fault::Busy | Fault::Refused) => {}
            Some(Fault::After) | None => {
                let done = deed();
                // The deed stands, and whoever asked may be gone before the answer comes.
                give_way().await;
                if fault.is_none() {
                    return Ok(done);
                }
            }
        }
        Err(fault.unwrap_or(Fault::Before))
    }
}

/// Gives way once, so that a scheduler can run somebody else here, or end the caller.
pub async fn give_way() {
    let mut given = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut given, true) {
            return Poll::Ready(());
        }
        // A stream of futures polls those alone that asked for it.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

pub(crate) fn store_error(doing: &'static str) -> impl FnOnce(Fault) -> StoreError {
    move |fault| StoreError {
        doing,
        source: format!("{fault:?}, as planned").into(),
    }
}

pub(crate) fn call_error(service: &'static str) -> impl FnOnce(Fault) -> CallError {
    move |fault| match fault {
        Fault::Before | Fault::After => CallError::Unknown {
            service,
            source: format!("{fault:?}, as planned").into(),
        },
        Fault::Busy => CallError::Busy { service },
        Fault::Refused => refused(service, RefusalKind::Other, "as planned").into(),
    }
}

pub(crate) fn refused(service: &'static str, kind: RefusalKind, detail: &str) -> Refusal {
    let problem = match kind {
        RefusalKind::OutOfStock(_) => "out-of-stock",
        RefusalKind::ReservationExpired => "reservation-expired",
        RefusalKind::Superseded => "superseded",
        RefusalKind::Other => "refused",
    };
    Refusal {
        service,
        kind,
        problem: problem.to_owned(),
        detail: detail.to_owned(),
    }
}
