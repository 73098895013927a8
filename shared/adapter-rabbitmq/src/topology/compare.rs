//! What the broker has against what it should have. Pure.

use serde_json::Value;

use super::difference::{Difference, Part};
use super::{Binding, Exchange, Policy, Queue, Topology};
use crate::failure::one_line;
use crate::management::{BindingSeen, ExchangeSeen, PolicySeen, QueueSeen, Version};

/// A virtual host as it was found.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    pub(super) version: Version,
    pub(super) exchanges: Vec<ExchangeSeen>,
    pub(super) queues: Vec<QueueSeen>,
    pub(super) bindings: Vec<BindingSeen>,
    pub(super) policies: Vec<PolicySeen>,
}

/// Every difference, in the order in which `apply` can repair them.
pub(super) fn differences(wanted: &'static Topology, observed: &Observed) -> Vec<Difference> {
    let unsupported = (!observed.version.is_supported()).then_some(Difference::UnsupportedVersion(observed.version));
    let exchanges = wanted
        .exchanges
        .iter()
        .filter_map(|exchange| of_exchange(exchange, observed));
    let policies = wanted.policies.iter().filter_map(|policy| of_policy(policy, observed));
    let queues = wanted.queues.iter().flat_map(|queue| of_queue(queue, observed));
    let bindings = wanted
        .bindings
        .iter()
        .filter_map(|binding| of_binding(binding, observed));
    let unexpected = observed
        .bindings
        .iter()
        .filter_map(|binding| unexpected(wanted, binding));
    // A policy comes before the queue that it is for: a queue must not live without it, not even for a moment.
    unsupported
        .into_iter()
        .chain(exchanges)
        .chain(policies)
        .chain(queues)
        .chain(bindings)
        .chain(unexpected)
        .collect()
}

fn of_exchange(wanted: &'static Exchange, observed: &Observed) -> Option<Difference> {
    let part = Part::Exchange(wanted);
    let Some(seen) = observed.exchanges.iter().find(|seen| seen.name == wanted.name) else {
        return Some(Difference::Missing(part));
    };
    let how = if seen.kind != wanted.routing.name() {
        format!("is of type {}, not {}", one_line(&seen.kind), wanted.routing.name())
    } else if !seen.durable || seen.auto_delete || seen.internal {
        "is not durable, or deletes itself, or is internal".to_owned()
    } else if seen.arguments.is_empty() {
        return None;
    } else {
        format!("has arguments of its own ({})", names(&seen.arguments))
    };
    Some(Difference::Unchangeable { part, how })
}

fn of_queue(wanted: &'static Queue, observed: &Observed) -> Vec<Difference> {
    let part = Part::Queue(wanted);
    let Some(seen) = observed.queues.iter().find(|seen| seen.name == wanted.name) else {
        return vec![Difference::Missing(part)];
    };
    let mut found = vec![];
    let kind = seen
        .arguments
        .get("x-queue-type")
        .and_then(Value::as_str)
        .unwrap_or(&seen.kind);
    if kind != "quorum" {
        let how = format!("is a {} queue, not a quorum queue", one_line(kind));
        found.push(Difference::Unchangeable { part, how });
    } else if !seen.durable || seen.auto_delete {
        let how = "is not durable, or deletes itself".to_owned();
        found.push(Difference::Unchangeable { part, how });
    } else if seen.arguments.keys().any(|name| name != "x-queue-type") {
        let how = format!(
            "has more arguments than its type ({}), which would outlive any policy",
            names(&seen.arguments)
        );
        found.push(Difference::Unchangeable { part, how });
    }
    if let (Some(members), Some(online)) = (&seen.members, &seen.online)
        && online.len() * 2 <= members.len()
    {
        found.push(Difference::NoQuorum {
            queue: &wanted.name,
            online: online.len(),
            members: members.len(),
        });
    }
    if seen.policy.as_deref() != Some(wanted.policy.as_str()) {
        found.push(Difference::PolicyNotInForce {
            queue: &wanted.name,
            wanted: &wanted.policy,
            found: seen.policy.as_deref().map(one_line),
        });
    }
    found
}

fn of_binding(wanted: &'static Binding, observed: &Observed) -> Option<Difference> {
    let there = observed.bindings.iter().any(|seen| is(wanted, seen));
    (!there).then_some(Difference::Missing(Part::Binding(wanted)))
}

fn is(wanted: &Binding, seen: &BindingSeen) -> bool {
    seen.source == wanted.exchange
        && seen.routing_key == wanted.routing_key
        && seen.destination == wanted.queue
        && seen.destination_type == "queue"
        && seen.arguments.is_empty()
}

/// Whoever listens to an open exchange is welcome; all else that leads from or to what is ours is not.
fn unexpected(wanted: &Topology, seen: &BindingSeen) -> Option<Difference> {
    let from_ours = wanted
        .exchanges
        .iter()
        .any(|exchange| exchange.name == seen.source && !exchange.open_to_subscribers);
    let to_our_queue =
        seen.destination_type == "queue" && wanted.queues.iter().any(|queue| queue.name == seen.destination);
    let to_our_exchange = seen.destination_type == "exchange"
        && wanted
            .exchanges
            .iter()
            .any(|exchange| exchange.name == seen.destination);
    // The broker itself binds every queue to the nameless default exchange.
    let ours = !seen.source.is_empty() && (from_ours || to_our_queue || to_our_exchange);
    let planned = wanted.bindings.iter().any(|binding| is(binding, seen));
    (ours && !planned).then(|| Difference::UnexpectedBinding {
        exchange: one_line(&seen.source),
        routing_key: one_line(&seen.routing_key),
        destination: one_line(&seen.destination),
    })
}

fn of_policy(wanted: &'static Policy, observed: &Observed) -> Option<Difference> {
    let Some(seen) = observed.policies.iter().find(|seen| seen.name == wanted.name) else {
        return Some(Difference::Missing(Part::Policy(wanted)));
    };
    let apply_to = apply_to(observed.version);
    let same_settings = seen.definition.len() == wanted.definition.len()
        && wanted
            .definition
            .iter()
            .all(|(key, value)| seen.definition.get(*key) == Some(&value.to_json()));
    let how = if seen.pattern != wanted.pattern {
        format!("is for queues like {}, not {}", one_line(&seen.pattern), wanted.pattern)
    } else if seen.apply_to != apply_to {
        format!("applies to {}, not to {apply_to}", one_line(&seen.apply_to))
    } else if seen.priority != wanted.priority {
        format!("has priority {}, not {}", seen.priority, wanted.priority)
    } else if !same_settings {
        let settings = one_line(&Value::Object(seen.definition.clone()).to_string());
        let right = wanted
            .definition
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.to_json()));
        format!("says {settings}, not {}", Value::Object(right.collect()))
    } else {
        return None;
    };
    Some(Difference::PolicyDiffers { policy: wanted, how })
}

/// What a policy for quorum queues names as its target. Older brokers have no word for them alone.
pub(super) fn apply_to(version: Version) -> &'static str {
    if version.major >= 4 { "quorum_queues" } else { "queues" }
}

fn names(arguments: &serde_json::Map<String, Value>) -> String {
    let names: Vec<_> = arguments.keys().map(|name| one_line(name)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;
