//! Documents that are no good order, and how each is refused: by checkout, and by whoever reads one from a queue. One list
//! for all tests.

mod rules;
mod shapes;
#[cfg(test)]
mod tests;

use contracts::problem::Kind;

/// A document that must be refused.
#[derive(Debug, Clone)]
pub struct BadOrder {
    /// What is wrong with it, in words.
    pub name: String,
    /// Its bytes.
    pub body: Vec<u8>,
    /// How checkout refuses it: [`Kind::Malformed`], [`Kind::TooLarge`] or [`Kind::Invalid`].
    pub kind: Kind,
    /// The field that the refusal names.
    pub field: &'static str,
}

/// A good order. Its id is `order_id`; the documents of the lists below differ from it in one place each.
#[must_use]
pub fn good_order(order_id: &str) -> String {
    GOOD.replace("ORD-BAD", order_id)
}

/// Every document that must be refused.
#[must_use]
pub fn bad_orders() -> Vec<BadOrder> {
    let mut all = shapes::documents();
    all.extend(shapes::fields());
    all.extend(rules::fields());
    all
}

/// Documents that look odd and are good: name, and document. Each is an order of its own, stored and worked as it is.
#[must_use]
pub fn odd_orders() -> Vec<(&'static str, String)> {
    let odd: Vec<(&str, &str, String)> = vec![
        ("a line separator", "Reforma 222", "Reforma\u{2028}222".to_owned()),
        (
            "a turn of the reading direction",
            "Reforma 222",
            "Ana\u{202e}0001-DRO".to_owned(),
        ),
        ("a character of no width", "Reforma 222", "Re\u{200b}forma".to_owned()),
        ("an emoji", "Reforma 222", "Av. Ñuñoa 1234, dpto 5º 🐕".to_owned()),
        (
            "an emoji as two halves",
            "Reforma 222",
            r"Reforma \ud83d\udc15".to_owned(),
        ),
        ("Korean", "Reforma 222", "김민준".to_owned()),
        ("composed accents", "Ciudad de México", "S\u{e3}o Paulo".to_owned()),
        ("decomposed accents", "Ciudad de México", "Sa\u{303}o Paulo".to_owned()),
        ("markup", "Reforma 222", "<img src=x onerror=alert(1)>".to_owned()),
        ("a formula", "Reforma 222", "=HYPERLINK(1)".to_owned()),
        ("200 characters of four bytes", "Reforma 222", "🐕".repeat(200)),
        (
            "an offset of 14 hours",
            "2026-04-07T14:32:15Z",
            "2026-04-07T14:32:15+14:00".to_owned(),
        ),
        (
            "an hour that a change of clocks left out",
            "2026-04-07T14:32:15Z",
            "2026-09-06T00:30:00-04:00".to_owned(),
        ),
        (
            "a field that nobody knows, with NUL and big numbers",
            "\"wrap\": true",
            r#""n": "\u0000", "big": 9007199254740993, "huge": 1e999"#.to_owned(),
        ),
        (
            "an id of 64 characters",
            "\"CUST-1\"",
            format!("\"{}\"", "c".repeat(64)),
        ),
        ("decimals that are zero", "34.35", "34.350000".to_owned()),
        (
            "a digit string beyond 2^53 as an id",
            "\"CUST-1\"",
            "\"9007199254740993\"".to_owned(),
        ),
    ];
    let odd = odd.into_iter().enumerate();
    odd.map(|(at, (name, piece, other))| (name, good_order(&format!("ORD-ODD-{at}")).replacen(piece, &other, 1)))
        .collect()
}

const GOOD: &str = r#"{
  "order_id": "ORD-BAD", "timestamp": "2026-04-07T14:32:15Z", "customer_id": "CUST-1", "payment_id": "PAY-1",
  "shipping_address": { "country": "MX", "city": "Ciudad de México", "zip": "06600", "line1": "Reforma 222" },
  "items": [
    { "sku": "A", "qty": 2, "warehouse_hint": "WH-MX-CDMX", "unit_price": { "value": 12.50, "currency": "MXN" } },
    { "sku": "B", "qty": 1, "unit_price": { "value": 8.2, "currency": "MXN" } } ],
  "shipping_fee": { "value": 1.15, "currency": "MXN" },
  "total_amount": { "value": 34.35, "currency": "MXN" },
  "idempotency_key": "ORD-BAD-v1", "gift": { "wrap": true } }"#;

/// The good order with its first `piece` replaced: a case of `kind` that names `field`.
fn case(kind: Kind, piece: &str, other: &str, field: &'static str) -> BadOrder {
    assert!(GOOD.contains(piece), "{piece}");
    let shown: String = other.chars().take(40).flat_map(char::escape_debug).collect();
    BadOrder {
        name: format!("{shown} in place of {piece}"),
        body: GOOD.replacen(piece, other, 1).into_bytes(),
        kind,
        field,
    }
}
