use contracts::notifications::SendAnswer;
use serde_json::{Value, json};
use testkit::manners;

use super::{SEND, World, request};

#[tokio::test]
async fn a_customer_is_told_once_over_each_channel() {
    let world = World::new("once").await;
    let other = {
        let mut other = request("ORD-1");
        other["customer_id"] = json!("CUST-MX-2");
        other
    };
    let answer = manners::acts_once(&world.router, &world.server, SEND, &request("ORD-1"), &other).await;
    let answer: SendAnswer = serde_json::from_value(answer).unwrap();
    assert!(answer.notification_id.starts_with("NOTIF-2026-"), "{answer:?}");
    assert_eq!(answer.status, "queued");

    let messages = world.outbox("ORD-1").await;
    let channels: Vec<_> = messages.iter().map(|message| message.channel.as_str()).collect();
    assert_eq!(channels, ["email", "push"]);
    for message in &messages {
        assert_eq!(
            (message.language.as_str(), &message.notification_id),
            ("es", &answer.notification_id)
        );
        assert_eq!((message.customer_id.as_str(), &message.address), ("CUST-MX-1", &None));
        assert_eq!(message.subject, "Tu pedido ORD-1 está confirmado");
        assert!(message.body.contains("2026-04-09"), "{}", message.body);
    }
    let effects = manners::effects(&world.server).await;
    let told: Vec<_> = effects
        .iter()
        .map(|effect| (effect.kind.as_str(), effect.subject.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("notice.queued", "order_confirmed/email"),
            ("notice.queued", "order_confirmed/push")
        ]
    );
    assert!(effects.iter().all(|effect| effect.parts == ["email", "push"]));
}

#[tokio::test]
async fn another_generation_tells_nothing_twice() {
    let world = World::new("generation").await;
    let mut first = request("ORD-1");
    first["channels"] = json!(["push"]);
    let first: SendAnswer = world.send("K-1", &first).await.ok();
    let mut second = request("ORD-1");
    second["generation"] = json!(2);
    second["data"]["tracking_numbers"] = json!("FMX2");
    for (key, replayed) in [("K-2", None), ("K-3", Some("true"))] {
        let reply = world.send(key, &second).await;
        assert_eq!(
            reply.header("idempotency-replayed"),
            replayed,
            "the e-mail is new the first time alone"
        );
        assert_eq!(reply.ok::<SendAnswer>(), first, "one notice, whatever the generation");
    }
    let effects = manners::effects(&world.server).await;
    let told: Vec<_> = effects
        .iter()
        .map(|effect| (effect.generation, effect.subject.as_str()))
        .collect();
    assert_eq!(told, [(1, "order_confirmed/push"), (2, "order_confirmed/email")]);
    assert_eq!(world.outbox("ORD-1").await.len(), 2);
}

#[tokio::test]
async fn a_crowd_is_told_once() {
    let world = World::new("crowd").await;
    for (order, one_key) in [("ORD-1", true), ("ORD-2", false)] {
        manners::acts_once_for_a_crowd(&world.server, SEND, &request(order), one_key).await;
    }
    assert_eq!(manners::effects(&world.server).await.len(), 4);
}

#[tokio::test]
async fn what_a_caller_asked_for_who_left_is_found_again() {
    let world = World::new("left").await;
    manners::acts_for_a_caller_who_left(&world.server, SEND, &request("ORD-1")).await;
    assert_eq!(world.outbox("ORD-1").await.len(), 2);
}

#[tokio::test]
async fn a_service_that_starts_again_remembers() {
    let world = World::new("again").await;
    let first: Value = world.send("K-1", &request("ORD-1")).await.ok();
    world.close("ORD-2", 1).await;
    let world = world.again().await;
    let again = world.send("K-1", &request("ORD-1")).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.ok::<Value>(), first);
    assert_eq!(world.send("K-2", &request("ORD-2")).await.problem(), "superseded");
}

#[tokio::test]
async fn a_value_reads_as_it_was_given() {
    let world = World::new("values").await;
    for (place, carrier) in ["PÉREZ & HIJOS \"LA <Ñ>\"", "João {total} 🐕", "Cafe\u{301} 한국"]
        .into_iter()
        .enumerate()
    {
        let order = format!("ORD-{place}");
        let mut request = request(&order);
        request["data"]["carriers"] = json!(carrier);
        assert_eq!(world.send(&order, &request).await.status, 200);
        let messages = world.outbox(&order).await;
        let line = format!("Transporte: {carrier}");
        assert!(
            messages[0].body.lines().any(|found| found == line),
            "{}",
            messages[0].body
        );
    }
}
