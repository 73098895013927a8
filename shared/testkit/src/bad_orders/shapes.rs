//! What has not the shape of an order.

use contracts::limits::BODY_BYTES_MAX;
use contracts::problem::Kind;

use super::{BadOrder, GOOD, case};

/// Wrong as a whole.
pub(super) fn documents() -> Vec<BadOrder> {
    let cut = &GOOD[..GOOD.find("\"qty\"").unwrap_or_default()];
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(20_000), close.repeat(20_000));
    let wholes: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", vec![]),
        ("not JSON", b"order ORD-BAD, two laptops please".to_vec()),
        ("cut", cut.as_bytes().to_vec()),
        (
            "cut in a character",
            GOOD.as_bytes()[..=GOOD.find('é').unwrap_or_default()].to_vec(),
        ),
        ("not UTF-8", vec![0xff, 0xfe, 0x00, 0x9f]),
        ("UTF-16", GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("blanks", b" \r\n\t".to_vec()),
        ("null", b"null".to_vec()),
        ("a number", b"1".to_vec()),
        ("a list", b"[]".to_vec()),
        ("a list with an order", format!("[{GOOD}]").into_bytes()),
        ("a text", format!("{GOOD:?}").into_bytes()),
        ("a byte order mark", format!("\u{feff}{GOOD}").into_bytes()),
        ("two orders", format!("{GOOD}{GOOD}").into_bytes()),
        ("a zero byte behind it", format!("{GOOD}\0").into_bytes()),
        ("20,000 open brackets", "[".repeat(20_000).into_bytes()),
        ("20,000 nested lists", deep("[", "]").into_bytes()),
        ("20,000 nested objects", deep("{\"a\":", "1}").into_bytes()),
    ];
    let whole = |(name, body): (&str, Vec<u8>)| BadOrder {
        name: name.to_owned(),
        body,
        kind: Kind::Malformed,
        field: "body",
    };
    let large = GOOD.to_owned() + &" ".repeat(BODY_BYTES_MAX + 1 - GOOD.len());
    let large = BadOrder {
        kind: Kind::TooLarge,
        ..whole(("one byte too large", large.into_bytes()))
    };
    wholes.into_iter().map(whole).chain([large]).collect()
}

/// Wrong in one field.
pub(super) fn fields() -> Vec<BadOrder> {
    let nested = format!("{}1{}", "[".repeat(15), "]".repeat(15));
    let long = format!("\"qty\": \"{}\"", "x".repeat(100_000));
    let of = |piece, other: &str, field| case(Kind::Malformed, piece, other, field);
    vec![
        // Keys that come twice, wherever they are; and halves of characters, which are no JSON text.
        of("\"gift\": {", "\"order_id\": \"ORD-2\", \"gift\": {", "body"),
        of("\"wrap\": true", "\"wrap\": 1, \"wrap\": 1", "body"),
        of("\"wrap\": true", r#""a": [{ "b": 1, "\u0062": 2 }]"#, "body"),
        of("\"sku\": \"B\"", "\"sku\": \"B\", \"sku\": \"C\"", "body"),
        of("\"wrap\": true", &format!("\"deep\": {nested}"), "body"),
        of("Reforma 222", r"Reforma \ud83d", "body"),
        of("Reforma 222", r"Reforma \udc00", "body"),
        of("\"wrap\": true", r#""note": "\ud83d""#, "body"),
        of("\"wrap\": true", r#""\ud83d": 1"#, "body"),
        of("Reforma 222", "Reforma\u{7}", "body"),
        of("Reforma 222", "Reforma\n222", "body"),
        of("\"qty\": 2", "\"qty\": 02", "body"),
        of("\"qty\": 2", "\"qty\": +2", "body"),
        of("\"qty\": 2", "\"qty\": NaN", "body"),
        // Another type than the field's.
        of("\"qty\": 2", "\"qty\": -1", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": 1.5", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": 2.0", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": 1e3", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": \"2\"", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": null", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": true", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": [2]", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": 4294967296", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": 99999999999999999999999", "items[0].qty"),
        of("\"qty\": 2", &long, "items[0].qty"),
        of("\"qty\": 2, ", "", "items[0].qty"),
        of("\"ORD-BAD\",", "9007199254740993,", "order_id"),
        of("\"order_id\": \"ORD-BAD\", ", "", "order_id"),
        of("\"CUST-1\"", "null", "customer_id"),
        of("\"customer_id\": \"CUST-1\", ", "", "customer_id"),
        of("\"PAY-1\"", "{}", "payment_id"),
        of("\"2026-04-07T14:32:15Z\"", "1775572335", "timestamp"),
        of("\"MX\"", "52", "shipping_address.country"),
        of("\"city\": \"Ciudad de México\", ", "", "shipping_address.city"),
        of("\"ORD-BAD-v1\"", "7", "idempotency_key"),
        of(
            "\"currency\": \"MXN\" },\n  \"idem",
            "\"currency\": 484 },\n  \"idem",
            "total_amount.currency",
        ),
        of("{ \"value\": 34.35, \"currency\": \"MXN\" }", "34.35", "total_amount"),
    ]
}
