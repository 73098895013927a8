//! A broker in memory, with quorum queues: first in, first out; what a consumer did not settle goes back to the head and
//! is counted; what comes back too often is a dead letter; rests end when their time is over.

mod delivery;
mod message;
mod publish;
mod queues;
mod traffic;

use std::sync::{Arc, Mutex};

pub use self::message::{Message, Place, Properties, Road};
use self::queues::Queues;
pub use self::queues::{DELIVERY_LIMIT, Tag, Taken};
pub use self::traffic::{Done, settle};
use crate::clock::Clock;
use crate::faults::Faults;
use crate::held;

/// The broker.
#[derive(Debug)]
pub struct MemoryBroker {
    queues: Mutex<Queues>,
    clock: Arc<Clock>,
    faults: Arc<Faults>,
}

/// A consumer's way to the broker. What was delivered over it can be settled over it alone, and not once it is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel(pub u64);

impl MemoryBroker {
    /// A broker with every queue and nothing in them.
    #[must_use]
    pub fn new(clock: Arc<Clock>, faults: Arc<Faults>) -> Self {
        Self {
            queues: Mutex::default(),
            clock,
            faults,
        }
    }

    /// Hands the message at the head of a queue to a consumer.
    pub fn take(&self, from: Place, channel: Channel) -> Option<Taken> {
        held(&self.queues).take(from, channel)
    }

    /// The delivery is settled and gone; false, and nothing, where its channel is gone.
    pub fn ack(&self, tag: Tag) -> bool {
        held(&self.queues).ack(tag)
    }

    /// Deliveries that consumers have settled.
    pub fn acks(&self) -> u64 {
        held(&self.queues).acks
    }

    /// The delivery goes back to the head of its queue.
    pub fn give_back(&self, tag: Tag) {
        held(&self.queues).give_back(tag);
    }

    /// The channel is gone: all that was delivered over it and not settled goes back.
    pub fn lose(&self, channel: Channel) {
        held(&self.queues).lose(channel);
    }

    /// Ends the rests whose time is over.
    pub fn wake(&self) {
        held(&self.queues).wake(self.clock.ms());
    }

    /// When the next rest ends, in milliseconds.
    pub fn next_wake(&self) -> Option<u64> {
        held(&self.queues).next_wake()
    }

    /// Whether a queue has a message to hand out.
    pub fn has(&self, place: Place) -> bool {
        self.ready(place) > 0
    }

    /// Messages that a queue has to hand out.
    pub fn ready(&self, place: Place) -> usize {
        held(&self.queues).ready(place)
    }

    /// Takes the queues of work away, or puts them back: meanwhile nothing can be routed there.
    pub fn unbind(&self, unbound: bool) {
        held(&self.queues).unbound = unbound;
    }

    /// Every message of the pipeline that is anywhere, in hand or resting, with its place.
    pub fn messages(&self) -> Vec<(Place, Message)> {
        held(&self.queues).messages()
    }

    /// Events that were announced, oldest first: kind and order.
    pub fn events(&self) -> Vec<Message> {
        held(&self.queues).events.clone()
    }

    /// A delivery that the place has handed out and not got back, the newest.
    pub fn newest_held(&self, place: Place) -> Option<Tag> {
        held(&self.queues).newest_held(place)
    }

    /// Puts a message there, whoever sent it and whatever it is.
    pub fn put(&self, place: Place, message: Message) {
        held(&self.queues).put(place, message, self.clock.ms());
    }
}
