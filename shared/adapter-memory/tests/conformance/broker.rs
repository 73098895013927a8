//! The broker in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use adapter_memory::broker::{Channel, MemoryBroker, Place, Road, Taken, settle};
use adapter_memory::clock::Clock;
use async_trait::async_trait;
use pipeline::dead_letters::{Letter, Queue};
use pipeline::message::Delivery;
use pipeline::ports::Publisher;
use pipeline::verdict::Verdict;
use testkit::conformance::queue::{self, Consumer, Work};

pub struct World {
    clock: Arc<Clock>,
    broker: Arc<MemoryBroker>,
    channels: AtomicU64,
}

impl World {
    #[expect(clippy::unused_async, reason = "a real one takes its time")]
    pub async fn fresh(_fact: &str) -> Self {
        let (clock, faults) = crate::calm();
        Self {
            broker: Arc::new(MemoryBroker::new(Arc::clone(&clock), faults)),
            clock,
            channels: AtomicU64::new(0),
        }
    }

    fn channel(&self) -> Channel {
        Channel(self.channels.fetch_add(1, Ordering::Relaxed))
    }
}

fn place(of: Work) -> (Place, Road) {
    match of {
        Work::Process => (Place::Process, Road::Orders),
        Work::Suspect => (Place::Suspect, Road::Orders),
        Work::Compensation => (Place::Compensation, Road::Compensation),
    }
}

#[async_trait]
impl queue::World for World {
    fn publisher(&self) -> &dyn Publisher {
        &*self.broker
    }

    async fn consumer(&self, of: Work) -> Box<dyn Consumer> {
        let (place, road) = place(of);
        Box::new(Hands {
            clock: Arc::clone(&self.clock),
            broker: Arc::clone(&self.broker),
            channel: self.channel(),
            place,
            road,
            taken: None,
        })
    }

    async fn ready(&self, of: Work) -> usize {
        self.broker.ready(place(of).0)
    }

    async fn dead(&self, queue: Queue) -> Letter {
        let taken = self.broker.take(Place::Dead(queue), self.channel()).unwrap();
        assert!(self.broker.ack(taken.tag));
        taken.message.letter(queue)
    }

    fn clock(&self) -> Duration {
        Duration::from_millis(self.clock.ms())
    }
}

struct Hands {
    clock: Arc<Clock>,
    broker: Arc<MemoryBroker>,
    channel: Channel,
    place: Place,
    road: Road,
    taken: Option<Taken>,
}

#[async_trait]
impl Consumer for Hands {
    async fn next(&mut self) -> Delivery {
        let taken = loop {
            self.broker.wake();
            if let Some(taken) = self.broker.take(self.place, self.channel) {
                break taken;
            }
            // There is nothing to do but to let time pass.
            let next = self.broker.next_wake().expect("a message to wait for");
            self.clock.pass(next.saturating_sub(self.clock.ms()));
        };
        let delivery = taken.order();
        self.taken = Some(taken);
        delivery
    }

    async fn settle(&mut self, verdict: Verdict) {
        let taken = self.taken.take().expect("a delivery in hand");
        let _done = settle(&self.broker, self.road, &taken, &verdict).await;
    }

    async fn leave(self: Box<Self>) {
        self.broker.lose(self.channel);
    }

    async fn die(self: Box<Self>) {
        self.broker.lose(self.channel);
    }
}
