use super::*;

fn with(headers: &[(&str, AMQPValue)]) -> BasicProperties {
    let mut table = FieldTable::default();
    for (name, value) in headers {
        table.insert((*name).into(), value.clone());
    }
    BasicProperties::default().with_headers(table)
}

fn text(bytes: &[u8]) -> AMQPValue {
    AMQPValue::LongString(bytes.into())
}

/// One value of each type and each of its bounds.
fn every_value() -> Vec<AMQPValue> {
    let mut inner = FieldTable::default();
    inner.insert("n".into(), AMQPValue::ShortUInt(7));
    vec![
        AMQPValue::Boolean(true),
        AMQPValue::Boolean(false),
        AMQPValue::ShortShortInt(i8::MIN),
        AMQPValue::ShortShortUInt(u8::MAX),
        AMQPValue::ShortInt(i16::MIN),
        AMQPValue::ShortUInt(u16::MAX),
        AMQPValue::LongInt(i32::MIN),
        AMQPValue::LongUInt(u32::MAX),
        AMQPValue::LongLongInt(i64::MIN),
        AMQPValue::LongLongInt(i64::MAX),
        AMQPValue::Float(-0.0),
        AMQPValue::Float(f32::NEG_INFINITY),
        AMQPValue::Double(0.1),
        AMQPValue::Double(f64::MAX),
        AMQPValue::DecimalValue(DecimalValue {
            scale: u8::MAX,
            value: u32::MAX,
        }),
        AMQPValue::ShortString("short".into()),
        text(b""),
        text("ñ \u{202e} \"quoted\" \\ \n".as_bytes()),
        text(b"NUL \0 inside"),
        text(&[0xff, 0xfe, 0x00, 0x9f]),
        text(b"\xed\xa0\xbd"),
        AMQPValue::FieldArray(FieldArray::default()),
        AMQPValue::FieldArray(FieldArray::from(vec![
            AMQPValue::Void,
            text(b"\0"),
            AMQPValue::Boolean(true),
        ])),
        AMQPValue::Timestamp(u64::MAX),
        AMQPValue::FieldTable(FieldTable::default()),
        AMQPValue::FieldTable(inner),
        AMQPValue::ByteArray(ByteArray::from(vec![])),
        AMQPValue::ByteArray(ByteArray::from(vec![0, 255])),
        AMQPValue::Void,
    ]
}

#[test]
fn every_value_is_read_back_as_it_was() {
    for value in every_value() {
        let properties = with(&[("one", value.clone())]);
        let stored = write(&properties).to_string();
        let back = read(&serde_json::from_str(&stored).unwrap());
        assert_eq!(back, properties, "{stored}");
    }
    for nan in [AMQPValue::Double(f64::NAN), AMQPValue::Float(f32::NAN)] {
        let properties = with(&[("one", nan)]);
        assert_eq!(write(&read(&write(&properties))), write(&properties));
    }
}

#[test]
fn every_property_that_is_ours_to_send_is_read_back() {
    let properties = with(&[("one", AMQPValue::Void)])
        .with_content_type("a".into())
        .with_content_encoding("b".into())
        .with_correlation_id("c".into())
        .with_reply_to("d".into())
        .with_expiration("5000".into())
        .with_message_id("e".into())
        .with_type("f".into())
        .with_app_id("g".into())
        .with_timestamp(u64::MAX)
        .with_priority(u8::MAX);
    assert_eq!(read(&write(&properties)), properties);
    // Who sent it the first time is shown, and not claimed by whoever sends it again.
    let sent = properties.clone().with_user_id("shop".into()).with_delivery_mode(1);
    assert_eq!(write(&sent)["user_id"], "shop");
    assert_eq!(read(&write(&sent)), properties);
}

/// jsonb refuses the escape of NUL, and a number with an exponent of many thousands; it takes any whole number.
#[test]
fn a_database_takes_what_is_written() {
    let mut headers: Vec<_> = every_value().into_iter().map(|value| ("v", value)).collect();
    headers.push(("N\0L", AMQPValue::ShortString("\0".into())));
    for (name, value) in headers {
        let mut inner = FieldTable::default();
        inner.insert("\0".into(), value.clone());
        let properties = with(&[(name, value), ("t", AMQPValue::FieldTable(inner))])
            .with_message_id("\0".into())
            .with_user_id("\0".into())
            .with_timestamp(u64::MAX);
        let stored = write(&properties).to_string();
        assert!(!stored.contains(r"\u0000"), "{stored}");
        assert_whole(&serde_json::from_str(&stored).unwrap());
    }
}

fn assert_whole(value: &Value) {
    match value {
        Value::Number(number) => assert!(number.is_i64() || number.is_u64(), "{number}"),
        Value::Array(values) => values.iter().for_each(assert_whole),
        Value::Object(values) => values.values().for_each(assert_whole),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[test]
fn what_was_stored_by_others_is_read_as_far_as_it_goes() {
    for odd in [
        json!(null),
        json!([]),
        json!({ "headers": [] }),
        json!({ "headers": { "a": 1, "b": {}, "c": { "i8": 999 }, "d": { "text_hex": "abc" }, "e": { "text_hex": "ñ" } } }),
        json!({ "headers": { "f": { "decimal": 1 }, "g": { "unknown": 1 }, "h": { "left_out": "nested too deep" } } }),
        json!({ "message_id": 7, "timestamp": -1, "priority": 256, "type": "x".repeat(256) }),
    ] {
        let properties = read(&odd);
        let headers = properties.headers().clone().unwrap_or_default();
        let kept: Vec<_> = headers.inner().keys().map(ShortString::as_str).collect();
        assert!(kept.iter().all(|name| *name == "d"), "{kept:?}");
        assert_eq!(properties.message_id(), &None);
    }
}

#[test]
fn each_delivery_of_a_message_is_written_the_same() {
    let first = BasicProperties::default().with_message_id("m".into());
    let again = with(&[
        ("x-delivery-count", AMQPValue::LongLongInt(1)),
        ("x-acquired-count", AMQPValue::LongLongInt(1)),
    ]);
    assert_eq!(write(&first), write(&again.with_message_id("m".into())));
}

#[test]
fn what_lies_too_deep_is_left_out_and_said_to_be() {
    let mut value = AMQPValue::Void;
    for _ in 0..100 {
        let mut table = FieldTable::default();
        table.insert("t".into(), value);
        value = AMQPValue::FieldTable(table);
    }
    let mut headers = FieldTable::default();
    headers.insert("deep".into(), value);
    let written = write(&BasicProperties::default().with_headers(headers)).to_string();
    assert!(written.contains("left_out") && written.len() < 1_000, "{written}");
}
