//! Odd messages: whatever stands on them, they are worked or set apart, and the worker goes on.

use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::topology::UNREADABLE_QUEUE;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, ByteArray, DecimalValue, FieldArray, FieldTable};
use pipeline::dead_letters::Queue as Dead;
use pipeline::failure::{Class, Failed};
use pipeline::verdict::Verdict;
use serde_json::json;

use crate::raw::{self, HEADERS, MESSAGE_ID};
use crate::rig::{Held, Rig};
use crate::scene::process;

/// What the handler would say of it.
fn judge(held: Held) -> Result<String, String> {
    match held.delivery.message.clone() {
        Ok(message) => {
            held.complete();
            Ok(message.order.to_string())
        }
        Err(malformed) => {
            let failed = Failed::new(Class::Invalid, None, &malformed.to_string(), held.delivery.attempt);
            held.answer(Verdict::Invalid(failed));
            Err(malformed.field)
        }
    }
}

fn body(n: u32) -> Vec<u8> {
    process(n).body.into_bytes()
}

fn with(headers: &[(&str, AMQPValue)]) -> BasicProperties {
    let mut table = FieldTable::default();
    for (name, value) in headers {
        table.insert((*name).into(), value.clone());
    }
    BasicProperties::default().with_headers(table)
}

fn text(bytes: impl Into<Vec<u8>>) -> AMQPValue {
    AMQPValue::LongString(bytes.into().into())
}

/// Its name, what is sent, and the field for which it is invalid, if it is.
type Case = (&'static str, Vec<u8>, BasicProperties, Result<(), &'static str>);

/// Sends each case and a good order after it: `Ok` cases are worked, the others end in `orders.invalid` with every byte,
/// and the one consumer goes on without ever taking a message twice.
async fn go_through(test: &str, cases: Vec<Case>) {
    let mut rig = Rig::start(test, 1).await;
    for (case, body, properties, expected) in cases {
        rig.scene.inject(&body, properties).await;
        rig.publish([999]).await;
        let held = rig.next().await;
        assert_eq!(held.delivery.returns, 0, "{case}");
        let judged = judge(held);
        assert_eq!(judged.as_ref().map(drop).map_err(String::as_str), expected, "{case}");
        if judged.is_err() {
            let kept = rig.scene.take(Dead::Invalid.name()).await;
            assert_eq!(kept.data, body, "{case}");
        }
        assert_eq!(judge(rig.next().await).as_deref(), Ok("ORD-999"), "after {case}");
    }
    assert_eq!(rig.readiness.reason(), None);
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}

