//! A supervisor under test whose work is answered by the test, delivery by delivery.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::received::Received;
use adapter_rabbitmq::supervisor::{self, Probe, Settings, Work};
use adapter_rabbitmq::url::BrokerUrl;
use async_trait::async_trait;
use pipeline::message::Delivery;
use pipeline::ports::{Publisher as _, Source};
use pipeline::retry::{RETURNS_MAX, Rest};
use pipeline::verdict::{Defer, Retry, Settled, Verdict};
use platform::health::Readiness;
use testkit::wait;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::scene::{Scene, process};

/// What operators see of the supervisor's connection,
pub const NAME: &str = "test-worker";
/// and of the one over which copies go.
pub const MOVES: &str = "test-moves";

pub struct Rig {
    pub scene: Scene,
    pub publisher: ConfirmPublisher,
    pub readiness: Readiness,
    pub stopping: CancellationToken,
    pub servers: Arc<Servers>,
    settings: Settings,
    /// Where the supervisor finds the broker when it moves a delivery on.
    moves: BrokerUrl,
    hands: mpsc::UnboundedSender<Held>,
    deliveries: mpsc::UnboundedReceiver<Held>,
    running: JoinSet<()>,
}

impl Rig {
    /// A supervisor of `orders.process` in a virtual host of its own.
    pub async fn start(test: &str, consumers: u16) -> Self {
        let scene = Scene::set(test).await;
        let url = scene.url();
        Self::consume(scene, url, Line::Process, consumers)
    }

    /// The same, with rests of a tenth of the real ones.
    pub async fn hasty(test: &str, consumers: u16) -> Self {
        let scene = Scene::set(test).await;
        scene.hasten().await;
        let url = scene.url();
        Self::consume(scene, url, Line::Process, consumers)
    }

    /// Starts a supervisor that is known to the broker as `url` says.
    pub fn consume(scene: Scene, url: BrokerUrl, line: Line, consumers: u16) -> Self {
        let (hands, deliveries) = mpsc::unbounded_channel();
        let settings = Settings {
            broker: url.clone(),
            line,
            consumers: NonZeroU16::new(consumers).unwrap(),
            name: NAME.to_owned(),
        };
        let mut rig = Self {
            publisher: scene.publisher(1),
            scene,
            readiness: Readiness::starting(),
            stopping: CancellationToken::new(),
            servers: Arc::default(),
            settings,
            moves: url,
            hands,
            deliveries,
            running: JoinSet::new(),
        };
        rig.run();
        rig
    }

    fn run(&mut self) {
        let moves = ConfirmPublisher::new(self.moves.clone(), MOVES, self.settings.consumers);
        let work = Hands {
            hands: self.hands.clone(),
            line: self.settings.line,
        };
        self.running.spawn(supervisor::run(
            self.settings.clone(),
            Arc::new(work),
            Arc::new(moves),
            Arc::clone(&self.servers) as Arc<dyn Probe>,
            self.readiness.clone(),
            self.stopping.clone(),
        ));
    }

    /// Ends the supervisor as kill -9 would, and starts another one.
    pub async fn crash(&mut self) {
        self.running.shutdown().await;
        self.run();
    }

    /// Stops the supervisor, and starts one that finds the broker at `url` when it moves deliveries on.
    pub async fn restart_and_move_over(&mut self, url: BrokerUrl) {
        self.stop().await;
        self.stopping = CancellationToken::new();
        self.moves = url;
        self.run();
    }

    /// Publishes the orders with these numbers, one after the other.
    pub async fn publish(&self, numbers: impl IntoIterator<Item = u32>) {
        for n in numbers {
            self.publisher.publish(&process(n)).await.unwrap();
        }
    }

    /// The next delivery that a consumer takes up.
    pub async fn next(&mut self) -> Held {
        wait::until_some("a delivery is taken up", async || self.deliveries.try_recv().ok()).await
    }

    /// The same without a pause between two looks.
    pub async fn next_now(&mut self) -> Held {
        self.deliveries.recv().await.unwrap()
    }

