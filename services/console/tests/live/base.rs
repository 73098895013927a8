//! The console over a database of its own.

use std::num::NonZeroU16;
use std::sync::Arc;

use adapter_postgres::PgPool;
use adapter_postgres::connection::{Durability, pool};
use adapter_postgres::dead_letters::{PgDeadLetterBooks, PgDeadLetters};
use adapter_postgres::intake::PgIntake;
use adapter_postgres::ledger::PgLedger;
use adapter_postgres::migrations::migrate_acuse;
use adapter_postgres::orders::PgOrders;
use adapter_postgres::relay::Wake;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use console::routes::{Desk, router};
use contracts::checkout::OrderView;
use contracts::console::{DeadLetterRow, DeadLetterView};
use contracts::effects::Page;
use pipeline::dead_letters::{Content, DeadLetters as _, Drained, EntryId, Letter, Queue};
use pipeline::failure::{Class, Failed};
use pipeline::happened::Happened;
use pipeline::id::Generation;
use pipeline::order::Order;
use pipeline::ports::{Committed, Intake as _, OrderStore as _, Placement};
use pipeline::steps::StockCheck;
use platform::health::Readiness;
use serde_json::{Value, json};
use testkit::conformance::sample;
use testkit::database::TestDatabase;
use testkit::http::{Reply, TestServer, callers};

/// Who asks, in these tests.
pub const OPERATOR: &str = "ana";

/// A broker that is not there.
const NOWHERE: &str = "amqp://nobody:nothing@127.0.0.1:1/none";

pub struct Console {
    pub server: TestServer,
    pub router: axum::Router,
    pub store: PgDeadLetters,
    pub pool: PgPool,
    pub database: TestDatabase,
    orders: PgOrders,
}

/// A console whose broker does not answer.
pub async fn console(test: &str) -> Console {
    console_at(test, NOWHERE).await
}

/// A console that sends to the broker at `url`.
pub async fn console_at(test: &str, url: &str) -> Console {
    let database = TestDatabase::create(test).await;
    let pool = pool(&database.url, "test", 8, Durability::Durable).unwrap();
    migrate_acuse(&pool).await.unwrap();
    let store = PgDeadLetters::new(pool.clone(), "console".to_owned(), Wake::default());
    let orders = PgOrders::new(pool.clone(), pool.clone(), Wake::default());
    let publisher = ConfirmPublisher::new(url.parse().unwrap(), "test-again", NonZeroU16::MIN);
    let desk = Desk {
        orders: Arc::new(PgOrders::new(pool.clone(), pool.clone(), Wake::default())),
        books: PgDeadLetterBooks(pool.clone()),
        store: Arc::new(store.clone()),
        publisher: Arc::new(publisher),
    };
    let router = router(desk, callers(&[OPERATOR]), Readiness::starting());
    Console {
        server: TestServer::start(router.clone(), OPERATOR).await,
        router,
        store,
        pool,
        database,
        orders,
    }
}

impl Console {
    /// An order that checkout took in.
    pub async fn place(&self, order: &str) {
        let intake = PgIntake::new(self.pool.clone(), "checkout".to_owned(), Wake::default());
        let placed = intake.place(&sample::new_order(&sample::document(order, 1))).await;
        assert_eq!(placed.unwrap(), Placement::Accepted);
    }

    /// Has all of it happen to the order, one after the other.
    pub async fn walk(&self, order: &str, all: Vec<Happened>) {
        for happened in all {
            let (order, version) = self.orders.load(&sample::id(order)).await.unwrap().unwrap();
            let (_after, commit) = sample::changed(&order, version, happened);
            assert_eq!(self.orders.commit(commit).await.unwrap(), Committed::Yes);
        }
    }

    pub async fn order(&self, order: &str) -> Order {
        self.orders.load(&sample::id(order)).await.unwrap().unwrap().0
    }

    /// An accepted order that was dead-lettered: its entry.
    pub async fn waiting(&self, order: &str) -> EntryId {
        self.place(order).await;
        self.walk(order, vec![Happened::DeadLettered(sample::failed())]).await;
        self.kept(&letter(Queue::Process, order, sample::failed())).await
    }

    /// An order whose undoing failed for good: its entry.
    pub async fn stuck(&self, order: &str) -> EntryId {
        self.stuck_without_letter(order).await;
        self.kept(&letter(Queue::Compensation, order, sample::failed())).await
    }

    /// The same before its letter has come.
    pub async fn stuck_without_letter(&self, order: &str) {
        self.place(order).await;
        let looked = Happened::CheckStock(StockCheck { available: true });
        let failed = Happened::Stuck(sample::failed());
        self.walk(order, vec![looked, sample::out_of_stock(), failed]).await;
    }

    /// A message that belongs to no order: its entry.
    pub async fn stray(&self, queue: Queue, body: &[u8]) -> EntryId {
        let mut letter = letter(
            queue,
            "ORD-nobody",
            Failed::new(Class::UnknownOrder, None, "nobody knows it", 1),
        );
        letter.content.body = body.to_vec();
        self.kept(&letter).await
    }

    pub async fn kept(&self, letter: &Letter) -> EntryId {
        match self.store.drain(letter).await.unwrap() {
            Drained::Kept(id) => id,
            Drained::Duplicate(duplicate) => panic!("it was dropped: {duplicate:?}"),
        }
    }

    /// Asks for a deed on an entry, with a reason that is good.
    pub async fn act(&self, id: EntryId, what: &str) -> Reply {
        self.act_with(id, what, &because()).await
    }

    pub async fn act_with(&self, id: EntryId, what: &str, body: &Value) -> Reply {
        self.server.post(&format!("/dead-letters/{id}/{what}"), body).await
    }

    pub async fn view(&self, id: EntryId) -> DeadLetterView {
        self.server.get(&format!("/dead-letters/{id}")).await.ok()
    }

    /// Entries that pass the filters of `query`.
    pub async fn list(&self, query: &str) -> Page<DeadLetterRow> {
        self.server.get(&format!("/dead-letters?{query}")).await.ok()
    }

    /// The last entry of the order's history: event, state, worker, note.
    pub async fn last(&self, order: &str) -> (String, String, String, Option<String>) {
        let view: OrderView = PgLedger(self.pool.clone())
            .order(&sample::id(order))
            .await
            .unwrap()
            .unwrap();
        let last = view.history.last().unwrap().clone();
        (last.event, last.to, last.worker, last.note)
    }

    /// Forgets what is to be sent; what a deed sends is seen alone.
    pub async fn forget_outbox(&self) {
        let kinds = self.outbox().await;
        assert!(!kinds.is_empty(), "there is nothing to forget");
        sqlx::query("truncate outbox").execute(&self.pool).await.unwrap();
    }

    /// Kinds and generations of what is to be sent.
    pub async fn outbox(&self) -> Vec<(String, i32)> {
        let rows = sqlx::query_as("select kind, generation from outbox order by id");
        rows.fetch_all(&self.pool).await.unwrap()
    }
}

/// A request that says why.
pub fn because() -> Value {
    json!({ "reason": "the shop says so" })
}

/// A letter of ours about an order.
pub fn letter(queue: Queue, order: &str, failed: Failed) -> Letter {
    Letter {
        queue,
        order: Some(sample::id(order)),
        generation: Generation::FIRST,
        failed: Some(failed),
        attempt: 2,
        content: Content {
            body: sample::document(order, 1).into_bytes(),
            properties: json!({ "type": "order.process", "headers": { "generation": { "i64": 1 } } }).to_string(),
        },
    }
}
