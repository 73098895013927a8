use serde_json::json;
use testkit::manners;

use super::{CLOSE, SEND, World, request};

#[tokio::test]
async fn what_cannot_be_done_is_named_and_leaves_nothing() {
    let world = World::new("refused").await;
    manners::turns_strangers_away(&world.router, SEND).await;
    manners::refuses_what_cannot_be_read(&world.server, SEND, &request("ORD-1")).await;
    for (pointer, value, field) in [
        ("/template", json!("order_lost"), "template"),
        ("/channels/0", json!("sms"), "channels[0]"),
        ("/data/country", json!("México"), "data.country"),
    ] {
        let mut request = request("ORD-1");
        *request.pointer_mut(pointer).unwrap() = value;
        let refused = world.send("K", &request).await;
        assert_eq!((refused.status, refused.problem().as_str()), (422, "invalid"));
        assert_eq!(refused.json()["field"], field);
    }
    assert!(manners::effects(&world.server).await.is_empty());
    let done = world.send("K", &request("ORD-1")).await;
    assert_eq!(done.status, 200, "a refusal took the key");
}

#[tokio::test]
async fn a_closing_names_an_order_and_a_generation() {
    let world = World::new("refused_close").await;
    manners::turns_strangers_away(&world.router, CLOSE).await;
    for (body, status, field) in [
        (json!({ "order_id": "ORD-1", "generation": 0 }), 422, "generation"),
        (json!({ "order_id": "a b", "generation": 1 }), 422, "order_id"),
        (json!({ "order_id": "ORD-1", "generation": "1" }), 400, "generation"),
        (json!({ "generation": 1 }), 400, "body"),
    ] {
        let refused = world.server.post(CLOSE, &body).await;
        assert_eq!(
            (refused.status, refused.json()["field"].as_str()),
            (status, Some(field)),
            "{body}"
        );
    }
    let done = world.send("K", &request("ORD-1")).await;
    assert_eq!(done.status, 200, "a refusal closed the order");
}