    /// Cuts the connection of the consumers, as the broker's administrator would.
    pub async fn cut(&self) {
        wait::until("the connection is listed", async || {
            self.scene.broker.close_connections(NAME).await > 0
        })
        .await;
    }

    /// Whether a consumer has taken up a delivery that the test has not asked for.
    pub fn has_more(&mut self) -> bool {
        self.deliveries.try_recv().is_ok()
    }

    pub async fn is_green(&self) {
        wait::until("readiness is green", async || self.readiness.reason().is_none()).await;
    }

    /// Why readiness is red, once it is for a reason that contains `part`.
    pub async fn is_red(&self, part: &str) {
        let red = async || self.readiness.reason().is_some_and(|reason| reason.contains(part));
        wait::until(&format!("readiness is red with {part:?}"), red).await;
    }

    /// Returns once the supervisor has ended.
    pub async fn end(&mut self) {
        let ended = wait::until_some("the supervisor has ended", async || self.running.try_join_next()).await;
        ended.expect("it did not panic");
    }

    /// Has it stop, and returns once it has.
    pub async fn stop(&mut self) {
        self.stopping.cancel();
        self.end().await;
    }
}

/// A delivery in a consumer's hands. Dropping it makes its work panic.
pub struct Held {
    pub received: Received,
    pub delivery: Delivery,
    answer: oneshot::Sender<Verdict>,
}

impl Held {
    /// Number of its order.
    pub fn number(&self) -> u32 {
        let order = &self.delivery.message.as_ref().unwrap().order;
        order.as_str().strip_prefix("ORD-").unwrap().parse().unwrap()
    }

    /// Its way up the ladder, as the handler would have it.
    pub fn retry(self) {
        let retry = retry(&self.delivery);
        self.answer(Verdict::Retry(retry));
    }

    pub fn defer(self) {
        let deferrals = self.delivery.deferrals + 1;
        self.answer(Verdict::Defer(Defer {
            deferrals,
            why: "the carrier is busy".to_owned(),
        }));
    }

    pub fn complete(self) {
        self.answer(Verdict::Settled(Settled::Completed));
    }

    pub fn answer(self, verdict: Verdict) {
        assert!(
            self.answer.send(verdict).is_ok(),
            "the work was given up before it was answered"
        );
    }

    /// Returns once the consumer no longer waits for the answer.
    pub async fn is_given_up(&mut self) {
        self.answer.closed().await;
    }
}

/// The next try of a delivery.
pub fn retry(delivery: &Delivery) -> Retry {
    let of = delivery.message.as_ref().unwrap().order.as_str();
    Retry {
        attempt: delivery.attempt + 1,
        rest: Rest::after(delivery.attempt, of).unwrap(),
        why: "inventory: time out".to_owned(),
    }
}

/// Hands everything to the test, but for what the handler would not touch either.
struct Hands {
    hands: mpsc::UnboundedSender<Held>,
    line: Line,
}

#[async_trait]
impl Work for Hands {
    async fn handle(&self, received: &Received) -> Verdict {
        let delivery = received.order();
        if self.line == Line::Process && delivery.returns >= RETURNS_MAX {
            return Verdict::Suspect;
        }
        let (answer, answered) = oneshot::channel();
        let held = Held {
            received: received.clone(),
            delivery,
            answer,
        };
        assert!(self.hands.send(held).is_ok(), "the test is over");
        answered.await.expect("the test wants a panic")
    }
}

/// The servers that the work pretends to need.
#[derive(Default)]
pub struct Servers {
    down: AtomicBool,
    asked: AtomicUsize,
}

impl Servers {
    pub fn go_down(&self) {
        self.down.store(true, Ordering::SeqCst);
    }

    pub fn come_back(&self) {
        self.down.store(false, Ordering::SeqCst);
    }

    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Probe for Servers {
    async fn all_answer(&self) -> Result<(), Source> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.down.load(Ordering::SeqCst) {
            Err("inventory does not answer".into())
        } else {
            Ok(())
        }
    }
}
