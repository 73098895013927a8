//! The order database on a real server.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing where it is")]

use std::sync::Arc;

use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::intake::PgIntake;
use adapter_postgres::ledger::PgLedger;
use adapter_postgres::migrations::migrate_acuse;
use adapter_postgres::orders::PgOrders;
use adapter_postgres::outbox::PgOutbox;
use adapter_postgres::relay::Wake;
use pipeline::id::{Generation, MessageId, OrderId, Version};
use pipeline::order::State;
use pipeline::outgoing::{Completed, Destination, Outgoing};
use pipeline::ports::{Commit, Committed, Intake, NewOrder, OrderStore, Outbox, Placement};
use pipeline::steps::{Happened, Step, StockCheck};
use platform::clock::{Clock as _, SystemClock};
use testkit::database::TestDatabase;
use time::OffsetDateTime;

/// A migrated database, and the ways into it.
struct Orders {
    intake: PgIntake,
    store: PgOrders,
    ledger: PgLedger,
    pool: adapter_postgres::PgPool,
    _database: TestDatabase,
}

async fn orders(test: &str) -> Orders {
    let database = TestDatabase::create(test).await;
    let durable = pool(&database.url, "test", 8, Durability::Durable).unwrap();
    let relaxed = pool(&database.url, "test", 8, Durability::Relaxed).unwrap();
    migrate_acuse(&durable).await.unwrap();
    Orders {
        intake: PgIntake::new(durable.clone(), "checkout".to_owned(), Wake::default()),
        store: PgOrders::new(durable.clone(), relaxed, Wake::default()),
        ledger: PgLedger(durable.clone()),
        pool: durable,
        _database: database,
    }
}

fn order(id: &str, key: &str, city: &str) -> NewOrder {
    let document = format!(
        r#"{{"order_id":"{id}","customer_id":"C","payment_id":"P","items":[{{"sku":"A","qty":1}}],
            "shipping_address":{{"country":"MX","city":"{city}","zip":"1","line1":"x"}},
            "total_amount":{{"value":10.00,"currency":"MXN"}},"idempotency_key":"{key}","x":1}}"#
    );
    contracts::order_message::accept(document.as_bytes(), None, OffsetDateTime::UNIX_EPOCH).unwrap()
}

fn now() -> OffsetDateTime {
    SystemClock.now()
}

fn id(text: &str) -> OrderId {
    OrderId::parse(text).unwrap()
}

fn step(order: &str, expected: i64, from: State) -> Commit {
    Commit {
        order: id(order),
        generation: Generation::FIRST,
        from,
        to: State::Processing,
        expected: Version(expected),
        journal: Happened::CheckStock(StockCheck { available: true }),
        worker: "w".to_owned(),
        attempt: 1,
        result: None,
        processed: None,
        outbox: vec![],
    }
}

fn completion(order: &str, expected: i64) -> Commit {
    let result = Completed {
        reservation_id: "R".to_owned(),
        shipments: vec![],
        fiscal_id: "F".to_owned(),
        invoice_url: "u".to_owned(),
        label_urls: vec![],
        notification_id: "N".to_owned(),
    };
    Commit {
        to: State::Completed,
        result: Some(result.clone()),
        processed: Some(MessageId::derive(&id(order), Generation::FIRST, "order.process")),
        outbox: vec![Outgoing::Completed(result)],
        ..step(order, expected, State::Processing)
    }
}

#[tokio::test]
async fn an_order_is_placed_once_and_what_stands_in_the_way_is_named() {
    let it = orders("placed_once").await;
    let place = async |id, key, city| it.intake.place(&order(id, key, city)).await.unwrap();
    assert_eq!(place("O-1", "K-1", "Puebla").await, Placement::Accepted);
    assert_eq!(place("O-1", "K-1", "Puebla").await, Placement::Known(State::Accepted));
    assert_eq!(place("O-1", "K-1", "Toluca").await, Placement::OrderIdTaken);
    assert_eq!(place("O-1", "K-2", "Puebla").await, Placement::OrderIdTaken);
    assert_eq!(place("O-2", "K-1", "Puebla").await, Placement::KeyTaken(id("O-1")));
    assert_eq!(it.intake.backlog().await.unwrap(), 1);
    assert_eq!(
        it.ledger.outbox().await.unwrap().pending,
        1,
        "one message for one order"
    );
}

