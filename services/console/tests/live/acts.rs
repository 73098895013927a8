//! What becomes of an order when a person acts.

use contracts::console::ActAnswer;
use pipeline::dead_letters::{Letter, Queue};
use pipeline::happened::Happened;
use pipeline::id::Generation;
use pipeline::order::State;
use serde_json::{Value, json};
use testkit::conformance::sample;

use crate::base::{OPERATOR, because, console, letter};

fn noted(event: &str, to: &str) -> (String, String, String, Option<String>) {
    let note = format!("by {OPERATOR}: the shop says so");
    (event.to_owned(), to.to_owned(), OPERATOR.to_owned(), Some(note))
}

#[tokio::test]
async fn a_replay_sends_the_order_back_and_stands_on_record() {
    let it = console("replay").await;
    let entry = it.waiting("ORD-1").await;
    it.forget_outbox().await;
    let answer: ActAnswer = it.act(entry, "replay").await.ok();
    assert_eq!(
        (answer.id, answer.done.as_str(), answer.warnings.len()),
        (entry.to_string(), "replayed", 0)
    );
    assert_eq!(it.order("ORD-1").await.state, State::Accepted);
    assert_eq!(it.last("ORD-1").await, noted("replayed", "accepted"));
    assert_eq!(it.outbox().await, [("order.process".to_owned(), 1)]);
    let view = it.view(entry).await;
    assert_eq!(
        (view.row.state.as_str(), view.closed.unwrap().by.as_str()),
        ("replayed", OPERATOR)
    );
}

#[tokio::test]
async fn a_replayed_order_that_fails_again_waits_as_another_entry() {
    let it = console("replay_again").await;
    let first = it.waiting("ORD-1").await;
    let _done = it.act(first, "replay").await;
    it.walk("ORD-1", vec![Happened::DeadLettered(sample::failed())]).await;
    let second = it.kept(&letter(Queue::Process, "ORD-1", sample::failed())).await;
    assert_ne!(first, second);
    let rows = it.list("order_id=ORD-1&state=all").await.rows;
    let states: Vec<_> = rows.iter().map(|row| row.state.as_str()).collect();
    assert_eq!(states, ["replayed", "open"]);
}

#[tokio::test]
async fn an_abandoned_order_is_undone() {
    let it = console("abandon").await;
    let entry = it.waiting("ORD-1").await;
    it.forget_outbox().await;
    let answer: ActAnswer = it.act(entry, "abandon").await.ok();
    assert_eq!((answer.done.as_str(), answer.warnings.len()), ("abandoned", 0));
    assert_eq!(it.last("ORD-1").await, noted("abandoned", "compensating"));
    assert_eq!(it.outbox().await, [("order.compensate".to_owned(), 1)]);
}

#[tokio::test]
async fn giving_up_an_order_whose_customer_may_have_been_told_is_warned_of() {
    let it = console("abandon_confirmed").await;
    let dead = Happened::DeadLettered(sample::failed());
    for (id, steps, warnings) in [("ORD-1", 4, 0), ("ORD-2", 5, 1)] {
        it.place(id).await;
        let mut road = sample::road(&it.order(id).await);
        road.truncate(steps);
        road.push(dead.clone());
        it.walk(id, road).await;
        let entry = it.kept(&letter(Queue::Process, id, sample::failed())).await;
        let answer: ActAnswer = it.act(entry, "abandon").await.ok();
        assert_eq!(answer.warnings.len(), warnings, "{id}: documents are issued in step 5");
    }
    let entry = it.waiting("ORD-3").await;
    let edited =
        json!({ "reason": "x", "document": serde_json::from_str::<Value>(&sample::document("ORD-3", 2)).unwrap() });
    assert_eq!(it.act_with(entry, "replay", &edited).await.status, 200);
    it.walk("ORD-3", vec![dead]).await;
    let again = Letter {
        generation: Generation(2),
        ..letter(Queue::Process, "ORD-3", sample::failed())
    };
    let entry = it.kept(&again).await;
    let answer: ActAnswer = it.act(entry, "abandon").await.ok();
    assert!(answer.warnings[0].contains("may have been told"), "{answer:?}");
}

#[tokio::test]
async fn only_a_message_of_no_order_is_discarded() {
    let it = console("discard").await;
    let stray = it.stray(Queue::Invalid, b"\xff").await;
    let answer: ActAnswer = it.act(stray, "discard").await.ok();
    assert_eq!((answer.id, answer.done.as_str()), (stray.to_string(), "discarded"));
    assert_eq!(it.view(stray).await.row.state, "discarded");

    let entry = it.waiting("ORD-1").await;
    let refused = it.act(entry, "discard").await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "not-waiting"));
    assert!(
        refused.text.contains("an accepted order cannot be discarded"),
        "{}",
        refused.text
    );
    assert_eq!(it.view(entry).await.row.state, "open");
}

#[tokio::test]
async fn a_redo_is_the_one_way_out_of_stuck() {
    let it = console("redo").await;
    let entry = it.stuck("ORD-1").await;
    it.forget_outbox().await;
    for act in ["replay", "abandon", "discard"] {
        let refused = it.act(entry, act).await;
        assert_eq!(
            (refused.status, refused.problem().as_str()),
            (409, "not-waiting"),
            "{act}"
        );
    }
    assert!(it.act(entry, "replay").await.text.contains("acuse orders redo"));
    let answer: ActAnswer = it.server.post("/orders/ORD-1/redo", &because()).await.ok();
    assert_eq!((answer.id.as_str(), answer.done.as_str()), ("ORD-1", "redone"));
    assert_eq!(it.last("ORD-1").await, noted("redone", "compensating"));
    assert_eq!(it.outbox().await, [("order.compensate".to_owned(), 1)]);
    assert_eq!(it.view(entry).await.row.state, "redone");

    let again = it.server.post("/orders/ORD-1/redo", &because()).await;
    assert_eq!((again.status, again.problem().as_str()), (409, "not-waiting"));
}

#[tokio::test]
async fn a_redo_does_not_wait_for_the_letter() {
    let it = console("redo_early").await;
    it.stuck_without_letter("ORD-1").await;
    let answer: ActAnswer = it.server.post("/orders/ORD-1/redo", &because()).await.ok();
    assert_eq!(answer.done, "redone");
    assert_eq!(it.order("ORD-1").await.state, State::Compensating);
}

#[tokio::test]
async fn of_a_crowd_that_acts_one_is_answered_that_it_is_done() {
    let it = console("crowd").await;
    let entry = it.waiting("ORD-1").await;
    it.forget_outbox().await;
    let acts = ["replay", "abandon"].into_iter().cycle().take(20);
    let mut told = vec![];
    for asked in futures_util::future::join_all(acts.map(|what| it.act(entry, what))).await {
        told.push((asked.status, asked.problem()));
    }
    assert_eq!(told.iter().filter(|(status, _)| *status == 200).count(), 1, "{told:?}");
    assert_eq!(
        told.iter().filter(|(_, problem)| problem == "not-waiting").count(),
        19,
        "{told:?}"
    );
    assert_eq!(it.outbox().await.len(), 1);
}
