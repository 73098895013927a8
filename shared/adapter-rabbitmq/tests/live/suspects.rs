//! One message that kills its worker, among fifteen that do no harm.

use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};

use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::received::Received;
use adapter_rabbitmq::supervisor::{self, Settings, Work};
use async_trait::async_trait;
use pipeline::dead_letters::Queue as Dead;
use pipeline::ports::Publisher as _;
use pipeline::retry::RETURNS_MAX;
use pipeline::verdict::{Settled, Verdict};
use platform::health::Readiness;
use testkit::wait;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::rig::{Rig, Servers};
use crate::scene::{Scene, process};

const GUILTY: &str = "ORD-7";
const ALL: u16 = 16;

/// What the processes of one test share with it.
#[derive(Default)]
struct Record {
    done: Mutex<BTreeSet<String>>,
    /// Deliveries of the guilty one that were worked, by line.
    deaths: Mutex<Vec<Line>>,
}

/// Work that ends its process when it meets the guilty one.
struct Mortal {
    line: Line,
    record: Arc<Record>,
    death: Arc<Notify>,
    /// Deliveries in hand.
    taken: Semaphore,
    /// Whether nothing gets done before the guilty one kills.
    at_worst: bool,
}

#[async_trait]
impl Work for Mortal {
    async fn handle(&self, received: &Received) -> Verdict {
        let delivery = received.order();
        if self.line == Line::Process && delivery.returns >= RETURNS_MAX {
            return Verdict::Suspect;
        }
        self.taken.add_permits(1);
        let order = delivery.message.unwrap().order.to_string();
        let worst = self.at_worst && self.line == Line::Process;
        if order == GUILTY {
            if worst {
                let _all_taken = self.taken.acquire_many(ALL.into()).await;
            }
            self.record.deaths.lock().unwrap().push(self.line);
            self.death.notify_one();
            std::future::pending::<()>().await;
        }
        if worst {
            std::future::pending::<()>().await;
        }
        self.record.done.lock().unwrap().insert(order);
        Verdict::Settled(Settled::Completed)
    }
}

/// A process of `line` that is started again whenever it dies, as by kill -9: its connections are cut.
async fn live(scene: &Scene, line: Line, record: Arc<Record>, at_worst: bool) {
    let consumers = NonZeroU16::new(if line == Line::Process { ALL } else { 1 }).unwrap();
    loop {
        let death = Arc::new(Notify::new());
        let work = Mortal {
            line,
            record: Arc::clone(&record),
            death: Arc::clone(&death),
            taken: Semaphore::new(0),
            at_worst,
        };
        let settings = Settings {
            broker: scene.url(),
            line,
            consumers,
            name: "mortal".to_owned(),
        };
        let mut process = JoinSet::new();
        process.spawn(supervisor::run(
            settings,
            Arc::new(work),
            Arc::new(ConfirmPublisher::new(scene.url(), "mortal-moves", consumers)),
            Arc::new(Servers::default()),
            Readiness::starting(),
            CancellationToken::new(),
        ));
        death.notified().await;
        process.shutdown().await;
    }
}

async fn catch_the_guilty(test: &str, at_worst: bool) {
    let scene = Scene::set(test).await;
    let publisher = scene.publisher(1);
    for n in 1..=ALL.into() {
        publisher.publish(&process(n)).await.unwrap();
    }
    let record = Arc::new(Record::default());
    let done = async || {
        let innocent = record.done.lock().unwrap().len() == usize::from(ALL) - 1;
        innocent && scene.ready_in(Dead::Process.name()).await == 1
    };
    tokio::select! {
        () = live(&scene, Line::Process, Arc::clone(&record), at_worst) => {}
        () = live(&scene, Line::Suspect, Arc::clone(&record), at_worst) => {}
        () = wait::until("the innocent are done and the guilty one is caught", done) => {}
    }
    assert_eq!(scene.messages().await, 1);
    assert!(!record.done.lock().unwrap().contains(GUILTY));
    let deaths = record.deaths.lock().unwrap().clone();
    let among = deaths.iter().filter(|line| **line == Line::Process).count();
    assert_eq!((among, deaths.len() - among), (2, 6), "{deaths:?}");

    let url = scene.url();
    let mut rig = Rig::consume(scene, url, Line::Dead(Dead::Process), 1);
    let caught = rig.next().await;
    let letter = caught.received.letter(Dead::Process);
    assert_eq!(letter.order.as_ref().unwrap().as_str(), GUILTY);
    assert_eq!((letter.failed, letter.attempt), (None, 1));
    assert_eq!(letter.content.body, process(7).body.as_bytes());
    assert!(
        letter.content.properties.contains("delivery_limit"),
        "{}",
        letter.content.properties
    );
    caught.complete();
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_kills_its_worker_is_caught_alone() {
    catch_the_guilty("guilty", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_kills_its_worker_before_anything_is_done_is_caught_alone() {
    catch_the_guilty("guilty-at-worst", true).await;
}
