//! What becomes of a delivery, verdict by verdict.

use std::error::Error as _;
use std::time::Duration;

use pipeline::handler::{Settled, Verdict};
use pipeline::id::Generation;
use pipeline::order::State;
use testkit::broker::Permissions;
use testkit::wait;

use crate::rig::Rig;
use crate::scene::{Scene, process};

#[tokio::test]
async fn a_settled_delivery_leaves_the_queue_for_good() {
    let mut rig = Rig::start("settled", 2).await;
    rig.is_green().await;
    rig.publish([1, 2]).await;
    let (one, other) = (rig.next().await, rig.next().await);
    assert_eq!(one.delivery.id, Some(process(one.number()).id));
    assert_eq!((one.delivery.generation, one.delivery.attempt), (Generation::FIRST, 1));
    one.complete();
    other.answer(Verdict::Settled(Settled::Duplicate(State::Completed)));
    rig.publish([3]).await;
    rig.next().await.complete();
    rig.stopping.cancel();
    rig.end().await.unwrap();
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn an_unavailable_delivery_goes_back_and_comes_again_once_the_servers_answer() {
    let mut rig = Rig::start("unavailable", 1).await;
    rig.publish([1]).await;
    let held = rig.next().await;
    rig.servers.go_down();
    held.answer(Verdict::Unavailable("time out".into()));
    rig.is_red("inventory does not answer").await;
    assert_eq!(rig.scene.ready().await, 1);
    let asked = rig.servers.asked();
    wait::until("the servers are asked again", async || rig.servers.asked() > asked).await;
    assert!(!rig.has_more());

    rig.servers.come_back();
    let again = rig.next().await;
    assert_eq!(again.number(), 1);
    again.complete();
    rig.is_green().await;
    rig.stopping.cancel();
    rig.end().await.unwrap();
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn the_others_finish_what_they_hold_when_one_is_unavailable() {
    let mut rig = Rig::start("drain", 3).await;
    rig.publish([1, 2, 3]).await;
    let (one, two, three) = (rig.next().await, rig.next().await, rig.next().await);
    let left = three.number();
    rig.servers.go_down();
    one.complete();
    three.answer(Verdict::Unavailable("time out".into()));
    two.complete();
    rig.is_red("inventory does not answer").await;
    let taken = rig.scene.drain().await;
    let ids: Vec<_> = taken
        .iter()
        .map(|got| got.properties.message_id().clone().unwrap().to_string())
        .collect();
    assert_eq!(ids, [process(left).id.to_string()]);
}

#[tokio::test]
async fn a_refused_order_ends_the_run_and_is_back_in_the_queue() {
    let mut rig = Rig::start("refused", 4).await;
    rig.publish([7]).await;
    rig.next().await.answer(Verdict::Refused("unknown-sku".into()));
    let refused = rig.end().await.unwrap_err();
    assert!(refused.to_string().starts_with("order ORD-7 was refused"), "{refused}");
    assert_eq!(refused.source().unwrap().to_string(), "unknown-sku");
    assert_eq!(rig.scene.ready().await, 1);
    assert!(rig.readiness.reason().is_some());
}

#[tokio::test]
async fn stopping_finishes_the_order_in_hand_and_takes_no_other() {
    let mut rig = Rig::start("stop", 1).await;
    rig.publish([1, 2, 3]).await;
    let held = rig.next().await;
    rig.stopping.cancel();
    let ended = tokio::time::timeout(Duration::from_millis(300), rig.end()).await;
    assert!(ended.is_err(), "it left the order in hand");
    held.complete();
    rig.end().await.unwrap();
    let left = rig.scene.drain().await;
    assert_eq!(left.len(), 2);
    assert!(
        left.iter().all(|got| !got.redelivered),
        "a delivery was taken and given back"
    );
}

#[tokio::test]
async fn a_panic_in_the_work_gives_the_delivery_back() {
    let mut rig = Rig::start("panic", 2).await;
    rig.publish([1]).await;
    drop(rig.next().await);
    rig.is_red("order ORD-1 could not be worked: its work panicked").await;
    let again = rig.next().await;
    assert_eq!(again.number(), 1);
    again.complete();
    rig.stopping.cancel();
    rig.end().await.unwrap();
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn stopping_is_prompt_while_servers_are_down() {
    let mut rig = Rig::start("stop-probing", 1).await;
    rig.is_green().await;
    rig.servers.go_down();
    rig.publish([1]).await;
    rig.next().await.answer(Verdict::Unavailable("time out".into()));
    rig.is_red("inventory does not answer").await;
    rig.stopping.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(2), rig.end()).await;
    ended.expect("it stops at once").unwrap();
    assert_eq!(rig.scene.ready().await, 1);
}

#[tokio::test]
async fn what_is_no_order_reaches_the_work_as_such() {
    use lapin::BasicProperties;
    use lapin::options::BasicPublishOptions;
    let mut rig = Rig::start("malformed", 1).await;
    let properties = BasicProperties::default()
        .with_message_id("?".into())
        .with_correlation_id("ORD-9".into());
    let channel = rig.scene.channel().await;
    let options = BasicPublishOptions::default();
    let sent = channel
        .basic_publish("orders".into(), "order.process".into(), options, b"\xff", properties)
        .await;
    sent.unwrap();
    let held = rig.next().await;
    let malformed = held.delivery.message.clone().unwrap_err();
    assert_eq!((malformed.field.as_str(), held.delivery.id), ("body", None));
    held.answer(Verdict::Refused(malformed.into()));
    let refused = rig.end().await.unwrap_err().to_string();
    assert!(
        refused.starts_with("order ORD-9 (as its sender says) was refused"),
        "{refused}"
    );
}

#[tokio::test]
async fn an_order_workers_rights_suffice_to_consume_and_announce() {
    let mut scene = Scene::set("worker-rights").await;
    let rights = Permissions {
        configure: "^$",
        write: r"^orders\.events$",
        read: r"^orders\.process$",
        tags: "",
    };
    let (_, _, url) = scene.broker.user("order-worker", rights).await;
    let url: adapter_rabbitmq::url::BrokerUrl = url.parse().unwrap();
    let announcer = adapter_rabbitmq::publisher::ConfirmPublisher::new(url.clone(), "events", 1.try_into().unwrap());
    let mut rig = Rig::consume(scene, url, 2);
    rig.publish([1]).await;
    rig.next().await.complete();
    let event = pipeline::outgoing::Envelope {
        destination: pipeline::outgoing::Destination::Events,
        ..process(1)
    };
    pipeline::ports::Publisher::publish(&announcer, &event).await.unwrap();
    rig.stopping.cancel();
    rig.end().await.unwrap();
    assert_eq!(rig.scene.ready().await, 0);
}
