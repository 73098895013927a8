//! Documents in memory.

mod shelf;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::memory::Ledger;
use adapter_postgres::service::{Scope, Taken};
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use platform::clock::Clock;
use shelf::Shelf;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Store, already, effects};
use crate::address::Kind;
use crate::credit::{Closing, Credit};
use crate::document::Papers;
use crate::sale::Sale;

/// [`Store`] in memory: one request after the other, so none is ever in progress.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    ledger: Ledger,
    shelf: Shelf,
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
    async fn issue(&self, scope: Scope<'_>, sale: &Sale, papers: &Papers) -> Result<Outcome, StoreError> {
        Ok(self.kept().issue(scope, sale, papers, self.clock.now()))
    }

    async fn close(&self, caller: &str, closing: &Closing) -> Result<Vec<Credit>, StoreError> {
        let closed = self.kept().close(caller, closing, self.clock.now());
        closed.map_err(|error| unreadable("closing a generation", error))
    }

    async fn document(&self, kind: Kind, id: &str) -> Result<Option<String>, StoreError> {
        let read = match (kind, Uuid::try_parse(id)) {
            (Kind::Invoice | Kind::CreditNote, Err(_)) => Ok(None),
            (Kind::Invoice, Ok(id)) => Ok(self.kept().shelf.invoice(id)),
            (Kind::CreditNote, Ok(id)) => Ok(self.kept().shelf.credit_note(id)),
            (Kind::Label, _) => self.kept().shelf.label(id),
        };
        read.map_err(|error| unreadable("reading documents", error))
    }

    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        Ok(self.kept().ledger.effects_page(after, limit))
    }
}

impl Kept {
    fn issue(&mut self, scope: Scope<'_>, sale: &Sale, papers: &Papers, now: OffsetDateTime) -> Outcome {
        let (order, generation) = (sale.order.as_str(), sale.generation.0.cast_signed());
        match self.ledger.take_unless_closed(scope, order, generation) {
            None => Outcome::Superseded,
            Some(Taken::Fresh) => self.in_the_way(scope, sale, papers).unwrap_or_else(|| {
                self.shelf.issue(scope, sale, papers);
                self.ledger
                    .keep(scope, &papers.answer, &effects::issued(sale, papers), now);
                Outcome::Done(papers.stored(false))
            }),
            Some(Taken::Repeat(body)) => Outcome::Done(Stored { body, replayed: true }),
            Some(Taken::Reused) => Outcome::KeyReused,
            Some(Taken::InProgress) => Outcome::InProgress,
        }
    }

    /// What is to be said where there is an invoice or a label already.
    fn in_the_way(&self, scope: Scope<'_>, sale: &Sale, papers: &Papers) -> Option<Outcome> {
        if let Some((id, found)) = self.shelf.uncredited(&sale.order) {
            return Some(if found.content == scope.fingerprint {
                Outcome::Done(papers.stored(true))
            } else {
                already::invoiced(&sale.order, id, found.generation)
            });
        }
        let numbers = sale.parcels.iter().map(|parcel| parcel.number.as_str());
        let labelled = numbers.filter(|number| self.shelf.has_live_label(number)).min();
        labelled.map(already::labelled)
    }

    fn close(
        &mut self,
        caller: &str,
        closing: &Closing,
        now: OffsetDateTime,
    ) -> Result<Vec<Credit>, serde_json::Error> {
        let generation = closing.generation.0.cast_signed();
        if let Some((id, found)) = self.shelf.uncredited(&closing.order)
            && found.generation <= generation
        {
            let (credit, of) = (Credit::of(id), found.generation);
            let note = credit.document(&found.document, closing)?;
            let voided = self.shelf.take_back(credit, note, closing.at);
            let effects = effects::taken_back(closing, of, credit, voided);
            self.ledger.log(caller, &effects, now);
        }
        self.ledger.close(closing.order.as_str(), generation);
        Ok(self.shelf.credits(&closing.order, generation))
    }
}

fn unreadable(doing: &'static str, error: serde_json::Error) -> StoreError {
    StoreError::Unavailable {
        doing,
        source: error.into(),
    }
}
