//! The broker means what the pipeline's other broker means.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;

use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::received::Received;
use adapter_rabbitmq::supervisor::{self, Settings};
use async_trait::async_trait;
use pipeline::dead_letters::{Letter, Queue};
use pipeline::message::Delivery;
use pipeline::ports::Publisher;
use pipeline::verdict::{Settled, Verdict};
use platform::health::Readiness;
use testkit::conformance::queue::{self, Consumer, Work};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::rig::Servers;
use crate::scene::Scene;

/// Longest wait for a delivery; a test that needs longer hangs.
const TAKE_MAX: Duration = Duration::from_secs(60);

#[tokio::test]
async fn it_means_what_the_pipeline_means() {
    queue::hold(World::fresh).await;
}

struct World {
    scene: Scene,
    publisher: ConfirmPublisher,
    started: Instant,
}

impl World {
    async fn fresh(fact: &'static str) -> Self {
        let scene = Scene::set(&format!("conformance-{fact}")).await;
        Self {
            publisher: scene.publisher(1),
            scene,
            started: Instant::now(),
        }
    }

    fn consume(&self, line: Line) -> Hands {
        let (hands, deliveries) = mpsc::unbounded_channel();
        let one = NonZeroU16::MIN;
        let settings = Settings {
            broker: self.scene.url(),
            line,
            consumers: one,
            name: "test-conformance".to_owned(),
        };
        let moves = ConfirmPublisher::new(self.scene.url(), "test-moves", one);
        let stopping = CancellationToken::new();
        let mut running = JoinSet::new();
        running.spawn(supervisor::run(
            settings,
            Arc::new(Hander(hands)),
            Arc::new(moves),
            Arc::<Servers>::default(),
            Readiness::starting(),
            stopping.clone(),
        ));
        Hands {
            deliveries,
            answer: None,
            stopping,
            running,
        }
    }
}

fn line(of: Work) -> Line {
    match of {
        Work::Process => Line::Process,
        Work::Suspect => Line::Suspect,
        Work::Compensation => Line::Compensation,
    }
}

#[async_trait]
impl queue::World for World {
    fn publisher(&self) -> &dyn Publisher {
        &self.publisher
    }

    async fn consumer(&self, of: Work) -> Box<dyn Consumer> {
        Box::new(self.consume(line(of)))
    }

    async fn ready(&self, of: Work) -> usize {
        self.scene.ready_in(line(of).queue()).await as usize
    }

    async fn dead(&self, queue: Queue) -> Letter {
        let mut hands = self.consume(Line::Dead(queue));
        let letter = hands.take().await.letter(queue);
        hands.settle(Verdict::Settled(Settled::Kept)).await;
        hands.stop().await;
        letter
    }

    fn clock(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A delivery, and where its verdict goes.
type Handed = (Received, oneshot::Sender<Verdict>);

struct Hander(mpsc::UnboundedSender<Handed>);

#[async_trait]
impl supervisor::Work for Hander {
    async fn handle(&self, received: &Received) -> Verdict {
        let (answer, answered) = oneshot::channel();
        assert!(self.0.send((received.clone(), answer)).is_ok(), "the test is over");
        answered.await.expect("the test decides")
    }
}

/// A process with one consumer, whose verdicts are the test's.
struct Hands {
    deliveries: mpsc::UnboundedReceiver<Handed>,
    answer: Option<oneshot::Sender<Verdict>>,
    stopping: CancellationToken,
    running: JoinSet<()>,
}

impl Hands {
    async fn take(&mut self) -> Received {
        let handed = timeout(TAKE_MAX, self.deliveries.recv()).await;
        let handed = handed.expect("a delivery is taken up").unwrap();
        self.answer = Some(handed.1);
        handed.0
    }

    async fn stop(&mut self) {
        self.stopping.cancel();
        let ended = self.running.join_next().await.unwrap();
        ended.unwrap();
    }
}

#[async_trait]
impl Consumer for Hands {
    async fn next(&mut self) -> Delivery {
        self.take().await.order()
    }

    async fn settle(&mut self, verdict: Verdict) {
        let answer = self.answer.take().expect("a delivery in hand");
        assert!(
            answer.send(verdict).is_ok(),
            "the work was given up before it was answered"
        );
    }

    async fn leave(mut self: Box<Self>) {
        self.stop().await;
    }

    async fn die(mut self: Box<Self>) {
        self.running.shutdown().await;
    }
}
