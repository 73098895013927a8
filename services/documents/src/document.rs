//! The documents of a sale: what they say, decided from the sale and the time alone.

use adapter_http::server::Stored;
use contracts::documents::{GenerateAnswer, Invoice, InvoicedLine, Label};
use contracts::money::WireMoney;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::address::{Kind, PublicUrl};
use crate::sale::{Parcel, Sale};

/// The documents of one sale as they will be kept, and the answer that tells where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Papers {
    /// The invoice's name.
    pub fiscal_id: Uuid,
    /// The invoice, as JSON.
    pub invoice: String,
    /// One label for each parcel of the sale, in its order, as JSON.
    pub labels: Vec<String>,
    /// The answer, as JSON. It derives from the request: whoever says the same gets the same.
    pub answer: String,
}

impl Papers {
    /// The answer, as it is given.
    pub(crate) fn stored(&self, replayed: bool) -> Stored {
        Stored {
            body: self.answer.clone(),
            replayed,
        }
    }
}

/// Writes the documents of `sale`, issued at `at` and reached at `base`.
///
/// # Errors
///
/// When something cannot be written as JSON, which is a bug.
pub fn papers(sale: &Sale, at: OffsetDateTime, base: &PublicUrl) -> Result<Papers, serde_json::Error> {
    let fiscal_id = sale.fiscal_id();
    let labels = sale
        .parcels
        .iter()
        .map(|parcel| serde_json::to_string(&label(sale, parcel, at)));
    Ok(Papers {
        fiscal_id,
        invoice: serde_json::to_string(&invoice(sale, fiscal_id, at))?,
        labels: labels.collect::<Result<_, _>>()?,
        answer: serde_json::to_string(&answer(sale, fiscal_id, base))?,
    })
}

fn invoice(sale: &Sale, fiscal_id: Uuid, at: OffsetDateTime) -> Invoice {
    let line = |description: String, qty, unit_price, amount| InvoicedLine {
        description,
        qty,
        unit_price: WireMoney(unit_price),
        amount: WireMoney(amount),
    };
    let (lines, fee) = if sale.lines.is_empty() {
        // The order tells no prices, so what was paid is one line, with the fee in it.
        (vec![line(sale.order.to_string(), 1, sale.total, sale.total)], None)
    } else {
        let sold = sale.lines.iter();
        let sold = sold.map(|sold| line(sold.sku.to_string(), sold.quantity, sold.unit_price, sold.amount));
        (sold.collect(), sale.shipping_fee)
    };
    Invoice {
        kind: Kind::Invoice.name().to_owned(),
        cfdi_uuid: fiscal_id.to_string(),
        order_id: sale.order.to_string(),
        generation: sale.generation.0,
        customer_id: sale.customer.to_string(),
        reservation_id: sale.reservation.to_string(),
        issued_at: at,
        lines,
        shipping_fee: fee.map(WireMoney),
        total: WireMoney(sale.total),
    }
}

fn label(sale: &Sale, parcel: &Parcel, at: OffsetDateTime) -> Label {
    Label {
        kind: Kind::Label.name().to_owned(),
        tracking_number: parcel.number.to_string(),
        carrier: parcel.carrier.clone(),
        order_id: sale.order.to_string(),
        generation: sale.generation.0,
        reservation_id: sale.reservation.to_string(),
        issued_at: at,
        voided_at: None,
    }
}

fn answer(sale: &Sale, fiscal_id: Uuid, base: &PublicUrl) -> GenerateAnswer {
    let labels: Vec<_> = sale
        .parcels
        .iter()
        .map(|parcel| base.of(Kind::Label, &parcel.number))
        .collect();
    GenerateAnswer {
        invoice_url: base.of(Kind::Invoice, fiscal_id),
        shipping_label_url: labels.first().cloned().unwrap_or_default(),
        shipping_label_urls: labels,
        cfdi_uuid: fiscal_id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use pipeline::id::{CustomerId, Generation, Id, OrderId, ReservationId, Sku};
    use pipeline::money::{Currency, Money};
    use time::macros::datetime;

    use super::*;
    use crate::sale::Line;

    const AT: OffsetDateTime = datetime!(2026-04-07 14:32:15 UTC);

    fn money(digits: &str) -> Money {
        Money::parse(digits, Currency::parse("MXN").unwrap()).unwrap()
    }

    fn sale(generation: u32) -> Sale {
        let parcel = |number| Parcel {
            carrier: "FedEx Mexico".to_owned(),
            number: Id::parse(number).unwrap(),
        };
        Sale {
            order: OrderId::parse("ORD-1").unwrap(),
            generation: Generation(generation),
            customer: CustomerId::parse("CUST-1").unwrap(),
            reservation: ReservationId::parse("RSV-1").unwrap(),
            parcels: vec![parcel("FMX2"), parcel("FMX1")],
            lines: vec![Line {
                sku: Sku::parse("A").unwrap(),
                quantity: 2,
                unit_price: money("10.05"),
                amount: money("20.10"),
            }],
            shipping_fee: Some(money("5")),
            total: money("25.10"),
        }
    }

    fn write(sale: &Sale) -> (Papers, Invoice, GenerateAnswer) {
        let papers = papers(sale, AT, &"http://docs".parse().unwrap()).unwrap();
        let invoice = serde_json::from_str(&papers.invoice).unwrap();
        let answer = serde_json::from_str(&papers.answer).unwrap();
        (papers, invoice, answer)
    }

    #[test]
    fn an_invoice_has_the_lines_the_fee_and_the_total_of_the_sale() {
        let (papers, invoice, _) = write(&sale(1));
        assert_eq!(invoice.lines.len(), 1);
        assert_eq!(
            (invoice.lines[0].description.as_str(), invoice.lines[0].amount.0),
            ("A", money("20.10"))
        );
        assert_eq!(
            (invoice.shipping_fee, invoice.total),
            (Some(WireMoney(money("5"))), WireMoney(money("25.10")))
        );
        assert!(papers.invoice.contains(r#""value":25.10"#), "{}", papers.invoice);
    }

    #[test]
    fn without_prices_an_invoice_has_one_line_at_the_total() {
        let (_, invoice, _) = write(&Sale {
            lines: vec![],
            ..sale(1)
        });
        assert_eq!(invoice.lines.len(), 1);
        assert_eq!((invoice.lines[0].qty, invoice.lines[0].amount.0), (1, money("25.10")));
        assert_eq!((invoice.shipping_fee, invoice.total.0), (None, money("25.10")));
    }

    #[test]
    fn labels_keep_the_order_of_the_parcels() {
        let (papers, _, answer) = write(&sale(1));
        assert_eq!(
            answer.shipping_label_urls,
            ["http://docs/documents/label/FMX2", "http://docs/documents/label/FMX1"]
        );
        assert_eq!(answer.shipping_label_url, answer.shipping_label_urls[0]);
        let first: Label = serde_json::from_str(&papers.labels[0]).unwrap();
        assert_eq!(first.tracking_number, "FMX2");
    }

    #[test]
    fn a_fiscal_id_is_the_same_for_the_same_generation_alone() {
        assert_eq!(
            write(&sale(1)).0.fiscal_id,
            write(&Sale {
                lines: vec![],
                ..sale(1)
            })
            .0
            .fiscal_id
        );
        assert_ne!(write(&sale(1)).0.fiscal_id, write(&sale(2)).0.fiscal_id);
    }
}
