use contracts::notifications::SendAnswer;
use serde_json::json;
use testkit::manners;

use super::{World, compensation, request};

async fn refuses(world: &World, generation: u32, key: &str) {
    let mut late = request("ORD-1");
    late["generation"] = json!(generation);
    let refused = world.send(key, &late).await;
    assert_eq!(
        (refused.status, refused.problem().as_str()),
        (409, "superseded"),
        "{key}"
    );
    assert_eq!(refused.header("idempotency-replayed"), None);
    assert_eq!(refused.header("retry-after"), None, "it will not pass");
}

#[tokio::test]
async fn closing_tells_what_the_customer_was_told_in_whatever_generation() {
    let world = World::new("close").await;
    assert_eq!(world.send("K-1", &request("ORD-1")).await.status, 200);
    for generation in [1, 1, 2] {
        let closed = world.close("ORD-1", generation).await;
        assert_eq!((closed.order_id.as_str(), closed.generation), ("ORD-1", generation));
        assert_eq!(closed.sent, ["order_confirmed"]);
    }
    assert_eq!(
        world
            .send("K-2", &compensation("ORD-1", "order_cancelled"))
            .await
            .status,
        200
    );
    assert_eq!(
        world.close("ORD-1", 2).await.sent,
        ["order_cancelled", "order_confirmed"]
    );
    assert_eq!(
        manners::effects(&world.server).await.len(),
        4,
        "closing tells nobody anything"
    );
}

#[tokio::test]
async fn an_order_that_was_never_heard_of_is_closed_as_well() {
    let world = World::new("close_before").await;
    assert_eq!(world.close("ORD-1", 2).await.sent, [""; 0]);
    for generation in [1, 2] {
        refuses(&world, generation, &format!("K-{generation}")).await;
    }
    assert!(world.outbox("ORD-1").await.is_empty());
    let mut next = request("ORD-1");
    next["generation"] = json!(3);
    assert_eq!(world.send("K-3", &next).await.status, 200);
    assert_eq!(world.close("ORD-1", 1).await.sent, ["order_confirmed"]);
    assert_eq!(
        world.send("K-3", &next).await.status,
        200,
        "a lower closing leaves it alone"
    );
    refuses(&world, 2, "K-late").await;
    assert_eq!(
        world.send("K-4", &request("ORD-10")).await.status,
        200,
        "another order is not closed"
    );
}

#[tokio::test]
async fn a_stored_answer_counts_no_more_once_its_generation_is_closed() {
    let world = World::new("close_stored").await;
    assert_eq!(world.send("K-1", &request("ORD-1")).await.status, 200);
    world.close("ORD-1", 1).await;
    refuses(&world, 1, "K-1").await;
    refuses(&world, 1, "K-2").await;
    let mut other = request("ORD-1");
    other["customer_id"] = json!("CUST-MX-2");
    assert_eq!(world.send("K-1", &other).await.problem(), "superseded");
    assert_eq!(world.outbox("ORD-1").await.len(), 2);
}

#[tokio::test]
async fn a_confirmation_is_one_though_its_generation_was_closed() {
    let world = World::new("close_confirmed").await;
    let first: SendAnswer = world.send("K-1", &request("ORD-1")).await.ok();
    world.close("ORD-1", 1).await;
    let mut second = request("ORD-1");
    second["generation"] = json!(2);
    let found = world.send("K-2", &second).await;
    assert_eq!(found.header("idempotency-replayed"), Some("true"));
    assert_eq!(found.ok::<SendAnswer>(), first);
    assert_eq!(world.outbox("ORD-1").await.len(), 2);
}

#[tokio::test]
async fn what_a_compensation_tells_passes_every_tombstone_once() {
    let world = World::new("close_compensation").await;
    world.close("ORD-1", 5).await;
    for (template, subject) in [
        ("out_of_stock", "No hay existencias para tu pedido ORD-1"),
        ("order_cancelled", "Tu pedido ORD-1 fue cancelado"),
    ] {
        let mut request = compensation("ORD-1", template);
        let told: SendAnswer = world.send(&format!("{template}-1"), &request).await.ok();
        request["generation"] = json!(2);
        for key in ["2", "3"] {
            let again = world.send(&format!("{template}-{key}"), &request).await;
            assert_eq!(again.header("idempotency-replayed"), Some("true"));
            assert_eq!(
                again.ok::<SendAnswer>(),
                told,
                "one notice, whatever the key or the generation"
            );
        }
        let outbox = world.outbox("ORD-1").await;
        let messages: Vec<_> = outbox.iter().filter(|message| message.template == template).collect();
        let channels: Vec<_> = messages.iter().map(|message| message.channel.as_str()).collect();
        assert_eq!(channels, ["email", "push"]);
        assert!(
            messages.iter().all(|message| message.subject == subject),
            "{messages:?}"
        );
        assert!(messages[0].body.contains("28500.00 MXN"), "{}", messages[0].body);
    }
    assert_eq!(manners::effects(&world.server).await.len(), 4);
    assert_eq!(world.close("ORD-1", 5).await.sent, ["order_cancelled", "out_of_stock"]);
}
