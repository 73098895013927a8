//! What every service promises, whatever it does: asserted the same way for each of them.

use axum::Router;
use contracts::effects::{Effect, Page};
use contracts::limits::BODY_BYTES_MAX;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::Value;

use crate::http::{Reply, TestServer};
use crate::wait::until;

/// Requests that are sent at once to find a race.
const CROWD: usize = 50;

/// Who may call, in these tests.
pub const CALLERS: [&str; 2] = ["order-worker", "operator"];

/// Strangers are turned away everywhere but at health and the OpenAPI document; what is not there has a problem of its
/// own. `router` knows [`CALLERS`].
///
/// # Panics
///
/// When the service does otherwise.
pub async fn turns_strangers_away(router: &Router, path: &str) {
    let stranger = TestServer::start(router.clone(), "stranger").await;
    let nobody = TestServer::start(router.clone(), "nobody").await.calling_with(None);
    for server in [&stranger, &nobody] {
        for reply in [server.post(path, &Value::Null).await, server.get("/effects").await] {
            assert_eq!((reply.status, reply.problem().as_str()), (401, "unauthorized"));
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
        for open in ["/health/live", "/openapi.json"] {
            assert_eq!(server.get(open).await.status, 200, "{open}");
        }
    }
    let known = TestServer::start(router.clone(), CALLERS[0]).await;
    let nowhere = known.get("/nowhere").await;
    assert_eq!((nowhere.status, nowhere.problem().as_str()), (404, "not-found"));
    let wrong = known.send(Method::DELETE, path, &[], None).await;
    assert_eq!((wrong.status, wrong.problem().as_str()), (405, "wrong-method"));
    assert_eq!(wrong.header("allow"), Some("POST"));
    assert_eq!(wrong.header("content-type"), Some("application/problem+json"));
}

/// What cannot be read is a problem that says so, and leaves nothing behind. `request` is one that would be done.
///
/// # Panics
///
/// When the service does otherwise.
pub async fn refuses_what_cannot_be_read(server: &TestServer, path: &str, request: &Value) {
    let key = [("idempotency-key", "K-unreadable")];
    let text = request.to_string();
    let twice = text.replacen('{', r#"{"order_id":"TWICE","#, 1);
    let cases = [
        (Some("{"), 400, "malformed"),
        (Some("[]"), 400, "malformed"),
        (Some("{}"), 400, "malformed"),
        (Some(twice.as_str()), 400, "malformed"),
        (None, 400, "malformed"),
        (Some(&format!("{text}{}", " ".repeat(BODY_BYTES_MAX))), 413, "too-large"),
    ];
    for (body, status, problem) in cases {
        let reply = server.send(Method::POST, path, &key, body.map(str::to_owned)).await;
        let shown: String = body.unwrap_or_default().chars().take(80).collect();
        assert_eq!((reply.status, reply.problem().as_str()), (status, problem), "{shown}");
    }
    let without_key = server.send(Method::POST, path, &[], Some(without_key(request))).await;
    assert_eq!((without_key.status, without_key.problem().as_str()), (400, "malformed"));
    let other_key = server
        .send(Method::POST, path, &key, Some(with_key(request, "K-other")))
        .await;
    assert_eq!((other_key.status, other_key.problem().as_str()), (422, "invalid"));
    assert!(effects(server).await.is_empty());
}

/// One effect, however often and by whomever it is asked for. `request` is one that can be done, `other` another one for
/// the same order, which the service is to refuse. `server` is called by the first of [`CALLERS`]; `router` is the same
/// service. Gives the answer.
///
/// # Panics
///
/// When the service does otherwise.
pub async fn acts_once(router: &Router, server: &TestServer, path: &str, request: &Value, other: &Value) -> Value {
    let answer = acts_once_for_each_content(router, server, path, request, other).await;
    let had = effects(server).await.len();
    let refused = server.send(Method::POST, path, &[], Some(with_key(other, "K-3"))).await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "already-exists"));
    assert_eq!(effects(server).await.len(), had);
    answer
}

