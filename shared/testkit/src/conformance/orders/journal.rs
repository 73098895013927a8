//! What is stored is what is loaded.

use pipeline::change::edit;
use pipeline::happened::Happened;
use pipeline::id::{Generation, Version};
use pipeline::order::{Progress, State};
use pipeline::ports::Committed;
use pipeline::steps::Step;

use super::{Change, World, commit, load, place, sent, walk};
use crate::conformance::sample;

pub(super) async fn an_order_that_was_never_placed_is_not_there(world: &dyn World) {
    let id = sample::id("O-9");
    assert!(world.orders().load(&id).await.expect("an answer").is_none());
    let order = sample::order("O-9", 1, 1);
    let check = sample::road(&order).remove(0);
    let (_, change) = sample::changed(&order, Version(1), check);
    assert_eq!(commit(world, change).await, Committed::Conflict);
    assert!(world.orders().load(&id).await.expect("an answer").is_none());
    assert_eq!(world.changes(&id).await, []);
}

pub(super) async fn a_placed_order_is_loaded_as_it_was_placed(world: &dyn World) {
    let placed = place(world, "O-1").await;
    let order = sample::order("O-1", 1, 1);
    assert!(order.document.contains("gift"), "what we do not know is kept");
    assert_eq!(placed, (order, Version(1)));
    assert_eq!(world.changes(&sample::id("O-1")).await, []);
}

pub(super) async fn every_step_is_resumed_from(world: &dyn World) {
    let (order, _) = place(world, "O-1").await;
    let mut road = sample::road(&order);
    let ran_out = Happened::ReservationExpired(sample::reservation("RSV-1", 1).id);
    let again = Happened::Reserve(sample::reservation("RSV-2", 1));
    let straight_on = road.split_off(3);
    road.extend([ran_out, again, road[2].clone()]);
    let (held, version) = walk(world.orders(), "O-1", road).await;
    assert_eq!((held.next_step(), version), (Some(Step::CommitReservation), Version(7)));
    let reserved = held.progress.reservation.expect("goods");
    assert_eq!(reserved.id.as_str(), "RSV-2", "the later entry of a step counts");

    let (done, version) = walk(world.orders(), "O-1", straight_on).await;
    assert_eq!((done.state, version), (State::Completed, Version(10)));
    let changes = world.changes(&sample::id("O-1")).await;
    let versions: Vec<_> = changes.iter().map(|change| change.version.0).collect();
    assert_eq!(
        versions,
        (2..=10).collect::<Vec<_>>(),
        "every change is on record, once"
    );
    let last = Change {
        version: Version(10),
        generation: Generation::FIRST,
        from: State::Processing,
        to: State::Completed,
        event: "notify_customer".to_owned(),
        worker: "worker-1".to_owned(),
        attempt: 2,
    };
    assert_eq!(changes.last(), Some(&last));
}

pub(super) async fn every_turn_is_loaded_as_it_was_stored(world: &dyn World) {
    let (order, _) = place(world, "O-1").await;
    let check = sample::road(&order).remove(0);
    let undone = vec![
        check,
        sample::out_of_stock(),
        Happened::Stuck(sample::failed()),
        Happened::Redone(sample::operated()),
        Happened::Compensated(sample::refund(&order)),
    ];
    let (done, version) = walk(world.orders(), "O-1", undone).await;
    assert_eq!((done.state, version), (State::Compensated, Version(6)));

    let (order, _) = place(world, "O-2").await;
    let given_up = vec![
        Happened::DeadLettered(sample::failed()),
        Happened::Replayed(sample::operated()),
        sample::road(&order).remove(0),
        Happened::DeadLettered(sample::failed()),
        Happened::Abandoned(sample::operated()),
        Happened::Compensated(sample::refund(&order)),
    ];
    let (done, version) = walk(world.orders(), "O-2", given_up).await;
    assert_eq!((done.state, version), (State::Compensated, Version(7)));
    assert_eq!(
        done.generation,
        Generation::FIRST,
        "a plain replay keeps the generation"
    );
}

pub(super) async fn an_edited_order_has_a_journal_and_a_document_of_its_own(world: &dyn World) {
    let (order, _) = place(world, "O-1").await;
    let mut road = sample::road(&order);
    road.truncate(2);
    road.push(Happened::DeadLettered(sample::failed()));
    let (waits, version) = walk(world.orders(), "O-1", road).await;
    let _earlier = sent(world.outbox()).await;

    let mended = sample::new_order(&sample::document("O-1", 7));
    let deed = Happened::Edited(sample::operated());
    let with = (mended.content.clone(), mended.document.as_str().into());
    let edited = edit(&waits, version, deed, with, &sample::actor(&waits));
    let (after, change) = edited.expect("it waits for a person");
    assert_eq!(commit(world, change.clone()).await, Committed::Yes);
    let (loaded, at) = load(world, "O-1").await;
    assert_eq!((&loaded, at), (&after, version.next()));
    assert_eq!((loaded.generation, loaded.state), (Generation(2), State::Accepted));
    assert_eq!(
        (&loaded.content, &*loaded.document),
        (&mended.content, mended.document.as_str())
    );
    assert_eq!(loaded.progress, Progress::default(), "nothing of generation 1 counts");
    assert_eq!(loaded.next_step(), Some(Step::CloseEarlier));
    let messages = sent(world.outbox()).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(
        (messages[0].generation, messages[0].body.as_str()),
        (Generation(2), mended.document.as_str())
    );
    assert_eq!(
        commit(world, change).await,
        Committed::Conflict,
        "another one finds it done"
    );

    let mut road = vec![Happened::CloseEarlier];
    road.extend(sample::road(&loaded));
    let (done, _) = walk(world.orders(), "O-1", road).await;
    assert_eq!((done.state, done.generation), (State::Completed, Generation(2)));
    let changes = world.changes(&sample::id("O-1")).await;
    let generations: Vec<_> = changes.iter().map(|change| change.generation.0).collect();
    assert_eq!(generations, [1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]);
}
