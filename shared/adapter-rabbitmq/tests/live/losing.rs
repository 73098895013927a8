//! What becomes of deliveries when the way to the broker is lost.

use serde_json::json;

use crate::rig::Rig;

#[tokio::test]
async fn a_closed_connection_gives_the_order_in_hand_to_the_next_session() {
    let mut rig = Rig::start("worker-loss", 3).await;
    rig.publish([1]).await;
    let mut held = rig.next().await;
    rig.cut().await;
    // Its ack would be void; whoever has it by now is the one to work it.
    held.is_given_up().await;
    let again = rig.next().await;
    assert_eq!(again.number(), 1);
    again.complete();
    rig.is_green().await;
    rig.publish([2]).await;
    rig.next().await.complete();
    rig.stop().await;
    assert_eq!(rig.scene.ready().await, 0);
}

#[tokio::test]
async fn a_deleted_queue_turns_readiness_red_and_is_consumed_again_once_it_is_back() {
    let mut rig = Rig::start("queue-loss", 2).await;
    rig.is_green().await;
    let queue = ["queues", rig.scene.broker.vhost(), "orders.process"];
    rig.scene.broker.delete(&queue).await;
    rig.is_red("no queue 'orders.process'").await;
    adapter_rabbitmq::topology::apply(&rig.scene.management).await.unwrap();
    rig.is_green().await;
    rig.publish([1]).await;
    rig.next().await.complete();
    rig.stop().await;
}

#[tokio::test]
async fn a_consumer_that_may_no_longer_read_says_so() {
    let mut rig = Rig::start("rights-lost", 1).await;
    rig.is_green().await;
    let (user, _) = rig.scene.broker.administrator();
    let path = ["permissions", rig.scene.broker.vhost(), user];
    rig.scene
        .broker
        .put(&path, &json!({ "configure": "^$", "write": "^$", "read": "^$" }))
        .await;
    rig.cut().await;
    rig.is_red("ACCESS_REFUSED").await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_counts_once_however_many_hands_are_idle() {
    let mut rig = Rig::start("one-crash", 32).await;
    for n in 1..=20 {
        rig.publish([n]).await;
        let _in_hand = rig.next().await;
        rig.crash().await;
        let again = rig.next().await;
        assert_eq!((again.number(), again.delivery.returns), (n, 1));
        again.complete();
        let url = rig.scene.url();
        rig.restart_and_move_over(url).await;
    }
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}
