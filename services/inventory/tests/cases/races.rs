use futures_util::future::join_all;
use testkit::http::Reply;
use testkit::manners;

use super::{COMMIT, RESERVE, World, commit, delivery, reserve, told};

fn count(replies: &[Reply], status: u16, problem: &str) -> usize {
    replies
        .iter()
        .filter(|reply| reply.status == status && reply.problem() == problem)
        .count()
}

#[tokio::test]
async fn a_hundred_reserves_at_once_never_take_more_than_there_is() {
    let world = World::with_stock("race_oversell", &[("A", "WH-MX-1", 25), ("A", "WH-MX-2", 35)]).await;
    let orders: Vec<_> = (0..100).map(|order| format!("ORD-{order}")).collect();
    let requests: Vec<_> = orders
        .iter()
        .map(|order| reserve(order, &[("A", 1, Some("WH-MX-1"))]))
        .collect();
    let asked = orders
        .iter()
        .zip(&requests)
        .map(|(order, request)| world.post(RESERVE, order, request));
    let replies = join_all(asked).await;
    assert_eq!(count(&replies, 200, ""), 60);
    assert_eq!(count(&replies, 409, "out-of-stock"), 40, "nobody else is turned away");
    assert!(world.stock().await.values().all(|&available| available == 0));
    assert_eq!(manners::effects(&world.server).await.len(), 60);
    world.assert_balanced().await;
}

#[tokio::test]
async fn orders_whose_lines_cross_do_not_stop_each_other() {
    let products = ["A", "B", "C", "D"];
    let shelves: Vec<_> = products
        .iter()
        .flat_map(|sku| ["WH-MX-1", "WH-MX-2"].map(|place| (*sku, place, 500)))
        .collect();
    let world = World::with_stock("race_crossing", &shelves).await;
    let orders: Vec<_> = (0..100).map(|order| format!("ORD-{order}")).collect();
    let request = |(number, order): (usize, &String)| {
        let mut lines: Vec<_> = products
            .iter()
            .map(|sku| (*sku, 1, Some(["WH-MX-1", "WH-MX-2"][number % 2])))
            .collect();
        lines.rotate_left(number % 4);
        if number % 3 == 0 {
            lines.reverse();
        }
        reserve(order, &lines)
    };
    let requests: Vec<_> = orders.iter().enumerate().map(request).collect();
    let asked = orders
        .iter()
        .zip(&requests)
        .map(|(order, request)| world.post(RESERVE, order, request));
    // Deliveries, which touch the same shelves and new ones, come in between.
    let deliveries: Vec<_> = (1..=10)
        .map(|units| {
            let mut rows: Vec<_> = products.iter().rev().map(|sku| (*sku, "WH-MX-1", units)).collect();
            rows.push(("E", "WH-MX-1", units));
            rows.insert(0, ("AA", "WH-MX-2", units));
            delivery(&rows)
        })
        .collect();
    let delivered = join_all(deliveries.iter().map(|delivery| world.deliver(delivery)));
    let (replies, delivered) = tokio::join!(join_all(asked), delivered);
    assert_eq!(count(&replies, 200, ""), 100);
    assert_eq!(count(&delivered, 200, ""), 10);
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_crowd_that_reserves_for_one_order_gets_one_reservation() {
    let world = World::with_stock("race_one_order", &[("A", "WH-MX-1", 5)]).await;
    for (order, one_key) in [("ORD-1", true), ("ORD-2", false)] {
        // All that is left of it, in the second case: who comes late must not be told that it is gone.
        let request = reserve(order, &[("A", if one_key { 3 } else { 2 }, None)]);
        manners::acts_once_for_a_crowd(&world.server, RESERVE, &request, one_key).await;
    }
    assert_eq!(manners::effects(&world.server).await.len(), 2);
    assert!(world.stock().await.values().all(|&available| available == 0));
}

#[tokio::test]
async fn orders_run_through_reserve_and_commit_side_by_side_and_the_books_balance() {
    let world = World::with_stock("race_through", &[("A", "WH-MX-1", 60), ("B", "WH-MX-2", 60)]).await;
    let through = |number: usize| {
        let world = &world;
        async move {
            let order = format!("ORD-{number}");
            let reservation = world
                .reserved(&order, &[("A", 1, None), ("B", 1, None)])
                .await
                .reservation_id;
            world
                .post(COMMIT, &format!("{order}-commit"), &commit(&order, &reservation))
                .await
                .status
        }
    };
    let done = join_all((0..60).map(through)).await;
    assert!(done.iter().all(|&status| status == 200));
    assert_eq!(manners::effects(&world.server).await.len(), 120);
    assert!(world.stock().await.values().all(|&available| available == 0));
    world.assert_balanced().await;
}

#[tokio::test]
async fn orders_of_several_units_and_repeats_never_take_more_than_there_is() {
    let world = World::with_stock("race_repeats", &[("A", "WH-MX-1", 25), ("B", "WH-MX-1", 10)]).await;
    let threes = (0..20).map(|number| (format!("ORD-3-{number}"), "A", 3));
    let ones = (0..100).map(|number| (format!("ORD-1-{number}"), "B", 1));
    let orders: Vec<_> = threes.chain(ones).collect();
    // Three of ten come twice.
    let again = orders.iter().enumerate().filter(|(place, _)| place % 10 < 3);
    let asked = orders.iter().chain(again.map(|(_, order)| order));
    let asked = asked.map(async |(order, sku, units)| {
        let reply = world
            .post(RESERVE, order, &reserve(order, &[(*sku, *units, None)]))
            .await;
        (order, reply)
    });
    let replies = join_all(asked).await;
    for (order, reply) in &replies {
        let told = told(reply);
        let allowed = [(200, ""), (409, "out-of-stock"), (409, "in-progress")];
        assert!(allowed.contains(&(told.0, told.1.as_str())), "{order}: {}", reply.text);
    }
    let effects = manners::effects(&world.server).await;
    let had = |prefix: &str| {
        effects
            .iter()
            .filter(|effect| effect.order_id.starts_with(prefix))
            .count()
    };
    assert_eq!((had("ORD-3-"), had("ORD-1-")), (8, 10));
    let left: Vec<_> = world.stock().await.into_values().collect();
    assert_eq!(left, [1, 0]);
    world.assert_balanced().await;
}
