//! What becomes of a delivery, verdict by verdict.

use std::time::Duration;

use adapter_rabbitmq::line::Line;
use pipeline::failure::{Class, Failed};
use pipeline::id::Generation;
use pipeline::verdict::{Duplicate, Settled, Verdict};
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
    other.answer(Verdict::Settled(Settled::Duplicate(Duplicate::Final)));
    rig.publish([3]).await;
    rig.next().await.complete();
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn what_cannot_be_decided_goes_back_and_comes_again_once_the_servers_answer() {
    let mut rig = Rig::start("unavailable", 1).await;
    rig.publish([1]).await;
    let held = rig.next().await;
    rig.servers.go_down();
    held.answer(Verdict::Hold("time out".into()));
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
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn the_others_finish_what_they_hold_when_one_cannot_be_decided() {
    let mut rig = Rig::start("drain", 3).await;
    rig.publish([1, 2, 3]).await;
    let (one, two, three) = (rig.next().await, rig.next().await, rig.next().await);
    let left = three.number();
    rig.servers.go_down();
    one.complete();
    three.answer(Verdict::Hold("time out".into()));
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
async fn stopping_finishes_the_order_in_hand_and_takes_no_other() {
    let mut rig = Rig::start("stop", 1).await;
    rig.publish([1, 2, 3]).await;
    let held = rig.next().await;
    rig.stopping.cancel();
    let ended = tokio::time::timeout(Duration::from_millis(300), rig.end()).await;
    assert!(ended.is_err(), "it left the order in hand");
    held.complete();
    rig.end().await;
    let left = rig.scene.drain().await;
    assert_eq!(left.len(), 2);
    assert!(
        left.iter().all(|got| !got.redelivered),
        "a delivery was taken and given back"
    );
}

#[tokio::test]
async fn a_panic_in_the_work_costs_an_attempt_and_not_the_worker() {
    let mut rig = Rig::hasty("panic", 1).await;
    rig.is_green().await;
    rig.publish([1, 2]).await;
    drop(rig.next().await);
    // The one consumer goes on at once.
    let other = rig.next().await;
    assert_eq!((other.number(), other.delivery.attempt), (2, 1));
    other.complete();
    let again = rig.next().await;
    assert_eq!((again.number(), again.delivery.attempt), (1, 2));
    again.complete();
    assert_eq!(rig.readiness.reason(), None);
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn what_panics_at_its_last_try_is_set_apart() {
    let mut rig = Rig::hasty("last-panic", 1).await;
    rig.publish([1]).await;
    for attempt in 1..=6 {
        let held = rig.next().await;
        assert_eq!(held.delivery.attempt, attempt);
        drop(held);
    }
    let set_apart = rig.scene.take("orders.process.suspect").await;
    assert_eq!(set_apart.data, process(1).body.as_bytes());
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn stopping_is_prompt_while_servers_are_down() {
    let mut rig = Rig::start("stop-probing", 1).await;
    rig.is_green().await;
    rig.servers.go_down();
    rig.publish([1]).await;
    rig.next().await.answer(Verdict::Hold("time out".into()));
    rig.is_red("inventory does not answer").await;
    rig.stopping.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(2), rig.end()).await;
    ended.expect("it stops at once");
    assert_eq!(rig.scene.ready().await, 1);
}

#[tokio::test]
async fn what_is_no_order_reaches_the_work_as_such() {
    let mut rig = Rig::start("malformed", 1).await;
    let properties = lapin::BasicProperties::default()
        .with_message_id("?".into())
        .with_correlation_id("ORD-9".into());
    rig.scene.inject(b"\xff", properties).await;
    let held = rig.next().await;
    let malformed = held.delivery.message.clone().unwrap_err();
    assert_eq!((malformed.field.as_str(), held.delivery.id), ("body", None));
    let failed = Failed::new(Class::Invalid, None, &malformed.to_string(), 1);
    held.answer(Verdict::Invalid(failed));
    assert_eq!(rig.scene.take("orders.invalid").await.data, b"\xff");
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn an_order_workers_rights_suffice_to_consume_and_move_on_and_announce() {
    let mut scene = Scene::set("worker-rights").await;
    let rights = Permissions {
        configure: "^$",
        write: r"^orders\.(events|retry|dlx|invalid|compensation)$",
        read: r"^orders\.process$",
        tags: "",
    };
    let (_, _, url) = scene.broker.user("order-worker", rights).await;
    let url: adapter_rabbitmq::url::BrokerUrl = url.parse().unwrap();
    let announcer = adapter_rabbitmq::publisher::ConfirmPublisher::new(url.clone(), "events", 1.try_into().unwrap());
    let mut rig = Rig::consume(scene, url, Line::Process, 2);
    rig.publish([1]).await;
    rig.next().await.retry();
    rig.next().await.complete();
    let event = pipeline::outgoing::Envelope {
        destination: pipeline::outgoing::Destination::Events,
        ..process(1)
    };
    pipeline::ports::Publisher::publish(&announcer, &event).await.unwrap();
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}
