//! The fiscal documents: at most one uncredited invoice for an order.

use async_trait::async_trait;
use contracts::effects::{INVOICE_CREDITED, INVOICE_ISSUED, LABEL_ISSUED, LABEL_VOIDED};
use futures_util::future::{join, join_all};
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Documents, RefusalKind};
use pipeline::steps;

use super::inventory::meaning;
use super::sample;

/// Requests that are sent at once to find a race, and rounds of one.
const CROWD: usize = 12;

/// An office that has issued nothing yet.
#[async_trait]
pub trait World: Send + Sync {
    /// The port under test.
    fn documents(&self) -> &dyn Documents;

    /// Kinds of all effects that an order had, in their order.
    async fn effects(&self, order: &OrderId) -> Vec<String>;
}

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    an_order_has_one_invoice_whatever_the_key(&fresh("conf_one").await).await;
    an_invoice_is_in_the_way_of_another(&fresh("conf_other").await).await;
    a_close_credits_and_refuses_what_comes_late(&fresh("conf_close").await).await;
    a_close_before_everything_refuses_what_comes_late(&fresh("conf_close_none").await).await;
    the_next_generation_has_an_invoice_of_its_own(&fresh("conf_next").await).await;
    a_crowd_gets_one_invoice(&fresh("conf_crowd").await).await;
    a_close_that_races_leaves_no_invoice(&fresh("conf_close_race").await).await;
}

async fn under(world: &dyn World, effect: &str, order: &Order, goods: &str) -> Result<steps::Documents, CallError> {
    let key = IdempotencyKey::derive(&order.content.order, order.generation, effect);
    let name = &order.content.order;
    let parcels = ["A", "B"].map(|parcel| sample::shipment(order, &format!("{name}-{parcel}")));
    world
        .documents()
        .generate(&key, order, &sample::reservation(goods, 1), &parcels)
        .await
}

async fn generate(world: &dyn World, order: &Order) -> Result<steps::Documents, CallError> {
    under(world, "issue", order, "RSV-1").await
}

async fn close(world: &dyn World, order: &Order, generation: u32) {
    let closed = world
        .documents()
        .close(&order.content.order, Generation(generation))
        .await;
    closed.expect("it is closed");
}

/// How often each of these happened: issued, credited, labels issued, labels voided.
async fn counts(world: &dyn World, order: &Order) -> [usize; 4] {
    let effects = world.effects(&order.content.order).await;
    [INVOICE_ISSUED, INVOICE_CREDITED, LABEL_ISSUED, LABEL_VOIDED]
        .map(|kind| effects.iter().filter(|effect| *effect == kind).count())
}

async fn an_order_has_one_invoice_whatever_the_key(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    let first = generate(world, &order).await.expect("documents");
    assert!(!first.fiscal_id.is_empty());
    assert_eq!(first.label_urls.len(), 2, "a label for each parcel");
    assert_eq!(generate(world, &order).await.expect("documents"), first);
    let again = under(world, "issue again", &order, "RSV-1").await;
    assert_eq!(again.expect("documents"), first);
    assert_eq!(counts(world, &order).await, [1, 0, 2, 0]);
}

async fn an_invoice_is_in_the_way_of_another(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    let _first = generate(world, &order).await.expect("documents");
    for effect in ["issue", "issue other goods"] {
        let other = under(world, effect, &order, "RSV-2").await;
        assert_eq!(meaning(other), RefusalKind::Other);
    }
    let later = sample::order("O-1", 2, 1);
    let other = under(world, "issue", &later, "RSV-2").await;
    assert_eq!(meaning(other), RefusalKind::Other, "generation 1 is not closed");
    assert_eq!(counts(world, &order).await, [1, 0, 2, 0]);
}

async fn a_close_credits_and_refuses_what_comes_late(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    let _first = generate(world, &order).await.expect("documents");
    for _again in 0..2 {
        close(world, &order, 1).await;
        assert_eq!(counts(world, &order).await, [1, 1, 2, 2], "credited, once");
    }
    for (effect, goods) in [("issue", "RSV-1"), ("issue", "RSV-2"), ("issue again", "RSV-1")] {
        let late = under(world, effect, &order, goods).await;
        assert_eq!(meaning(late), RefusalKind::Superseded, "before every stored answer");
    }
    assert_eq!(counts(world, &order).await, [1, 1, 2, 2]);
}

async fn a_close_before_everything_refuses_what_comes_late(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    close(world, &order, 2).await;
    close(world, &order, 1).await;
    for generation in [1, 2] {
        let late = generate(world, &sample::order("O-1", generation, 1)).await;
        assert_eq!(meaning(late), RefusalKind::Superseded);
    }
    assert_eq!(counts(world, &order).await, [0; 4]);
    let _another = generate(world, &sample::order("O-10", 1, 1)).await.expect("documents");
    let _above = generate(world, &sample::order("O-1", 3, 1)).await.expect("documents");
    assert_eq!(counts(world, &order).await, [1, 0, 2, 0]);
}

async fn the_next_generation_has_an_invoice_of_its_own(world: &dyn World) {
    let (first, second) = (sample::order("O-1", 1, 1), sample::order("O-1", 2, 1));
    let credited = generate(world, &first).await.expect("documents");
    close(world, &first, 1).await;
    let issued = generate(world, &second).await.expect("documents");
    assert_ne!(
        issued.fiscal_id, credited.fiscal_id,
        "a credited invoice does not answer"
    );
    close(world, &first, 1).await;
    assert_eq!(generate(world, &second).await.expect("documents"), issued);
    assert_eq!(
        counts(world, &first).await,
        [2, 1, 4, 2],
        "a late close of generation 1 leaves it alone"
    );
    close(world, &second, 2).await;
    assert_eq!(counts(world, &first).await, [2, 2, 4, 4]);
    assert_eq!(meaning(generate(world, &second).await), RefusalKind::Superseded);
}

async fn a_crowd_gets_one_invoice(world: &dyn World) {
    let order = sample::order("O-1", 1, 1);
    let effects: Vec<_> = (0..CROWD).map(|n| format!("issue {}", n % 3)).collect();
    let answers = join_all(effects.iter().map(|effect| under(world, effect, &order, "RSV-1"))).await;
    let first = under(world, "issue 0", &order, "RSV-1").await.expect("documents");
    for answer in answers {
        match answer {
            Ok(answer) => assert_eq!(answer, first),
            Err(CallError::Busy { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(counts(world, &order).await, [1, 0, 2, 0]);
}

async fn a_close_that_races_leaves_no_invoice(world: &dyn World) {
    for round in 0..CROWD {
        let order = sample::order(&format!("O-{round}"), 1, 1);
        let (issued, ()) = join(generate(world, &order), close(world, &order, 1)).await;
        match issued {
            Ok(_) | Err(CallError::Busy { .. }) => {}
            Err(CallError::Refused(refusal)) if refusal.kind == RefusalKind::Superseded => {}
            Err(error) => panic!("{error:?}"),
        }
        let [issued, credited, labels, voided] = counts(world, &order).await;
        assert_eq!((issued, labels), (credited, voided));
        assert_eq!(meaning(generate(world, &order).await), RefusalKind::Superseded);
    }
}
