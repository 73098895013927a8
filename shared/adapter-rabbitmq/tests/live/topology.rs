use adapter_rabbitmq::management::{Counts, Management};
use adapter_rabbitmq::topology::{PROCESS_QUEUE, apply, check, topology};
use pipeline::ports::Publisher as _;
use serde_json::json;
use testkit::broker::{Permissions, TestBroker};
use testkit::wait;

use crate::scene::{Scene, as_administrator, process};

fn parts() -> usize {
    let all = topology();
    all.exchanges.len() + all.policies.len() + all.queues.len() + all.bindings.len()
}

#[tokio::test]
async fn applying_twice_changes_nothing_and_the_check_is_clean() {
    let broker = TestBroker::create("apply").await;
    let management = as_administrator(&broker);
    assert!(management.version().await.unwrap().is_supported());
    let first = apply(&management).await.unwrap();
    let all = parts();
    assert_eq!(
        (first.created.len(), first.left, first.remaining.len()),
        (all, 0, 0),
        "{first}"
    );
    let second = apply(&management).await.unwrap();
    assert_eq!(
        (second.created.len(), second.changed.len(), second.left),
        (0, 0, all),
        "{second}"
    );
    assert_eq!(check(&management).await.unwrap(), []);
}

#[tokio::test]
async fn a_deleted_binding_is_named_and_put_back() {
    let scene = Scene::set("binding").await;
    let path = [
        "bindings",
        scene.broker.vhost(),
        "e",
        "orders",
        "q",
        PROCESS_QUEUE,
        "order.process",
    ];
    scene.broker.delete(&path).await;
    let told: Vec<_> = check(&scene.management)
        .await
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = "binding orders --order.process--> orders.process is missing; `acuse topology apply` creates it";
    assert_eq!(told, [expected]);
    assert_eq!(
        apply(&scene.management).await.unwrap().created,
        ["binding orders --order.process--> orders.process"]
    );
    assert_eq!(check(&scene.management).await.unwrap(), []);
}

#[tokio::test]
async fn a_missing_rest_queue_is_named() {
    let scene = Scene::set("rest-queue").await;
    let queue = ["queues", scene.broker.vhost(), "orders.process.retry.3.b"];
    scene.broker.delete(&queue).await;
    let told: Vec<_> = check(&scene.management)
        .await
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "queue orders.process.retry.3.b is missing; `acuse topology apply` creates it",
            "binding orders.retry --orders.process.retry.3.b--> orders.process.retry.3.b is missing; `acuse topology \
             apply` creates it",
        ]
    );
}

#[tokio::test]
async fn a_policy_that_was_changed_is_named_and_set_right() {
    let scene = Scene::set("policy").await;
    let path = ["policies", scene.broker.vhost(), "acuse-orders-process"];
    let lower = json!({ "pattern": r"^orders\.process$", "definition": { "delivery-limit": 20 }, "priority": 10 });
    scene.broker.put(&path, &lower).await;
    let told: Vec<_> = check(&scene.management)
        .await
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(told[0].starts_with("policy acuse-orders-process"), "{told:?}");
    let report = apply(&scene.management).await.unwrap();
    assert_eq!((report.changed.len(), report.remaining.len()), (1, 0), "{report}");
}

#[tokio::test]
async fn a_queue_of_the_wrong_type_is_left_alone_and_named() {
    let broker = TestBroker::create("classic").await;
    let classic = json!({ "durable": true, "auto_delete": false, "arguments": { "x-queue-type": "classic" } });
    broker.put(&["queues", broker.vhost(), PROCESS_QUEUE], &classic).await;
    let report = apply(&as_administrator(&broker)).await.unwrap();
    let told: Vec<_> = report.remaining.iter().map(ToString::to_string).collect();
    assert!(
        told[0].starts_with("queue orders.process is a classic queue, not a quorum queue"),
        "{told:?}"
    );
    let queue = broker.get(&["queues", broker.vhost(), PROCESS_QUEUE]).await;
    assert_eq!(queue["type"], "classic");
}

#[tokio::test]
async fn a_depth_is_unknown_until_the_broker_has_counted() {
    let scene = Scene::set("depths").await;
    let depth = async || {
        let depths = scene.management.depths().await.unwrap();
        let process = depths.into_iter().find(|depth| depth.queue == PROCESS_QUEUE);
        process.unwrap()
    };
    assert_eq!(depth().await.counts, None);
    scene.publisher(1).publish(&process(1)).await.unwrap();
    let one = Counts {
        ready: 1,
        unacked: 0,
        total: 1,
    };
    wait::until("the broker has counted", async || depth().await.counts == Some(one)).await;
    wait::until("nobody is known to consume", async || {
        depth().await.consumers == Some(0)
    })
    .await;
}

#[tokio::test]
async fn an_operators_rights_suffice_to_apply_and_check() {
    let mut broker = TestBroker::create("operator-rights").await;
    let rights = Permissions {
        configure: r"^orders(\..*)?$",
        write: r"^orders(\..*)?$",
        read: r"^orders(\..*)?$",
        tags: "policymaker,monitoring",
    };
    let (user, password, _) = broker.user("operator", rights).await;
    let url = broker.management_url().parse().unwrap();
    let management = Management::new(url, &user, password, broker.vhost()).unwrap();
    assert_eq!(apply(&management).await.unwrap().created.len(), parts());
    assert_eq!(check(&management).await.unwrap(), []);
}

#[tokio::test]
async fn a_wrong_password_is_refused_in_words_that_help_and_do_not_show_it() {
    let broker = TestBroker::create("wrong-password").await;
    let Ok(password) = "s3cret".parse();
    let url = broker.management_url().parse().unwrap();
    let management = Management::new(url, "nobody", password, broker.vhost()).unwrap();
    let error = check(&management).await.unwrap_err();
    let told = format!("{error}: {}", std::error::Error::source(&error).unwrap());
    assert!(told.contains("401") && told.contains("check user, password"), "{told}");
    assert!(!told.contains("s3cret"), "{told}");
}
