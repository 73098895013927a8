use std::future::poll_fn;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use adapter_rabbitmq::publisher::ConfirmPublisher;
use lapin::types::AMQPValue;
use pipeline::outgoing::{Destination, Envelope};
use pipeline::ports::{PublishError, Publisher as _};
use testkit::broker::Permissions;
use testkit::wait;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::scene::{Scene, nowhere, process};

#[tokio::test]
async fn a_confirmed_publish_arrives_once_with_all_its_properties() {
    let scene = Scene::set("properties").await;
    let publisher = scene.publisher(2);
    let envelope = process(1);
    publisher.publish(&envelope).await.unwrap();
    publisher.close().await;

    let mut taken = scene.drain().await;
    assert_eq!(taken.len(), 1);
    let got = taken.remove(0);
    assert_eq!(got.data, envelope.body.as_bytes());
    let properties = got.properties;
    let text = |value: &Option<lapin::types::ShortString>| value.as_ref().map(ToString::to_string);
    assert_eq!(text(properties.content_type()).as_deref(), Some("application/json"));
    assert_eq!(*properties.delivery_mode(), Some(2));
    assert_eq!(text(properties.message_id()), Some(envelope.id.to_string()));
    assert_eq!(text(properties.correlation_id()).as_deref(), Some("ORD-1"));
    assert_eq!(text(properties.kind()).as_deref(), Some("order.process"));
    assert_eq!(*properties.timestamp(), Some(1_775_572_335));
    assert_eq!(text(properties.app_id()).as_deref(), Some("acuse"));
    let headers = properties.headers().clone().unwrap();
    let header = |name: &str| headers.inner().get(name).cloned();
    assert_eq!(header("schema-version"), Some(AMQPValue::LongLongInt(1)));
    assert_eq!(header("attempt"), Some(AMQPValue::LongLongInt(1)));
    assert_eq!(header("generation"), Some(AMQPValue::LongLongInt(1)));
    assert_eq!(
        header("first-queued-at"),
        Some(AMQPValue::LongString("2026-04-07T14:32:15Z".into()))
    );
}

#[tokio::test]
async fn what_no_queue_takes_is_not_sent_unless_nobody_has_to_listen() {
    let scene = Scene::set("unroutable").await;
    let publisher = scene.publisher(1);
    let lost = publisher.publish(&nowhere(1)).await;
    assert!(
        matches!(lost, Err(PublishError::Unroutable(id)) if id == nowhere(1).id),
        "{lost:?}"
    );
    let event = Envelope {
        destination: Destination::Events,
        kind: "order.completed".to_owned(),
        ..process(2)
    };
    publisher.publish(&event).await.unwrap();
    publisher.publish(&process(3)).await.unwrap();
    assert_eq!(scene.ready().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_400_concurrent_publishes_is_reported_right() {
    let scene = Scene::set("concurrent").await;
    let publisher = Arc::new(scene.publisher(16));
    let mut publishing = JoinSet::new();
    for n in 0..400 {
        let publisher = Arc::clone(&publisher);
        publishing.spawn(async move {
            let envelope = if n % 10 == 0 { nowhere(n) } else { process(n) };
            (n, publisher.publish(&envelope).await)
        });
    }
    for (n, result) in publishing.join_all().await {
        match result {
            Ok(()) => assert_ne!(n % 10, 0, "{n} was reported sent"),
            Err(PublishError::Unroutable(_)) => assert_eq!(n % 10, 0, "{n} was reported unroutable"),
            Err(error) => panic!("{n}: {error:?}"),
        }
    }
    assert_eq!(scene.drain().await.len(), 360);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publish_dropped_half_way_leaves_its_confirm_to_nobody() {
    let scene = Scene::set("dropped").await;
    let publisher = scene.publisher(1);
    publisher.publish(&process(0)).await.unwrap();
    let mut dropped = 0;
    for n in 1..=200 {
        let unroutable = nowhere(n);
        let mut half_way = publisher.publish(&unroutable);
        let mut polled = Poll::Pending;
        for _ in 0..=n % 4 {
            if polled.is_pending() {
                polled = poll_fn(|cx| Poll::Ready(half_way.as_mut().poll(cx))).await;
                tokio::task::yield_now().await;
            }
        }
        dropped += u32::from(polled.is_pending());
        drop(half_way);
        publisher.publish(&process(n)).await.unwrap();
        let lost = publisher.publish(&nowhere(n)).await;
        assert!(matches!(lost, Err(PublishError::Unroutable(_))), "{lost:?}");
    }
    assert!(dropped > 0, "no publish was slow enough to be dropped");
    assert_eq!(scene.ready().await, 201);
}

#[tokio::test]
async fn a_publisher_outlives_its_connection() {
    let scene = Scene::set("publisher-loss").await;
    let publisher = scene.publisher(4);
    publisher.publish(&process(1)).await.unwrap();
    wait::until("the connection is listed", async || {
        scene.broker.close_connections("test-publisher").await > 0
    })
    .await;
    // The first publish may meet the connection dying under it; it says so, and the next one connects anew.
    wait::until("publishing works again", async || {
        publisher.publish(&process(2)).await.is_ok()
    })
    .await;
    assert!(scene.ready().await >= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_broker_publishes_fail_fast_and_few_of_them_knock() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let knocks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&knocks);
    let mut door = JoinSet::new();
    door.spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    let url = format!("amqp://u:p@127.0.0.1:{port}/v").parse().unwrap();
    let publisher = Arc::new(ConfirmPublisher::new(url, "nobody", NonZeroU16::new(16).unwrap()));
    let mut publishing = JoinSet::new();
    for n in 0..100 {
        let publisher = Arc::clone(&publisher);
        publishing.spawn(async move { publisher.publish(&process(n)).await });
    }
    let results = tokio::time::timeout(Duration::from_secs(5), publishing.join_all())
        .await
        .unwrap();
    assert_eq!(results.len(), 100);
    for result in results {
        let Err(PublishError::Unconfirmed { source, .. }) = result else {
            panic!("{result:?}")
        };
        assert_eq!(source.to_string(), "connecting to the broker failed");
        assert!(source.source().is_some());
    }
    let knocks = knocks.load(Ordering::SeqCst);
    assert!((1..10).contains(&knocks), "{knocks} connections for 100 publishes");
}

#[tokio::test]
async fn checkouts_rights_suffice_to_send_orders_and_for_nothing_else() {
    let mut scene = Scene::set("checkout-rights").await;
    let rights = Permissions {
        configure: "^$",
        write: "^orders$",
        read: "^$",
        tags: "",
    };
    let (_, _, url) = scene.broker.user("checkout", rights).await;
    let publisher = ConfirmPublisher::new(url.parse().unwrap(), "checkout", NonZeroU16::MIN);
    publisher.publish(&process(1)).await.unwrap();
    let event = Envelope {
        destination: Destination::Events,
        ..process(2)
    };
    let refused = publisher.publish(&event).await;
    assert!(matches!(refused, Err(PublishError::Unconfirmed { .. })), "{refused:?}");
    publisher.publish(&process(3)).await.unwrap();
    assert_eq!(scene.ready().await, 2);
}
