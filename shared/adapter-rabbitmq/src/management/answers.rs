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

/// A queue as the broker's own tables have it, which do not lag.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct QueueSeen {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) durable: bool,
    pub(crate) auto_delete: bool,
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
    /// The policy in force, if any.
    pub(crate) policy: Option<String>,
    /// Nodes that hold it; not there for classic queues.
    pub(crate) members: Option<Vec<String>>,
    /// Those of them that answer.
    pub(crate) online: Option<Vec<String>>,
}

/// What [`FiguresSeen`] needs; asking for all would have the broker work for nothing.
pub(crate) const FIGURE_COLUMNS: &str = "name,messages,messages_ready,messages_unacknowledged,consumers";

/// What the broker gathers about a queue in the background.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct FiguresSeen {
    name: String,
    messages: Option<u64>,
    messages_ready: Option<u64>,
    messages_unacknowledged: Option<u64>,
    consumers: Option<u64>,
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

impl From<FiguresSeen> for Depth {
    fn from(figures: FiguresSeen) -> Self {
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
            queue: figures.name,
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
        for fresh in [r#"{"name":"q"}"#, r#"{"name":"q","messages":3,"consumers":0}"#] {
            let fresh: FiguresSeen = serde_json::from_str(fresh).unwrap();
            assert_eq!(Depth::from(fresh).counts, None);
        }
    }
}
