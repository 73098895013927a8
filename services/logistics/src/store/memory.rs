//! Shipments in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::memory::Ledger;
use adapter_postgres::service::{Scope, Taken};
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use pipeline::id::{Generation, OrderId, WarehouseId};
use platform::clock::Clock;
use time::OffsetDateTime;

use super::{Store, told};
use crate::quote::{Parcel, Quote};

/// What the first parcel is called, behind its carrier's letters.
const FIRST_NUMBER: usize = 100_000_001;

/// [`Store`] in memory: one request after the other, so none is ever in progress.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    ledger: Ledger,
    shipments: BTreeMap<(OrderId, Generation, WarehouseId, [u8; 32]), Shipment>,
}

struct Shipment {
    answer: String,
}

impl MemoryStore {
    /// An empty store; `clock` dates its effects.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // What can fail comes before what changes anything, so a panic leaves nothing half done.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn file(&self, scope: Scope<'_>, parcel: &Parcel, quote: &Quote) -> Result<Outcome, StoreError> {
        self.kept().file(scope, parcel, quote, self.clock.now())
    }

    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        Ok(self.kept().ledger.effects_page(after, limit))
    }
}

impl Kept {
    fn file(
        &mut self,
        scope: Scope<'_>,
        parcel: &Parcel,
        quote: &Quote,
        now: OffsetDateTime,
    ) -> Result<Outcome, StoreError> {
        Ok(match self.ledger.take(scope) {
            Taken::Fresh => {
                let place = (
                    parcel.order.clone(),
                    parcel.generation,
                    parcel.origin.clone(),
                    scope.fingerprint,
                );
                if let Some(found) = self.shipments.get(&place) {
                    return Ok(existing(found));
                }
                let number = format!("{}{}", quote.tracking_prefix, FIRST_NUMBER + self.shipments.len());
                let stored = told::filed(quote, &number)?;
                let shipment = Shipment {
                    answer: stored.body.clone(),
                };
                self.shipments.insert(place, shipment);
                self.ledger
                    .keep(scope, &stored.body, &[told::calculated(parcel, number)], now);
                Outcome::Done(stored)
            }
            Taken::Repeat(body) => Outcome::Done(Stored { body, replayed: true }),
            Taken::Reused => Outcome::KeyReused,
            Taken::InProgress => Outcome::InProgress,
        })
    }
}

/// What is to be said of the shipment that is there already.
fn existing(found: &Shipment) -> Outcome {
    Outcome::Done(Stored {
        body: found.answer.clone(),
        replayed: true,
    })
}
