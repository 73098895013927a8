//! What was paid back, as the audit reads it, and what a history says beside the names of things.

use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::orders::PgOrders;
use adapter_postgres::relay::Wake;
use contracts::checkout::OrderView;
use contracts::effects::{Effect, Page, REFUND_RECORDED};
use pipeline::change::{Actor, change};
use pipeline::failure::{Class, Failed};
use pipeline::happened::{Apology, Happened, Operated, Refund};
use pipeline::id::{OrderId, PaymentId};
use pipeline::money::{Currency, Money};
use pipeline::ports::{Committed, OrderStore as _};

use crate::base::{Checkout, checkout, order};

/// What happens to the order, one after the other, as a worker and an operator would store it.
async fn happens(it: &Checkout, id: &str, what: Vec<Happened>) {
    let pool = pool(&it.database.url, "test", 2, Durability::Durable).unwrap();
    let orders = PgOrders::new(pool.clone(), pool, Wake::default());
    let id = OrderId::parse(id).unwrap();
    let actor = Actor {
        name: "compensation-1".to_owned(),
        attempt: 1,
        message: None,
    };
    for happened in what {
        let (order, version) = orders.load(&id).await.unwrap().unwrap();
        let (_after, commit) = change(&order, version, happened, &actor).unwrap();
        assert!(matches!(orders.commit(commit).await.unwrap(), Committed::Yes));
    }
}

/// A dead-lettered order that an operator gives up.
async fn give_up(it: &Checkout, id: &str) {
    assert_eq!(it.server.post("/orders", &order(id)).await.status, 202);
    let operated = Operated {
        by: "ana".to_owned(),
        reason: "the customer asked".to_owned(),
    };
    let refund = Refund {
        payment: PaymentId::parse("P").unwrap(),
        amount: Money::parse("10", Currency::parse("MXN").unwrap()).unwrap(),
        notice: Apology::OrderCancelled,
    };
    let failed = Failed::new(Class::Refused, Some("reserve"), "no such \u{1b}[2J product", 1);
    let what = vec![
        Happened::DeadLettered(failed),
        Happened::Abandoned(operated),
        Happened::Compensated(refund),
    ];
    happens(it, id, what).await;
}

#[tokio::test]
async fn refunds_are_read_in_pages() {
    let it = checkout("refunds").await;
    let none: Page<Effect> = it.server.get("/effects").await.ok();
    assert!(none.rows.is_empty() && none.next.is_none());
    for id in ["O-1", "O-2", "O-3"] {
        give_up(&it, id).await;
    }
    let first: Page<Effect> = it.server.get("/effects?limit=2").await.ok();
    let next = first.next.unwrap();
    let rest: Page<Effect> = it.server.get(&format!("/effects?limit=2&after={next}")).await.ok();
    assert_eq!((first.rows.len(), rest.rows.len(), rest.next), (2, 1, None));
    let refund = &rest.rows[0];
    assert_eq!(
        (refund.kind.as_str(), refund.order_id.as_str(), refund.subject.as_str()),
        (REFUND_RECORDED, "O-3", "P")
    );
    assert_eq!(refund.parts, ["10.00 MXN", "order_cancelled"]);
    assert_eq!((refund.caller.as_str(), refund.generation), ("compensation-1", 1));
}

#[tokio::test]
async fn a_history_says_why_it_failed_and_who_gave_it_up() {
    let it = checkout("notes").await;
    give_up(&it, "O-1").await;
    let view: OrderView = it.server.get("/orders/O-1").await.ok();
    assert_eq!(view.summary.state, "compensated");
    let notes: Vec<_> = view.history.iter().map(|change| change.note.as_deref()).collect();
    let expected = [
        None,
        Some("refused at reserve: no such  [2J product"),
        Some("by ana: the customer asked"),
        Some("10.00 MXN goes back to P"),
    ];
    assert_eq!(notes, expected);
}
