//! Drains, deeds and redos of one order at once, over many connections.

use std::sync::Arc;

use adapter_postgres::dead_letters::PgDeadLetters;
use pipeline::dead_letters::{Acted, Action, DeadLetters as _, Denied, Drained, Queue};
use pipeline::failure::{Class, Failed};
use pipeline::order::State;
use testkit::conformance::sample;
use testkit::wait::until;
use tokio::task::JoinSet;

use crate::scene::{given_up, letter};
use crate::world::{Base, World};

const CROWD: usize = 50;

const OPEN: &str = "select count(*) from dead_letters where state = 'open'";

/// Held by others, until then.
const BLOCKED: &str =
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/// Starts `first`, then `second`, each as soon as the one before waits for the order's row; then lets them go.
async fn in_a_row<T: Send + 'static>(
    world: &World,
    order: &'static str,
    deeds: Vec<impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let mut holder = world.pool.begin().await.unwrap();
    let locked = sqlx::query("select from orders where order_id = $1 for update").bind(order);
    locked.execute(&mut *holder).await.unwrap();
    let mut waiting = vec![];
    for (place, deed) in deeds.into_iter().enumerate() {
        let mut running = JoinSet::new();
        running.spawn(deed);
        let blocked = i64::try_from(place + 1).unwrap();
        until("it waits for the row", async || world.count(BLOCKED).await == blocked).await;
        waiting.push(running);
    }
    holder.rollback().await.unwrap();
    let mut told = vec![];
    for mut running in waiting {
        told.push(running.join_next().await.unwrap().unwrap());
    }
    told
}

enum Told {
    Drained(Drained),
    Acted(Acted),
}

async fn drain(store: PgDeadLetters, queue: Queue, order: &'static str) -> Told {
    let letter = letter(queue, order, sample::failed());
    Told::Drained(store.drain(&letter).await.unwrap())
}

async fn redo(store: PgDeadLetters, order: &'static str) -> Told {
    Told::Acted(store.redo(&sample::id(order), &sample::operated()).await.unwrap())
}

#[tokio::test]
async fn a_redo_behind_a_drain_closes_what_that_opened() {
    let base = Base::new("redo_behind_drain").await;
    let world = base.fresh().await;
    world.stuck("O-1").await;
    let store = || world.dead_letters.clone();
    let drained: std::pin::Pin<Box<dyn Future<Output = Told> + Send>> =
        Box::pin(drain(store(), Queue::Compensation, "O-1"));
    let told = in_a_row(&world, "O-1", vec![drained, Box::pin(redo(store(), "O-1"))]).await;
    assert!(matches!(told[0], Told::Drained(Drained::Kept(_))));
    assert!(matches!(told[1], Told::Acted(Acted::Done)));
    assert_eq!(world.state("O-1").await, State::Compensating);
    assert_eq!(world.count(OPEN).await, 0, "nobody waits for a person any more");
}

#[tokio::test]
async fn a_drain_behind_a_redo_opens_nothing() {
    let base = Base::new("drain_behind_redo").await;
    let world = base.fresh().await;
    world.stuck("O-1").await;
    let store = || world.dead_letters.clone();
    let redone: std::pin::Pin<Box<dyn Future<Output = Told> + Send>> = Box::pin(redo(store(), "O-1"));
    let told = in_a_row(
        &world,
        "O-1",
        vec![redone, Box::pin(drain(store(), Queue::Compensation, "O-1"))],
    )
    .await;
    assert!(matches!(told[0], Told::Acted(Acted::Done)));
    assert!(matches!(told[1], Told::Drained(Drained::Duplicate(_))));
    assert_eq!(world.count(OPEN).await, 0);
}

#[tokio::test]
async fn of_a_crowd_that_drains_one_makes_the_row_wait() {
    let base = Base::crowded("crowd_drains").await;
    let world = Arc::new(base.fresh().await);
    world.place("O-1").await;
    world.execute("truncate outbox").await;
    let mut racing = JoinSet::new();
    for place in 0..CROWD {
        let world = Arc::clone(&world);
        racing.spawn(async move {
            let mut letter = given_up(Queue::Process, "O-1");
            // Not the same message, but about the same row.
            letter.content.body = place.to_string().into_bytes();
            world.dead_letters.drain(&letter).await.unwrap()
        });
    }
    let told = racing.join_all().await;
    let kept = told.iter().filter(|told| matches!(told, Drained::Kept(_)));
    assert_eq!(kept.count(), 1, "{told:?}");
    assert_eq!(world.state("O-1").await, State::DeadLettered);
    assert_eq!(world.count("select count(*) from dead_letters").await, 1);
    assert_eq!(
        world.count("select count(*) from outbox").await,
        1,
        "it is announced once"
    );
    assert_eq!(world.count("select version from orders").await, 2);
}

#[tokio::test]
async fn of_a_crowd_of_all_kinds_one_deed_is_done_and_nobody_waits_in_a_circle() {
    let base = Base::crowded("crowd_mixed").await;
    let world = Arc::new(base.fresh().await);
    world.place("O-1").await;
    let entry = world.kept(&given_up(Queue::Process, "O-1")).await;
    world.execute("truncate outbox").await;
    let mut racing = JoinSet::new();
    for place in 0..CROWD {
        let world = Arc::clone(&world);
        racing.spawn(async move {
            let (store, operated) = (&world.dead_letters, sample::operated());
            match place % 5 {
                0 => Told::Drained(
                    store
                        .drain(&letter(Queue::Process, "O-1", sample::failed()))
                        .await
                        .unwrap(),
                ),
                1 => Told::Drained(
                    store
                        .drain(&letter(Queue::Compensation, "O-1", sample::failed()))
                        .await
                        .unwrap(),
                ),
                2 => Told::Acted(store.redo(&sample::id("O-1"), &operated).await.unwrap()),
                3 => Told::Acted(store.act(entry, Action::Replay, &operated).await.unwrap()),
                _ => Told::Acted(store.act(entry, Action::Abandon, &operated).await.unwrap()),
            }
        });
    }
    let told = racing.join_all().await;
    let done = told.iter().filter(|told| matches!(told, Told::Acted(Acted::Done)));
    assert_eq!(done.count(), 1);
    let late = |told: &&Told| matches!(told, Told::Acted(Acted::Denied(Denied::Closed(_))));
    assert_eq!(told.iter().filter(late).count(), CROWD / 5 * 2 - 1);
    let kept = |told: &Told| matches!(told, Told::Drained(Drained::Kept(_)));
    assert!(!told.iter().any(kept), "all of it was known");
    assert_eq!(world.count("select count(*) from dead_letters").await, 1);
    assert_eq!(world.count(OPEN).await, 0);
    assert_eq!(world.count("select count(*) from outbox").await, 1);
    assert_eq!(world.count("select version from orders").await, 3);
}

#[tokio::test]
async fn of_a_crowd_that_brings_one_stray_message_one_keeps_it() {
    let base = Base::crowded("crowd_stray").await;
    let world = Arc::new(base.fresh().await);
    let mut racing = JoinSet::new();
    for _ in 0..CROWD {
        let world = Arc::clone(&world);
        racing.spawn(async move {
            let failed = Failed::new(Class::UnknownOrder, None, "checkout does not know the order", 1);
            world
                .dead_letters
                .drain(&letter(Queue::Process, "O-9", failed))
                .await
                .unwrap()
        });
    }
    let told = racing.join_all().await;
    let kept = told.iter().filter(|told| matches!(told, Drained::Kept(_)));
    assert_eq!(kept.count(), 1, "{told:?}");
    assert_eq!(world.count("select count(*) from dead_letters").await, 1);
}
