//! What the console says of itself, and to whom it says anything.

use console::routes::own;
use contracts::console::{ActAnswer, ActRequest, DeadLetterGroups, DeadLetterRow, DeadLetterView, ReplayRequest};
use contracts::effects::Page;
use serde_json::Value;
use testkit::http::TestServer;
use testkit::openapi::Document;

use crate::base::{OPERATOR, because, console};

#[test]
fn the_openapi_document_describes_the_routes() {
    let document = Document::of(include_str!("../../openapi.json"), own().listed());
    document.answer_is::<Page<DeadLetterRow>>("GET", "/dead-letters");
    document.answer_is::<DeadLetterGroups>("GET", "/dead-letters/groups");
    document.answer_is::<DeadLetterView>("GET", "/dead-letters/{id}");
    document.request_is::<ReplayRequest>("POST", "/dead-letters/{id}/replay");
    document.answer_is::<ActAnswer>("POST", "/dead-letters/{id}/replay");
    for act in [
        "/dead-letters/{id}/abandon",
        "/dead-letters/{id}/discard",
        "/orders/{id}/redo",
    ] {
        document.request_is::<ActRequest>("POST", act);
        document.answer_is::<ActAnswer>("POST", act);
    }
}

#[tokio::test]
async fn strangers_are_turned_away_and_do_nothing() {
    let it = console("strangers").await;
    let entry = it.waiting("ORD-1").await;
    it.forget_outbox().await;
    assert_eq!(it.server.get("/dead-letters").await.status, 200, "{OPERATOR} may look");
    for token in [None, Some("token-of-nobody"), Some("")] {
        let stranger = TestServer::start(it.router.clone(), OPERATOR).await.calling_with(token);
        let one = format!("/dead-letters/{entry}");
        for path in ["/dead-letters", "/dead-letters/groups", &one] {
            let reply = stranger.get(path).await;
            assert_eq!(
                (reply.status, reply.problem().as_str()),
                (401, "unauthorized"),
                "{path}"
            );
            assert!(!reply.text.contains("ORD-1"), "{path}");
        }
        for path in ["replay", "abandon", "discard"].map(|act| format!("{one}/{act}")) {
            assert_eq!(
                stranger.post(&path, &because()).await.problem(),
                "unauthorized",
                "{path}"
            );
        }
        assert_eq!(
            stranger.post("/orders/ORD-1/redo", &because()).await.problem(),
            "unauthorized"
        );
        for open in ["/health/live", "/openapi.json"] {
            assert_eq!(stranger.get(open).await.status, 200, "{open}");
        }
    }
    assert_eq!(it.view(entry).await.row.state, "open");
    assert!(it.outbox().await.is_empty());
    let described: Value = it.server.get("/openapi.json").await.ok();
    assert_eq!(described["info"]["title"], "Console");
}

#[tokio::test]
async fn nothing_that_is_not_a_get_or_an_act_is_taken() {
    let it = console("methods").await;
    let entry = it.waiting("ORD-1").await;
    for (method, path, allow) in [
        ("DELETE", format!("/dead-letters/{entry}"), "GET"),
        ("POST", "/dead-letters".to_owned(), "GET"),
        ("GET", format!("/dead-letters/{entry}/abandon"), "POST"),
        ("GET", "/orders/ORD-1/redo".to_owned(), "POST"),
    ] {
        let reply = it.server.send(method.parse().unwrap(), &path, &[], None).await;
        assert_eq!(
            (reply.status, reply.problem().as_str()),
            (405, "wrong-method"),
            "{method} {path}"
        );
        assert!(reply.header("allow").unwrap().contains(allow), "{method} {path}");
    }
    assert_eq!(it.view(entry).await.row.state, "open");
}
