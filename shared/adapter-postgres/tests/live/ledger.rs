//! What is read of orders, and of rows that cannot be read.

use pipeline::order::State;
use pipeline::outgoing::Destination;
use pipeline::ports::Placement;
use testkit::conformance::orders::World as _;
use testkit::conformance::outbox::World as _;
use testkit::conformance::sample;

use crate::world::{Base, World};

async fn place(world: &World, order: &str) {
    let order = sample::new_order(&sample::document(order, 1));
    let placed = testkit::conformance::orders::World::intake(world).place(&order).await;
    assert_eq!(placed.unwrap(), Placement::Accepted);
}

#[tokio::test]
async fn a_completed_order_is_read_with_its_result_and_its_history() {
    let base = Base::new("read").await;
    let world = base.fresh().await;
    place(&world, "O-1").await;
    let (mut order, mut version) = world.orders().load(&sample::id("O-1")).await.unwrap().unwrap();
    for happened in sample::road(&order) {
        let (after, commit) = sample::changed(&order, version, happened);
        let _stored = world.orders().commit(commit).await.unwrap();
        (order, version) = (after, version.next());
    }
    assert_eq!(order.state, State::Completed);

    let view = world.ledger.order(&sample::id("O-1")).await.unwrap().unwrap();
    assert_eq!((view.summary.state.as_str(), view.version), ("completed", version.0));
    assert!(view.summary.finished_at.is_some());
    assert_eq!(view.result.unwrap().fiscal_id, "F-1");
    let events: Vec<_> = view.history.iter().map(|change| change.event.as_str()).collect();
    let road = [
        "accepted",
        "check_stock",
        "reserve",
        "calculate_shipment",
        "commit_reservation",
        "issue_documents",
        "notify_customer",
    ];
    assert_eq!(events, road);
    let last = view.history.last().unwrap();
    assert_eq!(
        (last.to.as_str(), last.worker.as_str(), last.attempt),
        ("completed", "worker-1", 2)
    );
    assert!(world.ledger.order(&sample::id("O-9")).await.unwrap().is_none());
}

#[tokio::test]
async fn orders_are_listed_in_pages_and_by_state() {
    let base = Base::new("listed").await;
    let world = base.fresh().await;
    for order in ["O-1", "O-2", "O-3"] {
        place(&world, order).await;
    }
    let (order, version) = world.orders().load(&sample::id("O-2")).await.unwrap().unwrap();
    let (_, commit) = sample::changed(&order, version, sample::road(&order).remove(0));
    let _stored = world.orders().commit(commit).await.unwrap();
    let page = world.ledger.orders("", None, 2).await.unwrap();
    let ids: Vec<_> = page.rows.iter().map(|row| row.order_id.as_str()).collect();
    assert_eq!((ids, page.next.as_deref()), (vec!["O-1", "O-2"], Some("O-2")));
    let accepted = world.ledger.orders("O-1", Some("accepted"), 2).await.unwrap();
    let ids: Vec<_> = accepted.rows.iter().map(|row| row.order_id.as_str()).collect();
    assert_eq!((ids, accepted.next), (vec!["O-3"], None));
}

#[tokio::test]
async fn a_row_that_cannot_be_read_holds_up_no_other() {
    let base = Base::new("bad_row").await;
    let world = base.fresh().await;
    for order in ["O-1", "O-2", "O-3"] {
        place(&world, order).await;
    }
    world
        .execute("update outbox set order_id = 'not an id' where order_id = 'O-1'")
        .await;
    let outbox = world.holder(&[Destination::Orders]).await;
    assert_eq!(outbox.claim(10).await.unwrap().len(), 2);
    assert_eq!(world.pending().await, 3, "it is still there");
}

#[tokio::test]
async fn money_that_went_back_stays_on_record() {
    let base = Base::new("refunds").await;
    let world = base.fresh().await;
    for statement in ["update refunds set amount = '0'", "delete from refunds"] {
        let refused = sqlx::query(statement)
            .execute(&world.pool)
            .await
            .unwrap_err()
            .to_string();
        assert!(refused.contains("append-only"), "{refused}");
    }
}
