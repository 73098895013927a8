//! The idempotency key: which ones are taken, and what the same one means.

use contracts::checkout::{OrderAccepted, OrderSummary};
use contracts::effects::Page;
use futures_util::future::join_all;
use serde_json::json;

use crate::base::{checkout, instance, method, order, post_with_key};

/// Requests at once.
const CROWD: usize = 50;

#[tokio::test]
async fn a_key_has_1_to_128_plain_characters() {
    let it = checkout("keys").await;
    for key in [
        "",
        "\"\"",
        "a b",
        "a/b",
        "..",
        "🐕",
        &"k".repeat(129),
        &"k".repeat(255),
        &"k".repeat(256),
        &"k".repeat(10_000),
    ] {
        let reply = post_with_key(&it, key, &order("O-1")).await;
        let shown: String = key.chars().take(20).collect();
        assert_eq!(
            (reply.status, reply.json()["field"].as_str()),
            (422, Some("idempotency_key")),
            "{shown}: {}",
            reply.text
        );
    }
    let twice = [("idempotency-key", "K-1"), ("idempotency-key", "K-1")];
    let body = Some(order("O-1").to_string());
    assert_eq!(
        it.server.send(method("POST"), "/orders", &twice, body).await.status,
        422
    );
    let none: Page<OrderSummary> = it.server.get("/orders").await.ok();
    assert!(none.rows.is_empty());

    for (at, key) in ["k", &"k".repeat(128), "\"quoted\"", " blanks-around "]
        .iter()
        .enumerate()
    {
        let reply = post_with_key(&it, key, &order(&format!("O-{at}"))).await;
        assert_eq!(reply.status, 202, "{key}: {}", reply.text);
    }
}

#[tokio::test]
async fn the_same_order_in_another_spelling_is_the_same_promise() {
    let it = checkout("spelling").await;
    let first = post_with_key(&it, "K-1", &order("O-1")).await;
    let spelled = r#" {"total_amount":{ "currency":"MXN","value":10 } , "shipping_address":
        {"zip":"97000","line1":"Calle 60","country":"MX","city":"M\u00e9rida"}, "items":[{"qty":1,"sku":"A"}],
        "payment_id":"P","customer_id":"C","order_id":"O-1"} "#;
    let headers = [("idempotency-key", "K-1")];
    let again = it
        .server
        .send(method("POST"), "/orders", &headers, Some(spelled.to_owned()))
        .await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (202, Some("true")),
        "{}",
        again.text
    );
    assert_eq!(first.read::<OrderAccepted>(), again.read::<OrderAccepted>());

    let digits = spelled.replace("10 }", "10.00 }");
    let other = it.server.send(method("POST"), "/orders", &headers, Some(digits)).await;
    assert_eq!((other.status, other.problem().as_str()), (409, "order-conflict"));
}

#[tokio::test]
async fn a_crowd_with_one_order_at_two_instances_gets_one_promise() {
    let it = checkout("crowd").await;
    let (second, _backlog, _readiness) = instance(&it.database).await;
    let servers = [&it.server, &second];
    let body = order("O-1").to_string();
    let headers = [("idempotency-key", "K-1")];
    let posts = (0..CROWD).map(|at| servers[at % 2].send(method("POST"), "/orders", &headers, Some(body.clone())));
    let replies = join_all(posts).await;
    let promised = replies
        .iter()
        .filter(|reply| reply.header("idempotency-replayed").is_none());
    assert_eq!(promised.count(), 1, "one of them is the first");
    for reply in &replies {
        assert_eq!(reply.status, 202, "{}", reply.text);
        assert_eq!(reply.read::<OrderAccepted>().order_id, "O-1");
    }
    assert_eq!(it.server.get("/outbox").await.json()["pending"], 1);
}

#[tokio::test]
async fn a_crowd_with_one_key_and_an_order_each_leaves_one_order() {
    let it = checkout("crowded_key").await;
    let orders: Vec<_> = (0..CROWD).map(|at| order(&format!("O-{at}"))).collect();
    let replies = join_all(orders.iter().map(|order| post_with_key(&it, "K-1", order))).await;
    let mut statuses: Vec<_> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!((statuses[0], &statuses[1..]), (202, &[422; CROWD - 1][..]));
    let mut changed = order("O-1");
    changed["items"][0]["qty"] = json!(2);
    assert_eq!(it.server.get("/outbox").await.json()["pending"], 1);
}
