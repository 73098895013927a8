//! The fiscal documents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use contracts::effects::{INVOICE_CREDITED, INVOICE_ISSUED, LABEL_ISSUED, LABEL_VOIDED};
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Documents, Refusal, RefusalKind};
use pipeline::steps::{self, Reservation, Shipment};

use crate::effects::{Effect, Log};
use crate::faults::{Faults, call_error, refused};
use crate::held;
use crate::keys::{Keys, Tombstones};

const SERVICE: &str = "documents";

/// An invoice that is not credited.
#[derive(Debug)]
struct Invoice {
    generation: Generation,
    asked: String,
    labels: Vec<String>,
    answer: steps::Documents,
}

#[derive(Debug, Default)]
struct Books {
    invoices: BTreeMap<OrderId, Invoice>,
    keys: Keys<steps::Documents>,
    tombstones: Tombstones,
    log: Log,
    number: u64,
}

/// [`Documents`] in memory.
#[derive(Debug)]
pub struct MemoryDocuments {
    books: Mutex<Books>,
    faults: Arc<Faults>,
}

impl MemoryDocuments {
    /// An office that has issued nothing yet.
    #[must_use]
    pub fn new(faults: Arc<Faults>) -> Self {
        Self {
            books: Mutex::default(),
            faults,
        }
    }

    /// Forgets that generations of the order are closed, as a service without tombstones would. For proofs that somebody
    /// notices.
    pub fn reopen(&self, order: &OrderId) {
        held(&self.books).tombstones.reopen(order);
    }

    /// Effects after the first `seen`.
    pub fn effects_after(&self, seen: usize) -> Vec<Effect> {
        held(&self.books).log.after(seen)
    }
}

#[async_trait]
impl Documents for MemoryDocuments {
    async fn generate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        shipments: &[Shipment],
    ) -> Result<steps::Documents, CallError> {
        let deed = || held(&self.books).generate(key, order, reservation, shipments);
        let generated = self.faults.call("documents.generate", deed).await;
        Ok(generated.map_err(call_error(SERVICE))??)
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<(), CallError> {
        let deed = || held(&self.books).close(order, generation);
        let closed = self.faults.call("documents.close", deed).await;
        closed.map_err(call_error(SERVICE))
    }
}

impl Books {
    fn generate(
        &mut self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        shipments: &[Shipment],
    ) -> Result<steps::Documents, Refusal> {
        let (id, of) = (&order.content.order, (&order.content.order, order.generation));
        self.tombstones.look(SERVICE, id, order.generation)?;
        let labels: Vec<_> = shipments
            .iter()
            .map(|shipment| shipment.tracking_number.clone())
            .collect();
        let asked = format!("{} {labels:?}", reservation.id);
        if let Some(before) = self.keys.find(SERVICE, key, &asked)? {
            return Ok(before);
        }
        if let Some(before) = self.invoices.get(id) {
            if before.asked != asked {
                let detail = format!("{id} has invoice {} already", before.answer.fiscal_id);
                return Err(refused(SERVICE, RefusalKind::Other, &detail));
            }
            return Ok(before.answer.clone());
        }
        self.number += 1;
        let fiscal_id = format!("INV-{}", self.number);
        self.log.note(INVOICE_ISSUED, of, fiscal_id.clone(), vec![]);
        for label in &labels {
            self.log.note(LABEL_ISSUED, of, label.clone(), vec![]);
        }
        let answer = steps::Documents {
            invoice_url: format!("http://documents/{fiscal_id}"),
            label_urls: labels.iter().map(|label| format!("http://documents/{label}")).collect(),
            fiscal_id,
        };
        self.keys.keep(key, asked.clone(), answer.clone());
        let invoice = Invoice {
            generation: order.generation,
            asked,
            labels,
            answer: answer.clone(),
        };
        self.invoices.insert(id.clone(), invoice);
        Ok(answer)
    }

    fn close(&mut self, order: &OrderId, generation: Generation) {
        self.tombstones.close(order, generation);
        let closed = |invoice: &Invoice| invoice.generation <= generation;
        if !self.invoices.get(order).is_some_and(closed) {
            return;
        }
        if let Some(invoice) = self.invoices.remove(order) {
            let of = (order, invoice.generation);
            self.log.note(INVOICE_CREDITED, of, invoice.answer.fiscal_id, vec![]);
            for label in invoice.labels {
                self.log.note(LABEL_VOIDED, of, label, vec![]);
            }
        }
    }
}
