//! Checkout's side of an order: what is promised is stored once, with the message that makes it happen.

use futures_util::future::join_all;
use pipeline::change::{Commit, edit};
use pipeline::happened::Happened;
use pipeline::id::MessageId;
use pipeline::order::State;
use pipeline::outgoing::ORDER_PROCESS;
use pipeline::ports::{Committed, NewOrder, Placement};

use super::orders::{World, load_by, sent, walk};
use super::sample;

/// Orders that are placed at once to find a race.
const CROWD: usize = 12;

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    an_order_is_placed_once_and_what_stands_in_the_way_is_named(&fresh("placed_once").await).await;
    of_many_that_place_one_order_at_once_one_is_first(&fresh("one_order").await).await;
    of_many_orders_with_one_key_one_is_placed(&fresh("one_key").await).await;
    the_backlog_is_what_nobody_has_begun(&fresh("backlog").await).await;
    an_edited_order_is_known_by_what_was_accepted(&fresh("known_edited").await).await;
}

async fn an_order_is_placed_once_and_what_stands_in_the_way_is_named(world: &dyn World) {
    assert_eq!(place(world, &keyed("O-1", "K-1", 1)).await, Placement::Accepted);
    assert_eq!(
        place(world, &keyed("O-1", "K-1", 1)).await,
        Placement::Known(State::Accepted)
    );
    assert_eq!(place(world, &keyed("O-1", "K-1", 2)).await, Placement::OrderIdTaken);
    assert_eq!(place(world, &keyed("O-1", "K-2", 1)).await, Placement::OrderIdTaken);
    let by_another = Placement::KeyTaken(sample::id("O-1"));
    assert_eq!(place(world, &keyed("O-2", "K-1", 1)).await, by_another);
    assert!(
        world
            .orders()
            .load(&sample::id("O-2"))
            .await
            .expect("an answer")
            .is_none()
    );

    let messages = sent(world.outbox()).await;
    let ids: Vec<_> = messages.iter().map(|message| message.id).collect();
    let (order, _) = load_by(world.orders(), "O-1").await;
    let id = MessageId::derive(&order.content.order, order.generation, ORDER_PROCESS);
    assert_eq!(ids, [id], "one message for one order");

    let _done = walk(world.orders(), "O-1", sample::road(&order)).await;
    assert_eq!(
        place(world, &keyed("O-1", "K-1", 1)).await,
        Placement::Known(State::Completed)
    );
}

async fn of_many_that_place_one_order_at_once_one_is_first(world: &dyn World) {
    let order = keyed("O-1", "K-1", 1);
    let placed = join_all((0..CROWD).map(|_| place(world, &order))).await;
    let count = |wanted: Placement| placed.iter().filter(|placed| **placed == wanted).count();
    assert_eq!(count(Placement::Accepted), 1, "{placed:?}");
    assert_eq!(count(Placement::Known(State::Accepted)), CROWD - 1, "{placed:?}");
    assert_eq!(sent(world.outbox()).await.len(), 1);
}

async fn of_many_orders_with_one_key_one_is_placed(world: &dyn World) {
    let orders: Vec<_> = (0..CROWD).map(|n| keyed(&format!("O-{n}"), "K-1", 1)).collect();
    let placed = join_all(orders.iter().map(|order| place(world, order))).await;
    let winner = placed.iter().position(|placed| *placed == Placement::Accepted);
    let winner = &orders[winner.expect("one is placed")].content.order;
    let others = placed
        .iter()
        .filter(|placed| **placed == Placement::KeyTaken(winner.clone()));
    assert_eq!(others.count(), CROWD - 1, "{placed:?}");
    assert_eq!(sent(world.outbox()).await.len(), 1);
}

async fn the_backlog_is_what_nobody_has_begun(world: &dyn World) {
    let backlog = async || world.intake().backlog().await.expect("an answer");
    assert_eq!(backlog().await, 0);
    for order in ["O-1", "O-2"] {
        assert_eq!(place(world, &keyed(order, order, 1)).await, Placement::Accepted);
    }
    assert_eq!(backlog().await, 2);
    let (order, _) = load_by(world.orders(), "O-1").await;
    let _begun = walk(world.orders(), "O-1", vec![sample::road(&order).remove(0)]).await;
    assert_eq!(backlog().await, 1);
    let _waits = walk(world.orders(), "O-2", vec![Happened::DeadLettered(sample::failed())]).await;
    assert_eq!(backlog().await, 0);
}

async fn an_edited_order_is_known_by_what_was_accepted(world: &dyn World) {
    let accepted = keyed("O-1", "K-1", 1);
    assert_eq!(place(world, &accepted).await, Placement::Accepted);
    let (order, version) = walk(world.orders(), "O-1", vec![Happened::DeadLettered(sample::failed())]).await;
    let mended = keyed("O-1", "K-1", 5);
    let deed = Happened::Edited(sample::operated());
    let with = (mended.content.clone(), mended.document.as_str().into());
    let edited = edit(&order, version, deed, with, &sample::actor(&order));
    let change: Commit = edited.expect("it waits for a person").1;
    assert_eq!(world.orders().commit(change).await.expect("an answer"), Committed::Yes);
    assert_eq!(place(world, &accepted).await, Placement::Known(State::Accepted));
    assert_eq!(
        place(world, &mended).await,
        Placement::OrderIdTaken,
        "nobody placed this"
    );
}

async fn place(world: &dyn World, order: &NewOrder) -> Placement {
    world.intake().place(order).await.expect("an answer")
}

fn keyed(order: &str, key: &str, units: u32) -> NewOrder {
    let document = sample::document(order, units);
    let payment = format!("P-{order}");
    // One payment for all: no two of these differ by anything but what the fact names.
    let document = document.replace(&format!("{order}-v1"), key).replace(&payment, "P-1");
    sample::new_order(&document)
}
