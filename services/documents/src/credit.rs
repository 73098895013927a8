//! What takes documents back: decided from the documents and the time alone. What was issued stays as it was issued.

use contracts::documents::{CreditNote, Invoice, Label};
use pipeline::id::{Generation, OrderId};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::address::Kind;

/// A generation of an order that is to be closed, with all lower ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// Of which order.
    pub order: OrderId,
    /// The highest generation that takes no more.
    pub generation: Generation,
    /// Now, in whole seconds.
    pub at: OffsetDateTime,
}

/// An invoice and what takes it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credit {
    /// The invoice's fiscal id.
    pub invoice: Uuid,
    /// The credit note's.
    pub note: Uuid,
}

impl Credit {
    /// The credit of the invoice with this fiscal id. An invoice is taken back whole and once, so its id gives the note's.
    #[must_use]
    pub fn of(invoice: Uuid) -> Self {
        let note = Uuid::new_v5(&invoice, b"credit-note");
        Self { invoice, note }
    }

    /// The credit note of `invoice`, which is a document as it was issued; both are JSON.
    ///
    /// # Errors
    ///
    /// When `invoice` cannot be read, which is a bug.
    pub fn document(&self, invoice: &str, closing: &Closing) -> Result<String, serde_json::Error> {
        let invoice: Invoice = serde_json::from_str(invoice)?;
        serde_json::to_string(&CreditNote {
            kind: Kind::CreditNote.name().to_owned(),
            credit_note_uuid: self.note.to_string(),
            cfdi_uuid: invoice.cfdi_uuid,
            order_id: invoice.order_id,
            generation: closing.generation.0,
            issued_at: closing.at,
            total: invoice.total,
        })
    }
}

/// A label as it reads since it is void; `label` is the document as it was issued. Both are JSON.
///
/// # Errors
///
/// When `label` cannot be read, which is a bug.
pub fn void(label: &str, voided_at: OffsetDateTime) -> Result<String, serde_json::Error> {
    let mut label: Label = serde_json::from_str(label)?;
    label.voided_at = Some(voided_at);
    serde_json::to_string(&label)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const AT: OffsetDateTime = datetime!(2026-04-08 09:00 UTC);

    #[test]
    fn a_credit_note_gives_back_the_total_to_the_last_digit() {
        let credit = Credit::of(Uuid::from_u128(1));
        let invoice = format!(
            r#"{{"kind":"invoice","cfdi_uuid":"{}","order_id":"ORD-1","generation":1,"customer_id":"C","reservation_id":"R",
                "issued_at":"2026-04-07T14:32:15Z","lines":[],"total":{{"value":28500.00,"currency":"MXN"}}}}"#,
            credit.invoice
        );
        let closing = Closing {
            order: OrderId::parse("ORD-1").unwrap(),
            generation: Generation(3),
            at: AT,
        };
        let note = credit.document(&invoice, &closing).unwrap();
        assert!(note.contains(r#""value":28500.00"#), "{note}");
        let note: CreditNote = serde_json::from_str(&note).unwrap();
        assert_eq!(
            (note.cfdi_uuid, note.credit_note_uuid),
            (credit.invoice.to_string(), credit.note.to_string())
        );
        assert_eq!(
            (note.kind.as_str(), note.generation, note.issued_at),
            ("credit_note", 3, AT)
        );
    }

    #[test]
    fn each_invoice_has_a_credit_note_of_its_own() {
        let note = |invoice| Credit::of(Uuid::from_u128(invoice)).note;
        assert_eq!(note(1), note(1));
        assert_ne!(note(1), note(2));
        assert_ne!(note(1), Uuid::from_u128(1));
    }

    #[test]
    fn a_void_label_says_so_and_is_else_as_it_was() {
        let issued = r#"{"kind":"label","tracking_number":"CBR1","carrier":"Correios","order_id":"ORD-1","generation":1,"reservation_id":"R","issued_at":"2026-04-07T14:32:15Z"}"#;
        let voided = void(issued, AT).unwrap();
        assert_eq!(voided, issued.replace('}', r#","voided_at":"2026-04-08T09:00:00Z"}"#));
    }
}
