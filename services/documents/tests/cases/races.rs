use futures_util::future::{join, join_all};
use serde_json::Value;
use testkit::http::Reply;

use super::{CLOSE, Done, World, closing, request, request_of};

/// Orders that a race is run for at once.
const RACES: usize = 50;

/// How many documents of this order count.
fn standing(done: &[Done]) -> usize {
    let of = |wanted: &str| done.iter().filter(|(kind, _, _)| kind == wanted).count();
    assert_eq!(of("label.issued"), 2 * of("invoice.issued"));
    assert_eq!(of("label.voided"), 2 * of("invoice.credited"));
    of("invoice.issued") - of("invoice.credited")
}

fn was(reply: &Reply, allowed: &[(u16, &str)]) {
    let told = (reply.status, reply.problem());
    assert!(
        allowed
            .iter()
            .any(|(status, kind)| told == (*status, (*kind).to_owned())),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn no_document_counts_under_a_tombstone_whoever_comes_first() {
    let world = World::new("race").await;
    let world = &world;
    let orders: Vec<_> = (0..RACES).map(|place| format!("ORD-{place}")).collect();
    let raced = join_all(orders.iter().map(async |order| {
        let request = request(order);
        join(world.generate(order, &request), world.close(order, 1)).await
    }));
    for (issued, closed) in raced.await {
        was(&issued, &[(200, ""), (409, "superseded")]);
        assert_eq!(
            closed.credit_notes.len(),
            usize::from(issued.status == 200),
            "{closed:?}"
        );
    }
    let done = world.done_by_order().await;
    for order in &orders {
        assert_eq!(done.get(order).map_or(0, |done| standing(done)), 0, "{order}");
        was(&world.generate(order, &request(order)).await, &[(409, "superseded")]);
    }
}

#[tokio::test]
async fn the_next_generation_waits_for_the_closing_of_the_one_before() {
    let world = World::new("race_next").await;
    let world = &world;
    let orders: Vec<_> = (0..RACES).map(|place| format!("ORD-{place}")).collect();
    let raced = join_all(orders.iter().map(async |order| {
        let _first: Value = world.generate(order, &request(order)).await.ok();
        let (key, next) = (format!("{order}-2"), request_of(order, 2));
        let (issued, _closed) = join(world.generate(&key, &next), world.close(order, 1)).await;
        issued
    }));
    for (order, issued) in orders.iter().zip(raced.await) {
        was(&issued, &[(200, ""), (409, "already-exists")]);
        assert_eq!(
            standing(&world.done(order).await),
            usize::from(issued.status == 200),
            "{order}"
        );
    }
}

#[tokio::test]
async fn a_crowd_that_closes_credits_once() {
    let world = World::new("race_close").await;
    let _issued: Value = world.generate("K-1", &request("ORD-1")).await.ok();
    let body = closing("ORD-1", 1);
    let replies = join_all((0..RACES).map(|_| world.server.post(CLOSE, &body))).await;
    for reply in &replies {
        assert_eq!((reply.status, &reply.text), (200, &replies[0].text));
    }
    assert_eq!(world.done("ORD-1").await.len(), 6);
}
