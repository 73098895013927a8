use std::time::Duration;

use adapter_http::server::{Dials, Percent};
use testkit::manners::{self, with_key};
use testkit::wait::until;

use super::{RESERVE, World, reserve, told};

fn all() -> Percent {
    "100".parse().expect("a share")
}

#[tokio::test]
async fn a_dialled_error_leaves_nothing_and_the_key_is_free() {
    let world = World::with_stock("dials_errors", &[("A", "WH-MX-1", 9)]).await;
    let errors = Dials {
        errors: all(),
        ..Dials::NONE
    };
    let failing = world.dialled(errors).await;
    let request = reserve("ORD-1", &[("A", 1, None)]);
    let refused = failing
        .post(RESERVE, &serde_json::from_str(&with_key(&request, "K")).unwrap())
        .await;
    assert_eq!(told(&refused), (503, "unavailable".to_owned()));
    assert!(manners::effects(&failing).await.is_empty(), "logs are never dialled");
    assert_eq!(
        world.post(RESERVE, "K", &request).await.header("idempotency-replayed"),
        None
    );
    assert_eq!(world.done("ORD-1").await, ["reservation.confirmed"]);
}

#[tokio::test]
async fn a_time_out_after_the_effect_is_found_by_the_next_try() {
    let world = World::with_stock("dials_timeouts", &[("A", "WH-MX-1", 9)]).await;
    let timeouts = Dials {
        timeouts: all(),
        ..Dials::NONE
    };
    let silent = world.dialled(timeouts).await;
    let request = reserve("ORD-1", &[("A", 1, None)]);
    let body = serde_json::from_str(&with_key(&request, "K")).unwrap();
    let mut asking = Box::pin(silent.post(RESERVE, &body));
    let had = until("the effect is had", async || !world.done("ORD-1").await.is_empty());
    tokio::select! {
        reply = &mut asking => panic!("it was answered: {}", reply.text),
        () = had => {}
    }
    let answered = tokio::time::timeout(Duration::from_millis(200), asking).await;
    assert!(answered.is_err(), "it was answered after the effect");

    let again = world.post(RESERVE, "K", &request).await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (200, Some("true"))
    );
    let other = reserve("ORD-1", &[("A", 2, None)]);
    assert_eq!(
        told(&world.post(RESERVE, "K", &other).await),
        (422, "key-reused".to_owned())
    );
    assert_eq!(world.done("ORD-1").await, ["reservation.confirmed"]);
    world.assert_balanced().await;
}
