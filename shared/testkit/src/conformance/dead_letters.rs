//! Dead letters: what waits for a person is kept once, in one transaction with its order's row.

mod draining;
mod operating;
mod rowless;

use std::sync::Arc;

use async_trait::async_trait;
use pipeline::dead_letters::{Acted, Action, Content, DeadLetters, Drained, EntryId, Letter, Queue};
use pipeline::failure::Failed;
use pipeline::happened::Happened;
use pipeline::id::{Generation, OrderId, Version};
use pipeline::order::Order;
use pipeline::ports::{Intake, OrderStore, Outbox};

use super::orders::{load_by, place_by, sent, walk};
use super::sample;

/// An empty order database.
#[async_trait]
pub trait World: Send + Sync {
    /// Where orders come in.
    fn intake(&self) -> &dyn Intake;

    /// Where they live.
    fn orders(&self) -> &dyn OrderStore;

    /// A holder of claims on the rows for every destination.
    fn outbox(&self) -> &dyn Outbox;

    /// The port under test.
    fn dead_letters(&self) -> &dyn DeadLetters;

    /// Every entry, open or closed, by id.
    async fn entries(&self) -> Vec<Entry>;
}

/// An entry as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub id: EntryId,
    /// The queue that it came out of.
    pub queue: Queue,
    /// The order that it speaks of.
    pub order: Option<OrderId>,
    /// The generation that it speaks of.
    pub generation: Generation,
    /// Why it is here.
    pub failed: Failed,
    /// The message.
    pub content: Content,
    /// Whether it belongs to an order's row.
    pub of_row: bool,
    /// What became of it; `None` while it is open.
    pub closed_as: Option<String>,
}

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    draining::a_letter_of_ours_opens_the_entry_of_its_row(&fresh("ours").await).await;
    draining::what_the_broker_gave_up_makes_its_row_wait(&fresh("brokers").await).await;
    draining::a_waiting_row_without_an_entry_gets_one(&fresh("without_entry").await).await;
    draining::a_letter_about_a_row_that_moved_on_is_dropped(&fresh("moved_on").await).await;
    draining::a_letter_of_another_generation_is_dropped(&fresh("other_generation").await).await;
    draining::an_undo_that_was_given_up_makes_its_row_stuck(&fresh("stuck").await).await;
    draining::an_order_that_waits_again_has_another_entry(&fresh("again").await).await;
    draining::of_letters_that_race_one_is_kept(&fresh("races").await).await;
    rowless::a_message_that_nobody_knows_waits_by_itself(&fresh("unknown").await).await;
    rowless::a_message_that_says_nothing_of_a_row_leaves_it_alone(&fresh("mismatch").await).await;
    rowless::a_message_sent_again_closes_its_entry(&fresh("sent_again").await).await;
    operating::a_replay_goes_on_in_the_same_generation(&fresh("replay").await).await;
    operating::an_edited_replay_opens_the_next_generation(&fresh("edit").await).await;
    operating::an_edit_that_may_not_be_changes_nothing(&fresh("must_stay").await).await;
    operating::an_abandoned_order_is_to_be_undone(&fresh("abandon").await).await;
    operating::a_stuck_order_has_one_way_out(&fresh("redo").await).await;
    operating::a_stuck_order_is_redone_before_its_letter_comes(&fresh("redo_early").await).await;
    operating::of_deeds_that_race_one_is_done(&fresh("deeds").await).await;
}

/// An order that waits since it failed, and what was sent of it is taken out of the outbox.
async fn waiting(world: &dyn World, order: &str) -> (Order, Version) {
    place_by(world.intake(), order).await;
    let waits = walk(world.orders(), order, vec![Happened::DeadLettered(sample::failed())]).await;
    let _messages = sent(world.outbox()).await;
    waits
}

/// An order whose undoing failed for good.
async fn stuck(world: &dyn World, order: &str) -> (Order, Version) {
    let (paid, _) = undoing(world, order).await;
    let stuck = walk(world.orders(), order, vec![Happened::Stuck(sample::failed())]).await;
    let _messages = sent(world.outbox()).await;
    assert_eq!(stuck.0.generation, paid.generation);
    stuck
}

/// An order that is to be undone.
async fn undoing(world: &dyn World, order: &str) -> (Order, Version) {
    place_by(world.intake(), order).await;
    let (paid, _) = load(world, order).await;
    let undoing = walk(
        world.orders(),
        order,
        vec![sample::road(&paid).remove(0), sample::out_of_stock()],
    )
    .await;
    let _messages = sent(world.outbox()).await;
    undoing
}

/// A letter about an order: ours where it says why, the broker's where not.
fn letter(queue: Queue, order: &Order, failed: Option<Failed>) -> Letter {
    Letter {
        queue,
        order: Some(order.content.order.clone()),
        generation: order.generation,
        failed,
        attempt: 2,
        content: Content {
            body: order.document.as_bytes().to_vec(),
            properties: format!(r#"{{"headers": {{"generation": {}}}}}"#, order.generation.0),
        },
    }
}

async fn load(world: &dyn World, order: &str) -> (Order, Version) {
    load_by(world.orders(), order).await
}

async fn drain(world: &dyn World, letter: &Letter) -> Drained {
    world.dead_letters().drain(letter).await.expect("an answer")
}

/// Drains a letter that is kept, as this entry.
async fn kept(world: &dyn World, letter: &Letter) -> EntryId {
    match drain(world, letter).await {
        Drained::Kept(id) => id,
        Drained::Duplicate(duplicate) => panic!("it was dropped: {duplicate:?}"),
    }
}

async fn act(world: &dyn World, entry: EntryId, action: Action) -> Acted {
    let operated = sample::operated();
    world
        .dead_letters()
        .act(entry, action, &operated)
        .await
        .expect("an answer")
}

async fn entry(world: &dyn World, id: EntryId) -> Entry {
    let entries = world.entries().await;
    entries
        .into_iter()
        .find(|entry| entry.id == id)
        .expect("an entry of this id")
}

async fn open(world: &dyn World) -> usize {
    world
        .entries()
        .await
        .iter()
        .filter(|entry| entry.closed_as.is_none())
        .count()
}

/// Edits an order into one for `units`.
fn edit_into(order: &str, units: u32) -> Action {
    let mended = sample::new_order(&sample::document(order, units));
    Action::Edit(Box::new(mended.content), Arc::from(mended.document))
}

/// Nothing of an order has changed, and nothing was sent.
async fn is_untouched(world: &dyn World, before: &(Order, Version)) {
    assert_eq!(load(world, before.0.content.order.as_str()).await, *before);
    assert_eq!(sent(world.outbox()).await, []);
}
