//! The roads that lead away from a work queue.

use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::topology::{PROCESS_QUEUE, SUSPECT_QUEUE, rest_queue};
use lapin::BasicProperties;
use lapin::message::Delivery;
use lapin::types::{AMQPValue, FieldArray, FieldTable};
use pipeline::dead_letters::Queue as Dead;
use pipeline::failure::{Class, Failed};
use pipeline::verdict::Verdict;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::rig::{Held, Rig, retry};
use crate::scene::{Scene, process};

/// Properties of an order, with more on it than we put there.
fn rich(attempt: i64) -> BasicProperties {
    let mut inner = FieldTable::default();
    inner.insert("n".into(), AMQPValue::LongString("ñ".into()));
    let mut headers = FieldTable::default();
    for (name, value) in [
        ("attempt", AMQPValue::LongLongInt(attempt)),
        ("generation", AMQPValue::LongLongInt(1)),
        ("traceparent", AMQPValue::LongString("00-ab-cd-01".into())),
        ("shop", AMQPValue::FieldTable(inner)),
        ("bytes", AMQPValue::LongString(vec![0xff, 0].into())),
        ("x-forged", AMQPValue::Boolean(true)),
        ("CC", AMQPValue::FieldArray(FieldArray::default())),
    ] {
        headers.insert(name.into(), value);
    }
    BasicProperties::default()
        .with_content_type("application/json".into())
        .with_message_id(process(1).id.to_string().into())
        .with_correlation_id("ORD-1".into())
        .with_type("order.process".into())
        .with_app_id("a-shop".into())
        .with_reply_to("nobody".into())
        .with_timestamp(7)
        .with_priority(3)
        .with_expiration("3600000".into())
        .with_headers(headers)
}

/// Body and properties of what is in hand.
fn content(held: &Held) -> (Vec<u8>, Value) {
    let content = held.received.letter(Dead::Process).content;
    (content.body, serde_json::from_str(&content.properties).unwrap())
}

fn header(delivery: &Delivery, name: &str) -> Option<AMQPValue> {
    let headers = delivery.properties.headers().as_ref()?;
    headers.inner().get(name).cloned()
}

fn text(text: &str) -> AMQPValue {
    AMQPValue::LongString(text.into())
}

#[tokio::test]
async fn a_retry_comes_back_after_its_rest_as_it_was_with_its_next_attempt() {
    let mut rig = Rig::start("retry", 1).await;
    rig.scene.inject(process(1).body.as_bytes(), rich(1)).await;
    let held = rig.next().await;
    let (body, mut properties) = content(&held);
    let rest = retry(&held.delivery).rest;
    let failed_at = Instant::now();
    held.retry();
    let again = rig.next().await;
    let rested = failed_at.elapsed().as_millis();
    assert!(rested >= rest.milliseconds().into(), "it rested for {rested} ms");
    assert_eq!((again.delivery.attempt, again.delivery.returns), (2, 0));

    let (body_again, mut properties_again) = content(&again);
    assert_eq!(body_again, body);
    let headers_again = properties_again["headers"].as_object_mut().unwrap();
    let deaths = headers_again.remove("x-death").unwrap();
    assert!(deaths.to_string().contains("expired"), "{deaths}");
    headers_again.retain(|name, _| !name.starts_with("x-first-death-"));
    let headers = properties["headers"].as_object_mut().unwrap();
    headers.insert("attempt".to_owned(), json!({ "i64": 2 }));
    headers.insert("last-error".to_owned(), json!({ "text": "inventory: time out" }));
    let left_behind = ["x-forged", "CC"].map(|name| headers.remove(name));
    assert_eq!(left_behind.iter().flatten().count(), 2);
    assert_eq!(
        properties.as_object_mut().unwrap().remove("expiration"),
        Some("3600000".into())
    );
    properties["delivery_mode"] = json!(2);
    assert_eq!(properties_again, properties);
    again.complete();
    rig.stop().await;
}

#[tokio::test]
async fn a_short_rest_is_not_held_up_by_a_long_one() {
    let mut rig = Rig::start("short-rest", 1).await;
    rig.scene.inject(process(1).body.as_bytes(), rich(5)).await;
    let long = rig.next().await;
    let rests_in = rest_queue(PROCESS_QUEUE, retry(&long.delivery).rest);
    assert!(rests_in.starts_with("orders.process.retry.5."), "{rests_in}");
    long.retry();
    rig.publish([2]).await;
    rig.next().await.retry();
    let short = rig.next().await;
    assert_eq!((short.number(), short.delivery.attempt), (2, 2));
    assert_eq!(rig.scene.ready_in(&rests_in).await, 1);
    short.complete();
    rig.stop().await;
}

