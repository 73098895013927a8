//! What lies in which queue, and who has what in hand.

use std::collections::{BTreeMap, VecDeque};

use pipeline::retry::DEFER_MS;

use super::Channel;
use super::message::{Message, Place, Road};

/// Returns of one message that its queue allows; one more, and the broker gives it up.
pub const DELIVERY_LIMIT: u32 = 5;

/// Names one delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(u64);

/// A message in a consumer's hands.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The delivery.
    pub tag: Tag,
    /// The message.
    pub message: Message,
    /// How often it came back before.
    pub returns: u32,
}

#[derive(Debug)]
struct InHand {
    place: Place,
    channel: Channel,
    message: Message,
    returns: u32,
}

#[derive(Debug, Default)]
pub(super) struct Queues {
    ready: BTreeMap<Place, VecDeque<(Message, u32)>>,
    in_hand: BTreeMap<Tag, InHand>,
    /// By the time at which they end, in milliseconds.
    resting: BTreeMap<(u64, u64), (Place, Road, Message)>,
    pub(super) events: Vec<Message>,
    pub(super) unbound: bool,
    pub(super) acks: u64,
    number: u64,
}

impl Queues {
    pub(super) fn put(&mut self, place: Place, message: Message, now_ms: u64) {
        let (road, rest_ms) = match place {
            Place::Resting(road, rest) => (road, rest.milliseconds()),
            Place::Deferred(road) => (road, DEFER_MS),
            Place::Process | Place::Suspect | Place::Compensation | Place::Dead(_) => {
                return self.ready.entry(place).or_default().push_back((message, 0));
            }
        };
        self.number += 1;
        self.resting
            .insert((now_ms + rest_ms, self.number), (place, road, message));
    }

    pub(super) fn take(&mut self, place: Place, channel: Channel) -> Option<Taken> {
        let (message, returns) = self.ready.get_mut(&place)?.pop_front()?;
        self.number += 1;
        let tag = Tag(self.number);
        let in_hand = InHand {
            place,
            channel,
            message: message.clone(),
            returns,
        };
        self.in_hand.insert(tag, in_hand);
        Some(Taken { tag, message, returns })
    }

    pub(super) fn ack(&mut self, tag: Tag) -> bool {
        let settled = self.in_hand.remove(&tag).is_some();
        self.acks += u64::from(settled);
        settled
    }

    pub(super) fn give_back(&mut self, tag: Tag) {
        let Some(InHand {
            place,
            message,
            returns,
            ..
        }) = self.in_hand.remove(&tag)
        else {
            return;
        };
        let returns = returns + 1;
        let dead = match place {
            Place::Process | Place::Suspect => Some(Road::Orders.dead()),
            Place::Compensation => Some(Road::Compensation.dead()),
            Place::Resting(..) | Place::Deferred(_) | Place::Dead(_) => None,
        };
        match dead {
            // As the broker does it: nothing on the message says why.
            Some(dead) if returns > DELIVERY_LIMIT => {
                self.ready.entry(Place::Dead(dead)).or_default().push_back((message, 0));
            }
            Some(_) | None => self.ready.entry(place).or_default().push_front((message, returns)),
        }
    }

    pub(super) fn lose(&mut self, channel: Channel) {
        let lost = self.in_hand.iter().filter(|(_, held)| held.channel == channel);
        // Newest first, so that the oldest is at the head again.
        for tag in lost.map(|(tag, _)| *tag).rev().collect::<Vec<_>>() {
            self.give_back(tag);
        }
    }

    pub(super) fn wake(&mut self, now_ms: u64) {
        while let Some(first) = self.resting.first_entry().filter(|first| first.key().0 <= now_ms) {
            let (_, road, message) = first.remove();
            self.ready.entry(road.queue()).or_default().push_back((message, 0));
        }
    }

    pub(super) fn next_wake(&self) -> Option<u64> {
        self.resting.first_key_value().map(|((ends, _), _)| *ends)
    }

    pub(super) fn ready(&self, place: Place) -> usize {
        self.ready.get(&place).map_or(0, VecDeque::len)
    }

    pub(super) fn newest_held(&self, place: Place) -> Option<Tag> {
        self.in_hand
            .iter()
            .rev()
            .find(|(_, held)| held.place == place)
            .map(|(tag, _)| *tag)
    }

    pub(super) fn messages(&self) -> Vec<(Place, Message)> {
        let ready = self
            .ready
            .iter()
            .flat_map(|(place, queue)| queue.iter().map(|(message, _)| (*place, message)));
        let in_hand = self.in_hand.values().map(|held| (held.place, &held.message));
        let resting = self.resting.values().map(|(place, _, message)| (*place, message));
        ready
            .chain(in_hand)
            .chain(resting)
            .map(|(place, message)| (place, message.clone()))
            .collect()
    }
}
