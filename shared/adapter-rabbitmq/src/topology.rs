//! What must be there at the broker, as data: the same list serves `apply`, `check` and whoever wants to read it.
//!
//! Arguments of a queue cannot be changed later, so they hold its type alone; whatever may be tuned is a policy.

mod apply;
mod compare;
mod difference;
mod orders;

pub use apply::{Report, apply, check};
pub use difference::{Difference, Part};
pub use orders::topology;

use pipeline::retry::Rest;

/// Everything that belongs to the pipeline in its virtual host.
#[derive(Debug, Clone)]
pub struct Topology {
    /// Where messages are sent to.
    pub exchanges: Vec<Exchange>,
    /// Where they wait. Each is durable and a quorum queue.
    pub queues: Vec<Queue>,
    /// How they get from one to the other.
    pub bindings: Vec<Binding>,
    /// How the queues behave.
    pub policies: Vec<Policy>,
}

/// Who has to do with a thing, for people to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it is for, and what it promises.
    pub purpose: &'static str,
    /// Who answers for it.
    pub owner: &'static str,
    /// Who writes to it.
    pub producers: &'static [&'static str],
    /// Who reads from it.
    pub consumers: &'static [&'static str],
}

/// A durable exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Its name.
    pub name: &'static str,
    /// How it routes.
    pub routing: Routing,
    /// Its entry in the inventory.
    pub entry: Entry,
    /// Whether queues that are not ours may be bound to it.
    pub open_to_subscribers: bool,
}

/// How an exchange routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routing {
    /// By the exact key.
    Direct,
    /// By patterns of the key.
    Topic,
}

impl Routing {
    /// The broker's word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Topic => "topic",
        }
    }
}

/// A durable quorum queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// The policy that must be in force for it.
    pub policy: String,
    /// Its entry in the inventory.
    pub entry: Entry,
}

/// From an exchange to a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The exchange.
    pub exchange: &'static str,
    /// The key.
    pub routing_key: String,
    /// The queue.
    pub queue: String,
}

/// What may be tuned while messages are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Names of queues that it is for.
    pub pattern: String,
    /// Among several that fit, the highest is in force.
    pub priority: i64,
    /// The settings.
    pub definition: Vec<(&'static str, Setting)>,
    /// Why it says what it says.
    pub reason: &'static str,
}

/// What a policy sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// A number.
    Number(i64),
    /// A name.
    Text(&'static str),
}

impl Setting {
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Number(number) => (*number).into(),
            Self::Text(text) => (*text).into(),
        }
    }
}

/// Orders to process.
pub const PROCESS_QUEUE: &str = "orders.process";
/// Orders that may kill whoever takes them.
pub const SUSPECT_QUEUE: &str = "orders.process.suspect";
/// Orders that were put off.
pub const DEFER_QUEUE: &str = "orders.process.defer";
/// Orders to undo.
pub const COMPENSATION_QUEUE: &str = "orders.compensation";

/// Dead letters that nobody could take in.
pub const UNREADABLE_QUEUE: &str = "orders.unreadable";

/// Takes copies of messages that rest, or are set apart.
pub const RETRY_EXCHANGE: &str = "orders.retry";
/// Takes what cannot be understood.
pub const INVALID_EXCHANGE: &str = "orders.invalid";

/// Where messages of a work queue rest.
#[must_use]
pub fn rest_queue(work_queue: &str, rest: Rest) -> String {
    const LANES: [char; LANES_COUNT] = ['a', 'b', 'c'];
    format!("{work_queue}.retry.{}.{}", rest.rung(), LANES[rest.lane() as usize])
}

const LANES_COUNT: usize = pipeline::retry::LANES as usize;

#[cfg(test)]
mod tests {
    use pipeline::dead_letters::Queue as Dead;
    use pipeline::outgoing::{Destination, ORDER_COMPENSATE, ORDER_PROCESS};

    use super::*;

    fn way(exchange: &str, key: &str) -> Option<String> {
        let bindings = &topology().bindings;
        let found = bindings
            .iter()
            .find(|one| one.exchange == exchange && one.routing_key == key);
        found.map(|binding| binding.queue.clone())
    }

    #[test]
    fn what_the_pipeline_sends_has_a_way() {
        for (destination, key, queue) in [
            (Destination::Orders, ORDER_PROCESS, PROCESS_QUEUE),
            (Destination::Compensation, ORDER_COMPENSATE, COMPENSATION_QUEUE),
            (Destination::DeadLetters, ORDER_PROCESS, Dead::Process.name()),
            (Destination::DeadLetters, ORDER_COMPENSATE, Dead::Compensation.name()),
        ] {
            assert_eq!(way(destination.exchange(), key).as_deref(), Some(queue));
        }
        for exchange in &topology().exchanges {
            let Some(destination) = Destination::of_exchange(exchange.name) else {
                continue; // those that only copies are published to
            };
            assert_eq!(
                destination.must_route(),
                !exchange.open_to_subscribers,
                "{}",
                exchange.name
            );
        }
    }

    #[test]
    fn every_rest_leads_back_to_its_work_queue() {
        for (work, exchange, key) in [
            (PROCESS_QUEUE, "orders", ORDER_PROCESS),
            (COMPENSATION_QUEUE, "orders.compensation", ORDER_COMPENSATE),
        ] {
            for rest in Rest::all() {
                let name = rest_queue(work, rest);
                assert_eq!(way(RETRY_EXCHANGE, &name).as_deref(), Some(name.as_str()));
                let queue = topology().queues.iter().find(|queue| queue.name == name).unwrap();
                let policy = topology()
                    .policies
                    .iter()
                    .find(|policy| policy.name == queue.policy)
                    .unwrap();
                let set = |key| {
                    policy
                        .definition
                        .iter()
                        .find(|(name, _)| *name == key)
                        .map(|(_, value)| value.clone())
                };
                let ttl = i64::try_from(rest.milliseconds()).unwrap();
                assert_eq!(set("message-ttl"), Some(Setting::Number(ttl)));
                assert_eq!(set("dead-letter-exchange"), Some(Setting::Text(exchange)));
                assert_eq!(set("dead-letter-routing-key"), Some(Setting::Text(key)));
                assert_eq!(set("dead-letter-strategy"), Some(Setting::Text("at-least-once")));
                assert_eq!(set("overflow"), Some(Setting::Text("reject-publish")));
                assert_eq!(way(exchange, key).as_deref(), Some(work));
            }
        }
    }

    #[test]
    fn every_name_that_is_referred_to_is_there_once() {
        let found = topology();
        for binding in &found.bindings {
            assert!(
                found.exchanges.iter().any(|one| one.name == binding.exchange),
                "{binding:?}"
            );
            assert!(found.queues.iter().any(|one| one.name == binding.queue), "{binding:?}");
        }
        for queue in &found.queues {
            assert!(found.policies.iter().any(|one| one.name == queue.policy), "{queue:?}");
            assert_eq!(
                found.queues.iter().filter(|one| one.name == queue.name).count(),
                1,
                "{queue:?}"
            );
        }
    }
}
