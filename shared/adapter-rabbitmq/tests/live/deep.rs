//! Headers nested so deep that reading them takes a large stack. The client library reads them on threads whose stack is
//! set for a whole process, so each case runs in a process of its own.

use std::process::Command;

use pipeline::verdict::{Settled, Verdict};

use crate::raw::{self, HEADERS};
use crate::rig::Rig;
use crate::scene::process;

const DEPTH: &str = "ACUSE_TEST_DEPTH";
const OF: &str = "ACUSE_TEST_DEPTH_OF";
/// As `platform::process` sets it for every service.
const STACK_BYTES: &str = "67108864";
/// Arrays, and tables, inside each other that fit a frame, beside what else stands in it.
const DEEPEST_ARRAYS: usize = 26_150;
const DEEPEST_TABLES: usize = 21_700;

/// Runs the consumer of [`a_consumer_of_deep_headers`] in a process of its own; whether it lived.
fn survives(of: &str, depth: usize, stack: Option<&str>) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--ignored", "--exact", "deep::a_consumer_of_deep_headers"])
        .env(OF, of)
        .env(DEPTH, depth.to_string())
        .env_remove("RUST_MIN_STACK");
    if let Some(stack) = stack {
        child.env("RUST_MIN_STACK", stack);
    }
    let output = child.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let overflown = String::from_utf8_lossy(&output.stderr).contains("overflowed its stack");
    assert!(told.contains("running 1 test"), "{told}");
    assert!(output.status.success() != overflown, "{output:?}");
    output.status.success()
}

#[test]
fn the_deepest_headers_that_fit_a_frame_are_survived_with_a_services_stack() {
    assert!(survives("arrays", DEEPEST_ARRAYS, Some(STACK_BYTES)));
    assert!(survives("tables", DEEPEST_TABLES, Some(STACK_BYTES)));
    // A copy of these takes the headers along.
    assert!(survives("arrays", 13_000, Some(STACK_BYTES)));
}

#[test]
fn the_usual_stack_would_not_do() {
    assert!(!survives("arrays", 2_000, None));
}

#[tokio::test]
#[ignore = "run by the tests above, each time in a process of its own"]
async fn a_consumer_of_deep_headers() {
    use platform::config::{Environment, Source as _};
    let depth: usize = Environment.get(DEPTH).unwrap().parse().unwrap();
    let mut rig = Rig::start("deep", 1).await;
    let deep = match Environment.get(OF).as_deref() {
        Some("tables") => raw::headers(b"d", b'F', &raw::nested_tables(depth)),
        _ => raw::headers(b"d", b'A', &raw::nested_arrays(depth)),
    };
    raw::publish(&rig.scene, HEADERS, &deep, process(1).body.as_bytes()).await;
    let held = rig.next().await;
    let letter = held.received.letter(pipeline::dead_letters::Queue::Process);
    assert!(letter.content.properties.contains("left_out"));
    // A copy of it, too, and that read once more.
    held.retry();
    let again = rig.next().await;
    assert_eq!(again.delivery.attempt, 2);
    again.answer(Verdict::Settled(Settled::Completed));
    rig.stop().await;
    assert_eq!(rig.scene.messages().await, 0);
}
