//! From the dead-letter queues into the store, whatever happens on the way.

use std::num::NonZeroU16;
use std::sync::Arc;

use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::supervisor;
use async_trait::async_trait;
use console::drain::{Drain, Store};
use pipeline::dead_letters::{Acted, Action, DeadLetters, Drained, EntryId, Letter, Queue};
use pipeline::happened::Operated;
use pipeline::id::OrderId;
use pipeline::order::State;
use pipeline::ports::StoreError;
use platform::health::Readiness;
use testkit::conformance::sample;
use testkit::wait::until;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::base::{Console, console};
use crate::broker::{Broker, dead};

struct Drains {
    readiness: Readiness,
    running: JoinSet<()>,
}

impl Drains {
    /// Drains all queues into `store`, as the process does.
    fn start(broker: &Broker, it: &Console, store: &Arc<dyn DeadLetters>) -> Self {
        let readiness = Readiness::starting();
        readiness.green();
        let mut running = JoinSet::new();
        let moves = Arc::new(ConfirmPublisher::new(broker.url(), "test-moves", NonZeroU16::MIN));
        for queue in Queue::ALL {
            let settings = supervisor::Settings {
                broker: broker.url(),
                line: Line::Dead(queue),
                consumers: NonZeroU16::MIN,
                name: format!("test {}", queue.name()),
            };
            let drain = Drain {
                queue,
                store: Arc::clone(store),
            };
            running.spawn(supervisor::run(
                settings,
                Arc::new(drain),
                Arc::clone(&moves),
                Arc::new(Store(it.pool.clone())),
                readiness.part(queue.name()),
                CancellationToken::new(),
            ));
        }
        Self { readiness, running }
    }

    /// Ends them as kill -9 would.
    async fn kill(mut self) {
        self.running.shutdown().await;
    }

    async fn is_green(&self) {
        until("all drains are ready", async || self.readiness.reason().is_none()).await;
    }
}

fn store(it: &Console) -> Arc<dyn DeadLetters> {
    Arc::new(it.store.clone())
}

/// Returns once so many are open and the queues hold nothing.
async fn are_open(it: &Console, broker: &Broker, count: usize) {
    until("all of it is taken in", async || it.list("").await.rows.len() == count).await;
    for queue in Queue::ALL.map(Queue::name) {
        until("its message is acked", async || broker.held(queue).await == 0).await;
    }
    assert_eq!(it.list("state=all").await.rows.len(), count);
}

#[tokio::test]
async fn each_queue_is_drained_and_what_the_broker_gave_up_makes_its_order_wait() {
    let broker = Broker::set("console-drains").await;
    let it = console("drains").await;
    it.place("ORD-1").await;
    it.stuck_without_letter("ORD-2").await;
    let order = sample::document("ORD-1", 1);
    let undo = r#"{"order_id":"ORD-2","generation":1}"#.as_bytes();
    broker
        .publish("orders.dlx", "order.process", order.as_bytes(), dead("ORD-1", None))
        .await;
    broker
        .publish("orders.dlx", "order.compensate", undo, dead("ORD-2", Some("refused")))
        .await;
    broker
        .publish(
            "orders.invalid",
            "order.process",
            b"\0\xff",
            dead("ORD-1", Some("invalid")),
        )
        .await;
    let drains = Drains::start(&broker, &it, &store(&it));
    are_open(&it, &broker, 3).await;
    drains.is_green().await;

    assert_eq!(it.order("ORD-1").await.state, State::DeadLettered);
    assert_eq!(it.order("ORD-2").await.state, State::Stuck);
    let row = it.list("queue=orders.process.dlq").await.rows.remove(0);
    assert_eq!(
        (&*row.class, row.of_order, row.order_id.as_deref()),
        ("delivery_limit", true, Some("ORD-1"))
    );
    let row = it.list("queue=orders.compensation.dlq").await.rows.remove(0);
    assert_eq!(
        (&*row.class, row.of_order, row.order_id.as_deref()),
        ("refused", true, Some("ORD-2"))
    );
    let row = it.list("queue=orders.invalid").await.rows.remove(0);
    assert_eq!(
        (&*row.class, row.of_order, row.order_id.as_deref()),
        ("invalid", false, Some("ORD-1"))
    );
    let view = it.view(row.id.parse().unwrap()).await;
    assert_eq!(view.body_hex.as_deref(), Some("00ff"));
    drains.kill().await;
}

/// A store whose process dies as soon as something is kept.
struct Dying {
    inner: Arc<dyn DeadLetters>,
    kept: mpsc::UnboundedSender<()>,
}

