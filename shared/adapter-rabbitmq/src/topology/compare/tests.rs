use serde_json::json;

use super::*;
use crate::topology::topology;

/// A virtual host as `apply` leaves it.
fn as_applied(version: &str) -> Observed {
    let (version, wanted) = (Version::parse(version), topology());
    let exchange = |name: &str, kind: &str| json!({"name": name, "type": kind, "durable": true, "auto_delete": false, "internal": false, "arguments": {}});
    let exchanges = wanted
        .exchanges
        .iter()
        .map(|one| exchange(one.name, one.routing.name()));
    let queues = wanted.queues.iter().map(|queue| {
        json!({
            "name": queue.name, "type": "quorum", "durable": true, "auto_delete": false,
            "arguments": {"x-queue-type": "quorum"}, "policy": queue.policy,
            "members": ["rabbit@a"], "online": ["rabbit@a"],
        })
    });
    let binding = |source: &str, queue: &str, key: &str| {
        json!({
            "source": source, "destination": queue, "destination_type": "queue", "routing_key": key, "arguments": {},
        })
    };
    let bindings = wanted.bindings.iter().flat_map(|one| {
        let implicit = binding("", &one.queue, &one.queue);
        [implicit, binding(one.exchange, &one.queue, &one.routing_key)]
    });
    let policies = wanted.policies.iter().map(|policy| {
        let settings = policy
            .definition
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.to_json()));
        json!({
            "name": policy.name, "pattern": policy.pattern, "apply-to": apply_to(version),
            "priority": policy.priority, "definition": settings.collect::<serde_json::Map<_, _>>(),
        })
    });
    let read = |values: Vec<Value>| Value::Array(values);
    Observed {
        version,
        exchanges: serde_json::from_value(read([exchange("", "direct")].into_iter().chain(exchanges).collect()))
            .unwrap(),
        queues: serde_json::from_value(read(queues.collect())).unwrap(),
        bindings: serde_json::from_value(read(bindings.collect())).unwrap(),
        policies: serde_json::from_value(read(policies.collect())).unwrap(),
    }
}

fn told(observed: &Observed) -> Vec<String> {
    differences(topology(), observed)
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
    let at = |part: &str| parts.iter().position(|one| one == part);
    assert!(at("exchange orders") < at("policy acuse-orders-process"));
    assert!(at("policy acuse-orders-process") < at("queue orders.process"));
    assert!(at("queue orders.process") < at("binding orders --order.process--> orders.process"));
    let all = topology();
    let count = all.exchanges.len() + all.policies.len() + all.queues.len() + all.bindings.len();
    assert_eq!(parts.len(), count);
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
    observed.queues[0].policy = Some("catch-all".to_owned());
    let told = told(&observed);
    assert!(told[0].contains(r#""delivery-limit":20"#), "{told:?}");
    assert!(
        told[1].contains("is under policy catch-all, not acuse-orders-process"),
        "{told:?}"
    );
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
