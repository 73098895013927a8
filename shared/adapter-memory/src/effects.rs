//! What services did, in the order in which they did it. Nothing is ever taken out.

use pipeline::id::{Generation, OrderId};

/// One effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// What kind, as the services' own logs name it.
    pub kind: &'static str,
    /// For which order.
    pub order: OrderId,
    /// In which generation of it.
    pub generation: Generation,
    /// What it made or took back.
    pub subject: String,
    /// What belongs to it.
    pub parts: Vec<String>,
}

/// A service's append-only log.
#[derive(Debug, Default)]
pub struct Log(Vec<Effect>);

impl Log {
    pub(crate) fn note(
        &mut self,
        kind: &'static str,
        (order, generation): (&OrderId, Generation),
        subject: impl Into<String>,
        parts: Vec<String>,
    ) {
        self.0.push(Effect {
            kind,
            order: order.clone(),
            generation,
            subject: subject.into(),
            parts,
        });
    }

    pub(crate) fn after(&self, seen: usize) -> Vec<Effect> {
        self.0.get(seen..).unwrap_or_default().to_vec()
    }
}
