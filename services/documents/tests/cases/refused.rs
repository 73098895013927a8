use axum::http::Method;
use serde_json::json;
use testkit::http::TestServer;
use testkit::manners;

use super::{CLOSE, GENERATE, World, request};

#[tokio::test]
async fn what_cannot_be_done_is_named_and_leaves_nothing() {
    let world = World::new("refused").await;
    manners::turns_strangers_away(&world.router, GENERATE).await;
    manners::refuses_what_cannot_be_read(&world.server, GENERATE, &request("ORD-1")).await;
    for (pointer, value, field) in [
        ("/total/value", json!(7.81), "total"),
        ("/type", json!("invoice"), "type"),
        ("/shipments", json!([]), "shipments"),
    ] {
        let mut request = request("ORD-1");
        *request.pointer_mut(pointer).unwrap() = value;
        let refused = world.generate("K", &request).await;
        assert_eq!((refused.status, refused.problem().as_str()), (422, "invalid"));
        assert_eq!(refused.json()["field"], field);
    }
    let too_fine = request("ORD-1").to_string().replace("4.35", "4.355");
    let key = [("idempotency-key", "K")];
    let refused = world.server.send(Method::POST, GENERATE, &key, Some(too_fine)).await;
    assert_eq!((refused.status, refused.problem().as_str()), (400, "malformed"));
    assert!(manners::effects(&world.server).await.is_empty());
    let done = world.generate("K", &request("ORD-1")).await;
    assert_eq!(done.status, 200, "a refusal took the key");
}

#[tokio::test]
async fn a_closing_names_an_order_and_a_generation() {
    let world = World::new("refused_close").await;
    manners::turns_strangers_away(&world.router, CLOSE).await;
    for (body, status, field) in [
        (json!({ "order_id": "ORD-1", "generation": 0 }), 422, "generation"),
        (
            json!({ "order_id": "ORD-1", "generation": 2_147_483_648_u32 }),
            422,
            "generation",
        ),
        (json!({ "order_id": "a b", "generation": 1 }), 422, "order_id"),
        (json!({ "order_id": "ORD-1", "generation": -1 }), 400, "generation"),
        (json!({ "order_id": "ORD-1" }), 400, "body"),
    ] {
        let refused = world.server.post(CLOSE, &body).await;
        assert_eq!(
            (refused.status, refused.json()["field"].as_str()),
            (status, Some(field)),
            "{body}"
        );
    }
    let done = world.generate("K", &request("ORD-1")).await;
    assert_eq!(done.status, 200, "a refusal closed the order");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let world = World::new("nothing").await;
    for path in [
        "invoice/x",
        "invoice/1d0c77f5-5e0b-4c3d-8a52-c0de5a1e0002",
        "label/x",
        "credit-note/x",
        "credit-note/1d0c77f5-5e0b-4c3d-8a52-c0de5a1e0002",
        "credit_note/x",
        "receipt/x",
        "label/a%00b",
        "label/%ff",
    ] {
        let nothing = world.server.get(&format!("/documents/{path}")).await;
        assert_eq!(
            (nothing.status, nothing.problem().as_str()),
            (404, "not-found"),
            "{path}"
        );
    }
    let stranger = TestServer::start(world.router.clone(), "stranger").await;
    assert_eq!(stranger.get("/documents/label/x").await.status, 401);
}
