//! From the requests' text to sales and closings.

use std::collections::BTreeSet;

use adapter_http::server::{Answer, field};
use contracts::close::CloseRequest;
use contracts::documents::{GenerateRequest, INVOICE_AND_SHIPPING_LABEL, InvoiceLine, ShipmentRef};
use contracts::limits::{LINES_MAX, QUANTITY_MAX};
use pipeline::money::Money;
use time::OffsetDateTime;

use crate::credit::Closing;
use crate::sale::{Line, Parcel, Sale};

/// The sale that `request` speaks of.
///
/// # Errors
///
/// A problem that names the first field that breaks a rule.
pub fn sale(request: &GenerateRequest) -> Answer<Sale> {
    if request.kind != INVOICE_AND_SHIPPING_LABEL {
        return Err(field::refused("type", format!("must be {INVOICE_AND_SHIPPING_LABEL}")));
    }
    let total = request.total.0;
    let shipping_fee = request.shipping_fee.map(|fee| fee.0);
    let lines = lines(&request.lines)?;
    adds_up(&lines, shipping_fee, total)?;
    Ok(Sale {
        order: field::id("order_id", &request.order_id)?,
        generation: field::generation("generation", request.generation)?,
        customer: field::id("customer_id", &request.customer_id)?,
        reservation: field::id("reservation_id", &request.reservation_id)?,
        parcels: parcels(&request.shipments)?,
        lines,
        shipping_fee,
        total,
    })
}

/// The closing that `request` asks for, `at` this time.
///
/// # Errors
///
/// A problem that names the first field that breaks a rule.
pub fn closing(request: &CloseRequest, at: OffsetDateTime) -> Answer<Closing> {
    Ok(Closing {
        order: field::id("order_id", &request.order_id)?,
        generation: field::generation("generation", request.generation)?,
        at,
    })
}

fn parcels(shipments: &[ShipmentRef]) -> Answer<Vec<Parcel>> {
    let shipments = field::list("shipments", shipments, LINES_MAX)?;
    let mut seen = BTreeSet::new();
    let read = shipments.iter().enumerate().map(|(at, shipment)| {
        let carrier = field::text(&format!("shipments[{at}].carrier"), &shipment.carrier)?;
        let named = format!("shipments[{at}].tracking_number");
        let number = field::id(&named, &shipment.tracking_number)?;
        if !seen.insert(&shipment.tracking_number) {
            return Err(field::refused(named, "another shipment has this number"));
        }
        Ok(Parcel {
            carrier: carrier.to_owned(),
            number,
        })
    });
    read.collect()
}

fn lines(lines: &[InvoiceLine]) -> Answer<Vec<Line>> {
    if lines.len() > LINES_MAX {
        return Err(field::refused(
            "lines",
            format!("{} lines; at most {LINES_MAX} are accepted", lines.len()),
        ));
    }
    let read = lines.iter().enumerate().map(|(at, line)| {
        let named = |name: &str| format!("lines[{at}].{name}");
        let quantity = field::within(&named("qty"), line.qty, 1..=QUANTITY_MAX)?;
        let unit_price = line.unit_price.0;
        let amount = unit_price.times(quantity);
        Ok(Line {
            sku: field::id(&named("sku"), &line.sku)?,
            quantity,
            unit_price,
            amount: amount.ok_or_else(|| field::refused(named("unit_price"), "too large"))?,
        })
    });
    read.collect()
}

/// Where there are lines, they and the fee make the total, to the last minor unit.
fn adds_up(lines: &[Line], fee: Option<Money>, total: Money) -> Answer<()> {
    let nothing = Money::from_minor(0, total.currency());
    let mut amounts = lines.iter().map(|line| line.amount).chain(fee);
    match nothing.and_then(|nothing| amounts.try_fold(nothing, Money::plus)) {
        None => Err(field::refused(
            "total",
            "lines, fee and total must be in one currency, and their sum must fit",
        )),
        Some(sum) if !lines.is_empty() && sum != total => Err(field::refused(
            "total",
            format!("lines and shipping fee make {sum}; the total is {total}"),
        )),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(change: impl FnOnce(&mut Value)) -> Answer<Sale> {
        let brl = |value: f64| json!({ "value": value, "currency": "BRL" });
        let mut body = json!({
            "order_id": "ORD-1", "generation": 1, "type": "invoice_and_shipping_label", "customer_id": "CUST-1",
            "reservation_id": "RSV-1",
            "shipments": [{ "carrier": "Correios", "tracking_number": "CBR1" }, { "carrier": "Correios", "tracking_number": "CBR2" }],
            "lines": [{ "sku": "A", "qty": 3, "unit_price": brl(1.15) }, { "sku": "B", "qty": 1, "unit_price": brl(8.2) }],
            "shipping_fee": brl(4.35), "total": brl(16.0),
        });
        change(&mut body);
        sale(&serde_json::from_str(&body.to_string()).expect("the right shape"))
    }

    #[test]
    fn lines_and_fee_make_the_total_to_the_last_minor_unit() {
        assert_eq!(read(|_| {}).unwrap().lines[0].amount.to_string(), "3.45 BRL");
        for (pointer, value) in [
            ("/total/value", json!(16.01)),
            ("/total/currency", json!("USD")),
            ("/shipping_fee/currency", json!("USD")),
            ("/lines/1/unit_price/currency", json!("USD")),
        ] {
            let failure = read(|body| *body.pointer_mut(pointer).unwrap() = value).unwrap_err();
            assert_eq!(
                (failure.0.status, failure.0.field.as_deref()),
                (422, Some("total")),
                "{pointer}"
            );
        }
    }

    #[test]
    fn without_lines_the_total_stands_alone() {
        let sale = read(|body| body["lines"] = json!([])).unwrap();
        assert_eq!((sale.lines.len(), sale.total.to_string()), (0, "16.00 BRL".to_owned()));
    }

    #[test]
    fn every_field_has_its_rule() {
        for (pointer, value, field) in [
            ("/type", json!("invoice"), "type"),
            ("/order_id", json!("a b"), "order_id"),
            ("/generation", json!(0), "generation"),
            ("/customer_id", json!(""), "customer_id"),
            ("/reservation_id", json!("/"), "reservation_id"),
            ("/shipments", json!([]), "shipments"),
            ("/shipments/0/carrier", json!("\n"), "shipments[0].carrier"),
            (
                "/shipments/1/tracking_number",
                json!("../x"),
                "shipments[1].tracking_number",
            ),
            (
                "/shipments/1/tracking_number",
                json!("CBR1"),
                "shipments[1].tracking_number",
            ),
            ("/lines/1/sku", json!(" "), "lines[1].sku"),
            ("/lines/1/qty", json!(10_001), "lines[1].qty"),
            (
                "/lines/0/unit_price/value",
                json!(92_233_720_368_547_758_i64),
                "lines[0].unit_price",
            ),
        ] {
            let failure = read(|body| *body.pointer_mut(pointer).unwrap() = value).unwrap_err();
            assert_eq!((failure.0.status, failure.0.field.as_deref()), (422, Some(field)));
        }
    }
}
