//! What is taken, and for whom.

use contracts::effects::{RESERVATION_COMMITTED, RESERVATION_CONFIRMED};
use futures_util::future::join_all;
use pipeline::happened::Short;
use pipeline::id::Sku;
use pipeline::message::Line;
use pipeline::order::Order;
use pipeline::ports::{CallError, RefusalKind};

use super::{World, commit, done, key, meaning, one, reserve, reserved, stocked, units};
use crate::conformance::sample::{self, SKU, WAREHOUSE};

/// Requests that are sent at once to find a race.
const CROWD: usize = 12;

/// Another product.
const OTHER: &str = "ELEC-LAPTOP-001";

fn with_other(order: &Order, units: u32) -> Order {
    let mut order = order.clone();
    order.content.lines.push(Line {
        sku: Sku::parse(OTHER).expect("a SKU"),
        quantity: units,
        ..order.content.lines[0].clone()
    });
    order
}

pub(super) async fn a_key_gives_its_first_answer_again(world: &dyn World) {
    stocked(world, 5).await;
    let order = sample::order("O-1", 1, 2);
    let first = reserved(world, &order).await;
    let line = &first.lines[0];
    assert_eq!(
        (line.sku.as_str(), line.quantity, line.warehouse.as_str()),
        (SKU, 2, WAREHOUSE)
    );
    assert_eq!(reserved(world, &order).await, first);
    assert_eq!(units(world).await, 3);
    let committed = commit(world, &order, &first).await.expect("it is there");
    assert_eq!(committed.id, first.id);
    assert_eq!(commit(world, &order, &first).await.expect("it is final"), committed);
    assert_eq!(reserved(world, &order).await, first, "what is final still answers");
    assert_eq!(units(world).await, 3);
    assert_eq!(
        done(world, &order).await,
        [RESERVATION_CONFIRMED, RESERVATION_COMMITTED]
    );

    let more = sample::order("O-1", 1, 3);
    assert_eq!(
        meaning(reserve(world, &more).await),
        RefusalKind::Other,
        "the key is another request's"
    );
    assert_eq!(units(world).await, 3);
}

pub(super) async fn an_order_has_one_reservation_whatever_the_key(world: &dyn World) {
    stocked(world, 5).await;
    let order = one("O-1", 1);
    let first = reserved(world, &order).await;
    let inventory = world.inventory();
    let again = inventory.reserve(&key(&order, "reserve again"), &order).await;
    assert_eq!(again.expect("its own"), first);
    let more = sample::order("O-1", 1, 2);
    let for_more = inventory.reserve(&key(&order, "reserve more"), &more).await;
    assert_eq!(meaning(for_more), RefusalKind::Other);
    let later = one("O-1", 2);
    assert_eq!(
        meaning(reserve(world, &later).await),
        RefusalKind::Other,
        "generation 1 is not closed"
    );
    assert_eq!(units(world).await, 4);
    assert_eq!(done(world, &order).await, [RESERVATION_CONFIRMED]);
}

pub(super) async fn short_lines_are_named_and_nothing_is_taken(world: &dyn World) {
    stocked(world, 5).await;
    world.deliver(OTHER, WAREHOUSE, 1).await;
    let order = with_other(&sample::order("O-1", 1, 2), 3);
    let short = Short {
        sku: OTHER.to_owned(),
        wanted: 3,
        available: 1,
    };
    assert_eq!(
        meaning(reserve(world, &order).await),
        RefusalKind::OutOfStock(vec![short])
    );
    assert_eq!(units(world).await, 5, "all lines or none");
    assert_eq!(done(world, &order).await, [""; 0]);
    assert!(!world.inventory().check(&order).await.expect("advice").available);
}

pub(super) async fn a_refusal_is_judged_anew(world: &dyn World) {
    stocked(world, 0).await;
    let order = one("O-1", 1);
    assert!(matches!(
        meaning(reserve(world, &order).await),
        RefusalKind::OutOfStock(_)
    ));
    stocked(world, 1).await;
    let held = reserved(world, &order).await;
    assert_eq!((held.lines.len(), units(world).await), (1, 0));
}

pub(super) async fn an_unknown_product_is_no_shortage(world: &dyn World) {
    let order = one("O-1", 1);
    assert_eq!(meaning(world.inventory().check(&order).await), RefusalKind::Other);
    assert_eq!(meaning(reserve(world, &order).await), RefusalKind::Other);
}

pub(super) async fn a_check_counts_what_the_order_holds(world: &dyn World) {
    stocked(world, 1).await;
    let (order, other) = (one("O-1", 1), one("O-2", 1));
    let available = async |order: &Order| world.inventory().check(order).await.expect("advice").available;
    assert!(available(&order).await && available(&other).await);
    let held = reserved(world, &order).await;
    assert!(available(&order).await, "it does not trip over its own goods");
    assert!(!available(&other).await);
    let _committed = commit(world, &order, &held).await.expect("it is there");
    assert!(available(&order).await && !available(&other).await);
    let refused = meaning(reserve(world, &other).await);
    assert!(matches!(refused, RefusalKind::OutOfStock(_)), "{refused:?}");
}

pub(super) async fn a_commit_needs_a_reservation_of_its_own(world: &dyn World) {
    stocked(world, 5).await;
    let (order, other) = (one("O-1", 1), one("O-2", 1));
    let held = reserved(world, &order).await;
    let nobodys = sample::reservation("RSV-NOBODYS", 1);
    for (order, held) in [(&order, &nobodys), (&other, &held)] {
        assert_eq!(meaning(commit(world, order, held).await), RefusalKind::Other);
    }
    assert_eq!(done(world, &order).await, [RESERVATION_CONFIRMED]);
    let under_another_key = world.inventory().commit(&key(&order, "once"), &order, &held).await;
    let again = commit(world, &order, &held).await.expect("it is final");
    assert_eq!(under_another_key.expect("it is there"), again);
    assert_eq!(
        done(world, &order).await,
        [RESERVATION_CONFIRMED, RESERVATION_COMMITTED]
    );
}

pub(super) async fn of_orders_that_race_for_the_last_units_none_gets_too_many(world: &dyn World) {
    const UNITS: u32 = 5;
    stocked(world, UNITS).await;
    let orders: Vec<_> = (0..CROWD).map(|n| one(&format!("O-{n}"), 1)).collect();
    let answers = join_all(orders.iter().map(|order| reserve(world, order))).await;
    let (got, not): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(got.len(), UNITS as usize);
    for refused in not {
        let refused = meaning(refused);
        assert!(matches!(refused, RefusalKind::OutOfStock(_)), "{refused:?}");
    }
    assert_eq!(units(world).await, 0);
}

pub(super) async fn an_order_that_asks_many_times_at_once_gets_one_reservation(world: &dyn World) {
    stocked(world, 100).await;
    let order = one("O-1", 1);
    for one_key in [true, false] {
        let keys: Vec<_> = (0..CROWD)
            .map(|n| {
                key(
                    &order,
                    &if one_key {
                        "reserve".to_owned()
                    } else {
                        format!("reserve {n}")
                    },
                )
            })
            .collect();
        let answers = join_all(keys.iter().map(|key| world.inventory().reserve(key, &order))).await;
        let held = reserved(world, &order).await;
        for answer in answers {
            match answer {
                Ok(answer) => assert_eq!(answer, held),
                Err(CallError::Busy { .. }) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    }
    assert_eq!(units(world).await, 99);
    assert_eq!(done(world, &order).await, [RESERVATION_CONFIRMED]);
}
