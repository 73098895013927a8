//! The order store: a row moves only from where it is expected, and with everything that its change entails.

mod journal;
mod messages;
mod once;

use async_trait::async_trait;
use pipeline::change::Commit;
use pipeline::happened::{Happened, Refund};
use pipeline::id::{Generation, MessageId, OrderId, Version};
use pipeline::order::{Order, State};
use pipeline::outgoing::Envelope;
use pipeline::ports::{Committed, Intake, OrderStore, Outbox, Placement};

use super::sample;

/// An empty order database.
#[async_trait]
pub trait World: Send + Sync {
    /// Where orders come in.
    fn intake(&self) -> &dyn Intake;

    /// The port under test.
    fn orders(&self) -> &dyn OrderStore;

    /// A holder of claims on the rows for every destination.
    fn outbox(&self) -> &dyn Outbox;

    /// What goes back to the order's customer.
    async fn refunds(&self, order: &OrderId) -> Vec<Refund>;

    /// Whether the work of a message has ended.
    async fn is_processed(&self, message: MessageId) -> bool;

    /// Every change since the order was accepted, oldest first.
    async fn changes(&self, order: &OrderId) -> Vec<Change>;
}

/// A row of an order's history.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// After it.
    pub version: Version,
    /// After it.
    pub generation: Generation,
    /// Before it.
    pub from: State,
    /// After it.
    pub to: State,
    /// What happened, by name.
    pub event: String,
    /// Who did it.
    pub worker: String,
    /// Which try it was.
    pub attempt: u32,
}

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    journal::an_order_that_was_never_placed_is_not_there(&fresh("never_placed").await).await;
    journal::a_placed_order_is_loaded_as_it_was_placed(&fresh("placed").await).await;
    journal::every_step_is_resumed_from(&fresh("resumed").await).await;
    journal::every_turn_is_loaded_as_it_was_stored(&fresh("turns").await).await;
    journal::an_edited_order_has_a_journal_and_a_document_of_its_own(&fresh("edited").await).await;
    once::a_change_needs_the_expected_state_generation_and_version(&fresh("expected").await).await;
    once::a_final_order_never_moves(&fresh("final").await).await;
    once::of_changes_that_race_one_is_stored(&fresh("races").await).await;
    messages::messages_leave_with_their_change(&fresh("messages").await).await;
    once::money_goes_back_once(&fresh("money").await).await;
    once::a_message_is_processed_once_its_order_is_final(&fresh("processed").await).await;
}

async fn place(world: &dyn World, order: &str) -> (Order, Version) {
    place_by(world.intake(), order).await;
    load(world, order).await
}

pub(super) async fn place_by(intake: &dyn Intake, order: &str) {
    let placed = intake.place(&sample::new_order(&sample::document(order, 1))).await;
    assert_eq!(placed.expect("an answer"), Placement::Accepted);
}

async fn load(world: &dyn World, order: &str) -> (Order, Version) {
    load_by(world.orders(), order).await
}

pub(super) async fn load_by(orders: &dyn OrderStore, order: &str) -> (Order, Version) {
    let loaded = orders.load(&sample::id(order)).await.expect("an answer");
    loaded.expect("a known order")
}

async fn commit(world: &dyn World, commit: Commit) -> Committed {
    world.orders().commit(commit).await.expect("an answer")
}

/// Has all of it happen to an order, one after the other; what is loaded is what was stored, each time.
pub(super) async fn walk(orders: &dyn OrderStore, order: &str, all: Vec<Happened>) -> (Order, Version) {
    let (mut order, mut version) = load_by(orders, order).await;
    for happened in all {
        let name = happened.name();
        let (after, commit) = sample::changed(&order, version, happened);
        assert_eq!(
            orders.commit(commit).await.expect("an answer"),
            Committed::Yes,
            "{name}"
        );
        let loaded = load_by(orders, after.content.order.as_str()).await;
        assert_eq!(loaded, (after, version.next()), "{name}");
        (order, version) = loaded;
    }
    (order, version)
}

/// Messages that were put into the outbox since the last look, by type.
pub(super) async fn sent(outbox: &dyn Outbox) -> Vec<Envelope> {
    let claimed = outbox.claim(100).await.expect("an answer");
    let mut sent: Vec<_> = claimed.into_iter().map(|claimed| claimed.envelope).collect();
    sent.sort_by(|one, other| (&one.kind, one.destination).cmp(&(&other.kind, other.destination)));
    sent
}
