//! What is written into the effect log.

use adapter_postgres::service::NewEffect;
use contracts::effects::{INVOICE_CREDITED, INVOICE_ISSUED, LABEL_ISSUED, LABEL_VOIDED};

use crate::credit::{Closing, Credit};
use crate::document::Papers;
use crate::sale::Sale;

/// The documents of a sale were issued.
pub(super) fn issued<'a>(sale: &'a Sale, papers: &Papers) -> Vec<NewEffect<'a>> {
    let effect = |kind, subject: String| NewEffect {
        kind,
        order_id: sale.order.as_str(),
        generation: sale.generation.0.cast_signed(),
        subject,
        parts: vec![],
    };
    let labels = sale
        .parcels
        .iter()
        .map(|parcel| effect(LABEL_ISSUED, parcel.number.to_string()));
    std::iter::once(effect(INVOICE_ISSUED, papers.fiscal_id.to_string()))
        .chain(labels)
        .collect()
}

/// The invoice of `generation` was credited and the labels of the parcels `voided` became void.
pub(super) fn taken_back(
    closing: &Closing,
    generation: i32,
    credit: Credit,
    voided: Vec<String>,
) -> Vec<NewEffect<'_>> {
    let effect = |kind, subject, parts| NewEffect {
        kind,
        order_id: closing.order.as_str(),
        generation,
        subject,
        parts,
    };
    let credited = effect(
        INVOICE_CREDITED,
        credit.invoice.to_string(),
        vec![credit.note.to_string()],
    );
    let labels = voided.into_iter().map(|number| effect(LABEL_VOIDED, number, vec![]));
    std::iter::once(credited).chain(labels).collect()
}
