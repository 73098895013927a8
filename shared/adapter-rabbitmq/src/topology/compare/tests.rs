use serde_json::json;

use super::*;
use crate::topology::TOPOLOGY;

fn as_applied(version: &str) -> Observed {
    let version = Version::parse(version);
    let exchanges = json!([
        {"name": "", "type": "direct", "durable": true, "auto_delete": false, "internal": false, "arguments": {}},
        {"name": "orders", "type": "direct", "durable": true, "auto_delete": false, "internal": false, "arguments": {}},
        {"name": "orders.events", "type": "topic", "durable": true, "auto_delete": false, "internal": false, "arguments": {}},
    ]);
    let queues = json!([{
        "name": "orders.process", "type": "quorum", "durable": true, "auto_delete": false,
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
    observed.queues[0].policy = Some("catch-all".to_owned());
    let told = told(&observed);
    assert!(told[0].contains(r#"says {"delivery-limit":20}, not"#), "{told:?}");
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
