//! What has the shape of an order, with a value that the rules refuse.

use contracts::problem::Kind;

use super::{BadOrder, case};

pub(super) fn fields() -> Vec<BadOrder> {
    let mut all = lines();
    all.extend(amounts());
    all.extend(names());
    all.extend(texts());
    all.extend(instants());
    all
}

fn of(piece: &str, other: &str, field: &'static str) -> BadOrder {
    case(Kind::Invalid, piece, other, field)
}

fn lines() -> Vec<BadOrder> {
    let line = r#"{ "sku": "A", "qty": 1 }"#;
    let many = vec![line; 1_001].join(",");
    let list = "\"items\": [";
    let first = "{ \"sku\": \"A\", \"qty\": 2, \"warehouse_hint\": \"WH-MX-CDMX\", \"unit_price\": { \"value\": 12.50, \"currency\": \"MXN\" } },\n    ";
    let second = "{ \"sku\": \"B\", \"qty\": 1, \"unit_price\": { \"value\": 8.2, \"currency\": \"MXN\" } } ]";
    let both = format!("{first}{second}");
    vec![
        of("\"qty\": 2", "\"qty\": 0", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": 10001", "items[0].qty"),
        of("\"qty\": 2", "\"qty\": 2147483648", "items[0].qty"),
        of("\"qty\": 1", "\"qty\": 0", "items[1].qty"),
        of(&both, "]", "items"),
        of(list, &format!("{list} {many},"), "items"),
        of(
            ", \"unit_price\": { \"value\": 8.2, \"currency\": \"MXN\" }",
            "",
            "items",
        ),
    ]
}

fn amounts() -> Vec<BadOrder> {
    let total = "{ \"value\": 34.35, \"currency\": \"MXN\" }";
    let value = |other: &str| of("34.35", other, "total_amount.value");
    let money = |other: &str, field| of(total, other, field);
    vec![
        // The lines make 34.35.
        value("2.00"),
        value("34.34"),
        value("34.36"),
        value("0"),
        value("0.00"),
        value("-34.35"),
        value("34.355"),
        value("3435e-2"),
        value("\"34.35\""),
        value("null"),
        value("99999999999999999999"),
        value("[34.35]"),
        money(r#"{ "value": 34.35, "currency": "mxn" }"#, "total_amount.currency"),
        money(r#"{ "value": 34.35, "currency": "XXX" }"#, "total_amount.currency"),
        money(r#"{ "value": 34.35, "currency": "" }"#, "total_amount.currency"),
        money(r#"{ "value": 34.35, "currency": "PESOS" }"#, "total_amount.currency"),
        money(r#"{ "value": 12990, "currency": "clp" }"#, "total_amount.currency"),
        money(r#"{ "value": 12990.50, "currency": "CLP" }"#, "total_amount.value"),
        money(r#"{ "value": 145000.5, "currency": "PYG" }"#, "total_amount.value"),
        // Another currency than the rest.
        money(r#"{ "value": 34.35, "currency": "BRL" }"#, "shipping_fee.currency"),
        of(
            "8.2, \"currency\": \"MXN\"",
            "8.2, \"currency\": \"BRL\"",
            "items[1].unit_price.currency",
        ),
        of(
            "12.50, \"currency\": \"MXN\"",
            "12.505, \"currency\": \"MXN\"",
            "items[0].unit_price.value",
        ),
        of(
            "12.50, \"currency\": \"MXN\"",
            "-12.50, \"currency\": \"MXN\"",
            "items[0].unit_price.value",
        ),
        of(
            "12.50, \"currency\": \"MXN\"",
            "90000000000000000, \"currency\": \"MXN\"",
            "items",
        ),
        of("1.15, \"currency\"", "34.36, \"currency\"", "shipping_fee.value"),
    ]
}

fn names() -> Vec<BadOrder> {
    let long = format!("\"{}\"", "x".repeat(65));
    let long_key = format!("\"{}\"", "k".repeat(129));
    let order = |other: &str| of("\"ORD-BAD\"", other, "order_id");
    let key = |other: &str| of("\"ORD-BAD-v1\"", other, "idempotency_key");
    vec![
        order("\"\""),
        order("\" ORD-BAD\""),
        order("\"ORD BAD\""),
        order("\"ORD/BAD\""),
        order("\"..\""),
        order("\"ORD\\u0000BAD\""),
        order("\"ORD\\r\\nlevel=info order paid\""),
        order("\"ORD\u{200b}BAD\""),
        order("\"ОRD-BAD\""), // the first letter is Cyrillic
        order(&long),
        key("\"\""),
        key("\"a b\""),
        key("\"a\\nb\""),
        key("\"🐕\""),
        key(&long_key),
        of("\"CUST-1\"", &long, "customer_id"),
        of("\"PAY-1\"", "\"PAY 1\"", "payment_id"),
        of("\"sku\": \"B\"", "\"sku\": \"B&C\"", "items[1].sku"),
        of("\"WH-MX-CDMX\"", &long, "items[0].warehouse_hint"),
        of("\"MX\"", "\"mx\"", "shipping_address.country"),
        of("\"MX\"", "\"MEX\"", "shipping_address.country"),
        of("\"MX\"", "\"Ñ\"", "shipping_address.country"),
    ]
}

fn texts() -> Vec<BadOrder> {
    let long = "ñ".repeat(201);
    let line = |other: &str| of("Reforma 222", other, "shipping_address.line1");
    vec![
        line(""),
        line("   "),
        line("\u{3000}\u{2003}"),
        line(r"Reforma\u0007"),
        line(r"Reforma\u0000"),
        line(r"Reforma\r\n222"),
        line(r"\u001b[2J"),
        line("Reforma\u{85}222"),
        line("Reforma\u{7f}"),
        line(&long),
        of("06600", "", "shipping_address.zip"),
        of("Ciudad de México", r"\t", "shipping_address.city"),
    ]
}

fn instants() -> Vec<BadOrder> {
    let at = |other: &str| of("2026-04-07T14:32:15Z", other, "timestamp");
    let not_before = |instant: &str| {
        let other = format!("\"not_before\": \"{instant}\", \"gift\"");
        of("\"gift\"", &other, "not_before")
    };
    vec![
        at(""),
        at("2026-04-07"),
        at("2026-04-07T14:32:15"),
        at("2026-04-07 14:32:15"),
        at("2026-02-30T00:00:00Z"),
        at("2026-13-01T00:00:00Z"),
        at("2026-04-07T25:00:00Z"),
        at("2026-04-07T14:32:15+25:00"),
        at("07/04/2026"),
        at("1775572335"),
        // The calendar ends with the year 9999; in UTC, these two are beyond it and before it begins.
        at("9999-12-31T23:59:59-14:00"),
        at("0000-01-01T00:00:00+14:00"),
        not_before("tomorrow"),
        not_before("9999-12-31T23:59:59-14:00"),
    ]
}
