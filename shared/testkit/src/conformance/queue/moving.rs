//! What comes again, and when.

use std::time::Duration;

use pipeline::message::Delivery;
use pipeline::outgoing::ORDER_PROCESS;
use pipeline::retry::{DEFER_MS, Rest};
use pipeline::verdict::{Defer, Retry, Verdict};

use super::{Consumer, Work, World, complete, is_empty, number, process, publish, undo};

/// The shortest rest.
fn shortest() -> Rest {
    let shortest = Rest::all().min_by_key(|rest| rest.milliseconds());
    shortest.expect("there are rests")
}

async fn retry(consumer: &mut dyn Consumer, rest: Rest) {
    let retry = Retry {
        attempt: 2,
        rest,
        why: "inventory: time out\r\n\u{7}«Ñ»".to_owned(),
    };
    consumer.settle(Verdict::Retry(retry)).await;
}

fn counts(delivery: &Delivery) -> (u32, u32, u32) {
    (delivery.attempt, delivery.deferrals, delivery.returns)
}

pub(super) async fn what_a_dead_consumer_held_is_the_next_again(world: &dyn World) {
    publish(world, &[1, 2]).await;
    for returns in 0..3 {
        let mut consumer = world.consumer(Work::Process).await;
        let delivery = consumer.next().await;
        assert_eq!(
            (number(&delivery), delivery.returns),
            (1, returns),
            "back to the head, and counted"
        );
        assert_eq!(delivery.attempt, 1, "a return is no try");
        consumer.die().await;
    }
    let mut consumer = world.consumer(Work::Process).await;
    assert_eq!(counts(&consumer.next().await), (1, 0, 3));
    complete(&mut *consumer).await;
    let other = consumer.next().await;
    assert_eq!((number(&other), other.returns), (2, 0), "what waited was not returned");
    complete(&mut *consumer).await;
}

pub(super) async fn what_is_held_back_comes_again(world: &dyn World) {
    publish(world, &[1]).await;
    let mut consumer = world.consumer(Work::Process).await;
    let first = consumer.next().await;
    consumer.settle(Verdict::Hold("the store does not answer".into())).await;
    let again = consumer.next().await;
    assert_eq!((number(&again), again.id, again.attempt), (1, first.id, 1));
    assert_eq!(again.returns, 1);
    complete(&mut *consumer).await;
}

pub(super) async fn a_further_try_comes_after_its_rest(world: &dyn World) {
    publish(world, &[1, 2]).await;
    let mut consumer = world.consumer(Work::Process).await;
    let first = consumer.next().await;
    let started = world.clock();
    retry(&mut *consumer, shortest()).await;
    assert_eq!(number(&consumer.next().await), 2, "it holds up no other");
    complete(&mut *consumer).await;
    let again = consumer.next().await;
    let rested = world.clock().saturating_sub(started);
    assert!(
        rested >= Duration::from_millis(shortest().milliseconds()),
        "after {rested:?}"
    );
    assert_eq!(
        (number(&again), again.id, again.generation),
        (1, first.id, first.generation)
    );
    assert_eq!(again.message, first.message);
    assert_eq!(counts(&again), (2, 0, 0));
    complete(&mut *consumer).await;
}

pub(super) async fn what_is_put_off_keeps_its_try(world: &dyn World) {
    publish(world, &[1]).await;
    let mut consumer = world.consumer(Work::Process).await;
    let _first = consumer.next().await;
    retry(&mut *consumer, shortest()).await;
    let second = consumer.next().await;
    let started = world.clock();
    let defer = Defer {
        deferrals: 1,
        why: "the carrier is busy".to_owned(),
    };
    consumer.settle(Verdict::Defer(defer)).await;
    let again = consumer.next().await;
    let rested = world.clock().saturating_sub(started);
    assert!(rested >= Duration::from_millis(DEFER_MS), "after {rested:?}");
    assert_eq!((again.id, counts(&again)), (second.id, (2, 1, 0)));
    complete(&mut *consumer).await;
}

pub(super) async fn a_suspect_is_set_apart(world: &dyn World) {
    publish(world, &[1]).await;
    let mut consumer = world.consumer(Work::Process).await;
    let _first = consumer.next().await;
    consumer.die().await;
    let mut consumer = world.consumer(Work::Process).await;
    let returned = consumer.next().await;
    assert_eq!(returned.returns, 1);
    consumer.settle(Verdict::Suspect).await;
    is_empty(world, Work::Process).await;
    let mut alone = world.consumer(Work::Suspect).await;
    let suspect = alone.next().await;
    assert_eq!((number(&suspect), suspect.id), (1, Some(process(1).id)));
    assert_eq!(counts(&suspect), (1, 0, 0), "its returns are counted anew");
    retry(&mut *alone, shortest()).await;
    let again = consumer.next().await;
    assert_eq!(
        (number(&again), counts(&again)),
        (1, (2, 0, 0)),
        "it goes on among the others"
    );
    complete(&mut *consumer).await;
    is_empty(world, Work::Suspect).await;
}

pub(super) async fn an_undo_rests_on_its_own_road(world: &dyn World) {
    world.publisher().publish(&undo(1)).await.expect("it is confirmed");
    let mut consumer = world.consumer(Work::Compensation).await;
    let first = consumer.next().await;
    assert_eq!(first.id, Some(undo(1).id));
    retry(&mut *consumer, shortest()).await;
    let again = consumer.next().await;
    assert_eq!((again.id, counts(&again)), (first.id, (2, 0, 0)));
    complete(&mut *consumer).await;
    is_empty(world, Work::Process).await;
    assert_ne!(undo(1).kind, ORDER_PROCESS);
}
