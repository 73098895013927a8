//! What is not done, and what is said then.

use contracts::limits::TEXT_LENGTH_MAX;
use pipeline::dead_letters::Queue;
use serde_json::json;

use crate::base::{because, console};

#[tokio::test]
async fn a_reason_is_1_to_200_characters_without_control_characters() {
    let it = console("reasons").await;
    let entry = it.waiting("ORD-1").await;
    let longest = "ñ".repeat(TEXT_LENGTH_MAX);
    let one = format!("/dead-letters/{entry}");
    for path in [
        &*format!("{one}/replay"),
        &*format!("{one}/abandon"),
        &*format!("{one}/discard"),
        "/orders/ORD-1/redo",
    ] {
        for reason in ["", "   ", "a\nb", "a\0b", "\u{1b}[2J", "\u{85}", &format!("{longest}x")] {
            let reply = it.server.post(path, &json!({ "reason": reason })).await;
            assert_eq!(
                (reply.status, reply.problem().as_str()),
                (422, "invalid"),
                "{path} {reason:?}"
            );
            assert_eq!(reply.json()["field"], "reason");
        }
        for body in [
            json!({}),
            json!({ "reason": 1 }),
            json!({ "reason": null }),
            json!([]),
            json!("x"),
        ] {
            let reply = it.server.post(path, &body).await;
            assert_eq!(
                (reply.status, reply.problem().as_str()),
                (400, "malformed"),
                "{path} {body}"
            );
        }
    }
    assert_eq!(it.view(entry).await.row.state, "open");
    let reply = it.act_with(entry, "abandon", &json!({ "reason": longest })).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(it.view(entry).await.closed.unwrap().reason, longest);
}

#[tokio::test]
async fn what_is_closed_stays_closed_and_says_how_it_was() {
    let it = console("closed").await;
    let entry = it.waiting("ORD-1").await;
    let _done = it.act(entry, "replay").await;
    let before = it.view(entry).await;
    it.forget_outbox().await;
    for what in ["replay", "abandon", "discard"] {
        let reply = it.act(entry, what).await;
        assert_eq!((reply.status, reply.problem().as_str()), (409, "not-waiting"), "{what}");
        assert!(reply.text.contains("it was replayed"), "{}", reply.text);
    }
    assert_eq!(it.view(entry).await, before);
    assert!(it.outbox().await.is_empty());
}

#[tokio::test]
async fn what_is_not_there_cannot_be_acted_on() {
    let it = console("unknown").await;
    it.place("ORD-1").await;
    for id in ["00000000-0000-0000-0000-000000000000", "nonsense", "%2e%2e", "ORD-1"] {
        for what in ["replay", "abandon", "discard"] {
            let reply = it.server.post(&format!("/dead-letters/{id}/{what}"), &because()).await;
            assert_eq!(
                (reply.status, reply.problem().as_str()),
                (404, "not-found"),
                "{id} {what}"
            );
        }
    }
    for order in ["ORD-2", "a%20b", "%00", &"x".repeat(65)] {
        let reply = it.server.post(&format!("/orders/{order}/redo"), &because()).await;
        assert_eq!((reply.status, reply.problem().as_str()), (404, "not-found"), "{order}");
    }
    let reply = it.server.post("/orders/ORD-1/redo", &because()).await;
    assert_eq!(
        (reply.status, reply.problem().as_str()),
        (409, "not-waiting"),
        "it is accepted"
    );
}

#[tokio::test]
async fn a_message_of_no_order_is_not_given_up() {
    let it = console("stray_abandon").await;
    let stray = it.stray(Queue::Process, b"{}").await;
    let reply = it.act(stray, "abandon").await;
    assert_eq!((reply.status, reply.problem().as_str()), (409, "not-waiting"));
    assert!(
        reply.text.contains("replay it as it is, or discard it"),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn too_much_is_not_read() {
    let it = console("too_much").await;
    let entry = it.waiting("ORD-1").await;
    let body = json!({ "reason": "x", "document": "x".repeat(300 * 1024) });
    let reply = it.act_with(entry, "replay", &body).await;
    assert_eq!((reply.status, reply.problem().as_str()), (413, "too-large"));
    assert_eq!(it.view(entry).await.row.state, "open");
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_told_as_such() {
    let it = console("database_gone").await;
    let entry = it.waiting("ORD-1").await;
    it.database.shut().await;
    for path in [
        "/dead-letters",
        "/dead-letters/groups",
        &format!("/dead-letters/{entry}"),
    ] {
        let reply = it.server.get(path).await;
        assert_eq!((reply.status, reply.problem().as_str()), (503, "unavailable"), "{path}");
        assert!(reply.header("retry-after").is_some(), "{path}");
    }
    let reply = it.act(entry, "replay").await;
    assert_eq!((reply.status, reply.problem().as_str()), (503, "unavailable"));
    it.database.open().await;
    assert_eq!(it.view(entry).await.row.state, "open");
}
