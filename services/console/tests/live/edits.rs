//! Replays with another document.

use contracts::console::ActAnswer;
use pipeline::dead_letters::Queue;
use pipeline::id::Generation;
use pipeline::order::State;
use serde_json::{Value, json};
use testkit::conformance::sample;

use crate::base::console;

/// The order's document with `change` in it.
fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut document = serde_json::from_str(&sample::document("ORD-1", 1)).unwrap();
    change(&mut document);
    json!({ "reason": "the shop says so", "document": document })
}

#[tokio::test]
async fn an_edited_order_goes_on_as_its_next_generation() {
    let it = console("edit").await;
    let entry = it.waiting("ORD-1").await;
    it.forget_outbox().await;
    let mended = with(|document| document["shipping_address"]["zip"] = "01010".into());
    let answer: ActAnswer = it.act_with(entry, "replay", &mended).await.ok();
    assert_eq!((answer.id, answer.done.as_str()), (entry.to_string(), "edited"));
    let order = it.order("ORD-1").await;
    assert_eq!((order.state, order.generation), (State::Accepted, Generation(2)));
    assert!(order.document.contains("01010") && order.document.contains("ñandú"));
    assert_eq!(it.outbox().await, [("order.process".to_owned(), 2)]);
    assert_eq!(it.view(entry).await.row.state, "edited");
    assert_eq!(it.last("ORD-1").await.0, "edited");
}

#[tokio::test]
async fn what_checkout_filled_in_may_be_left_out() {
    let it = console("edit_short").await;
    let entry = it.waiting("ORD-1").await;
    let short = with(|document| {
        let members = document.as_object_mut().unwrap();
        members.remove("idempotency_key");
        members.remove("timestamp");
    });
    let before = it.order("ORD-1").await.content;
    let answer: ActAnswer = it.act_with(entry, "replay", &short).await.ok();
    assert_eq!(answer.done, "edited");
    let after = it.order("ORD-1").await.content;
    assert_eq!((after.key, after.placed_at), (before.key, before.placed_at));
}

#[tokio::test]
async fn whose_order_it_is_and_what_was_paid_must_stay() {
    let it = console("edit_must_stay").await;
    let entry = it.waiting("ORD-1").await;
    it.forget_outbox().await;
    for (field, value) in [
        ("order_id", json!("ORD-2")),
        ("customer_id", json!("C-2")),
        ("payment_id", json!("P-2")),
        ("total_amount", json!({ "value": 285.01, "currency": "MXN" })),
        ("idempotency_key", json!("K-2")),
    ] {
        let reply = it
            .act_with(entry, "replay", &with(|document| document[field] = value))
            .await;
        assert_eq!((reply.status, reply.problem().as_str()), (422, "invalid"), "{field}");
        assert_eq!(reply.json()["field"], format!("document.{field}"));
    }
    assert_eq!(it.order("ORD-1").await.generation, Generation::FIRST);
    assert_eq!(it.view(entry).await.row.state, "open");
    assert!(it.outbox().await.is_empty());
}

#[tokio::test]
async fn a_document_that_checkout_would_refuse_is_refused() {
    let it = console("edit_refused").await;
    let entry = it.waiting("ORD-1").await;
    let no_lines = with(|document| document["items"] = json!([]));
    let no_units = with(|document| document["items"][0]["qty"] = json!(0));
    for (body, field) in [
        (no_lines, "document.items"),
        (no_units, "document.items[0].qty"),
        (json!({ "reason": "x", "document": {} }), "document."),
        (json!({ "reason": "x", "document": "text" }), "document"),
        (json!({ "reason": "x", "document": [1] }), "document"),
        (json!({ "reason": "x", "document": null }), "document"),
    ] {
        let reply = it.act_with(entry, "replay", &body).await;
        assert_eq!((reply.status, reply.problem().as_str()), (422, "invalid"), "{body}");
        let told = reply.json()["field"].as_str().unwrap_or_default().to_owned();
        assert!(told.starts_with(field), "{told} for {body}");
    }
    assert_eq!(it.view(entry).await.row.state, "open");
}

#[tokio::test]
async fn a_mistyped_document_does_not_send_the_order_on_as_it_was() {
    let it = console("edit_mistyped").await;
    let entry = it.waiting("ORD-1").await;
    for body in [
        json!({ "reason": "x", "documents": {} }),
        json!({ "reason": "x", "Document": {} }),
    ] {
        let reply = it.act_with(entry, "replay", &body).await;
        assert_eq!((reply.status, reply.problem().as_str()), (400, "malformed"), "{body}");
    }
    assert_eq!(it.view(entry).await.row.state, "open");
}

#[tokio::test]
async fn a_message_of_no_order_has_no_document_to_change() {
    let it = console("edit_stray").await;
    let stray = it.stray(Queue::Process, b"{}").await;
    let reply = it.act_with(stray, "replay", &with(|_| ())).await;
    assert_eq!((reply.status, reply.problem().as_str()), (409, "not-waiting"));
    let stuck = it.stuck("ORD-1").await;
    let reply = it.act_with(stuck, "replay", &with(|_| ())).await;
    assert_eq!((reply.status, reply.problem().as_str()), (409, "not-waiting"));
}
