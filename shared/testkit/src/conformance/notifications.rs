//! What reaches the customer: each notice once, and none that a compensation has overtaken.

use async_trait::async_trait;
use contracts::notifications::ORDER_CONFIRMED;
use futures_util::future::{join, join_all};
use pipeline::happened::Apology;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Notifications, RefusalKind, Told};
use pipeline::steps::Notice;

use super::inventory::meaning;
use super::sample;

/// Requests that are sent at once to find a race, and rounds of one.
const CROWD: usize = 12;

/// An office that has told nobody anything yet.
#[async_trait]
pub trait World: Send + Sync {
    /// The port under test.
    fn notifications(&self) -> &dyn Notifications;

    /// What the order's customer was told, as `template/channel`, in its order.
    async fn told(&self, order: &OrderId) -> Vec<String>;
}

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    a_customer_is_told_once_whatever_the_key(&fresh("conf_one").await).await;
    a_key_is_good_for_one_request(&fresh("conf_key").await).await;
    a_confirmation_is_one_in_whatever_generation(&fresh("conf_next").await).await;
    a_close_refuses_every_confirmation_that_comes_late(&fresh("conf_close").await).await;
    a_close_tells_what_the_customer_was_told(&fresh("conf_told").await).await;
    an_apology_passes_every_tombstone_once(&fresh("conf_apology").await).await;
    a_crowd_tells_the_customer_once(&fresh("conf_crowd").await).await;
    a_close_that_races_knows_of_the_confirmation(&fresh("conf_close_race").await).await;
}

async fn under(world: &dyn World, effect: &str, order: &Order, parcel: &str) -> Result<Notice, CallError> {
    let parcel = sample::shipment(order, parcel);
    world
        .notifications()
        .confirm(&key(order, effect), order, &[parcel])
        .await
}

async fn confirm(world: &dyn World, order: &Order) -> Result<Notice, CallError> {
    under(world, "notify", order, "FMX1").await
}

async fn apologise(world: &dyn World, order: &Order, apology: Apology) {
    let key = key(order, apology.template());
    let told = world.notifications().apologise(&key, order, apology).await;
    told.expect("the customer is told");
}

fn key(order: &Order, effect: &str) -> IdempotencyKey {
    IdempotencyKey::derive(&order.content.order, order.generation, effect)
}

async fn close(world: &dyn World, order: &Order, generation: u32) -> Told {
    let told = world
        .notifications()
        .close(&order.content.order, Generation(generation))
        .await;
    told.expect("it is closed")
}

/// How many notices of a template the customer got; as many over each channel.
async fn notices(world: &dyn World, order: &Order, template: &str) -> usize {
    let told = world.told(&order.content.order).await;
    let over = |channel: &str| {
        let wanted = format!("{template}/{channel}");
        told.iter().filter(|told| **told == wanted).count()
    };
    assert_eq!(over("email"), over("push"), "{told:?}");
    over("email")
}

async fn a_customer_is_told_once_whatever_the_key(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    let first = confirm(world, &order).await.expect("a notice");
    assert!(!first.id.is_empty());
    assert_eq!(first.channels, ["email", "push"]);
    assert_eq!(confirm(world, &order).await.expect("a notice"), first);
    let again = under(world, "notify again", &order, "FMX2").await;
    assert_eq!(again.expect("a notice"), first, "whatever else is to be said");
    assert_eq!(notices(world, &order, ORDER_CONFIRMED).await, 1);
}

async fn a_key_is_good_for_one_request(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    let _told = confirm(world, &order).await.expect("a notice");
    let misused = under(world, "notify", &order, "FMX2").await;
    assert_eq!(meaning(misused), RefusalKind::Other);
    assert_eq!(notices(world, &order, ORDER_CONFIRMED).await, 1);
}

async fn a_confirmation_is_one_in_whatever_generation(world: &dyn World) {
    let (first, second) = (sample::order("O-1", 1, 1), sample::order("O-1", 2, 3));
    let told = confirm(world, &first).await.expect("a notice");
    close(world, &first, 1).await;
    assert_eq!(confirm(world, &second).await.expect("a notice"), told);
    assert_eq!(notices(world, &first, ORDER_CONFIRMED).await, 1);
}

async fn a_close_refuses_every_confirmation_that_comes_late(world: &dyn World) {
    let (heard_of, not) = (sample::order("O-1", 1, 1), sample::order("O-2", 1, 1));
    let _told = confirm(world, &heard_of).await.expect("a notice");
    close(world, &heard_of, 1).await;
    for (effect, parcel) in [("notify", "FMX1"), ("notify", "FMX2"), ("notify again", "FMX1")] {
        let late = under(world, effect, &heard_of, parcel).await;
        assert_eq!(meaning(late), RefusalKind::Superseded, "before every stored answer");
    }
    close(world, &not, 2).await;
    close(world, &not, 1).await;
    for generation in [1, 2] {
        let late = confirm(world, &sample::order("O-2", generation, 1)).await;
        assert_eq!(meaning(late), RefusalKind::Superseded);
    }
    assert_eq!(notices(world, &not, ORDER_CONFIRMED).await, 0);
    let _above = confirm(world, &sample::order("O-2", 3, 1)).await.expect("a notice");
    assert_eq!(notices(world, &not, ORDER_CONFIRMED).await, 1);
}

async fn a_close_tells_what_the_customer_was_told(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    assert!(!close(world, &order, 1).await.confirmed);
    apologise(world, &order, Apology::OutOfStock).await;
    assert!(!close(world, &order, 1).await.confirmed, "an apology confirms nothing");
    let _told = confirm(world, &sample::order("O-1", 2, 1)).await.expect("a notice");
    for generation in [1, 2, 2, 3] {
        assert!(
            close(world, &order, generation).await.confirmed,
            "in whatever generation"
        );
    }
    assert!(
        !close(world, &sample::order("O-10", 1, 1), 1).await.confirmed,
        "another order"
    );
    assert_eq!(
        world.told(&order.content.order).await.len(),
        4,
        "closing tells nobody anything"
    );
}

async fn an_apology_passes_every_tombstone_once(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    close(world, &order, 5).await;
    for apology in [Apology::OutOfStock, Apology::OrderCancelled] {
        for generation in [1, 1, 2, 5] {
            apologise(world, &sample::order("O-1", generation, 1), apology).await;
            assert_eq!(notices(world, &order, apology.template()).await, 1);
        }
    }
    assert_eq!(world.told(&order.content.order).await.len(), 4);
}

async fn a_crowd_tells_the_customer_once(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    let effects: Vec<_> = (0..CROWD).map(|n| format!("notify {}", n % 3)).collect();
    let answers = join_all(effects.iter().map(|effect| under(world, effect, &order, "FMX1"))).await;
    let first = under(world, "notify 0", &order, "FMX1").await.expect("a notice");
    for answer in answers {
        match answer {
            Ok(answer) => assert_eq!(answer, first),
            Err(CallError::Busy { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(notices(world, &order, ORDER_CONFIRMED).await, 1);
}

async fn a_close_that_races_knows_of_the_confirmation(world: &dyn World) {
    for round in 0..CROWD {
        let order = sample::order(&format!("O-{round}"), 1, 1);
        let (_answer, told) = join(confirm(world, &order), close(world, &order, 1)).await;
        let confirmed = notices(world, &order, ORDER_CONFIRMED).await == 1;
        assert_eq!(told.confirmed, confirmed, "whoever is not told of is refused");
        assert_eq!(meaning(confirm(world, &order).await), RefusalKind::Superseded);
    }
}
