//! The stock: taken once, given back once, and never to a generation that is closed.

mod closing;
mod expiring;
mod reserving;

use std::time::Duration;

use async_trait::async_trait;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Inventory, Refusal, RefusalKind};
use pipeline::steps::{CommittedReservation, Reservation};

use super::sample::{self, SKU, WAREHOUSE};

/// A stock with nothing in it.
#[async_trait]
pub trait World: Send + Sync {
    /// The port under test.
    fn inventory(&self) -> &dyn Inventory;

    /// Units of a product come in; 0 of them make it known.
    async fn deliver(&self, sku: &str, warehouse: &str, units: u32);

    /// Units of a product that are there to be taken.
    async fn available(&self, sku: &str, warehouse: &str) -> u32;

    /// Time goes by, and nobody looks.
    fn pass(&self, time: Duration);

    /// The house ends what ran out, as it does by itself.
    async fn sweep(&self);

    /// Kinds of all effects that an order had, in their order.
    async fn effects(&self, order: &OrderId) -> Vec<String>;
}

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    reserving::a_key_gives_its_first_answer_again(&fresh("conf_key").await).await;
    reserving::an_order_has_one_reservation_whatever_the_key(&fresh("conf_one").await).await;
    reserving::short_lines_are_named_and_nothing_is_taken(&fresh("conf_short").await).await;
    reserving::a_refusal_is_judged_anew(&fresh("conf_anew").await).await;
    reserving::an_unknown_product_is_no_shortage(&fresh("conf_unknown").await).await;
    reserving::a_check_counts_what_the_order_holds(&fresh("conf_check").await).await;
    reserving::a_commit_needs_a_reservation_of_its_own(&fresh("conf_commit").await).await;
    reserving::of_orders_that_race_for_the_last_units_none_gets_too_many(&fresh("conf_last").await).await;
    reserving::an_order_that_asks_many_times_at_once_gets_one_reservation(&fresh("conf_crowd").await).await;
    expiring::what_ran_out_is_not_committed_and_its_key_reserves_anew(&fresh("conf_expired").await).await;
    expiring::what_ran_out_goes_back_by_itself(&fresh("conf_swept").await).await;
    expiring::what_is_committed_never_runs_out(&fresh("conf_final").await).await;
    closing::a_close_before_everything_refuses_what_comes_late(&fresh("conf_close_none").await).await;
    closing::a_close_releases_what_is_reserved(&fresh("conf_close_live").await).await;
    closing::a_close_returns_what_is_committed(&fresh("conf_close_final").await).await;
    closing::a_close_finds_nothing_where_the_time_was_over(&fresh("conf_close_expired").await).await;
    closing::the_next_generation_reserves_for_itself(&fresh("conf_next").await).await;
    closing::a_close_that_races_with_a_reserve_leaves_nothing(&fresh("conf_close_race").await).await;
}

/// Longer than any reservation lasts.
const TOO_LONG: Duration = Duration::from_hours(24);

/// A world with this many units of [`SKU`].
async fn stocked(world: &dyn World, units: u32) {
    world.deliver(SKU, WAREHOUSE, units).await;
}

async fn units(world: &dyn World) -> u32 {
    world.available(SKU, WAREHOUSE).await
}

/// The key of an effect of an order.
fn key(order: &Order, effect: &str) -> IdempotencyKey {
    IdempotencyKey::derive(&order.content.order, order.generation, effect)
}

async fn reserve(world: &dyn World, order: &Order) -> Result<Reservation, CallError> {
    world.inventory().reserve(&key(order, "reserve"), order).await
}

async fn reserved(world: &dyn World, order: &Order) -> Reservation {
    reserve(world, order).await.expect("goods")
}

async fn commit(world: &dyn World, order: &Order, held: &Reservation) -> Result<CommittedReservation, CallError> {
    let key = key(order, &format!("commit/{}", held.id));
    world.inventory().commit(&key, order, held).await
}

async fn close(world: &dyn World, order: &Order, generation: u32) {
    let closed = world
        .inventory()
        .close(&order.content.order, Generation(generation))
        .await;
    closed.expect("it is closed");
}

async fn done(world: &dyn World, order: &Order) -> Vec<String> {
    world.effects(&order.content.order).await
}

/// The refusal that an answer is.
#[track_caller]
pub(super) fn refused<T: std::fmt::Debug>(answer: Result<T, CallError>) -> Refusal {
    match answer {
        Err(CallError::Refused(refusal)) => refusal,
        other => panic!("it should be refused: {other:?}"),
    }
}

/// What the refusal that an answer is means.
#[track_caller]
pub(super) fn meaning<T: std::fmt::Debug>(answer: Result<T, CallError>) -> RefusalKind {
    refused(answer).kind
}

/// An order for one unit.
fn one(name: &str, generation: u32) -> Order {
    sample::order(name, generation, 1)
}
