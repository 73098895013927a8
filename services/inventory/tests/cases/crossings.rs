use contracts::inventory::{CloseAnswer, ReserveAnswer};
use futures_util::future::{join, join_all};
use testkit::manners;

use super::{CLOSE, COMMIT, RESERVE, World, closing, commit, reserve, told};

#[tokio::test]
async fn no_reservation_holds_goods_under_a_tombstone_whoever_comes_first() {
    let world = World::with_stock("crossing_close", &[("A", "WH-MX-1", 500), ("B", "WH-MX-1", 500)]).await;
    let orders: Vec<_> = (0..50).map(|number| format!("ORD-{number}")).collect();
    let raced = orders.iter().map(async |order| {
        let request = reserve(order, &[("A", 2, None), ("B", 1, None)]);
        let body = closing(order, 1);
        join(world.post(RESERVE, order, &request), world.server.post(CLOSE, &body)).await
    });
    for (reserved, closed) in join_all(raced).await {
        let closed: CloseAnswer = closed.ok();
        match told(&reserved) {
            (200, _) => assert_eq!(closed.reservations[0].status, "released"),
            (409, problem) if problem == "superseded" => assert!(closed.reservations.is_empty()),
            other => panic!("{other:?}"),
        }
    }
    assert!(world.stock().await.values().all(|&available| available == 500));
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_commit_that_meets_a_close_and_a_sweep_comes_out_whole() {
    let world = World::with_stock("crossing_commit", &[("A", "WH-MX-1", 500)]).await;
    for late in [false, true] {
        let orders: Vec<_> = (0..50).map(|number| format!("ORD-{late}-{number}")).collect();
        let mut reservations = vec![];
        for order in &orders {
            reservations.push(world.reserved(order, &[("A", 2, None)]).await.reservation_id);
        }
        if late {
            world.wait(60);
        }
        let raced = orders.iter().zip(&reservations).map(async |(order, reservation)| {
            let (request, others) = (commit(order, reservation), join(world.sweep(), world.close(order, 1)));
            let (committed, (_, closed)) = join(world.post(COMMIT, order, &request), others).await;
            (committed, closed)
        });
        for (committed, closed) in join_all(raced).await {
            let ended = closed.reservations[0].status.as_str();
            let (status, problem) = told(&committed);
            let whole = match (late, status, problem.as_str()) {
                (false, 200, _) => ended == "returned",
                (false, 409, "superseded") => ended == "released",
                (true, 409, "superseded" | "reservation-expired") => ended == "expired",
                _ => false,
            };
            assert!(whole, "{late}: {} and then {ended}", committed.text);
        }
        assert!(world.stock().await.values().all(|&available| available == 500));
    }
    world.assert_balanced().await;
}

#[tokio::test]
async fn reserves_and_sweeps_that_cross_do_not_stop_each_other() {
    let products = ["A", "B", "C", "D"];
    let shelves: Vec<_> = products.iter().map(|sku| (*sku, "WH-MX-1", 500)).collect();
    let world = World::with_stock("crossing_sweeps", &shelves).await;
    let lines = |number: usize| {
        let mut lines: Vec<_> = products.iter().map(|sku| (*sku, 1, None)).collect();
        lines.rotate_left(number % 4);
        lines.truncate(1 + number % 3);
        lines
    };
    let orders: Vec<_> = (0..60).map(|number| format!("ORD-{number}")).collect();
    for (number, order) in orders.iter().enumerate() {
        world.reserved(order, &lines(number)).await;
    }
    world.wait(60);
    // Each order reserves again, other goods, while what it held is swept, and others come new.
    let again = orders.iter().enumerate().map(async |(number, order)| {
        let next = reserve(order, &lines(number + 1));
        let new = format!("NEW-{number}");
        let (again, new) = join(
            world.post(RESERVE, &format!("{order}-again"), &next),
            world.post(RESERVE, &new, &reserve(&new, &lines(number + 2))),
        )
        .await;
        (again.ok::<ReserveAnswer>(), new.ok::<ReserveAnswer>())
    });
    let sweeps = join_all((0..10).map(|_| world.sweep()));
    let (reserved, _swept) = join(join_all(again), sweeps).await;
    assert_eq!(reserved.len(), 60);
    world.sweep().await;
    let effects = manners::effects(&world.server).await;
    let count = |kind: &str| effects.iter().filter(|effect| effect.kind == kind).count();
    assert_eq!(
        (count("reservation.confirmed"), count("reservation.expired")),
        (180, 60)
    );
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_crowd_that_closes_gives_back_once() {
    let world = World::with_stock("crossing_closes", &[("A", "WH-MX-1", 9)]).await;
    world.reserved("ORD-1", &[("A", 2, None)]).await;
    let body = closing("ORD-1", 1);
    let replies = join_all((0..50).map(|_| world.server.post(CLOSE, &body))).await;
    for reply in &replies {
        assert_eq!((reply.status, &reply.text), (200, &replies[0].text));
    }
    assert_eq!(
        world.done("ORD-1").await,
        ["reservation.confirmed", "reservation.released"]
    );
    world.assert_balanced().await;
}
