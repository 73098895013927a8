//! Keys and tombstones: what makes an effect happen once, and not at all once its generation is closed.

use std::collections::BTreeMap;

use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::ports::{Refusal, RefusalKind};

use crate::faults::refused;

/// A service's stored answers, by key, each with what was asked for.
#[derive(Debug)]
pub(crate) struct Keys<T>(BTreeMap<IdempotencyKey, (String, T)>);

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Clone> Keys<T> {
    /// The stored answer.
    pub(crate) fn find(&self, service: &'static str, key: &IdempotencyKey, asked: &str) -> Result<Option<T>, Refusal> {
        match self.0.get(key) {
            Some((before, answer)) if before == asked => Ok(Some(answer.clone())),
            Some(_) => Err(refused(
                service,
                RefusalKind::Other,
                "the key was used for another request",
            )),
            None => Ok(None),
        }
    }

    pub(crate) fn keep(&mut self, key: &IdempotencyKey, asked: String, answer: T) {
        self.0.insert(key.clone(), (asked, answer));
    }
}

/// The highest closed generation of each order.
#[derive(Debug, Default)]
pub(crate) struct Tombstones(BTreeMap<OrderId, Generation>);

impl Tombstones {
    pub(crate) fn close(&mut self, order: &OrderId, generation: Generation) {
        let closed = self.0.entry(order.clone()).or_insert(generation);
        *closed = generation.max(*closed);
    }

    pub(crate) fn reopen(&mut self, order: &OrderId) {
        self.0.remove(order);
    }

    /// Refuses what a closed generation asks for.
    pub(crate) fn look(&self, service: &'static str, order: &OrderId, generation: Generation) -> Result<(), Refusal> {
        match self.0.get(order) {
            Some(closed) if generation <= *closed => {
                let detail = format!("generation {} of {order} is closed", generation.0);
                Err(refused(service, RefusalKind::Superseded, &detail))
            }
            Some(_) | None => Ok(()),
        }
    }
}
