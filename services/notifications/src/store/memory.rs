//! Notices and customers in memory.

mod outbox;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::memory::Ledger;
use adapter_postgres::service::{Scope, Taken};
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use contracts::notifications::StoredMessage;
use outbox::Outbox;
use pipeline::id::{CustomerId, Generation, OrderId};
use platform::clock::Clock;
use time::OffsetDateTime;

use super::{Store, told};
use crate::customer::Customer;
use crate::notice::{Message, Notice};

/// [`Store`] in memory: one request after the other, so none is ever in progress.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    ledger: Ledger,
    customers: BTreeMap<CustomerId, Customer>,
    outbox: Outbox,
}

impl MemoryStore {
    /// An empty store; `clock` dates its messages and effects.
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
    async fn customer(&self, id: &CustomerId) -> Result<Option<Customer>, StoreError> {
        Ok(self.kept().customers.get(id).cloned())
    }

    async fn enter(&self, id: &CustomerId, customer: &Customer) -> Result<(), StoreError> {
        self.kept().customers.insert(id.clone(), customer.clone());
        Ok(())
    }

    async fn queue(
        &self,
        scope: Scope<'_>,
        notice: &Notice,
        messages: &[Message],
        year: i32,
    ) -> Result<Outcome, StoreError> {
        self.kept().queue(scope, notice, messages, year, self.clock.now())
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<Vec<String>, StoreError> {
        let mut kept = self.kept();
        kept.ledger.close(order.as_str(), generation.0.cast_signed());
        Ok(kept.outbox.sent(order))
    }

    async fn outbox(&self, order: Option<&OrderId>, after: i64, limit: i64) -> Result<Page<StoredMessage>, StoreError> {
        Ok(self.kept().outbox.page(order, after, limit))
    }

    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        Ok(self.kept().ledger.effects_page(after, limit))
    }
}

impl Kept {
    fn queue(
        &mut self,
        scope: Scope<'_>,
        notice: &Notice,
        messages: &[Message],
        year: i32,
        now: OffsetDateTime,
    ) -> Result<Outcome, StoreError> {
        Ok(match self.taken(scope, notice) {
            None => Outcome::Superseded,
            Some(Taken::Fresh) => {
                if self.outbox.went_to_another(notice) {
                    return Ok(told::another_customer(notice));
                }
                let id = self.outbox.name_of(notice, year);
                let fresh = self.outbox.not_told(notice, messages);
                let stored = told::queued(&id, fresh.is_empty())?;
                if !stored.replayed {
                    let channels: Vec<_> = fresh.iter().map(|message| message.channel.name().to_owned()).collect();
                    self.outbox.put(notice, &id, &fresh, now);
                    self.ledger
                        .keep(scope, &stored.body, &told::effects(notice, &channels), now);
                }
                Outcome::Done(stored)
            }
            Some(Taken::Repeat(body)) => Outcome::Done(Stored { body, replayed: true }),
            Some(Taken::Reused) => Outcome::KeyReused,
            Some(Taken::InProgress) => Outcome::InProgress,
        })
    }

    /// `None` when the notice goes forward and its generation is closed.
    fn taken(&self, scope: Scope<'_>, notice: &Notice) -> Option<Taken> {
        if notice.template.is_forward {
            let (order, generation) = (notice.order.as_str(), notice.generation.0.cast_signed());
            return self.ledger.take_unless_closed(scope, order, generation);
        }
        Some(self.ledger.take(scope))
    }
}
