use axum::http::Method;
use contracts::inventory::ReserveAnswer;
use futures_util::future::join_all;
use serde_json::json;
use testkit::http::{Reply, TestServer};
use testkit::manners;

use super::{RESERVE, World, reserve, told};

#[tokio::test]
async fn what_a_caller_who_left_asked_for_is_found() {
    let world = World::with_stock("keys_left", &[("A", "WH-MX-1", 9)]).await;
    let request = reserve("ORD-1", &[("A", 1, None)]);
    manners::acts_for_a_caller_who_left(&world.server, RESERVE, &request).await;
    let other = reserve("ORD-1", &[("A", 2, None)]);
    let misused = world.post(RESERVE, "K-left", &other).await;
    assert_eq!(told(&misused), (422, "key-reused".to_owned()));
    world.assert_balanced().await;
}

#[tokio::test]
async fn fifty_identical_reserves_are_one_effect_and_nobody_meets_a_failure() {
    let world = World::with_stock("keys_fifty", &[("A", "WH-MX-1", 3)]).await;
    let request = reserve("ORD-1", &[("A", 3, None)]);
    let second = TestServer::start(world.router.clone(), manners::CALLERS[0]).await;
    let body = manners::with_key(&request, "K");
    let asked = (0..50).map(|place| {
        let server = if place % 2 == 0 { &world.server } else { &second };
        server.send(Method::POST, RESERVE, &[], Some(body.clone()))
    });
    let replies: Vec<Reply> = join_all(asked).await;
    let answers: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
    for reply in &replies {
        let told = told(reply);
        assert!(
            reply.status == 200 || told == (409, "in-progress".to_owned()),
            "{}",
            reply.text
        );
    }
    let first: ReserveAnswer = answers[0].ok();
    assert!(answers.iter().all(|answer| answer.ok::<ReserveAnswer>() == first));
    assert_eq!(world.done("ORD-1").await, ["reservation.confirmed"]);
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_key_is_one_to_128_plain_characters() {
    let world = World::with_stock("keys_text", &[("A", "WH-MX-1", 99)]).await;
    for (order, key) in [("ORD-1", "K".to_owned()), ("ORD-2", "K".repeat(128))] {
        let done = world.post(RESERVE, &key, &reserve(order, &[("A", 1, None)])).await;
        assert_eq!(done.status, 200, "{}", done.text);
    }
    let bad = [
        "",
        "a b",
        "a\nb",
        "ñ",
        "\u{1f980}",
        &"K".repeat(129),
        &"K".repeat(10_000),
    ];
    for key in bad {
        let refused = world.post(RESERVE, key, &reserve("ORD-3", &[("A", 1, None)])).await;
        assert_eq!(told(&refused), (422, "invalid".to_owned()), "{} characters", key.len());
        assert_eq!(refused.json()["field"], "idempotency_key");
    }
    assert!(world.done("ORD-3").await.is_empty());
}

#[tokio::test]
async fn spelling_does_not_make_another_request_and_callers_do_not_share_keys() {
    let world = World::with_stock("keys_spelling", &[("A", "WH-MX-1", 99)]).await;
    let first: ReserveAnswer = world
        .post(RESERVE, "K", &reserve("ORD-1", &[("A", 1, None)]))
        .await
        .ok();
    let turned = r#"{ "items" : [ { "qty":1,  "sku":"A" } ], "idempotency_key":"K",
        "country":"MX", "generation":1, "order_id":"ORD-1" }"#;
    let again = world
        .server
        .send(Method::POST, RESERVE, &[], Some(turned.to_owned()))
        .await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.ok::<ReserveAnswer>(), first);
    let colleague = TestServer::start(world.router.clone(), manners::CALLERS[1]).await;
    let body = manners::with_key(&reserve("ORD-2", &[("A", 2, None)]), "K");
    let own = colleague.send(Method::POST, RESERVE, &[], Some(body)).await;
    assert_ne!(own.ok::<ReserveAnswer>().reservation_id, first.reservation_id);
}

#[tokio::test]
async fn a_bad_quantity_is_named_and_moves_nothing() {
    let world = World::with_stock("keys_quantity", &[("A", "WH-MX-1", 99)]).await;
    let before = world.movements().await;
    let quantities = [
        (json!(0), 422),
        (json!(10_001), 422),
        (json!(-1), 400),
        (json!(1.5), 400),
        (json!(1e3), 400),
        (json!("2"), 400),
        (json!(2_147_483_648_u32), 422),
        (json!(null), 400),
    ];
    for (quantity, status) in quantities {
        let mut request = reserve("ORD-1", &[("A", 1, None), ("A", 1, None)]);
        request["items"][1]["qty"] = quantity.clone();
        let refused = world.post(RESERVE, "K", &request).await;
        assert_eq!(
            (refused.status, &refused.json()["field"]),
            (status, &json!("items[1].qty")),
            "{quantity}"
        );
    }
    let none = world.post(RESERVE, "K", &reserve("ORD-1", &[])).await;
    assert_eq!((none.status, &none.json()["field"]), (422, &json!("items")));
    assert_eq!(world.movements().await, before);
}
