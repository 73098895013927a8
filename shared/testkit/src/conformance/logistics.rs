//! The carriers: a shipment for each key.

use async_trait::async_trait;
use contracts::effects::SHIPMENT_CALCULATED;
use futures_util::future::join_all;
use pipeline::id::{IdempotencyKey, OrderId, ReservationId, WarehouseId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Logistics, RefusalKind};
use pipeline::steps::{Reservation, Shipment};

use super::inventory::meaning;
use super::sample;

/// Requests that are sent at once to find a race.
const CROWD: usize = 12;

/// Carriers that have carried nothing yet.
#[async_trait]
pub trait World: Send + Sync {
    /// The port under test.
    fn logistics(&self) -> &dyn Logistics;

    /// Kinds of all effects that an order had, in their order.
    async fn effects(&self, order: &OrderId) -> Vec<String>;
}

/// Asserts every fact of the suite, each in a world of its own that `fresh` makes and names.
///
/// # Panics
///
/// When the adapter does otherwise.
pub async fn hold<W: World>(fresh: impl AsyncFn(&'static str) -> W) {
    a_key_gives_its_first_answer_again(&fresh("conf_key").await).await;
    every_origin_and_every_generation_has_a_shipment_of_its_own(&fresh("conf_origins").await).await;
    a_crowd_with_one_key_gets_one_shipment(&fresh("conf_crowd").await).await;
    other_goods_of_another_reservation_get_a_shipment_too(&fresh("conf_second").await).await;
}

async fn calculate(
    world: &dyn World,
    order: &Order,
    held: &Reservation,
    origin: &WarehouseId,
) -> Result<Shipment, CallError> {
    let key = key(order, held, origin);
    world.logistics().calculate(&key, order, held, origin).await
}

/// As the worker makes it: the reservation is part of it.
fn key(order: &Order, held: &Reservation, origin: &WarehouseId) -> IdempotencyKey {
    IdempotencyKey::derive(&order.content.order, order.generation, &format!("{}/{origin}", held.id))
}

async fn a_key_gives_its_first_answer_again(world: &dyn World) {
    let order = sample::order("O-1", 1, 2);
    let (held, origin) = (sample::reservation("RSV-1", 2), sample::warehouse());
    let first = calculate(world, &order, &held, &origin).await.expect("a shipment");
    assert_eq!(first.origin, origin);
    assert!(!first.carrier.is_empty() && !first.tracking_number.is_empty());
    assert_eq!(
        calculate(world, &order, &held, &origin).await.expect("a shipment"),
        first
    );
    assert_eq!(world.effects(&order.content.order).await, [SHIPMENT_CALCULATED]);

    let heavier = sample::reservation("RSV-1", 9);
    let misused = calculate(world, &order, &heavier, &origin).await;
    assert_eq!(meaning(misused), RefusalKind::Other, "the key is another request's");
    assert_eq!(world.effects(&order.content.order).await, [SHIPMENT_CALCULATED]);
}

async fn every_origin_and_every_generation_has_a_shipment_of_its_own(world: &dyn World) {
    let order = sample::order("O-1", 1, 2);
    let other = WarehouseId::parse("WH-MX-GDL").expect("a warehouse");
    let mut held = sample::reservation("RSV-1", 2);
    let mut line = held.lines[0].clone();
    line.warehouse = other.clone();
    held.lines.push(line);
    let mut numbers = vec![];
    for generation in [1, 2] {
        let order = sample::order("O-1", generation, 2);
        held.id = ReservationId::parse(&format!("RSV-{generation}")).expect("an id");
        for origin in [&sample::warehouse(), &other] {
            let shipment = calculate(world, &order, &held, origin).await.expect("a shipment");
            assert_eq!(shipment.origin, *origin);
            numbers.push(shipment.tracking_number);
        }
    }
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), 4, "{numbers:?}");
    assert_eq!(world.effects(&order.content.order).await, [SHIPMENT_CALCULATED; 4]);
}

async fn other_goods_of_another_reservation_get_a_shipment_too(world: &dyn World) {
    let (order, origin) = (sample::order("O-1", 1, 2), sample::warehouse());
    let first = calculate(world, &order, &sample::reservation("RSV-1", 2), &origin).await;
    let second = calculate(world, &order, &sample::reservation("RSV-2", 1), &origin).await;
    let (first, second) = (first.expect("a shipment"), second.expect("a shipment"));
    assert_ne!(first.tracking_number, second.tracking_number);
}

async fn a_crowd_with_one_key_gets_one_shipment(world: &dyn World) {
    let (order, origin) = (sample::order("O-1", 1, 2), sample::warehouse());
    let held = sample::reservation("RSV-1", 2);
    let answers = join_all((0..CROWD).map(|_| calculate(world, &order, &held, &origin))).await;
    let first = calculate(world, &order, &held, &origin).await.expect("a shipment");
    for answer in answers {
        match answer {
            Ok(answer) => assert_eq!(answer, first),
            Err(CallError::Busy { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(world.effects(&order.content.order).await, [SHIPMENT_CALCULATED]);
}
