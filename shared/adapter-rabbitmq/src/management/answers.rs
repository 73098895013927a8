//! What the management API answers, reduced to what is looked at. Figures that are not there yet are `None`, never 0.

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A broker's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 3 in 3.10.8.
    pub major: u16,
    /// 10 in 3.10.8.
    pub minor: u16,
}

impl Version {
    /// Oldest version that is supported.
    pub const OLDEST: Self = Self { major: 3, minor: 10 };
    /// First version that is too new to be known.
    pub const TOO_NEW: Self = Self { major: 5, minor: 0 };

    /// Reads the first two numbers; zeros where there are none.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut numbers = text.split('.').map(|part| part.parse().unwrap_or(0));
        Self {
            major: numbers.next().unwrap_or(0),
            minor: numbers.next().unwrap_or(0),
        }
    }

    /// Whether the pipeline is known to work with it.
    #[must_use]
    pub fn is_supported(self) -> bool {
        (Self::OLDEST..Self::TOO_NEW).contains(&self)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Overview {
    rabbitmq_version: String,
}

impl Overview {
    pub(crate) fn version(&self) -> Version {
        Version::parse(&self.rabbitmq_version)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) reason: String,
}

impl Default for Refusal {
    fn default() -> Self {
        Self {
            reason: "no reason given".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ExchangeSeen {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) durable: bool,
    pub(crate) auto_delete: bool,
    pub(crate) internal: bool,
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
}

/// What [`QueueSeen`] needs; asking for all would have the broker work for nothing.
pub(crate) const QUEUE_COLUMNS: &str = "name,type,durable,auto_delete,arguments,policy,state,members,online,messages,\
                                        messages_ready,messages_unacknowledged,consumers";

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct QueueSeen {
    pub(crate) name: String,
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    pub(crate) durable: bool,
    pub(crate) auto_delete: bool,
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
    /// Nodes that hold it; not there for classic queues.
    pub(crate) members: Option<Vec<String>>,
    /// Those of them that answer.
    pub(crate) online: Option<Vec<String>>,
    #[serde(flatten)]
    pub(crate) figures: Figures,
}

/// What the broker gathers in the background.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Figures {
    /// There as soon as any figures are.
    pub(crate) state: Option<String>,
    pub(crate) policy: Option<String>,
    pub(crate) messages: Option<u64>,
    pub(crate) messages_ready: Option<u64>,
    pub(crate) messages_unacknowledged: Option<u64>,
    pub(crate) consumers: Option<u64>,
}

/// A figure that the broker has not gathered yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unknown;

impl QueueSeen {
    /// The policy in force, if any.
    pub(crate) fn policy_in_force(&self) -> Result<Option<&str>, Unknown> {
        match &self.figures.state {
            Some(_) => Ok(self.figures.policy.as_deref().filter(|name| !name.is_empty())),
            None => Err(Unknown),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct BindingSeen {
    pub(crate) source: String,
    pub(crate) destination: String,
    pub(crate) destination_type: String,
    pub(crate) routing_key: String,
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct PolicySeen {
    pub(crate) name: String,
    pub(crate) pattern: String,
    #[serde(rename = "apply-to")]
    pub(crate) apply_to: String,
    pub(crate) priority: i64,
    pub(crate) definition: Map<String, Value>,
}

/// What waits in one queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Depth {
    /// The queue's name.
    pub queue: String,
    /// Its messages; `None` while the broker has no figures yet, which says nothing of how many there are.
    pub counts: Option<Counts>,
    /// Its consumers; `None` while the broker has no figures yet.
    pub consumers: Option<u64>,
}

/// Messages of one queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Waiting for a consumer.
    pub ready: u64,
    /// In a consumer's hands.
    pub unacked: u64,
    /// Both, and what is on its way between.
    pub total: u64,
}

impl From<QueueSeen> for Depth {
    fn from(queue: QueueSeen) -> Self {
        let figures = queue.figures;
        let counts = || {
            Some(Counts {
                ready: figures.messages_ready?,
                unacked: figures.messages_unacknowledged?,
                total: figures.messages?,
            })
        };
        Self {
            counts: counts(),
            consumers: figures.consumers,
            queue: queue.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert!(Version::parse("3.10.8").is_supported());
        assert!(Version::parse("4.0.5").is_supported());
        assert!(Version::parse("4.3.0-rc.1").is_supported());
        for other in ["3.9.29", "5.0.0", "", "%%VSN%%"] {
            assert!(!Version::parse(other).is_supported(), "{other}");
        }
    }

    #[test]
    fn a_queue_without_figures_has_an_unknown_depth_not_an_empty_one() {
        let fresh = r#"{"name":"q","type":"quorum","durable":true,"auto_delete":false,"members":["a"],"online":["a"]}"#;
        let fresh: QueueSeen = serde_json::from_str(fresh).unwrap();
        assert_eq!(fresh.policy_in_force(), Err(Unknown));
        assert_eq!(Depth::from(fresh).counts, None);

        let half = r#"{"name":"q","durable":true,"auto_delete":false,"state":"running","policy":"","messages":3}"#;
        let half: QueueSeen = serde_json::from_str(half).unwrap();
        assert_eq!(half.policy_in_force(), Ok(None));
        assert_eq!(Depth::from(half).counts, None);
    }
}
