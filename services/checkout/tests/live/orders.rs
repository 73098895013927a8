//! Orders in and out.

use checkout::routes::own;
use contracts::checkout::{OrderAccepted, OrderSummary, OrderView, OutboxDepth};
use contracts::effects::{Effect, Page};
use pipeline::order::State;
use serde_json::json;
use testkit::openapi::Document;

use crate::base::{BACKLOG_MAX, checkout, method, order, post_with_key};

#[tokio::test]
async fn an_order_is_promised_and_found_under_its_status_url() {
    let it = checkout("promised").await;
    let reply = it.server.post("/orders", &order("O-1")).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    let accepted: OrderAccepted = reply.read();
    assert_eq!(reply.header("location"), Some(accepted.status_url.as_str()));

    let view: OrderView = it.server.get(&accepted.status_url).await.ok();
    assert_eq!((view.summary.state.as_str(), view.version), ("accepted", 1));
    assert_eq!(view.history.len(), 1);
    assert!(view.result.is_none());
    let depth: OutboxDepth = it.server.get("/outbox").await.ok();
    assert_eq!(depth.pending, 1);
    assert!(depth.oldest_at.is_some());
}

#[tokio::test]
async fn the_same_order_again_is_the_same_promise_and_another_one_is_told_apart() {
    let it = checkout("again").await;
    assert_eq!(post_with_key(&it, "\"K-1\"", &order("O-1")).await.status, 202);
    let again = post_with_key(&it, "K-1", &order("O-1")).await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (202, Some("true"))
    );

    let other_key = post_with_key(&it, "K-2", &order("O-1")).await;
    assert_eq!(
        (other_key.status, other_key.problem().as_str()),
        (409, "order-conflict")
    );
    let mut changed = order("O-1");
    changed["items"][0]["qty"] = json!(2);
    assert_eq!(post_with_key(&it, "K-1", &changed).await.status, 409);
    let taken = post_with_key(&it, "K-1", &order("O-2")).await;
    assert_eq!((taken.status, taken.problem().as_str()), (422, "key-taken"));
    let mut both = order("O-3");
    both["idempotency_key"] = json!("K-3");
    assert_eq!(post_with_key(&it, "K-4", &both).await.status, 422);
    assert_eq!(
        it.server.get("/outbox").await.ok::<OutboxDepth>().pending,
        1,
        "nothing else was stored"
    );
}

#[tokio::test]
async fn a_full_backlog_promises_nothing_and_says_when_to_come_back() {
    let it = checkout("full").await;
    it.backlog.set(BACKLOG_MAX);
    let reply = it.server.post("/orders", &order("O-1")).await;
    assert_eq!((reply.status, reply.problem().as_str()), (503, "overloaded"));
    assert!(reply.header("retry-after").is_some());
    it.backlog.set(BACKLOG_MAX - 1);
    assert_eq!(it.server.post("/orders", &order("O-1")).await.status, 202);
}

#[tokio::test]
async fn orders_are_listed_in_pages_and_by_state() {
    let it = checkout("listed").await;
    for n in 0..5 {
        assert_eq!(it.server.post("/orders", &order(&format!("O-{n}"))).await.status, 202);
    }
    let first: Page<OrderSummary> = it.server.get("/orders?limit=3").await.ok();
    let next = first.next.unwrap();
    let rest: Page<OrderSummary> = it.server.get(&format!("/orders?limit=3&after={next}")).await.ok();
    assert_eq!((first.rows.len(), rest.rows.len(), rest.next), (3, 2, None));
    for state in State::ALL {
        let page: Page<OrderSummary> = it.server.get(&format!("/orders?state={state}")).await.ok();
        let count = if state == State::Accepted { 5 } else { 0 };
        assert_eq!(page.rows.len(), count, "{state}");
    }
    for (query, field) in [
        ("state=nonsense", "state"),
        ("state=%00", "state"),
        ("after=%00", "after"),
    ] {
        let reply = it.server.get(&format!("/orders?{query}")).await;
        assert_eq!(
            (reply.status, reply.json()["field"].as_str()),
            (422, Some(field)),
            "{query}"
        );
    }
}

#[tokio::test]
async fn nobody_reads_or_places_orders_without_a_token() {
    let it = checkout("token").await;
    let stranger = it.server.calling_with(Some("wrong"));
    for path in ["/orders", "/orders/O-1", "/outbox", "/effects"] {
        let reply = stranger.get(path).await;
        assert_eq!(
            (reply.status, reply.problem().as_str()),
            (401, "unauthorized"),
            "{path}"
        );
    }
    assert_eq!(stranger.post("/orders", &order("O-1")).await.status, 401);
    assert_eq!(stranger.get("/health/live").await.status, 200);
    assert_eq!(
        stranger.get("/health/ready").await.status,
        503,
        "nobody has said yet that it is ready"
    );
    it.readiness.green();
    assert_eq!(stranger.get("/health/ready").await.status, 200);
}

#[tokio::test]
async fn unknown_orders_paths_and_methods_are_problems() {
    let it = checkout("unknown").await;
    for (path, problem) in [
        ("/orders/O-9", "not-found"),
        ("/orders/%20", "not-found"),
        ("/nothing", "not-found"),
    ] {
        let reply = it.server.get(path).await;
        assert_eq!((reply.status, reply.problem().as_str()), (404, problem), "{path}");
    }
    let reply = it.server.send(method("DELETE"), "/orders", &[], None).await;
    assert_eq!(reply.status, 405);
}

#[test]
fn the_openapi_document_describes_the_routes() {
    let document = Document::of(include_str!("../../openapi.json"), own().listed());
    document.answer_is::<OrderView>("get", "/orders/{id}");
    document.answer_is::<Page<OrderSummary>>("get", "/orders");
    document.answer_is::<OutboxDepth>("get", "/outbox");
    document.answer_is::<Page<Effect>>("get", "/effects");
}
