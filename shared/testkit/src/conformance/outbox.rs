//! The outbox: a row is one holder's until its lease runs out, and gone once it is marked.

mod cleaning;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pipeline::outgoing::Destination;
use pipeline::ports::{Claimed, Intake, Outbox, Placement};
use time::OffsetDateTime;

use super::orders::place_by;
use super::sample;

/// Longer than any lease.
const LEASE_OVER: Duration = Duration::from_secs(60);

/// Longer than the rest of a row that could not be sent, and shorter than any lease.
const REST_OVER: Duration = Duration::from_secs(5);

const HOUR: Duration = Duration::from_hours(1);

/// An empty order database.
#[async_trait]
pub trait World: Send + Sync {
    /// What puts rows into the outbox: one for [`Destination::Orders`] with each order.
    fn intake(&self) -> &dyn Intake;

    /// A further holder of claims on the rows for `destinations`.
    async fn holder(&self, destinations: &[Destination]) -> Arc<dyn Outbox>;

    /// Lets time pass, for all rows.
    async fn pass(&self, time: Duration);

    /// The time, as rows are dated.
    async fn now(&self) -> OffsetDateTime;

    /// Rows that were not sent, whoever holds them.
    async fn pending(&self) -> usize;

    /// Puts `rows` rows for [`Destination::Orders`] into the outbox that were sent just now.
    async fn fill_sent(&self, rows: u32);
}

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    a_claimed_row_is_nobody_elses(&fresh("claimed").await).await;
    a_claim_takes_no_more_than_it_asks_for(&fresh("bounded").await).await;
    a_marked_row_never_comes_again(&fresh("marked").await).await;
    a_row_given_back_rests_and_comes_again(&fresh("given_back").await).await;
    a_lost_claim_counts_nothing(&fresh("lost_claim").await).await;
    a_scheduled_row_stays_until_its_time(&fresh("scheduled").await).await;
    a_holder_gets_only_what_it_may_send(&fresh("may_send").await).await;
    cleaning::old_rows_that_were_sent_are_cleaned_up_and_no_others(&fresh("cleaned").await).await;
    cleaning::cleaning_is_bounded_and_goes_on(&fresh("cleaned_much").await).await;
}

async fn a_claimed_row_is_nobody_elses(world: &dyn World) {
    place(world, 10).await;
    let (one, two) = (orders(world).await, orders(world).await);
    let (first, second) = futures_util::future::join(claim(&one, 5), claim(&two, 10)).await;
    let mut all = [rows(&first), rows(&second)].concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), first.len() + second.len(), "no row in two hands");
    let left = [claim(&one, 10).await, claim(&two, 10).await];
    assert_eq!(all.len() + left[0].len() + left[1].len(), 10, "none is forgotten");
    assert!(claim(&one, 10).await.is_empty() && claim(&two, 10).await.is_empty());

    mark(&one, &rows(&second)).await;
    give_back(&one, &rows(&second)).await;
    assert_eq!(world.pending().await, 10, "nobody marks what another holds");
    world.pass(REST_OVER).await;
    assert!(claim(&one, 10).await.is_empty(), "nobody gives back what another holds");
}

async fn a_claim_takes_no_more_than_it_asks_for(world: &dyn World) {
    place(world, 3).await;
    let holder = orders(world).await;
    assert_eq!(claim(&holder, 2).await.len(), 2);
    assert_eq!(claim(&holder, 2).await.len(), 1);
}

async fn a_marked_row_never_comes_again(world: &dyn World) {
    place(world, 2).await;
    let holder = orders(world).await;
    let claimed = claim(&holder, 1).await;
    mark(&holder, &rows(&claimed)).await;
    assert_eq!(world.pending().await, 1);
    mark(&holder, &rows(&claimed)).await;
    give_back(&holder, &rows(&claimed)).await;
    world.pass(LEASE_OVER).await;
    let left = claim(&holder, 10).await;
    assert_eq!(left.len(), 1);
    assert_ne!(left[0].envelope.order, claimed[0].envelope.order);
}