#[tokio::test]
async fn bodies_that_say_nothing_are_kept_byte_by_byte() {
    let plain = BasicProperties::default();
    let bom = [b"\xef\xbb\xbf".as_slice(), &body(1)].concat();
    let cases = vec![
        ("not UTF-8", vec![0xff, 0xfe, 0x00, 0x9f], Err("body")),
        ("cut", br#"{"order_id":"A-1","lines":[{"#.to_vec(), Err("body")),
        ("empty", vec![], Err("body")),
        ("null", b"null".to_vec(), Err("body")),
        ("array", b"[]".to_vec(), Err("body")),
        ("byte order mark", bom, Err("body")),
        ("nested", vec![b'['; 20_000], Err("body")),
        ("a megabyte", vec![b' '; 1 << 20], Err("body")),
        (
            "over a frame, and good",
            [body(1), vec![b' '; 200_000]].concat(),
            Ok(()),
        ),
    ];
    let cases = cases
        .into_iter()
        .map(|(case, body, expected)| (case, body, plain.clone(), expected));
    go_through("odd-bodies", cases.collect()).await;
}

#[tokio::test]
async fn a_body_is_read_only_as_its_properties_say() {
    let plain = BasicProperties::default;
    let gzip = plain().with_content_encoding("gzip".into());
    let cases = vec![
        ("gzip that is none", gzip.clone(), Err("content_encoding")),
        (
            "br",
            plain().with_content_encoding("br".into()),
            Err("content_encoding"),
        ),
        ("identity", plain().with_content_encoding("identity".into()), Ok(())),
        (
            "text",
            plain().with_content_type("text/plain".into()),
            Err("content_type"),
        ),
        (
            "java",
            plain().with_content_type("application/x-java".into()),
            Err("content_type"),
        ),
        (
            "parameter",
            plain().with_content_type("application/json; charset=utf-8".into()),
            Ok(()),
        ),
        ("empty type", plain().with_content_type("".into()), Ok(())),
        (
            "version 2",
            with(&[("schema-version", AMQPValue::LongInt(2))]),
            Err("schema-version"),
        ),
        (
            "version 999",
            with(&[("schema-version", AMQPValue::ShortInt(999))]),
            Err("schema-version"),
        ),
        ("version in words", with(&[("schema-version", text("1"))]), Ok(())),
        (
            "version of nothing",
            with(&[("schema-version", AMQPValue::Void)]),
            Err("schema-version"),
        ),
    ];
    let mut cases: Vec<_> = cases
        .into_iter()
        .map(|(case, properties, expected)| (case, body(1), properties, expected))
        .collect();
    cases.push((
        "gzip cut in half",
        b"\x1f\x8b\x08\x00\x00\x00".to_vec(),
        gzip,
        Err("content_encoding"),
    ));
    go_through("odd-claims", cases).await;
}

#[tokio::test]
async fn what_is_missing_or_too_long_does_no_harm() {
    let plain = BasicProperties::default;
    let longest = "9".repeat(255);
    let cases = vec![
        ("nothing at all", plain()),
        ("empty id", plain().with_message_id("".into())),
        ("longest id", plain().with_message_id(longest.as_str().into())),
        (
            "no headers, no time",
            plain().with_message_id(process(1).id.to_string().into()),
        ),
        ("last instant", plain().with_timestamp(u64::MAX)),
        ("expiring", plain().with_expiration("60000".into())),
        (
            "bad trace",
            with(&[(
                "traceparent",
                text("ff-00000000000000000000000000000000-0000000000000000-01"),
            )]),
        ),
        ("long trace", with(&[("traceparent", text("0".repeat(60)))])),
        (
            "trace that is not UTF-8",
            with(&[("traceparent", text(vec![0xff; 55]))]),
        ),
        (
            "trace that is a number",
            with(&[("traceparent", AMQPValue::LongInt(7))]),
        ),
        ("long state", with(&[("tracestate", text(vec![b'a'; 20_000]))])),
        (
            "60 KB of headers",
            with(&[("a", text(vec![0; 30_000])), ("b", text(vec![0xff; 30_000]))]),
        ),
    ];
    let cases = cases
        .into_iter()
        .map(|(case, properties)| (case, body(1), properties, Ok(())));
    go_through("odd-properties", cases.collect()).await;
    // No text of the protocol holds more: the client refuses what the broker would.
    assert!(lapin::types::ShortString::try_new("9".repeat(256)).is_err());
}

#[tokio::test]
async fn an_attempt_of_any_type_and_value_is_one_of_the_ladder() {
    let mut inner = FieldTable::default();
    inner.insert("attempt".into(), AMQPValue::LongInt(3));
    let mut rig = Rig::hasty("odd-attempts", 1).await;
    for (value, attempt) in [
        (AMQPValue::Boolean(true), 1),
        (AMQPValue::ShortShortInt(-1), 1),
        (AMQPValue::ShortShortInt(2), 2),
        (AMQPValue::ShortShortUInt(3), 3),
        (AMQPValue::ShortInt(4), 4),
        (AMQPValue::ShortUInt(5), 5),
        (AMQPValue::LongInt(6), 6),
        (AMQPValue::LongInt(7), 1),
        (AMQPValue::LongUInt(u32::MAX), 1),
        (AMQPValue::LongLongInt(i64::MAX), 1),
        (AMQPValue::LongLongInt(i64::MIN), 1),
        (AMQPValue::Float(2.0), 1),
        (AMQPValue::Double(2.0), 1),
        (AMQPValue::DecimalValue(DecimalValue { scale: 0, value: 2 }), 1),
        (text("2"), 2),
        (text("two"), 1),
        (text(vec![0xff, 0]), 1),
        (AMQPValue::FieldArray(FieldArray::from(vec![AMQPValue::LongInt(2)])), 1),
        (AMQPValue::Timestamp(2), 1),
        (AMQPValue::FieldTable(inner), 1),
        (AMQPValue::ByteArray(ByteArray::from(vec![2])), 1),
        (AMQPValue::Void, 1),
    ] {
        rig.scene.inject(&body(1), with(&[("attempt", value.clone())])).await;
        let held = rig.next().await;
        assert_eq!(
            (held.delivery.attempt, held.delivery.returns),
            (attempt, 0),
            "{value:?}"
        );
        if attempt == 6 {
            held.complete();
            continue;
        }
        held.retry();
        let again = rig.next().await;
        assert_eq!(again.delivery.attempt, attempt + 1, "{value:?}");
        again.complete();
    }
    rig.stop().await;
}

#[tokio::test]
async fn two_orders_of_one_message_id_are_two() {
    let mut rig = Rig::start("one-id", 1).await;
    let properties = BasicProperties::default().with_message_id(process(1).id.to_string().into());
    rig.scene.inject(&body(1), properties.clone()).await;
    rig.scene.inject(&body(2), properties).await;
    let (one, other) = (judge(rig.next().await), judge(rig.next().await));
    assert_eq!((one.as_deref(), other.as_deref()), (Ok("ORD-1"), Ok("ORD-2")));
    rig.stop().await;
}

/// The client library takes a text that is not UTF-8, or a type that it does not know, for a broken connection. The
/// broker does not mind.
#[tokio::test]
async fn what_cannot_even_be_read_ends_up_aside_and_the_rest_goes_on() {
    let mut rig = Rig::start("unreadable", 1).await;
    raw::publish(&rig.scene, MESSAGE_ID, &raw::message_id(b"\xff\xfe"), &body(1)).await;
    rig.publish([2]).await;
    rig.is_red("failed to parse").await;
    assert_eq!(judge(rig.next().await).as_deref(), Ok("ORD-2"));
    assert_eq!(rig.scene.ready_in(Dead::Process.name()).await, 1);
    rig.stop().await;

    // And so it does among the dead letters, whose limit is lower here than the real one.
    let lower = json!({
        "pattern": r"^orders\.process\.dlq$", "priority": 10,
        "definition": {
            "delivery-limit": 2, "dead-letter-exchange": "orders.dlx", "dead-letter-routing-key": "orders.unreadable",
            "dead-letter-strategy": "at-least-once", "overflow": "reject-publish",
        },
    });
    let scene = rig.scene;
    let policy = ["policies", scene.broker.vhost(), "acuse-orders-process-dlq"];
    scene.broker.put(&policy, &lower).await;
    scene
        .inject_to("orders.dlx", &body(3), BasicProperties::default())
        .await;
    let url = scene.url();
    let mut console = Rig::consume(scene, url, Line::Dead(Dead::Process), 1);
    let next = console.next().await;
    assert_eq!(next.number(), 3);
    next.complete();
    console.stop().await;
    assert_eq!(console.scene.ready_in(UNREADABLE_QUEUE).await, 1);
    assert_eq!(console.scene.messages().await, 1);
}

#[tokio::test]
async fn the_widest_headers_that_come_in_a_frame_do_not_go_out_again() {
    let mut rig = Rig::start("widest", 1).await;
    let length = raw::FRAME_BYTES_MAX - 100;
    let text = [&u32::try_from(length).unwrap().to_be_bytes()[..], &vec![b'a'; length]].concat();
    let wide = raw::headers(b"wide", b'S', &text);
    raw::publish(&rig.scene, HEADERS, &wide, &body(1)).await;
    rig.next().await.retry();
    let again = rig.next().await;
    assert_eq!((again.delivery.attempt, again.delivery.returns), (2, 0));
    let properties = again.received.letter(Dead::Process).content.properties;
    assert!(!properties.contains("wide"), "{properties}");
    again.complete();
    assert_eq!(rig.readiness.reason(), None);
    rig.stop().await;
}
