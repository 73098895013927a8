//! Whether a process can do its work right now, and why not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Red until somebody says otherwise. Clones share one state.
#[derive(Debug, Clone)]
pub struct Readiness {
    /// Why each part of the process cannot work, by its name; the process as a whole has none.
    reasons: Arc<Mutex<BTreeMap<&'static str, String>>>,
    part: &'static str,
}

impl Readiness {
    /// Not ready, because the process is starting.
    #[must_use]
    pub fn starting() -> Self {
        let whole = Self {
            reasons: Arc::default(),
            part: "",
        };
        whole.red("starting");
        whole
    }

    /// The readiness of a part of the process, which is starting as well. The process is ready when all parts are.
    #[must_use]
    pub fn part(&self, name: &'static str) -> Self {
        let part = Self {
            reasons: Arc::clone(&self.reasons),
            part: name,
        };
        part.red("starting");
        part
    }

    /// It can work.
    pub fn green(&self) {
        self.reasons().remove(self.part);
    }

    /// It cannot work now; `reason` is shown to operators, so it holds no secret.
    pub fn red(&self, reason: impl Into<String>) {
        self.reasons().insert(self.part, reason.into());
    }

    /// Why the process cannot work; `None` when it can.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let told = |(part, reason): (&&str, &String)| {
            if part.is_empty() {
                reason.clone()
            } else {
                format!("{part}: {reason}")
            }
        };
        let told: Vec<_> = self.reasons().iter().map(told).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    fn reasons(&self) -> MutexGuard<'_, BTreeMap<&'static str, String>> {
        self.reasons.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_ready_when_all_its_parts_are() {
        let whole = Readiness::starting();
        let (one, other) = (whole.part("one"), whole.part("other"));
        whole.green();
        one.green();
        assert_eq!(whole.reason().as_deref(), Some("other: starting"));
        other.green();
        assert_eq!(one.reason(), None);
        one.red("no broker");
        other.red("no store");
        assert_eq!(whole.reason().as_deref(), Some("one: no broker; other: no store"));
    }
}