#[tokio::test]
async fn of_many_that_place_the_same_order_at_once_one_is_first() {
    let it = Arc::new(orders("placed_at_once").await);
    let mut racing = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let it = Arc::clone(&it);
        racing.spawn(async move { it.intake.place(&order("O-1", "K-1", "Puebla")).await.unwrap() });
    }
    let placed = racing.join_all().await;
    assert_eq!(
        placed.iter().filter(|placed| **placed == Placement::Accepted).count(),
        1,
        "{placed:?}"
    );
    assert_eq!(it.ledger.outbox().await.unwrap().pending, 1);
}

#[tokio::test]
async fn a_change_needs_the_expected_version_state_and_generation() {
    let it = orders("expected").await;
    let _placed = it.intake.place(&order("O-1", "K-1", "Puebla")).await.unwrap();
    let commit = async |commit| it.store.commit(commit).await.unwrap();
    let wrong_generation = Commit {
        generation: Generation(2),
        ..step("O-1", 1, State::Accepted)
    };
    assert_eq!(commit(step("O-1", 2, State::Accepted)).await, Committed::Conflict);
    assert_eq!(commit(step("O-1", 1, State::Processing)).await, Committed::Conflict);
    assert_eq!(commit(wrong_generation).await, Committed::Conflict);
    assert_eq!(commit(step("O-9", 1, State::Accepted)).await, Committed::Conflict);
    assert_eq!(
        it.ledger.order(&id("O-1")).await.unwrap().unwrap().history.len(),
        1,
        "nothing was written"
    );

    assert_eq!(commit(step("O-1", 1, State::Accepted)).await, Committed::Yes);
    assert_eq!(commit(step("O-1", 1, State::Accepted)).await, Committed::Conflict);
    let (loaded, version) = it.store.load(&id("O-1")).await.unwrap().unwrap();
    assert_eq!((loaded.state, version), (State::Processing, Version(2)));
    assert_eq!(loaded.next_step(), Some(Step::Reserve), "the journal is resumed");
    assert!(it.store.load(&id("O-9")).await.unwrap().is_none());
}

#[tokio::test]
async fn a_completed_order_has_result_history_and_event_and_never_moves_again() {
    let it = orders("completed").await;
    let _placed = it.intake.place(&order("O-1", "K-1", "Puebla")).await.unwrap();
    assert_eq!(
        it.store.commit(step("O-1", 1, State::Accepted)).await.unwrap(),
        Committed::Yes
    );
    assert_eq!(it.store.commit(completion("O-1", 2)).await.unwrap(), Committed::Yes);
    assert_eq!(
        it.store.commit(completion("O-1", 2)).await.unwrap(),
        Committed::Conflict
    );
    assert_eq!(
        it.store.commit(completion("O-1", 3)).await.unwrap(),
        Committed::Conflict
    );

    let view = it.ledger.order(&id("O-1")).await.unwrap().unwrap();
    assert_eq!(view.summary.state, "completed");
    assert!(view.summary.finished_at.is_some());
    assert_eq!(view.result.unwrap().fiscal_id, "F");
    let told: Vec<_> = view
        .history
        .iter()
        .map(|change| (change.event.as_str(), change.to.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("accepted", "accepted"),
            ("check_stock", "processing"),
            ("check_stock", "completed")
        ]
    );

    let events = PgOutbox::open(it.pool.clone(), &[Destination::Events]).await.unwrap();
    let claimed = events.claim(10).await.unwrap();
    assert_eq!(claimed.len(), 1, "one event");
    assert_eq!(claimed[0].envelope.kind, "order.completed");
    let event: contracts::events::OrderCompleted = serde_json::from_str(&claimed[0].envelope.body).unwrap();
    assert_eq!((event.order_id.as_str(), event.generation), ("O-1", 1));
}