async fn a_row_given_back_rests_and_comes_again(world: &dyn World) {
    place(world, 2).await;
    let (one, two) = (orders(world).await, orders(world).await);
    let claimed = claim(&one, 1).await;
    give_back(&one, &rows(&claimed)).await;
    let other = claim(&two, 10).await;
    assert_eq!(other.len(), 1, "it rests, and holds up no other");
    assert_ne!(other[0].row, claimed[0].row);
    world.pass(REST_OVER).await;
    let again = claim(&two, 10).await;
    assert_eq!(rows(&again), rows(&claimed), "anybody may have it");
    assert_eq!(again[0].envelope, claimed[0].envelope, "as it was, id and all");
    mark(&one, &rows(&claimed)).await;
    assert_eq!(world.pending().await, 2, "the claim was given up");
}

async fn a_lost_claim_counts_nothing(world: &dyn World) {
    place(world, 2).await;
    let (dead, alive) = (orders(world).await, orders(world).await);
    let lost = claim(&dead, 10).await;
    world.pass(LEASE_OVER).await;
    let found = claim(&alive, 10).await;
    assert_eq!(found.len(), 2, "a lease runs out");
    mark(&dead, &rows(&lost)).await;
    assert_eq!(world.pending().await, 2);
    give_back(&dead, &rows(&lost)).await;
    world.pass(REST_OVER).await;
    assert!(claim(&dead, 10).await.is_empty(), "they are still their new holder's");
    mark(&alive, &rows(&found)).await;
    assert_eq!(world.pending().await, 0);
}

async fn a_scheduled_row_stays_until_its_time(world: &dyn World) {
    let mut scheduled = sample::new_order(&sample::document("O-1", 1));
    scheduled.content.not_before = Some(world.now().await + HOUR);
    let placed = world.intake().place(&scheduled).await;
    assert_eq!(placed.expect("an answer"), Placement::Accepted);
    let mut earlier = sample::new_order(&sample::document("O-2", 1));
    earlier.content.not_before = Some(world.now().await - HOUR);
    let placed = world.intake().place(&earlier).await;
    assert_eq!(placed.expect("an answer"), Placement::Accepted);

    let holder = orders(world).await;
    let due = claim(&holder, 10).await;
    assert_eq!(due.len(), 1, "a time that is over holds up nothing");
    assert_eq!(due[0].envelope.order.as_str(), "O-2");
    mark(&holder, &rows(&due)).await;
    world.pass(HOUR / 2).await;
    assert!(claim(&holder, 10).await.is_empty());
    world.pass(HOUR / 2 + REST_OVER).await;
    assert_eq!(claim(&holder, 10).await.len(), 1);
}

async fn a_holder_gets_only_what_it_may_send(world: &dyn World) {
    place(world, 1).await;
    let others = [Destination::Compensation, Destination::DeadLetters, Destination::Events];
    let other = world.holder(&others).await;
    assert!(claim(&other, 10).await.is_empty());
    assert_eq!(claim(&orders(world).await, 10).await.len(), 1);
}

async fn place(world: &dyn World, orders: u32) {
    for n in 0..orders {
        place_by(world.intake(), &format!("O-{n}")).await;
    }
}

async fn orders(world: &dyn World) -> Arc<dyn Outbox> {
    world.holder(&[Destination::Orders]).await
}

async fn claim(holder: &Arc<dyn Outbox>, rows_max: u32) -> Vec<Claimed> {
    holder.claim(rows_max).await.expect("an answer")
}

async fn mark(holder: &Arc<dyn Outbox>, rows: &[i64]) {
    holder.mark_queued(rows).await.expect("an answer");
}

async fn give_back(holder: &Arc<dyn Outbox>, rows: &[i64]) {
    holder.release(rows).await.expect("an answer");
}

fn rows(claimed: &[Claimed]) -> Vec<i64> {
    claimed.iter().map(|claimed| claimed.row).collect()
}