#[tokio::test]
async fn a_deferral_keeps_the_attempt_and_is_counted() {
    let mut rig = Rig::hasty("defer", 1).await;
    rig.scene.inject(process(1).body.as_bytes(), rich(3)).await;
    for deferrals in 0..3 {
        let held = rig.next().await;
        assert_eq!((held.delivery.attempt, held.delivery.deferrals), (3, deferrals));
        held.defer();
    }
    let held = rig.next().await;
    let (_, properties) = content(&held);
    assert_eq!(properties["headers"]["last-error"]["text"], "the carrier is busy");
    held.complete();
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn what_was_returned_twice_is_set_apart_before_any_work() {
    let mut rig = Rig::start("suspect", 1).await;
    rig.scene.inject(process(1).body.as_bytes(), rich(4)).await;
    for returns in 0..2 {
        let held = rig.next().await;
        assert_eq!((held.delivery.attempt, held.delivery.returns), (4, returns));
        rig.crash().await;
    }
    let set_apart = rig.scene.take(SUSPECT_QUEUE).await;
    assert!(!rig.has_more(), "it was worked once more");
    assert_eq!(set_apart.data, process(1).body.as_bytes());
    assert_eq!(header(&set_apart, "attempt"), Some(AMQPValue::LongLongInt(4)));
    assert_eq!(header(&set_apart, "x-delivery-count"), Some(AMQPValue::LongLongInt(0)));
    assert_eq!(*set_apart.properties.expiration(), None);
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn what_nobody_knows_goes_to_the_dead_letters_and_says_why() {
    let mut rig = Rig::start("unknown", 1).await;
    rig.scene.inject(process(1).body.as_bytes(), rich(2)).await;
    let failed = Failed::new(
        Class::UnknownOrder,
        Some("record"),
        "checkout does not know the order",
        2,
    );
    rig.next().await.answer(Verdict::Unknown(failed));
    let dead = rig.scene.take(Dead::Process.name()).await;
    assert_eq!(dead.data, process(1).body.as_bytes());
    assert_eq!(header(&dead, "failure-class"), Some(text("unknown_order")));
    assert_eq!(header(&dead, "failure-step"), Some(text("record")));
    assert_eq!(
        header(&dead, "last-error"),
        Some(text("checkout does not know the order"))
    );
    assert_eq!(header(&dead, "attempt"), Some(AMQPValue::LongLongInt(2)));
    assert_eq!(header(&dead, "x-death"), None);
    assert_eq!(dead.properties.message_id(), rich(2).message_id());
    assert_eq!(*dead.properties.expiration(), None);
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn an_expiration_ends_where_a_message_moves_on() {
    let mut rig = Rig::start("expiration", 1).await;
    let short = BasicProperties::default().with_expiration("5000".into());
    rig.scene.inject(b"{", short).await;
    let held = rig.next().await;
    let failed = Failed::new(Class::Invalid, None, "body: cut", 1);
    held.answer(Verdict::Invalid(failed));
    let kept = rig.scene.take(Dead::Invalid.name()).await;
    assert_eq!(
        (kept.data.as_slice(), kept.properties.expiration()),
        (b"{".as_slice(), &None)
    );
    rig.stop().await;
}

#[tokio::test]
async fn further_queues_that_a_sender_names_get_no_copy() {
    let mut rig = Rig::start("cc", 1).await;
    let lanes = ["a", "b", "c"].map(|lane| {
        let key = format!("orders.process.retry.1.{lane}");
        AMQPValue::LongString(key.as_str().into())
    });
    let mut headers = FieldTable::default();
    headers.insert("CC".into(), AMQPValue::FieldArray(FieldArray::from(lanes.to_vec())));
    let properties = BasicProperties::default().with_headers(headers);
    rig.scene.inject(process(1).body.as_bytes(), properties).await;
    rig.next().await.retry();
    rig.next().await.complete();
    // What comes after all that could have been multiplied.
    rig.publish([2]).await;
    rig.next().await.retry();
    let last = rig.next().await;
    assert_eq!((last.number(), last.delivery.attempt), (2, 2));
    last.complete();
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}

#[tokio::test]
async fn a_message_that_is_dead_and_comes_twice_has_one_content() {
    let scene = Scene::set("dead-twice").await;
    scene.inject_to("orders.invalid", b"{", rich(1)).await;
    let url = scene.url();
    let mut rig = Rig::consume(scene, url, Line::Dead(Dead::Invalid), 1);
    let first = rig.next().await.received.letter(Dead::Invalid);
    rig.crash().await;
    let again = rig.next().await;
    assert_eq!(again.delivery.returns, 1);
    assert_eq!(again.received.letter(Dead::Invalid), first);
    again.complete();
    rig.stop().await;
}

#[tokio::test]
async fn a_dead_letter_is_sent_again_as_it_was_with_a_fresh_ladder() {
    let mut rig = Rig::start("again", 1).await;
    rig.scene.inject(process(1).body.as_bytes(), rich(6)).await;
    let held = rig.next().await;
    let (body, mut properties) = content(&held);
    let letter = held.received.letter(Dead::Process);
    held.complete();
    rig.publisher
        .send_again(letter.queue, &letter.content, "entry-1")
        .await
        .unwrap();
    let again = rig.next().await;
    let (body_again, properties_again) = content(&again);
    assert_eq!(again.delivery.attempt, 1);
    assert_eq!(body_again, body);
    let headers = properties["headers"].as_object_mut().unwrap();
    for left in ["attempt", "x-forged", "CC"] {
        headers.remove(left);
    }
    headers.insert("replay".to_owned(), json!({ "text": "entry-1" }));
    properties.as_object_mut().unwrap().remove("expiration");
    properties["delivery_mode"] = json!(2);
    assert_eq!(properties_again, properties);
    again.complete();
    rig.stop().await;
}
