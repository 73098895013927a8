use serde_json::json;
use sqlx::Connection as _;
use testkit::manners;
use testkit::wait::until_some;

use crate::cases::{CLOSE, World, request};

#[tokio::test]
async fn a_key_whose_holder_died_is_free_at_once() {
    let world = World::new("died").await;
    let mut holder = world.base.pool.acquire().await.unwrap().detach();
    let begun = sqlx::raw_sql("begin; select take_key('order-worker', 'generate', 'K-1')");
    begun.execute(&mut holder).await.unwrap();
    let waits = world.generate("K-1", &request("ORD-1")).await;
    assert_eq!((waits.status, waits.problem().as_str()), (409, "in-progress"));
    assert_eq!(waits.header("retry-after"), Some("1"));
    holder.close().await.unwrap();
    let done = until_some("the server has missed the holder", async || {
        let reply = world.generate("K-1", &request("ORD-1")).await;
        (reply.status == 200).then_some(reply)
    });
    assert_eq!(done.await.header("idempotency-replayed"), None);
}

#[tokio::test]
async fn an_effect_is_found_when_its_key_is_long_forgotten() {
    let world = World::new("forgotten").await;
    let first = world.generate("K-1", &request("ORD-1")).await;
    let had = manners::effects(&world.server).await.len();
    sqlx::query("delete from idempotency_keys")
        .execute(&world.base.pool)
        .await
        .unwrap();
    let again = world.generate("K-1", &request("ORD-1")).await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (200, Some("true"))
    );
    assert_eq!(again.text, first.text);
    assert_eq!(manners::effects(&world.server).await.len(), had);
    let closing = json!({ "order_id": "ORD-1", "generation": 1 });
    assert_eq!(world.server.post(CLOSE, &closing).await.status, 200);
    assert_eq!(world.generate("K-1", &request("ORD-1")).await.problem(), "superseded");
}
