use std::collections::BTreeMap;

use futures_util::future::{join, join_all};
use testkit::manners;

use super::{World, request};

/// Orders that a race is run for at once.
const RACES: usize = 50;

#[tokio::test]
async fn no_confirmation_goes_out_that_the_closing_does_not_tell() {
    let world = World::new("race").await;
    let world = &world;
    let orders: Vec<_> = (0..RACES).map(|place| format!("ORD-{place}")).collect();
    let raced = join_all(orders.iter().map(async |order| {
        let request = request(order);
        join(world.send(order, &request), world.close(order, 1)).await
    }));
    let raced = raced.await;
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for effect in manners::effects(&world.server).await {
        *told.entry(effect.order_id).or_default() += 1;
    }
    for (order, (sent, closed)) in orders.iter().zip(raced) {
        let messages = told.get(order).copied().unwrap_or_default();
        if sent.status == 200 {
            assert_eq!(
                (messages, &closed.sent[..]),
                (2, &["order_confirmed".to_owned()][..]),
                "{order}"
            );
        } else {
            assert_eq!((sent.status, sent.problem().as_str()), (409, "superseded"));
            assert_eq!((messages, closed.sent.len()), (0, 0), "{order}");
        }
        assert_eq!(world.send(order, &request(order)).await.problem(), "superseded");
    }
}
