use lapin::types::{FieldArray, FieldTable};
use pipeline::outgoing::{Destination, Envelope, Marks};
use time::OffsetDateTime;

use super::*;
use crate::properties;

fn with(headers: &[(&str, AMQPValue)]) -> Received {
    let mut table = FieldTable::default();
    for (name, value) in headers {
        table.insert((*name).into(), value.clone());
    }
    Received {
        body: vec![],
        properties: BasicProperties::default().with_headers(table),
    }
}

fn envelope(marks: Marks) -> Envelope {
    let order = OrderId::parse("ORD-7").unwrap();
    Envelope {
        id: MessageId::derive(&order, Generation(3), "order.process"),
        destination: Destination::Orders,
        kind: "order.process".to_owned(),
        order,
        generation: Generation(3),
        marks,
        body: String::new(),
        created_at: OffsetDateTime::UNIX_EPOCH,
    }
}

#[test]
fn what_we_send_is_what_we_read() {
    let sent = envelope(Marks::default());
    let received = Received {
        body: vec![],
        properties: properties::of(&sent, "order.process".into()),
    };
    let read = received.order();
    assert_eq!(
        (read.id, read.generation, read.attempt, read.deferrals, read.returns),
        (Some(sent.id), Generation(3), 1, 0, 0)
    );
    assert!(read.message.is_err());
    assert_eq!(received.name(), "ORD-7");
}

#[test]
fn a_dead_letter_of_ours_says_why() {
    let failed = Failed::new(Class::Refused, Some("reserve"), "unknown product", 1);
    let sent = envelope(Marks {
        failed: Some(failed.clone()),
        ..Marks::default()
    });
    let mut received = Received {
        body: vec![],
        properties: properties::of(&sent, "order.process".into()),
    };
    let letter = received.letter(Dead::Process);
    assert_eq!((letter.failed, letter.order), (Some(failed), Some(sent.order.clone())));
    let mut headers = received.properties.headers().clone().unwrap();
    headers.insert(DEATHS.into(), AMQPValue::FieldArray(FieldArray::default()));
    received.properties = received.properties.with_headers(headers);
    assert_eq!(received.letter(Dead::Process).failed, None, "the broker moved it");
}

#[test]
fn an_attempt_is_one_of_the_ladders_whatever_the_header_says() {
    let read = |value| with(&[("attempt", value)]).attempt();
    assert_eq!(with(&[]).attempt(), 1);
    assert_eq!(read(AMQPValue::LongInt(4)), 4);
    assert_eq!(read(AMQPValue::LongString("6".into())), 6);
    for nonsense in [
        AMQPValue::ShortShortUInt(255),
        AMQPValue::LongLongInt(i64::MIN),
        AMQPValue::LongLongInt(i64::MAX),
        AMQPValue::LongUInt(u32::MAX),
        AMQPValue::LongInt(0),
        AMQPValue::LongInt(7),
        AMQPValue::LongString(vec![0xff; 9].into()),
        AMQPValue::Boolean(true),
        AMQPValue::FieldArray(FieldArray::default()),
        AMQPValue::Void,
    ] {
        assert_eq!(read(nonsense.clone()), 1, "{nonsense:?}");
    }
}

#[test]
fn returns_are_the_brokers_and_deferrals_ours() {
    let read = with(&[
        ("x-delivery-count", AMQPValue::LongLongInt(2)),
        ("deferrals", AMQPValue::LongInt(720)),
    ]);
    assert_eq!((read.order().returns, read.order().deferrals), (2, 720));
    let nonsense = with(&[("deferrals", AMQPValue::LongInt(721))]);
    assert_eq!(nonsense.order().deferrals, 0);
}

#[test]
fn a_bad_generation_is_the_first() {
    let read = |value| with(&[("generation", value)]).generation();
    assert_eq!(with(&[]).generation(), Generation::FIRST);
    assert_eq!(read(AMQPValue::LongInt(2)), Generation(2));
    for bad in [
        AMQPValue::LongInt(0),
        AMQPValue::LongLongInt(-5),
        AMQPValue::LongLongInt(i64::from(u32::MAX)),
        AMQPValue::LongString("two".into()),
        AMQPValue::Void,
    ] {
        assert_eq!(read(bad.clone()), Generation::FIRST, "{bad:?}");
    }
}

#[test]
fn a_message_id_that_is_no_uuid_is_none() {
    let read = |text: &str| message_id(&BasicProperties::default().with_message_id(text.into()));
    assert_eq!(read("not-a-uuid"), None);
    assert_eq!(read(&"9".repeat(200)), None);
    assert!(read("6f2c44aa-93a8-4b0c-9f0e-7d1b5a53e001").is_some());
}

#[test]
fn a_senders_claim_is_shown_only_where_it_is_an_order_id() {
    let mut received = with(&[]);
    received.properties = BasicProperties::default().with_correlation_id("evil\nline".into());
    assert_eq!(received.name(), "unknown");
}

#[test]
fn what_is_written_in_another_way_is_not_read() {
    let told = |received: &Received| received.order().message.unwrap_err().field;
    let plain = BasicProperties::default();
    for (properties, field) in [
        (plain.clone().with_content_type("text/plain".into()), "content_type"),
        (
            plain.clone().with_content_type("application/x-java".into()),
            "content_type",
        ),
        (plain.clone().with_content_encoding("gzip".into()), "content_encoding"),
        (
            plain
                .clone()
                .with_content_type("application/json; charset=utf-8".into()),
            "body",
        ),
        (plain, "body"),
    ] {
        let received = Received {
            body: vec![],
            properties,
        };
        assert_eq!(told(&received), field, "{received:?}");
    }
    for (version, field) in [
        (AMQPValue::LongInt(1), "body"),
        (AMQPValue::LongString("1".into()), "body"),
        (AMQPValue::LongInt(2), "schema-version"),
        (AMQPValue::LongInt(999), "schema-version"),
        (AMQPValue::Boolean(true), "schema-version"),
    ] {
        assert_eq!(
            told(&with(&[("schema-version", version.clone())])),
            field,
            "{version:?}"
        );
    }
}
