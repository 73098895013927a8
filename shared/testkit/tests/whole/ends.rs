//! Every way in which an order can fail comes to its end, and goes on from there once its cause is gone.

use crate::batch::audit;
use crate::scene::{Scene, order};

#[tokio::test]
async fn a_refused_order_goes_on_when_its_product_arrives_and_an_abandoned_one_is_paid_back() {
    let mut scene = Scene::set(&[]).await;
    scene.submit(&order("REFUSED-1", "NEW-1", 1, "MX"));
    scene.submit(&order("REFUSED-2", "NEVER-1", 1, "MX"));
    scene.submit(&order("NOWHERE-1", "A", 2, "ZZ"));
    scene.submit(&order("SHORT-1", "A", 101, "MX"));
    scene.submit(&order("GOOD-1", "A", 1, "MX"));
    scene.is("GOOD-1", "completed").await;
    scene.is("SHORT-1", "compensated").await;

    let entry = scene.entry("REFUSED-1").await;
    assert_eq!(
        (entry.class.as_str(), entry.step.as_deref()),
        ("refused", Some("check_stock"))
    );
    let (kept, accepted) = (read(&entry.body), read(order("REFUSED-1", "NEW-1", 1, "MX").as_bytes()));
    assert_eq!(kept, accepted, "the document is as it was accepted");
    scene.deliver("NEW-1,WH-MX-CDMX,1.000,1\n");
    scene.done(&["dead-letters", "replay", &entry.id, "--reason", "it was delivered"]);
    scene.is("REFUSED-1", "completed").await;

    // Half-way on its road: what it has is found when it is taken back.
    let entry = scene.entry("NOWHERE-1").await;
    assert_eq!(
        (entry.class.as_str(), entry.step.as_deref()),
        ("refused", Some("calculate_shipment"))
    );
    for order in ["REFUSED-2", "NOWHERE-1"] {
        let entry = scene.entry(order).await;
        scene.done(&["dead-letters", "abandon", &entry.id, "--reason", "it never will be"]);
        scene.is(order, "compensated").await;
        let again = scene
            .stack
            .acuse(&["dead-letters", "abandon", &entry.id, "--reason", "twice"]);
        assert_eq!(again.status.code(), Some(1), "{again:?}");
    }
    let (told, code) = audit(&scene.stack, &[]);
    assert_eq!(
        (told["completed"].as_u64(), told["compensated"].as_u64(), code),
        (Some(2), Some(3), 0),
        "{told:#}"
    );
}

#[tokio::test]
async fn a_dead_service_costs_the_ladder_and_then_both_roads_wait_for_a_person() {
    let mut scene = Scene::set(&[]).await;
    scene.stack.script(&["kill", "documents"]);
    scene.submit(&order("EXHAUSTED-1", "A", 1, "MX"));
    scene.submit(&order("SHORT-1", "A", 101, "MX"));
    let entry = scene.entry("EXHAUSTED-1").await;
    assert_eq!(
        (entry.class.as_str(), entry.step.as_deref()),
        ("exhausted", Some("issue_documents"))
    );
    let stuck = scene.entry("SHORT-1").await;
    assert_eq!(
        (stuck.class.as_str(), stuck.step.as_deref()),
        ("exhausted", Some("undo"))
    );
    scene.is("SHORT-1", "stuck").await;
    let refused = scene
        .stack
        .acuse(&["dead-letters", "replay", &stuck.id, "--reason", "no"]);
    assert_eq!(
        refused.status.code(),
        Some(1),
        "a stuck order has one way out: {refused:?}"
    );

    scene.stack.script(&["start", "documents"]);
    scene.done(&["dead-letters", "replay", &entry.id, "--reason", "documents is back"]);
    scene.done(&["orders", "redo", "SHORT-1", "--reason", "documents is back"]);
    scene.is("EXHAUSTED-1", "completed").await;
    scene.is("SHORT-1", "compensated").await;
    for step in ["check_stock", "reserve", "calculate_shipment", "commit_reservation"] {
        assert_eq!(
            scene.times("EXHAUSTED-1", step).await,
            1,
            "{step} was found, not repeated"
        );
    }
    let (told, code) = audit(&scene.stack, &[]);
    assert_eq!(
        (told["completed"].as_u64(), told["compensated"].as_u64(), code),
        (Some(1), Some(1), 0),
        "{told:#}"
    );
}

#[tokio::test]
async fn messages_that_belong_to_no_order_are_kept_sent_again_or_discarded() {
    let mut scene = Scene::set(&[]).await;
    let later = order("LATER-1", "A", 1, "MX");
    scene.stack.publish(later.as_bytes(), r#"{"delivery_mode": 2}"#);
    let unknown = scene.entry("LATER-1").await;
    assert_eq!(
        (unknown.class.as_str(), unknown.body.as_slice()),
        ("unknown_order", later.as_bytes())
    );
    scene.submit(&later);
    scene.is("LATER-1", "completed").await;
    scene.done(&[
        "dead-letters",
        "replay",
        &unknown.id,
        "--reason",
        "checkout knows it by now",
    ]);

    let rubbish = [0xff, 0xfe, 0x00, 0x9f];
    scene.stack.publish(&rubbish, "{}");
    let first = scene.entry_of(&rubbish).await;
    assert_eq!(
        (first.class.as_str(), first.body.as_slice()),
        ("invalid", rubbish.as_slice())
    );
    scene.done(&["dead-letters", "replay", &first.id, "--reason", "let us see"]);
    let again = scene.entry_of(&rubbish).await;
    assert_ne!(again.id, first.id, "what fails again is another entry");
    scene.done(&[
        "dead-letters",
        "discard",
        &again.id,
        "--reason",
        "nobody knows what it was",
    ]);

    let (told, code) = audit(&scene.stack, &[]);
    assert_eq!((told["completed"].as_u64(), code), (Some(1), 0), "{told:#}");
}

fn read(document: &[u8]) -> serde_json::Value {
    serde_json::from_slice(document).unwrap()
}
