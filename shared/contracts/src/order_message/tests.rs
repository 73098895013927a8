use super::*;

const GOOD: &str = r#"{
  "order_id": "ORD-1", "timestamp": "2026-04-07T14:32:15Z", "customer_id": "CUST-1", "payment_id": "PAY-1",
  "shipping_address": { "country": "MX", "city": "Ciudad de México", "zip": "06600", "line1": "Reforma 222" },
  "items": [
    { "sku": "A", "qty": 2, "warehouse_hint": "WH-MX-CDMX", "unit_price": { "value": 12.50, "currency": "MXN" } },
    { "sku": "B", "qty": 1, "unit_price": { "value": 8.2, "currency": "MXN" } } ],
  "shipping_fee": { "value": 1.15, "currency": "MXN" },
  "total_amount": { "value": 34.35, "currency": "MXN" },
  "idempotency_key": "ORD-1-v1", "gift": { "wrap": true } }"#;

fn now() -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH
}

fn refused(document: &str) -> Malformed {
    accept(document.as_bytes(), None, now()).unwrap_err()
}

/// `GOOD` with one piece of text replaced.
fn with(piece: &str, other: &str) -> String {
    assert!(GOOD.contains(piece), "{piece}");
    GOOD.replacen(piece, other, 1)
}

#[test]
fn a_good_order_is_read_to_the_last_centavo() {
    let order = decode(GOOD.as_bytes()).unwrap();
    assert_eq!(order.total.minor(), 3_435);
    assert_eq!(order.lines.len(), 2);
    assert_eq!(order.lines[0].warehouse_hint.as_ref().unwrap().as_str(), "WH-MX-CDMX");
    assert_eq!(order.key.as_str(), "ORD-1-v1");
}

#[test]
fn every_wrong_value_is_refused_by_the_name_of_its_field() {
    let cases = [
        ("\"ORD-1\",", "\"ORD 1\",", "order_id"),
        ("2026-04-07T14:32:15Z", "2026-04-07", "timestamp"),
        ("\"CUST-1\"", "\"\"", "customer_id"),
        ("\"MX\"", "\"mx\"", "shipping_address.country"),
        ("Ciudad de México", "Ciudad\\u0007", "shipping_address.city"),
        ("Ciudad de México", "   ", "shipping_address.city"),
        ("\"qty\": 2", "\"qty\": 0", "items[0].qty"),
        ("\"qty\": 2", "\"qty\": 10001", "items[0].qty"),
        ("\"sku\": \"B\"", "\"sku\": \"B/C\"", "items[1].sku"),
        (
            "12.50, \"currency\": \"MXN\"",
            "12.505, \"currency\": \"MXN\"",
            "items[0].unit_price.value",
        ),
        (
            "12.50, \"currency\": \"MXN\"",
            "12.50, \"currency\": \"BRL\"",
            "items[0].unit_price.currency",
        ),
        (
            "1.15, \"currency\": \"MXN\"",
            "1.15, \"currency\": \"XXX\"",
            "shipping_fee.currency",
        ),
        ("34.35", "34.36", "total_amount.value"),
        ("1.15, \"currency\"", "34.36, \"currency\"", "shipping_fee.value"),
        ("34.35", "34.349", "total_amount.value"),
        ("34.35", "\"34.35\"", "total_amount.value"),
        ("34.35", "3435e-2", "total_amount.value"),
        ("ORD-1-v1", "ORD-1 v1", "idempotency_key"),
        (
            ", \"unit_price\": { \"value\": 8.2, \"currency\": \"MXN\" }",
            "",
            "items",
        ),
    ];
    for (piece, other, field) in cases {
        let malformed = refused(&with(piece, other));
        assert_eq!(
            (malformed.kind, malformed.field.as_str()),
            (MalformedKind::Rule, field),
            "{other}: {malformed}"
        );
    }
    let negative = refused(&with("34.35", "-34.35"));
    assert_eq!(negative.field, "total_amount.value");
}

