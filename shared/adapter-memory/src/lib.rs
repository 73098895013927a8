//! Every port in memory. One lock around each deed makes it atomic, as a transaction is; every call gives way before
//! its deed and after it, and consults a seeded plan of faults, so it fails the way a network does.

pub mod broker;
pub mod chance;
pub mod clock;
pub mod documents;
pub mod effects;
pub mod faults;
pub mod inventory;
mod keys;
pub mod logistics;
pub mod notifications;
pub mod store;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock's content. A deed either happens or panics before it changes anything, so a poisoned lock holds good data.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
