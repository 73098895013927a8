//! The documents themselves. Who asks for a change has made sure that nothing is in its way.

use std::collections::BTreeMap;

use adapter_postgres::service::Scope;
use pipeline::id::OrderId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::credit::{Credit, void};
use crate::document::Papers;
use crate::sale::Sale;

/// All documents.
#[derive(Default)]
pub(super) struct Shelf {
    invoices: BTreeMap<Uuid, Invoice>,
    /// The invoices of an order, oldest first: all but the last are credited.
    of_order: BTreeMap<OrderId, Vec<Uuid>>,
    /// The labels of a shipment, oldest first: all but the last are void.
    labels: BTreeMap<String, Vec<Label>>,
    credit_notes: BTreeMap<Uuid, String>,
}

/// An invoice.
pub(super) struct Invoice {
    /// For which generation of its order.
    pub(super) generation: i32,
    /// SHA-256 of the request.
    pub(super) content: [u8; 32],
    /// As it was issued.
    pub(super) document: String,
    /// Its shipments, in the order of the sale.
    numbers: Vec<String>,
    credited: bool,
}

struct Label {
    document: String,
    voided_at: Option<OffsetDateTime>,
}

impl Shelf {
    /// The one invoice of an order that is not credited.
    pub(super) fn uncredited(&self, order: &OrderId) -> Option<(Uuid, &Invoice)> {
        let id = *self.of_order.get(order)?.last()?;
        let invoice = self.invoices.get(&id).filter(|invoice| !invoice.credited)?;
        Some((id, invoice))
    }

    pub(super) fn has_live_label(&self, number: &str) -> bool {
        let last = self.labels.get(number).and_then(|labels| labels.last());
        last.is_some_and(|label| label.voided_at.is_none())
    }

    pub(super) fn issue(&mut self, scope: Scope<'_>, sale: &Sale, papers: &Papers) {
        let numbers: Vec<_> = sale.parcels.iter().map(|parcel| parcel.number.to_string()).collect();
        for (number, document) in numbers.iter().zip(&papers.labels) {
            self.labels.entry(number.clone()).or_default().push(Label {
                document: document.clone(),
                voided_at: None,
            });
        }
        let invoice = Invoice {
            generation: sale.generation.0.cast_signed(),
            content: scope.fingerprint,
            document: papers.invoice.clone(),
            numbers,
            credited: false,
        };
        self.invoices.insert(papers.fiscal_id, invoice);
        self.of_order
            .entry(sale.order.clone())
            .or_default()
            .push(papers.fiscal_id);
    }

    /// Credits an invoice and makes its labels void; gives their numbers, in the order of the sale.
    pub(super) fn take_back(&mut self, credit: Credit, note: String, at: OffsetDateTime) -> Vec<String> {
        let Some(invoice) = self.invoices.get_mut(&credit.invoice) else {
            return vec![];
        };
        invoice.credited = true;
        self.credit_notes.insert(credit.note, note);
        let numbers = invoice.numbers.clone();
        for number in &numbers {
            if let Some(label) = self.labels.get_mut(number).and_then(|labels| labels.last_mut()) {
                label.voided_at = Some(at);
            }
        }
        numbers
    }

    /// The credits of a generation and all lower ones, oldest first.
    pub(super) fn credits(&self, order: &OrderId, generation: i32) -> Vec<Credit> {
        let invoices = self.of_order.get(order).into_iter().flatten();
        let credited = |id: &&Uuid| {
            let invoice = self.invoices.get(*id);
            invoice.is_some_and(|invoice| invoice.credited && invoice.generation <= generation)
        };
        invoices.filter(credited).map(|id| Credit::of(*id)).collect()
    }

    pub(super) fn invoice(&self, id: Uuid) -> Option<String> {
        self.invoices.get(&id).map(|invoice| invoice.document.clone())
    }

    pub(super) fn credit_note(&self, id: Uuid) -> Option<String> {
        self.credit_notes.get(&id).cloned()
    }

    /// The label that counts; where none does, the last one that did.
    pub(super) fn label(&self, number: &str) -> Result<Option<String>, serde_json::Error> {
        let last = self.labels.get(number).and_then(|labels| labels.last());
        let read = last.map(|label| match label.voided_at {
            Some(at) => void(&label.document, at),
            None => Ok(label.document.clone()),
        });
        read.transpose()
    }
}
