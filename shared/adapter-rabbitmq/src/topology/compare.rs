//! What the broker has against what it should have. Pure.

use serde_json::Value;

use super::difference::{Difference, Part};
use super::{Binding, Exchange, Policy, Queue, Topology};
use crate::failure::one_line;
use crate::management::{BindingSeen, ExchangeSeen, PolicySeen, QueueSeen, Unknown, Version};

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
pub(super) fn differences(wanted: &Topology, observed: &Observed) -> Vec<Difference> {
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
            queue: wanted.name,
            online: online.len(),
            members: members.len(),
        });
    }
    match seen.policy_in_force() {
        Ok(Some(name)) if name == wanted.policy => {}
        Ok(other) => found.push(Difference::PolicyNotInForce {
            queue: wanted.name,
            wanted: wanted.policy,
            found: other.map(one_line),
        }),
        Err(Unknown) => {}
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
            .all(|&(key, value)| seen.definition.get(key).and_then(Value::as_i64) == Some(value));
    let how = if seen.pattern != wanted.pattern {
        format!("is for queues like {}, not {}", one_line(&seen.pattern), wanted.pattern)
    } else if seen.apply_to != apply_to {
        format!("applies to {}, not to {apply_to}", one_line(&seen.apply_to))
    } else if seen.priority != wanted.priority {
        format!("has priority {}, not {}", seen.priority, wanted.priority)
    } else if !same_settings {
        let settings = one_line(&Value::Object(seen.definition.clone()).to_string());
        format!("says {settings}, not {:?}", wanted.definition)
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
mod tests {
    use serde_json::json;

    use super::super::TOPOLOGY;
    use super::*;

    fn as_applied(version: &str) -> Observed {
        let version = Version::parse(version);
        let exchanges = json!([
            {"name": "", "type": "direct", "durable": true, "auto_delete": false, "internal": false, "arguments": {}},
            {"name": "orders", "type": "direct", "durable": true, "auto_delete": false, "internal": false, "arguments": {}},
            {"name": "orders.events", "type": "topic", "durable": true, "auto_delete": false, "internal": false, "arguments": {}},
        ]);
        let queues = json!([{
            "name": "orders.process", "type": "quorum", "durable": true, "auto_delete": false, "state": "running",
            "arguments": {"x-queue-type": "quorum"}, "policy": "acuse-orders-process",
            "members": ["rabbit@a"], "online": ["rabbit@a"],
        }]);
        let bindings = json!([
            {"source": "", "destination": "orders.process", "destination_type": "queue", "routing_key": "orders.process", "arguments": {}},
            {"source": "orders", "destination": "orders.process", "destination_type": "queue", "routing_key": "order.process", "arguments": {}},
        ]);
        let policies = json!([{
            "name": "acuse-orders-process", "pattern": "^orders\\.process$", "apply-to": apply_to(version),
            "priority": 10, "definition": {"delivery-limit": 1_000_000},
        }]);
        Observed {
            version,
            exchanges: serde_json::from_value(exchanges).unwrap(),
            queues: serde_json::from_value(queues).unwrap(),
            bindings: serde_json::from_value(bindings).unwrap(),
            policies: serde_json::from_value(policies).unwrap(),
        }
    }

    fn told(observed: &Observed) -> Vec<String> {
        differences(&TOPOLOGY, observed)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn what_was_applied_has_no_difference_on_old_brokers_and_new() {
        assert_eq!(told(&as_applied("3.10.8")), [""; 0]);
        assert_eq!(told(&as_applied("4.3.1")), [""; 0]);
    }

    #[test]
    fn an_empty_virtual_host_lacks_everything_policies_before_their_queues() {
        let empty = Observed {
            exchanges: vec![],
            queues: vec![],
            bindings: vec![],
            policies: vec![],
            ..as_applied("3.10.8")
        };
        let parts: Vec<_> = told(&empty)
            .iter()
            .map(|one| one.split(" is missing").next().unwrap().to_owned())
            .collect();
        let expected = [
            "exchange orders",
            "exchange orders.events",
            "policy acuse-orders-process",
            "queue orders.process",
            "binding orders --order.process--> orders.process",
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn what_cannot_be_changed_is_left_to_a_person() {
        let mut observed = as_applied("3.10.8");
        observed.exchanges[1].kind = "fanout".to_owned();
        observed.queues[0].arguments = serde_json::from_value(json!({"x-queue-type": "classic"})).unwrap();
        let told = told(&observed);
        assert!(
            told[0].starts_with("exchange orders is of type fanout, not direct; this cannot be changed"),
            "{told:?}"
        );
        assert!(
            told[1].starts_with("queue orders.process is a classic queue, not a quorum queue"),
            "{told:?}"
        );
    }

    #[test]
    fn a_queue_argument_that_outlives_policies_is_a_difference() {
        let mut observed = as_applied("3.10.8");
        observed.queues[0]
            .arguments
            .insert("x-delivery-limit".to_owned(), json!(20));
        assert!(
            told(&observed)[0].contains("has more arguments than its type"),
            "{:?}",
            told(&observed)
        );
    }

    #[test]
    fn a_policy_that_says_something_else_or_is_not_in_force_is_named() {
        let mut observed = as_applied("4.0.5");
        observed.policies[0]
            .definition
            .insert("delivery-limit".to_owned(), json!(20));
        observed.queues[0].figures.policy = Some("catch-all".to_owned());
        let told = told(&observed);
        assert!(told[0].contains(r#"says {"delivery-limit":20}, not"#), "{told:?}");
        assert!(
            told[1].contains("is under policy catch-all, not acuse-orders-process"),
            "{told:?}"
        );
    }

    #[test]
    fn a_queue_whose_figures_are_not_there_yet_is_not_accused() {
        let mut observed = as_applied("3.10.8");
        observed.queues[0].figures = serde_json::from_value(json!({})).unwrap();
        assert_eq!(told(&observed), [""; 0]);
    }

    #[test]
    fn strangers_may_listen_to_events_and_nowhere_else() {
        let mut observed = as_applied("3.10.8");
        let binding = |source: &str, destination: &str| BindingSeen {
            source: source.to_owned(),
            destination: destination.to_owned(),
            destination_type: "queue".to_owned(),
            routing_key: "#".to_owned(),
            arguments: serde_json::Map::new(),
        };
        observed.bindings.push(binding("orders.events", "billing.events"));
        assert_eq!(told(&observed), [""; 0]);
        observed.bindings.push(binding("orders", "spy"));
        observed.bindings.push(binding("orders.events", "orders.process"));
        let told = told(&observed);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(
            told[0].starts_with("binding orders --#--> spy is not part of the topology"),
            "{told:?}"
        );
    }

    #[test]
    fn a_queue_without_quorum_and_a_broker_of_another_age_are_unsafe() {
        let mut observed = as_applied("3.9.1");
        observed.queues[0].members = Some(vec!["a".to_owned(), "b".to_owned()]);
        observed.queues[0].online = Some(vec!["a".to_owned()]);
        let told = told(&observed);
        assert!(told[0].contains("RabbitMQ 3.9; supported are 3.10"), "{told:?}");
        assert!(told[1].contains("1 of its 2 nodes answer"), "{told:?}");
    }
}