#[test]
fn what_has_not_the_shape_is_refused_as_such() {
    let cases = [
        (with("\"qty\": 2", "\"qty\": -2"), "items[0].qty"),
        (with("\"qty\": 2", "\"qty\": 1.5"), "items[0].qty"),
        (with("\"qty\": 2", "\"qty\": \"2\""), "items[0].qty"),
        (with("\"customer_id\": \"CUST-1\", ", ""), "customer_id"),
        (with("\"city\": \"Ciudad de México\", ", ""), "shipping_address.city"),
        (with("\"wrap\": true", "\"wrap\": 1, \"wrap\": 2"), "body"),
        (with("\"gift\": {", "\"order_id\": \"ORD-2\", \"gift\": {"), "body"),
        ("{\"order_id\":\"A-1\",\"items\":[{".to_owned(), "body"),
        (String::new(), "body"),
        ("null".to_owned(), "body"),
        ("[]".to_owned(), "body"),
        ("[".repeat(20_000), "body"),
        (format!("\u{feff}{GOOD}"), "body"),
        (with("Reforma 222", "Reforma \\ud83d"), "body"),
    ];
    for (document, field) in cases {
        let malformed = refused(&document);
        assert_eq!(
            (malformed.kind, malformed.field.as_str()),
            (MalformedKind::Shape, field),
            "{malformed}"
        );
    }
    assert_eq!(
        accept(&[0xff, 0xfe], None, now()).unwrap_err().kind,
        MalformedKind::Shape
    );
    assert_eq!(refused(&" ".repeat(BODY_BYTES_MAX + 1)).kind, MalformedKind::TooLarge);
}

#[test]
fn a_reason_that_quotes_the_message_is_cut_and_cleaned() {
    let long = format!("\"{}\\u001b\"", "x".repeat(100_000));
    let malformed = refused(&with("\"qty\": 2", &format!("\"qty\": {long}")));
    assert_eq!(malformed.field, "items[0].qty");
    assert_eq!(malformed.reason.chars().count(), REASON_LENGTH_MAX);
}

#[test]
fn lines_are_1_to_1000() {
    let line = r#"{"sku":"A","qty":1}"#;
    let document = |count: usize| {
        format!(
            r#"{{"order_id":"O","customer_id":"C","payment_id":"P","items":[{}],
                "shipping_address":{{"country":"CL","city":"Santiago","zip":"1","line1":"x"}},
                "total_amount":{{"value":12990,"currency":"CLP"}}}}"#,
            vec![line; count].join(",")
        )
    };
    assert!(accept(document(1_000).as_bytes(), None, now()).is_ok());
    assert_eq!(refused(&document(1_001)).field, "items");
    assert_eq!(refused(&document(0)).field, "items");
}

#[test]
fn checkout_fills_in_key_and_time_and_keeps_the_rest_as_written() {
    let bare = with("\"idempotency_key\": \"ORD-1-v1\", ", "");
    let bare = bare.replacen("\"timestamp\": \"2026-04-07T14:32:15Z\", ", "", 1);
    assert_eq!(decode(bare.as_bytes()).unwrap_err().field, "idempotency_key");

    let accepted = accept(bare.as_bytes(), None, now()).unwrap();
    assert_eq!(accepted.content.key.as_str(), "ORD-1-v1");
    assert_eq!(decode(accepted.document.as_bytes()).unwrap(), accepted.content);
    assert!(
        accepted.document.contains(r#""gift":{ "wrap": true }"#),
        "{}",
        accepted.document
    );
    assert!(accepted.document.contains(r#""value": 12.50"#), "{}", accepted.document);

    let key = IdempotencyKey::parse("K-9").unwrap();
    assert_eq!(accept(bare.as_bytes(), Some(&key), now()).unwrap().content.key, key);
}

#[test]
fn a_fingerprint_knows_the_content_whatever_its_spelling_key_and_filled_in_time() {
    let of = |document: &str, now| accept(document.as_bytes(), None, now).unwrap().fingerprint;
    let bare = with("\"timestamp\": \"2026-04-07T14:32:15Z\", ", "");
    let later = now() + time::Duration::HOUR;
    assert_eq!(of(&bare, now()), of(&bare, later));
    assert_eq!(of(GOOD, now()), of(&GOOD.replace('\n', " "), now()));
    assert_eq!(of(GOOD, now()), of(&with("ORD-1-v1", "other-key"), now()));
    assert_ne!(of(GOOD, now()), of(&with("\"wrap\": true", "\"wrap\": false"), now()));
    assert_ne!(of(GOOD, now()), of(&with("Reforma 222", "Reforma 223"), now()));
}