#[async_trait]
impl DeadLetters for Dying {
    async fn drain(&self, letter: &Letter) -> Result<Drained, StoreError> {
        let drained = self.inner.drain(letter).await?;
        assert!(matches!(drained, Drained::Kept(_)), "{drained:?}");
        self.kept.send(()).unwrap();
        std::future::pending().await
    }

    async fn act(&self, entry: EntryId, action: Action, operated: &Operated) -> Result<Acted, StoreError> {
        self.inner.act(entry, action, operated).await
    }

    async fn sent_again(&self, entry: EntryId, operated: &Operated) -> Result<(), StoreError> {
        self.inner.sent_again(entry, operated).await
    }

    async fn redo(&self, order: &OrderId, operated: &Operated) -> Result<Acted, StoreError> {
        self.inner.redo(order, operated).await
    }
}

#[tokio::test]
async fn a_drain_that_dies_between_transaction_and_ack_keeps_one_entry() {
    let broker = Broker::set("console-dies").await;
    let it = console("dies").await;
    it.place("ORD-1").await;
    let order = sample::document("ORD-1", 1);
    broker
        .publish("orders.dlx", "order.process", order.as_bytes(), dead("ORD-1", None))
        .await;
    broker
        .publish(
            "orders.invalid",
            "order.process",
            b"\xff",
            dead("ORD-9", Some("invalid")),
        )
        .await;
    let (kept, mut told) = mpsc::unbounded_channel();
    let dying: Arc<dyn DeadLetters> = Arc::new(Dying {
        inner: store(&it),
        kept,
    });
    let drains = Drains::start(&broker, &it, &dying);
    for _ in 0..2 {
        told.recv().await.unwrap();
    }
    drains.kill().await;
    let before = it.list("state=all").await.rows;
    assert_eq!(before.len(), 2, "both are kept and neither is acked");

    let drains = Drains::start(&broker, &it, &store(&it));
    are_open(&it, &broker, 2).await;
    assert_eq!(it.list("state=all").await.rows, before);
    let waits = it
        .outbox()
        .await
        .into_iter()
        .filter(|(kind, _)| kind == "order.dead_lettered");
    assert_eq!(waits.count(), 1, "it is announced once");
    drains.kill().await;
}

#[tokio::test]
async fn a_message_of_no_order_that_comes_once_more_opens_again() {
    let broker = Broker::set("console-once-more").await;
    let it = console("once_more").await;
    let drains = Drains::start(&broker, &it, &store(&it));
    let rubbish = dead("ORD-9", Some("invalid"));
    broker
        .publish("orders.invalid", "order.process", b"\xff", rubbish.clone())
        .await;
    are_open(&it, &broker, 1).await;
    let entry: EntryId = it.list("").await.rows[0].id.parse().unwrap();
    assert_eq!(it.act(entry, "discard").await.status, 200);
    assert_eq!(it.view(entry).await.row.state, "discarded");
    broker
        .publish("orders.invalid", "order.process", b"\xff", rubbish)
        .await;
    are_open(&it, &broker, 1).await;
    assert_eq!(it.view(entry).await.closed, None);
    drains.kill().await;
}

#[tokio::test]
async fn while_the_database_is_gone_messages_stay_and_readiness_is_red() {
    let broker = Broker::set("console-no-database").await;
    let it = console("no_database").await;
    it.place("ORD-1").await;
    let drains = Drains::start(&broker, &it, &store(&it));
    drains.is_green().await;
    it.database.shut().await;
    let order = sample::document("ORD-1", 1);
    broker
        .publish("orders.dlx", "order.process", order.as_bytes(), dead("ORD-1", None))
        .await;
    let queue = Queue::Process.name();
    let red = async || drains.readiness.reason().is_some_and(|reason| reason.contains(queue));
    until("the drain says that it cannot work", red).await;
    until("the message is in its queue", async || broker.held(queue).await == 1).await;
    assert!(!broker.is_empty(queue).await, "nobody holds it");

    it.database.open().await;
    are_open(&it, &broker, 1).await;
    drains.is_green().await;
    assert_eq!(it.order("ORD-1").await.state, State::DeadLettered);
    drains.kill().await;
}

#[tokio::test]
async fn a_lost_connection_to_the_broker_is_made_anew() {
    let broker = Broker::set("console-lost").await;
    let it = console("lost").await;
    let drains = Drains::start(&broker, &it, &store(&it));
    drains.is_green().await;
    for queue in Queue::ALL.map(Queue::name) {
        let name = format!("test {queue}");
        until("the connection is cut", async || {
            broker.broker.close_connections(&name).await > 0
        })
        .await;
    }
    broker
        .publish(
            "orders.invalid",
            "order.process",
            b"\xff",
            dead("ORD-9", Some("invalid")),
        )
        .await;
    are_open(&it, &broker, 1).await;
    drains.is_green().await;
    drains.kill().await;
}
