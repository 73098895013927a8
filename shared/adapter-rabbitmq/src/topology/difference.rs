//! What may be wrong with a topology, in words.

use std::fmt;

use super::{Binding, Exchange, Policy, Queue};
use crate::management::Version;

/// One thing that is not as it should be; displays as a sentence with what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Not there; `apply` creates it.
    Missing(Part),
    /// There with other settings, which `apply` sets right.
    PolicyDiffers {
        /// The policy.
        policy: &'static Policy,
        /// In which way.
        how: String,
    },
    /// There, but with properties that cannot be changed: a person has to move its messages and delete it.
    Unchangeable {
        /// What.
        part: Part,
        /// In which way.
        how: String,
    },
    /// Another policy, or none, decides over the queue.
    PolicyNotInForce {
        /// The queue.
        queue: &'static str,
        /// Which policy should be in force.
        wanted: &'static str,
        /// Which one is.
        found: Option<String>,
    },
    /// Messages take a way that nobody planned.
    UnexpectedBinding {
        /// From this exchange,
        exchange: String,
        /// by this key,
        routing_key: String,
        /// to this queue or exchange.
        destination: String,
    },
    /// Fewer nodes hold the queue than it needs to answer.
    NoQuorum {
        /// The queue.
        queue: &'static str,
        /// Nodes that answer.
        online: usize,
        /// Nodes that should.
        members: usize,
    },
    /// The broker is older or newer than what is known to work.
    UnsupportedVersion(Version),
}

/// A part of the topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Takes messages in.
    Exchange(&'static Exchange),
    /// Holds messages.
    Queue(&'static Queue),
    /// From exchange to queue.
    Binding(&'static Binding),
    /// Settings of queues.
    Policy(&'static Policy),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exchange(exchange) => write!(f, "exchange {}", exchange.name),
            Self::Queue(queue) => write!(f, "queue {}", queue.name),
            Self::Binding(binding) => {
                write!(
                    f,
                    "binding {} --{}--> {}",
                    binding.exchange, binding.routing_key, binding.queue
                )
            }
            Self::Policy(policy) => write!(f, "policy {}", policy.name),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(part) => write!(f, "{part} is missing; `acuse topology apply` creates it"),
            Self::PolicyDiffers { policy, how } => {
                write!(f, "policy {} {how}; `acuse topology apply` sets it right", policy.name)
            }
            Self::Unchangeable { part, how } => {
                write!(
                    f,
                    "{part} {how}; this cannot be changed: empty it, delete it, then apply the topology"
                )
            }
            Self::PolicyNotInForce {
                queue,
                wanted,
                found: Some(found),
            } => write!(
                f,
                "queue {queue} is under policy {found}, not {wanted}; delete {found} or lower its priority"
            ),
            Self::PolicyNotInForce {
                queue,
                wanted,
                found: None,
            } => write!(f, "queue {queue} is under no policy; it should be under {wanted}"),
            Self::UnexpectedBinding {
                exchange,
                routing_key,
                destination,
            } => write!(
                f,
                "binding {exchange} --{routing_key}--> {destination} is not part of the topology; delete it, or find \
                 out who needs it"
            ),
            Self::NoQuorum { queue, online, members } => {
                write!(
                    f,
                    "queue {queue} has no quorum: {online} of its {members} nodes answer; start the others"
                )
            }
            Self::UnsupportedVersion(version) => write!(
                f,
                "the broker is RabbitMQ {version}; supported are {} and later, before {}",
                Version::OLDEST,
                Version::TOO_NEW
            ),
        }
    }
}
