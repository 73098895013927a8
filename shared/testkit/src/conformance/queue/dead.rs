//! What waits for a person.

use pipeline::dead_letters::Queue;
use pipeline::failure::{Class, Failed};
use pipeline::id::Version;
use pipeline::outgoing::{Destination, Envelope, Marks};
use pipeline::verdict::Verdict;

use super::{Work, World, complete, is_empty, number, process, publish, undo};
use crate::conformance::sample;

/// Returns of a message that its queue allows.
const RETURNS_ALLOWED: u32 = 5;

pub(super) async fn what_comes_back_too_often_is_given_up_as_it_is(world: &dyn World) {
    let undo = undo(3);
    let cases = [
        (Work::Process, Queue::Process, process(1)),
        (Work::Compensation, Queue::Compensation, undo),
    ];
    for (work, queue, envelope) in cases {
        world.publisher().publish(&envelope).await.expect("it is confirmed");
        for returns in 0..=RETURNS_ALLOWED {
            let mut consumer = world.consumer(work).await;
            assert_eq!(consumer.next().await.returns, returns, "{work:?}");
            consumer.die().await;
        }
        let letter = world.dead(queue).await;
        assert_eq!((letter.queue, letter.order.as_ref()), (queue, Some(&envelope.order)));
        assert_eq!((letter.generation, letter.attempt), (envelope.generation, 1));
        assert_eq!(letter.failed, None, "nobody of ours says why");
        assert_eq!(letter.content.body, envelope.body.as_bytes(), "byte for byte");
        is_empty(world, work).await;
    }
    publish(world, &[2]).await;
    let mut consumer = world.consumer(Work::Process).await;
    assert_eq!(number(&consumer.next().await), 2, "the others go on");
    complete(&mut *consumer).await;
}

pub(super) async fn a_dead_letter_says_why(world: &dyn World) {
    let marks = Marks {
        failed: Some(sample::failed()),
        version: Some(Version(9)),
        ..Marks::default()
    };
    for (queue, about) in [(Queue::Process, process(1)), (Queue::Compensation, undo(1))] {
        let envelope = Envelope {
            destination: Destination::DeadLetters,
            marks: marks.clone(),
            ..about
        };
        world.publisher().publish(&envelope).await.expect("it is confirmed");
        let letter = world.dead(queue).await;
        assert_eq!(
            (letter.order.as_ref(), letter.generation),
            (Some(&envelope.order), envelope.generation)
        );
        assert_eq!(letter.failed, Some(sample::failed()));
        assert_eq!(letter.content.body, envelope.body.as_bytes());
    }
}

pub(super) async fn what_nobody_knows_or_understands_is_set_aside(world: &dyn World) {
    publish(world, &[1, 2]).await;
    let mut consumer = world.consumer(Work::Process).await;
    let failed = |class| Failed::new(class, None, "«Ñ», as a test says", 1);
    let _unknown = consumer.next().await;
    consumer.settle(Verdict::Unknown(failed(Class::UnknownOrder))).await;
    let _invalid = consumer.next().await;
    consumer.settle(Verdict::Invalid(failed(Class::Invalid))).await;
    let cases = [
        (Queue::Process, Class::UnknownOrder, 1),
        (Queue::Invalid, Class::Invalid, 2),
    ];
    for (queue, class, n) in cases {
        let letter = world.dead(queue).await;
        assert_eq!(letter.failed, Some(failed(class)));
        assert_eq!(letter.content.body, process(n).body.as_bytes(), "byte for byte");
        assert_eq!(letter.order, Some(process(n).order));
    }
    is_empty(world, Work::Process).await;
}
