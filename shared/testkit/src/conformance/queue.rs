//! Publisher and consumers: nothing is lost on the way, and what comes back is known to come back.

mod dead;
mod moving;

use std::time::Duration;

use async_trait::async_trait;
use pipeline::dead_letters::{Letter, Queue};
use pipeline::id::{Generation, MessageId, OrderId};
use pipeline::message::Delivery;
use pipeline::outgoing::{Destination, Envelope, Marks, ORDER_COMPENSATE, ORDER_PROCESS};
use pipeline::ports::{PublishError, Publisher};
use pipeline::verdict::{Settled, Verdict};
use time::macros::datetime;

use super::sample;
use crate::wait::until;

/// A queue of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Orders to process.
    Process,
    /// Orders that may kill whoever takes them.
    Suspect,
    /// Orders to undo.
    Compensation,
}

/// A broker with every queue of the topology, and nothing in them.
#[async_trait]
pub trait World: Send + Sync {
    /// The port under test.
    fn publisher(&self) -> &dyn Publisher;

    /// A new consumer, which holds one message at a time.
    async fn consumer(&self, of: Work) -> Box<dyn Consumer>;

    /// Messages of the queue that nobody holds.
    async fn ready(&self, of: Work) -> usize;

    /// The message in a queue of dead letters, taken out as soon as it is there.
    async fn dead(&self, queue: Queue) -> Letter;

    /// Time that has gone by, by the broker's clock.
    fn clock(&self) -> Duration;
}

/// Somebody who takes messages.
#[async_trait]
pub trait Consumer: Send {
    /// The next delivery, as soon as there is one. Asked for only when the one before is settled.
    async fn next(&mut self) -> Delivery;

    /// Does with the delivery in hand what the verdict says.
    async fn settle(&mut self, verdict: Verdict);

    /// Goes away once what it was told is done, as a process that is asked to end.
    async fn leave(self: Box<Self>);

    /// Goes away with what it holds, as a process that is killed.
    async fn die(self: Box<Self>);
}

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    messages_are_taken_in_their_order_by_one_consumer_each(&fresh("order").await).await;
    what_stands_on_a_message_arrives(&fresh("arrives").await).await;
    what_nobody_takes_is_an_error_where_it_must_be_taken(&fresh("unroutable").await).await;
    moving::what_a_dead_consumer_held_is_the_next_again(&fresh("returns").await).await;
    moving::what_is_held_back_comes_again(&fresh("held").await).await;
    moving::a_further_try_comes_after_its_rest(&fresh("retry").await).await;
    moving::what_is_put_off_keeps_its_try(&fresh("defer").await).await;
    moving::a_suspect_is_set_apart(&fresh("suspect").await).await;
    moving::an_undo_rests_on_its_own_road(&fresh("undo").await).await;
    dead::what_comes_back_too_often_is_given_up_as_it_is(&fresh("given_up").await).await;
    dead::a_dead_letter_says_why(&fresh("dead").await).await;
    dead::what_nobody_knows_or_understands_is_set_aside(&fresh("set_aside").await).await;
}

async fn messages_are_taken_in_their_order_by_one_consumer_each(world: &dyn World) {
    publish(world, &[1, 2, 3, 4]).await;
    let mut one = world.consumer(Work::Process).await;
    assert_eq!(number(&one.next().await), 1);
    let mut two = world.consumer(Work::Process).await;
    assert_eq!(number(&two.next().await), 2);
    assert_eq!(world.ready(Work::Process).await, 2, "each holds one");
    complete(&mut *one).await;
    assert_eq!(number(&one.next().await), 3);
    complete(&mut *two).await;
    assert_eq!(number(&two.next().await), 4);
    complete(&mut *one).await;
    complete(&mut *two).await;
    one.leave().await;
    two.leave().await;
    assert_eq!(world.ready(Work::Process).await, 0, "what is settled is gone for good");
}

async fn what_stands_on_a_message_arrives(world: &dyn World) {
    let envelope = Envelope {
        generation: Generation(3),
        marks: Marks {
            replay: true,
            ..Marks::default()
        },
        ..process(7)
    };
    world.publisher().publish(&envelope).await.expect("it is confirmed");
    let mut consumer = world.consumer(Work::Process).await;
    let delivery = consumer.next().await;
    let order = delivery.message.as_ref().expect("a valid order");
    assert_eq!((&order.order, delivery.id), (&envelope.order, Some(envelope.id)));
    assert_eq!(*order, sample::new_order(&envelope.body).content);
    assert_eq!(delivery.generation, Generation(3));
    assert_eq!((delivery.attempt, delivery.deferrals, delivery.returns), (1, 0, 0));
    complete(&mut *consumer).await;
}

async fn what_nobody_takes_is_an_error_where_it_must_be_taken(world: &dyn World) {
    for destination in [Destination::Orders, Destination::Compensation, Destination::DeadLetters] {
        let nowhere = Envelope {
            destination,
            kind: "order.nowhere".to_owned(),
            ..process(1)
        };
        let told = world.publisher().publish(&nowhere).await;
        assert!(
            matches!(told, Err(PublishError::Unroutable(id)) if id == nowhere.id),
            "{destination:?}: {told:?}"
        );
    }
    let announced = Envelope {
        destination: Destination::Events,
        kind: "order.completed".to_owned(),
        ..process(1)
    };
    world.publisher().publish(&announced).await.expect("nobody need listen");
    publish(world, &[1]).await;
    assert_eq!(world.ready(Work::Process).await, 1, "the way is open as before");
}

async fn publish(world: &dyn World, numbers: &[u32]) {
    for n in numbers {
        world.publisher().publish(&process(*n)).await.expect("it is confirmed");
    }
}

async fn complete(consumer: &mut dyn Consumer) {
    consumer.settle(Verdict::Settled(Settled::Completed)).await;
}

async fn is_empty(world: &dyn World, of: Work) {
    until("the queue is empty", async || world.ready(of).await == 0).await;
}

/// The message of order number `n`.
fn process(n: u32) -> Envelope {
    let name = format!("O-{n}");
    let order = sample::id(&name);
    Envelope {
        id: MessageId::derive(&order, Generation::FIRST, ORDER_PROCESS),
        destination: Destination::Orders,
        kind: ORDER_PROCESS.to_owned(),
        generation: Generation::FIRST,
        marks: Marks::default(),
        body: sample::document(&name, 1),
        created_at: datetime!(2026-04-07 14:32:15 UTC),
        order,
    }
}

/// The message that has order number `n` undone.
fn undo(n: u32) -> Envelope {
    let order = process(n).order;
    Envelope {
        id: MessageId::derive(&order, Generation::FIRST, ORDER_COMPENSATE),
        destination: Destination::Compensation,
        kind: ORDER_COMPENSATE.to_owned(),
        body: format!(r#"{{"order_id":"{order}","generation":1}}"#),
        ..process(n)
    }
}

/// The number of a delivery's order.
fn number(delivery: &Delivery) -> u32 {
    let order: &OrderId = &delivery.message.as_ref().expect("a valid order").order;
    order.as_str().trim_start_matches("O-").parse().expect("a number")
}