/// The same where an order may have an effect of this kind for each content.
///
/// # Panics
///
/// When the service does otherwise.
pub async fn acts_once_for_each_content(
    router: &Router,
    server: &TestServer,
    path: &str,
    request: &Value,
    other: &Value,
) -> Value {
    let before = effects(server).await.len();
    let key = [("idempotency-key", "\"K-1\"")];
    let first = server.send(Method::POST, path, &key, Some(without_key(request))).await;
    let answer: Value = first.ok();
    assert_eq!(first.header("idempotency-replayed"), None);
    let had = effects(server).await.len();
    assert!(had > before, "an effect is in the log once it is answered");

    let spaced = with_key(request, "K-1").replace(',', " ,\n ");
    for (body, why) in [
        (with_key(request, "K-1"), "the key in the body is the key in the header"),
        (spaced, "how it is spelled makes no other request of it"),
    ] {
        let again = server.send(Method::POST, path, &[], Some(body)).await;
        assert_eq!(again.header("idempotency-replayed"), Some("true"), "{why}");
        assert_eq!(again.ok::<Value>(), answer, "{why}");
    }

    let misused = server.send(Method::POST, path, &key, Some(without_key(other))).await;
    assert_eq!((misused.status, misused.problem().as_str()), (422, "key-reused"));

    let colleague = TestServer::start(router.clone(), CALLERS[1]).await;
    for (server, key) in [(&colleague, "K-1"), (server, "K-2")] {
        let found = server.send(Method::POST, path, &[], Some(with_key(request, key))).await;
        assert_eq!(found.ok::<Value>(), answer, "another key finds what is there");
    }
    assert_eq!(effects(server).await.len(), had);
    answer
}

/// A crowd that asks for one effect at once gets one, whether all use one key or each its own. Gives the answers of all
/// that got one; all of them agree.
///
/// # Panics
///
/// When the service does otherwise.
pub async fn acts_once_for_a_crowd(server: &TestServer, path: &str, request: &Value, one_key: bool) -> Value {
    let asked = (0..CROWD).map(|place| {
        let key = if one_key {
            "K-crowd".to_owned()
        } else {
            format!("K-crowd-{place}")
        };
        server.send(Method::POST, path, &[], Some(with_key(request, &key)))
    });
    let asked: Vec<_> = asked.collect();
    let replies: Vec<Reply> = join_all(asked).await;
    let mut answers: Vec<Value> = vec![];
    for reply in &replies {
        if reply.status == 200 {
            answers.push(reply.read());
        } else {
            assert_eq!(
                (reply.status, reply.problem().as_str()),
                (409, "in-progress"),
                "{}",
                reply.text
            );
            assert_eq!(reply.header("retry-after"), Some("1"));
        }
    }
    let first = answers.first().cloned().expect("somebody got an answer");
    assert!(answers.iter().all(|answer| *answer == first));
    first
}

/// What a caller asked for who then went away is done; asked again with its key, it is found.
///
/// # Panics
///
/// When the service does otherwise.
pub async fn acts_for_a_caller_who_left(server: &TestServer, path: &str, request: &Value) {
    let before = effects(server).await.len();
    server.post_and_leave(path, &with_key(request, "K-left")).await;
    until("the effect is had", async || effects(server).await.len() > before).await;
    let had = effects(server).await.len();
    let again = server
        .send(Method::POST, path, &[], Some(with_key(request, "K-left")))
        .await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (200, Some("true"))
    );
    assert_eq!(effects(server).await.len(), had);
}

/// The whole effect log, read in pages of two rows.
///
/// # Panics
///
/// When it cannot be read, or a page is not what it should be.
pub async fn effects(server: &TestServer) -> Vec<Effect> {
    let mut rows: Vec<Effect> = vec![];
    let mut path = "/effects?limit=2".to_owned();
    loop {
        let page: Page<Effect> = server.get(&path).await.ok();
        assert!(page.rows.len() <= 2);
        rows.extend(page.rows);
        assert!(rows.is_sorted_by(|one, next| one.seq < next.seq));
        let Some(next) = page.next else { return rows };
        path = format!("/effects?limit=2&after={next}");
    }
}

/// The request with this key in its body.
#[must_use]
pub fn with_key(request: &Value, key: &str) -> String {
    let mut request = request.clone();
    request["idempotency_key"] = key.into();
    request.to_string()
}

fn without_key(request: &Value) -> String {
    let mut request = request.clone();
    if let Some(members) = request.as_object_mut() {
        members.remove("idempotency_key");
    }
    request.to_string()
}
