//! Orders and letters that the tests of dead letters speak of.

use pipeline::dead_letters::{Content, DeadLetters as _, Drained, EntryId, Letter, Queue};
use pipeline::failure::{Class, Failed};
use pipeline::happened::Happened;
use pipeline::id::Generation;
use pipeline::order::State;
use pipeline::ports::{Committed, Intake as _, OrderStore as _, Placement};
use pipeline::steps::StockCheck;
use testkit::conformance::sample;

use crate::world::World;

impl World {
    pub async fn place(&self, order: &str) {
        let placed = self.intake.place(&sample::new_order(&sample::document(order, 1))).await;
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

    /// An order whose undoing failed for good, before its letter has come.
    pub async fn stuck(&self, order: &str) {
        self.place(order).await;
        let looked = Happened::CheckStock(StockCheck { available: true });
        let failed = Happened::Stuck(sample::failed());
        self.walk(order, vec![looked, sample::out_of_stock(), failed]).await;
    }

    pub async fn state(&self, order: &str) -> State {
        self.orders.load(&sample::id(order)).await.unwrap().unwrap().0.state
    }

    /// Drains a letter that is kept.
    pub async fn kept(&self, letter: &Letter) -> EntryId {
        match self.dead_letters.drain(letter).await.unwrap() {
            Drained::Kept(id) => id,
            Drained::Duplicate(duplicate) => panic!("it was dropped: {duplicate:?}"),
        }
    }

    /// A number that `query` counts.
    pub async fn count(&self, query: &'static str) -> i64 {
        sqlx::query_scalar(query).fetch_one(&self.pool).await.unwrap()
    }
}

/// A letter about an order that says why it is one.
pub fn letter(queue: Queue, order: &str, failed: Failed) -> Letter {
    Letter {
        failed: Some(failed),
        ..given_up(queue, order)
    }
}

/// A letter about an order that the broker gave up.
pub fn given_up(queue: Queue, order: &str) -> Letter {
    Letter {
        queue,
        order: Some(sample::id(order)),
        generation: Generation::FIRST,
        failed: None,
        attempt: 1,
        content: Content {
            body: order.as_bytes().to_vec(),
            properties: r#"{"type":"order.process"}"#.to_owned(),
        },
    }
}

/// A letter about nothing that anybody knows, told apart by its body.
pub fn stray(body: &[u8]) -> Letter {
    Letter {
        order: None,
        failed: Some(Failed::new(Class::Invalid, None, "no JSON", 1)),
        content: Content {
            body: body.to_vec(),
            properties: "{}".to_owned(),
        },
        ..given_up(Queue::Invalid, "O-0")
    }
}
