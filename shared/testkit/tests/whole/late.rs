//! Whoever slept through a compensation leaves nothing behind.

use testkit::wait::until;

use crate::batch::{audit, database};
use crate::scene::{Scene, order};

/// Slow services, so that a process can be stopped in the middle of a call; one order at a time, so that it is this one.
const SLOW: [(&str, &str); 2] = [("ACUSE_LATENCY_MS", "1500"), ("ACUSE_CONSUMERS", "1")];

#[tokio::test]
async fn a_worker_that_slept_through_the_compensation_changes_nothing() {
    let mut scene = Scene::set(&SLOW).await;
    let nowhere = order("LATE-1", "A", 2, "ZZ");
    scene.submit(&nowhere);
    // The worker asks logistics now, and sleeps before it hears that no carrier goes there.
    until("the goods are reserved", async || {
        scene.times("LATE-1", "reserve").await == 1
    })
    .await;
    scene.stack.signal("order-worker-1", "STOP");
    scene.stack.publish(
        nowhere.as_bytes(),
        r#"{"delivery_mode": 2, "correlation_id": "LATE-1"}"#,
    );
    scene.stack.script(&["start", "order-worker-2"]);
    let entry = scene.entry("LATE-1").await;
    scene.done(&[
        "dead-letters",
        "abandon",
        &entry.id,
        "--reason",
        "no carrier goes there",
    ]);
    scene.is("LATE-1", "compensated").await;

    scene.stack.signal("order-worker-1", "CONT");
    // Its call has run out of time, so the message rests once more; whichever worker takes it then finds the order final.
    let logs = ["order-worker-1", "order-worker-2"].map(|worker| scene.stack.scratch(&format!("logs/{worker}.log")));
    until("a worker has seen that the order moved on", async || {
        let told = logs
            .each_ref()
            .map(|log| std::fs::read_to_string(log).unwrap_or_default());
        told.iter()
            .any(|log| log.contains("a duplicate of order LATE-1 is dropped"))
    })
    .await;
    scene.is("LATE-1", "compensated").await;
    scene.stack.script(&["stop", "order-worker-2"]);
    let (told, code) = audit(&scene.stack, &[]);
    assert_eq!((told["compensated"].as_u64(), code), (Some(1), 0), "{told:#}");
}

#[tokio::test]
async fn calls_that_arrive_after_the_close_find_it_closed() {
    let mut scene = Scene::set(&[("ACUSE_CALL_MS", "500")]).await;
    // Everything that is asked of a stopped inventory waits in its socket, and is worked when it wakes.
    scene.stack.signal("inventory", "STOP");
    scene.submit(&order("LATE-2", "A", 1, "MX"));
    let entry = scene.entry("LATE-2").await;
    assert_eq!(entry.class, "exhausted");
    scene.done(&["dead-letters", "abandon", &entry.id, "--reason", "it takes too long"]);
    scene.is("LATE-2", "compensating").await;
    scene.stack.signal("inventory", "CONT");
    scene.is("LATE-2", "compensated").await;
    let mut inventory = database(&scene.stack, "INVENTORY").await;
    let held = "select count(*) from reservations where status in ('live', 'committed')";
    until("nothing is held", async || {
        sqlx::query_scalar::<_, i64>(held)
            .fetch_one(&mut inventory)
            .await
            .unwrap()
            == 0
    })
    .await;
    let (told, code) = audit(&scene.stack, &[]);
    assert_eq!((told["compensated"].as_u64(), code), (Some(1), 0), "{told:#}");
}
