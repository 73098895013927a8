use axum::http::Method;
use contracts::effects::Page;
use contracts::notifications::StoredMessage;
use serde_json::{Value, json};

use super::{World, request};

#[tokio::test]
async fn the_directory_knows_address_and_language() {
    let world = World::new("directory").await;
    let path = "/notifications/customers/CUST-MX-1";
    let nobody = world.server.get(path).await;
    assert_eq!((nobody.status, nobody.problem().as_str()), (404, "not-found"));
    for entry in [
        json!({ "language": "en" }),
        json!({ "email": "ana@example.com", "language": "pt" }),
    ] {
        let entered = world.server.send(Method::PUT, path, &[], Some(entry.to_string())).await;
        assert_eq!(entered.ok::<Value>(), entry);
        assert_eq!(world.server.get(path).await.ok::<Value>(), entry);
    }
    let sent = world.send("K-1", &request("ORD-1")).await;
    assert_eq!(sent.status, 200);
    let messages = world.outbox("ORD-1").await;
    assert!(messages.iter().all(|message| message.language == "pt"));
    assert_eq!(messages[0].address.as_deref(), Some("ana@example.com"));
    assert_eq!(messages[1].address, None);
    let bad = json!({ "email": "a@b\r\nBcc: c@d", "language": "es" }).to_string();
    let bad = world.server.send(Method::PUT, path, &[], Some(bad)).await;
    assert_eq!((bad.status, bad.json()["field"].as_str()), (422, Some("email")));
    let bad = world.server.get("/notifications/customers/a%00b").await;
    assert_eq!((bad.status, bad.json()["field"].as_str()), (422, Some("id")));
}

#[tokio::test]
async fn the_outbox_is_read_in_pages() {
    let world = World::new("pages").await;
    for order in ["ORD-1", "ORD-2", "ORD-3"] {
        assert_eq!(world.send(order, &request(order)).await.status, 200);
    }
    let mut seen = vec![];
    let mut path = "/notifications/outbox?limit=4".to_owned();
    loop {
        let page: Page<StoredMessage> = world.server.get(&path).await.ok();
        seen.extend(page.rows.into_iter().map(|message| (message.order_id, message.channel)));
        let Some(next) = page.next else { break };
        path = format!("/notifications/outbox?limit=4&after={next}");
    }
    assert_eq!(seen.len(), 6);
    seen.dedup();
    assert_eq!(seen.len(), 6);
    let page: Page<StoredMessage> = world
        .server
        .get("/notifications/outbox?order_id=ORD-2&limit=1")
        .await
        .ok();
    assert_eq!((page.rows.len(), page.rows[0].order_id.as_str()), (1, "ORD-2"));
    let path = format!("/notifications/outbox?order_id=ORD-2&after={}", page.next.unwrap());
    let page: Page<StoredMessage> = world.server.get(&path).await.ok();
    assert_eq!((page.rows.len(), page.next), (1, None));
    let bad = world.server.get("/notifications/outbox?order_id=a/b").await;
    assert_eq!((bad.status, bad.json()["field"].as_str()), (422, Some("order_id")));
}
