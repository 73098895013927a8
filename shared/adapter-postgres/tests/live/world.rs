//! A migrated database, and the ways into it.

use std::sync::Arc;
use std::time::Duration;

use adapter_postgres::PgPool;
use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::dead_letters::PgDeadLetters;
use adapter_postgres::intake::PgIntake;
use adapter_postgres::ledger::PgLedger;
use adapter_postgres::migrations::migrate_acuse;
use adapter_postgres::orders::PgOrders;
use adapter_postgres::outbox::PgOutbox;
use adapter_postgres::relay::Wake;
use async_trait::async_trait;
use pipeline::dead_letters::DeadLetters;
use pipeline::happened::Refund;
use pipeline::id::{Generation, MessageId, OrderId, Version};
use pipeline::outgoing::Destination;
use pipeline::ports::{Intake, OrderStore, Outbox};
use sqlx::Row as _;
use testkit::conformance::dead_letters::Entry;
use testkit::conformance::orders::Change;
use testkit::conformance::{dead_letters, orders, outbox};
use testkit::database::TestDatabase;
use time::OffsetDateTime;

use crate::rows;

const CONNECTIONS_MAX: u32 = 8;

/// Connections of a test that lets a crowd in.
const CROWD_CONNECTIONS_MAX: u32 = 25;

const EVERYWHERE: [Destination; 4] = [
    Destination::Orders,
    Destination::Compensation,
    Destination::DeadLetters,
    Destination::Events,
];

/// A database for one test after the other.
pub struct Base {
    pool: PgPool,
    relaxed: PgPool,
    _database: TestDatabase,
}

impl Base {
    pub async fn new(test: &str) -> Self {
        Self::wide(test, CONNECTIONS_MAX).await
    }

    /// With connections for a crowd.
    pub async fn crowded(test: &str) -> Self {
        Self::wide(test, CROWD_CONNECTIONS_MAX).await
    }

    async fn wide(test: &str, connections_max: u32) -> Self {
        let database = TestDatabase::create(&format!("acuse_{test}")).await;
        let pool_of = |durability| pool(&database.url, "test", connections_max, durability).unwrap();
        let (pool, relaxed) = (pool_of(Durability::Durable), pool_of(Durability::Relaxed));
        migrate_acuse(&pool).await.unwrap();
        Self {
            pool,
            relaxed,
            _database: database,
        }
    }

    /// The database without a row.
    pub async fn fresh(&self) -> World {
        let emptied =
            sqlx::query("truncate orders, order_documents, history, processed, outbox, refunds, dead_letters cascade");
        emptied.execute(&self.pool).await.unwrap();
        let (durable, wake) = (self.pool.clone(), Wake::default);
        World {
            ledger: PgLedger(durable.clone()),
            intake: PgIntake::new(durable.clone(), "checkout".to_owned(), wake()),
            orders: PgOrders::new(durable.clone(), self.relaxed.clone(), wake()),
            outbox: PgOutbox::open(durable.clone(), &EVERYWHERE).await.unwrap(),
            dead_letters: PgDeadLetters::new(durable.clone(), "console".to_owned(), wake()),
            pool: durable,
        }
    }
}

pub struct World {
    pub pool: PgPool,
    pub ledger: PgLedger,
    pub intake: PgIntake,
    pub orders: PgOrders,
    outbox: PgOutbox,
    pub dead_letters: PgDeadLetters,
}

impl World {
    pub async fn execute(&self, statement: &'static str) {
        sqlx::query(statement).execute(&self.pool).await.unwrap();
    }
}

#[async_trait]
impl orders::World for World {
    fn intake(&self) -> &dyn Intake {
        &self.intake
    }

    fn orders(&self) -> &dyn OrderStore {
        &self.orders
    }

    fn outbox(&self) -> &dyn Outbox {
        &self.outbox
    }

    async fn refunds(&self, order: &OrderId) -> Vec<Refund> {
        let rows = sqlx::query("select payment_id, amount, notice from refunds where order_id = $1 order by seq");
        let rows = rows.bind(order.as_str()).fetch_all(&self.pool).await.unwrap();
        rows.iter().map(rows::refund).collect()
    }

    async fn is_processed(&self, message: MessageId) -> bool {
        let found = sqlx::query("select from processed where message_id = $1").bind(message.0);
        found.fetch_optional(&self.pool).await.unwrap().is_some()
    }

    async fn changes(&self, order: &OrderId) -> Vec<Change> {
        let rows = sqlx::query(
            "select version, generation, from_state, to_state, event, worker, attempt
             from history where order_id = $1 and from_state is not null order by version",
        );
        let rows = rows.bind(order.as_str()).fetch_all(&self.pool).await.unwrap();
        let change = |row: &sqlx::postgres::PgRow| Change {
            version: Version(row.get("version")),
            generation: Generation(rows::count(row, "generation")),
            from: rows::text(row, "from_state").parse().unwrap(),
            to: rows::text(row, "to_state").parse().unwrap(),
            event: rows::text(row, "event"),
            worker: rows::text(row, "worker"),
            attempt: rows::count(row, "attempt"),
        };
        rows.iter().map(change).collect()
    }
}

#[async_trait]
impl outbox::World for World {
    fn intake(&self) -> &dyn Intake {
        &self.intake
    }

    async fn holder(&self, destinations: &[Destination]) -> Arc<dyn Outbox> {
        Arc::new(PgOutbox::open(self.pool.clone(), destinations).await.unwrap())
    }

    async fn pass(&self, time: Duration) {
        // The server's clock cannot be turned; all that is dated by it can.
        let passed = sqlx::query(
            "update outbox set available_at = available_at - by.time,
                 claimed_until = claimed_until - by.time, queued_at = queued_at - by.time
             from (select make_interval(secs => $1) as time) as by",
        );
        passed.bind(time.as_secs_f64()).execute(&self.pool).await.unwrap();
    }

    async fn now(&self) -> OffsetDateTime {
        sqlx::query_scalar("select now()").fetch_one(&self.pool).await.unwrap()
    }

    async fn pending(&self) -> usize {
        self.ledger.outbox().await.unwrap().pending.try_into().unwrap()
    }

    async fn fill_sent(&self, rows: u32) {
        let filled = sqlx::query(
            "insert into outbox (order_id, generation, message_id, exchange, kind, body, queued_at)
             select 'O-1', 1, gen_random_uuid(), 'orders', 'order.process', '', now() from generate_series(1, $1)",
        );
        filled.bind(i64::from(rows)).execute(&self.pool).await.unwrap();
    }
}

#[async_trait]
impl dead_letters::World for World {
    fn intake(&self) -> &dyn Intake {
        &self.intake
    }

    fn orders(&self) -> &dyn OrderStore {
        &self.orders
    }

    fn outbox(&self) -> &dyn Outbox {
        &self.outbox
    }

    fn dead_letters(&self) -> &dyn DeadLetters {
        &self.dead_letters
    }

    async fn entries(&self) -> Vec<Entry> {
        let rows = sqlx::query("select *, properties::text as written from dead_letters order by id");
        let rows = rows.fetch_all(&self.pool).await.unwrap();
        rows.iter().map(rows::entry).collect()
    }
}
