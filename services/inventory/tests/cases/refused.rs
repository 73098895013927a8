use serde_json::json;
use testkit::manners;

use super::{RESERVE, World, reserve};

#[tokio::test]
async fn what_cannot_be_read_is_named_and_leaves_nothing() {
    let world = World::with_stock("inventory_unreadable", &[("A", "WH-MX-1", 5)]).await;
    manners::turns_strangers_away(&world.router, RESERVE).await;
    manners::refuses_what_cannot_be_read(&world.server, RESERVE, &reserve("ORD-1", &[("A", 1, None)])).await;
    for (pointer, value, field) in [
        ("/order_id", json!("a b"), "order_id"),
        ("/generation", json!(0), "generation"),
        ("/country", json!("mx"), "country"),
        ("/items", json!([]), "items"),
        ("/items/0/qty", json!(10_001), "items[0].qty"),
        ("/reservation_ttl_minutes", json!(1_441), "reservation_ttl_minutes"),
    ] {
        let mut body = reserve("ORD-1", &[("A", 1, None)]);
        body["reservation_ttl_minutes"] = json!(60);
        *body.pointer_mut(pointer).unwrap() = value;
        let refused = world.post(RESERVE, "K", &body).await;
        assert_eq!(
            (refused.status, refused.problem().as_str()),
            (422, "invalid"),
            "{pointer}"
        );
        assert_eq!(refused.json()["field"], field);
    }
    for path in [
        "/effects?after=x",
        "/inventory/movements?after=x",
        "/inventory/stock?after=A",
    ] {
        let page = world.server.get(path).await;
        assert_eq!((page.status, page.problem().as_str()), (400, "malformed"), "{path}");
    }
    let done = world.post(RESERVE, "K", &reserve("ORD-1", &[("A", 1, None)])).await;
    assert_eq!(done.status, 200, "a refusal took the key");
}