#[tokio::test]
async fn a_claimed_row_is_nobody_elses_until_it_is_given_back_and_gone_once_marked() {
    let it = orders("claimed").await;
    for n in 0..10 {
        let _placed = it
            .intake
            .place(&order(&format!("O-{n}"), &format!("K-{n}"), "Puebla"))
            .await
            .unwrap();
    }
    let open = async || PgOutbox::open(it.pool.clone(), &[Destination::Orders]).await.unwrap();
    let (one, two) = (open().await, open().await);
    let (first, second) = tokio::join!(one.claim(5), two.claim(10));
    let (first, second) = (first.unwrap(), second.unwrap());
    let rows = |claimed: &[pipeline::ports::Claimed]| claimed.iter().map(|row| row.row).collect::<Vec<_>>();
    let mut all = [rows(&first), rows(&second)].concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), first.len() + second.len(), "no row in two hands");
    assert_eq!(all.len(), 10);
    assert!(one.claim(10).await.unwrap().is_empty());

    // A holder cannot mark what another holds.
    one.mark_queued(&rows(&second)).await.unwrap();
    assert_eq!(it.ledger.outbox().await.unwrap().pending, 10);
    one.mark_queued(&rows(&first)).await.unwrap();
    two.mark_queued(&rows(&second)).await.unwrap();
    assert_eq!(it.ledger.outbox().await.unwrap().pending, 0);

    let cleaned = one.clean(now() + time::Duration::HOUR).await.unwrap();
    assert_eq!(cleaned, 10);
}

#[tokio::test]
async fn a_claim_that_ran_out_and_a_row_given_back_are_claimed_again() {
    let it = orders("ran_out").await;
    for n in 0..2 {
        let _placed = it
            .intake
            .place(&order(&format!("O-{n}"), &format!("K-{n}"), "Puebla"))
            .await
            .unwrap();
    }
    let dead = PgOutbox::open(it.pool.clone(), &[Destination::Orders]).await.unwrap();
    let alive = PgOutbox::open(it.pool.clone(), &[Destination::Orders]).await.unwrap();
    let held = dead.claim(1).await.unwrap();
    let given_back = dead.claim(1).await.unwrap();
    dead.release(&[given_back[0].row]).await.unwrap();
    assert!(
        alive.claim(10).await.unwrap().is_empty(),
        "one is held, the other rests"
    );

    it.execute(
        "update outbox set claimed_until = claimed_until - interval '1 hour', available_at = now() - interval '1 s'",
    )
    .await;
    assert_eq!(alive.claim(10).await.unwrap().len(), 2);
    dead.mark_queued(&[held[0].row]).await.unwrap();
    assert_eq!(
        it.ledger.outbox().await.unwrap().pending,
        2,
        "the claim that ran out marks nothing"
    );
}

#[tokio::test]
async fn a_row_that_cannot_be_read_holds_up_no_other() {
    let it = orders("bad_row").await;
    for n in 0..3 {
        let _placed = it
            .intake
            .place(&order(&format!("O-{n}"), &format!("K-{n}"), "Puebla"))
            .await
            .unwrap();
    }
    it.execute("update outbox set order_id = 'not an id' where order_id = 'O-0'")
        .await;
    let outbox = PgOutbox::open(it.pool.clone(), &[Destination::Orders]).await.unwrap();
    assert_eq!(outbox.claim(10).await.unwrap().len(), 2);
    assert_eq!(it.ledger.outbox().await.unwrap().pending, 3, "it is still there");
}

#[tokio::test]
async fn a_scheduled_order_stays_until_its_time() {
    let it = orders("scheduled").await;
    let mut scheduled = order("O-1", "K-1", "Puebla");
    scheduled.content.not_before = Some(now() + time::Duration::HOUR);
    let _placed = it.intake.place(&scheduled).await.unwrap();
    let outbox = PgOutbox::open(it.pool.clone(), &[Destination::Orders]).await.unwrap();
    assert!(outbox.claim(10).await.unwrap().is_empty());
    it.execute("update outbox set available_at = available_at - interval '2 hours'")
        .await;
    assert_eq!(outbox.claim(10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_relay_gets_only_what_it_may_write() {
    let it = orders("may_write").await;
    let _placed = it.intake.place(&order("O-1", "K-1", "Puebla")).await.unwrap();
    let events = PgOutbox::open(it.pool.clone(), &[Destination::Events]).await.unwrap();
    assert!(events.claim(10).await.unwrap().is_empty());
}

impl Orders {
    async fn execute(&self, statement: &'static str) {
        sqlx::query(statement).execute(&self.pool).await.unwrap();
    }
}
