//! Whether a process can do its work right now, and why not.

use std::sync::{Arc, Mutex, PoisonError};

/// Red until somebody says otherwise. Clones share one state.
#[derive(Debug, Clone)]
pub struct Readiness(Arc<Mutex<Option<String>>>);

impl Readiness {
    /// Not ready, because the process is starting.
    #[must_use]
    pub fn starting() -> Self {
        Self(Arc::new(Mutex::new(Some("starting".to_owned()))))
    }

    /// The process can work.
    pub fn green(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The process cannot work now; `reason` is shown to operators, so it holds no secret.
    pub fn red(&self, reason: impl Into<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.into());
    }

    /// Why the process cannot work; `None` when it can.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
