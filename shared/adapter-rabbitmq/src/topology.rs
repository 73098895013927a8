//! What must be there at the broker, as data: the same list serves `apply`, `check` and whoever wants to read it.
//!
//! Arguments of a queue cannot be changed later, so they hold its type alone; whatever may be tuned is a policy.

mod apply;
mod compare;
mod difference;

pub use apply::{Report, apply, check};
pub use difference::{Difference, Part};

/// Everything that belongs to the pipeline in its virtual host.
#[derive(Debug, Clone, Copy)]
pub struct Topology {
    /// Where messages are sent to.
    pub exchanges: &'static [Exchange],
    /// Where they wait. Each is durable and a quorum queue.
    pub queues: &'static [Queue],
    /// How they get from one to the other.
    pub bindings: &'static [Binding],
    /// How the queues behave.
    pub policies: &'static [Policy],
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: &'static str,
    /// The policy that must be in force for it.
    pub policy: &'static str,
    /// Its entry in the inventory.
    pub entry: Entry,
}

/// From an exchange to a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// The exchange.
    pub exchange: &'static str,
    /// The key.
    pub routing_key: &'static str,
    /// The queue.
    pub queue: &'static str,
}

/// What may be tuned while messages are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Its name.
    pub name: &'static str,
    /// Names of queues that it is for.
    pub pattern: &'static str,
    /// Among several that fit, the highest is in force.
    pub priority: i64,
    /// The settings.
    pub definition: &'static [(&'static str, i64)],
    /// Why it says what it says.
    pub reason: &'static str,
}

/// The queue of orders to process.
pub const PROCESS_QUEUE: &str = "orders.process";

const PROCESS_POLICY: &str = "acuse-orders-process";

/// The topology of the pipeline.
pub const TOPOLOGY: Topology = Topology {
    exchanges: &[
        Exchange {
            name: "orders",
            routing: Routing::Direct,
            entry: Entry {
                purpose: "takes in orders to process; who may write here may have an order worked",
                owner: "checkout",
                producers: &["checkout"],
                consumers: &["queue orders.process"],
            },
            open_to_subscribers: false,
        },
        Exchange {
            name: "orders.events",
            routing: Routing::Topic,
            entry: Entry {
                purpose: "tells what happened to orders; a message that nobody listens for is gone",
                owner: "order-worker",
                producers: &["order-worker"],
                consumers: &["queues of other systems, their own"],
            },
            open_to_subscribers: true,
        },
    ],
    queues: &[Queue {
        name: PROCESS_QUEUE,
        policy: PROCESS_POLICY,
        entry: Entry {
            purpose: "orders to process, oldest first; one leaves when its result is stored, never before",
            owner: "order-worker",
            producers: &["exchange orders"],
            consumers: &["order-worker"],
        },
    }],
    bindings: &[Binding {
        exchange: "orders",
        routing_key: "order.process",
        queue: PROCESS_QUEUE,
    }],
    policies: &[Policy {
        name: PROCESS_POLICY,
        pattern: r"^orders\.process$",
        priority: 10,
        definition: &[("delivery-limit", 1_000_000)],
        // Without a limit of ours RabbitMQ 4 would apply its own of 20; "unlimited" is -1 there, which below 4 means
        // that the first return drops the message. So: a number that no order reaches.
        reason: "nothing takes over an order that was returned too often, so the broker must never drop it; \
                 with a limit in place a returned order also goes back to the head of the queue, not to its end",
    }],
};

#[cfg(test)]
mod tests {
    use pipeline::outgoing::{Destination, Outgoing};

    use super::*;

    #[test]
    fn what_the_pipeline_sends_has_a_way() {
        let process = Outgoing::Process {
            document: String::new(),
            not_before: None,
        };
        let way = |binding: &&Binding| {
            binding.exchange == process.destination().exchange() && binding.routing_key == process.kind()
        };
        assert_eq!(
            TOPOLOGY.bindings.iter().find(way).map(|binding| binding.queue),
            Some(PROCESS_QUEUE)
        );
        for exchange in TOPOLOGY.exchanges {
            let destination = Destination::of_exchange(exchange.name).unwrap();
            assert_eq!(
                destination.must_route(),
                !exchange.open_to_subscribers,
                "{}",
                exchange.name
            );
        }
    }

    #[test]
    fn every_name_that_is_referred_to_is_there() {
        for binding in TOPOLOGY.bindings {
            assert!(
                TOPOLOGY
                    .exchanges
                    .iter()
                    .any(|exchange| exchange.name == binding.exchange),
                "{binding:?}"
            );
            assert!(
                TOPOLOGY.queues.iter().any(|queue| queue.name == binding.queue),
                "{binding:?}"
            );
        }
        for queue in TOPOLOGY.queues {
            assert!(
                TOPOLOGY.policies.iter().any(|policy| policy.name == queue.policy),
                "{queue:?}"
            );
        }
    }
}
