//! What becomes of a delivery between the publishing of its copy and its ack.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use adapter_rabbitmq::topology::{self, PROCESS_QUEUE, rest_queue};
use adapter_rabbitmq::url::BrokerUrl;
use testkit::wait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::rig::{Held, MOVES, Rig, retry};

/// The queue in which the order would rest.
fn rests_in(held: &Held) -> String {
    rest_queue(PROCESS_QUEUE, retry(&held.delivery).rest)
}

#[tokio::test]
async fn what_cannot_move_on_stays_in_hand_until_there_is_a_way() {
    let mut rig = Rig::start("no-way", 2).await;
    rig.is_green().await;
    rig.publish([1]).await;
    let held = rig.next().await;
    let queue = rests_in(&held);
    rig.scene
        .broker
        .delete(&["queues", rig.scene.broker.vhost(), &queue])
        .await;
    let asked = rig.servers.asked();
    held.retry();
    rig.is_red(&format!(
        "order ORD-1 cannot move on: no way to orders.retry --{queue}-->: it reached no queue"
    ))
    .await;
    // Nothing more is begun meanwhile, and nothing goes round: the probe is asked before each session.
    rig.publish([2]).await;
    let more = tokio::time::timeout(Duration::from_secs(5), rig.next_now()).await;
    assert!(more.is_err(), "something was begun");
    assert_eq!(rig.servers.asked(), asked);
    assert_eq!(rig.scene.ready().await, 1, "order 2 waits, order 1 is in hand");

    topology::apply(&rig.scene.management).await.unwrap();
    rig.is_green().await;
    let mut seen = vec![];
    for _ in 0..2 {
        let held = rig.next().await;
        seen.push((held.number(), held.delivery.attempt));
        held.complete();
    }
    seen.sort_unstable();
    assert_eq!(seen, [(1, 2), (2, 1)]);
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}

#[tokio::test]
async fn stopping_gives_back_what_has_no_way() {
    let mut rig = Rig::start("stop-no-way", 1).await;
    rig.publish([1]).await;
    let held = rig.next().await;
    let queue = rests_in(&held);
    rig.scene
        .broker
        .delete(&["queues", rig.scene.broker.vhost(), &queue])
        .await;
    held.retry();
    rig.is_red("cannot move on").await;
    let stopped = tokio::time::timeout(Duration::from_secs(5), rig.stop()).await;
    stopped.expect("it stops at once");
    assert_eq!(rig.scene.ready().await, 1);
}

#[tokio::test]
async fn a_lost_connection_of_the_copies_costs_nothing() {
    let mut rig = Rig::start("moves-lost", 2).await;
    rig.publish([1, 2]).await;
    rig.next().await.retry();
    let other = rig.next().await;
    wait::until("the connection is listed", async || {
        rig.scene.broker.close_connections(MOVES).await > 0
    })
    .await;
    other.retry();
    for _ in 0..2 {
        let again = rig.next().await;
        assert_eq!((again.delivery.attempt, again.delivery.returns), (2, 0));
        again.complete();
    }
    assert_eq!(rig.readiness.reason(), None);
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}

/// Twenty times: once the copy is in its rest queue, and before its confirm arrives, the worker dies: every order comes twice, with its first attempt and with its second.
#[tokio::test]
async fn a_crash_between_copy_and_ack_makes_a_duplicate_and_never_a_loss() {
    let mut rig = Rig::start("between", 1).await;
    for n in 1..=20 {
        let gate = Gate::open(&rig.scene.broker.url()).await;
        rig.restart_and_move_over(gate.url.clone()).await;
        rig.publish([n]).await;
        let held = rig.next().await;
        let queue = rests_in(&held);
        held.retry();
        wait::until("the copy rests", async || rig.scene.ready_in(&queue).await == 1).await;
        rig.crash().await;
        let mut seen = vec![];
        for _ in 0..2 {
            let held = rig.next().await;
            assert_eq!(held.number(), n);
            seen.push((held.delivery.attempt, held.delivery.returns));
            held.complete();
        }
        assert_eq!(seen, [(1, 1), (2, 0)]);
    }
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}

#[tokio::test]
async fn a_consumers_connection_cut_between_copy_and_ack_makes_a_duplicate_and_never_a_loss() {
    let mut rig = Rig::start("cut-between", 1).await;
    let gate = Gate::open(&rig.scene.broker.url()).await;
    rig.restart_and_move_over(gate.url.clone()).await;
    rig.publish([1]).await;
    let held = rig.next().await;
    let queue = rests_in(&held);
    held.retry();
    wait::until("the copy rests", async || rig.scene.ready_in(&queue).await == 1).await;
    rig.cut().await;
    let mut seen = vec![];
    for _ in 0..2 {
        let held = rig.next().await;
        seen.push(held.delivery.attempt);
        held.complete();
    }
    seen.sort_unstable();
    assert_eq!(seen, [1, 2]);
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}

/// A wire to the broker on which its answers are held back as soon as a copy of a message has gone over it.
struct Gate {
    url: BrokerUrl,
    _carrying: JoinSet<()>,
}

impl Gate {
    async fn open(broker: &str) -> Self {
        let mut url: reqwest::Url = broker.parse().unwrap();
        let beyond = (url.host_str().unwrap().to_owned(), url.port().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        let mut carrying = JoinSet::new();
        carrying.spawn(async move {
            let mut wires = JoinSet::new();
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(beyond.clone()).await.unwrap();
                wires.spawn(carry(near, far));
            }
        });
        Self {
            url: url.as_str().parse().unwrap(),
            _carrying: carrying,
        }
    }
}

async fn carry(near: TcpStream, far: TcpStream) {
    let ((mut near_read, mut near_write), (mut far_read, mut far_write)) = (near.into_split(), far.into_split());
    let copied = AtomicBool::new(false);
    let there = async {
        let mut bytes = [0; 16_384];
        loop {
            let read = near_read.read(&mut bytes).await?;
            if read == 0 {
                return std::io::Result::Ok(());
            }
            let mark = b"last-error";
            if bytes[..read].windows(mark.len()).any(|part| part == mark) {
                copied.store(true, Ordering::SeqCst);
            }
            far_write.write_all(&bytes[..read]).await?;
        }
    };
    let back = async {
        let mut bytes = [0; 16_384];
        loop {
            let read = far_read.read(&mut bytes).await?;
            if read == 0 {
                return std::io::Result::Ok(());
            }
            if !copied.load(Ordering::SeqCst) {
                near_write.write_all(&bytes[..read]).await?;
            }
        }
    };
    let _one_side_has_gone = tokio::try_join!(there, back);
}
