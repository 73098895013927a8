//! The handler against a world in memory that can be told to fail at one place.

use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use time::OffsetDateTime;

use super::*;
use crate::id::{CustomerId, Generation, MessageId, PaymentId, ReservationId, Sku, WarehouseId};
use crate::message::{Address, Line, Malformed, MalformedKind};
use crate::money::{Currency, Money};
use crate::order::Progress;
use crate::ports::Refusal;
use crate::steps::{self, CommittedReservation, Notice, ReservedLine, StockCheck};

/// Everything outside the handler.
#[derive(Default)]
struct World {
    row: Mutex<Option<(Order, Version)>>,
    /// Calls to services, in order, with the key of each.
    calls: Mutex<Vec<(&'static str, String)>>,
    commits: Mutex<Vec<Commit>>,
    /// The call that fails, and how; once.
    fails: Mutex<Option<Failing>>,
    /// Commits that meet a conflict before one is let through.
    conflicts: Mutex<u32>,
}

/// A call by its name, and its error.
type Failing = (&'static str, fn() -> CallError);

fn unknown() -> CallError {
    CallError::Unknown {
        service: "test",
        source: "lost".into(),
    }
}

fn refusal() -> CallError {
    CallError::Refused(Refusal {
        service: "test",
        problem: "no".into(),
        detail: "no".into(),
    })
}

impl World {
    fn call(&self, name: &'static str, key: Option<&IdempotencyKey>) -> Result<(), CallError> {
        let key = key.map(ToString::to_string).unwrap_or_default();
        self.calls.lock().unwrap().push((name, key));
        match self.fails.lock().unwrap().take_if(|(at, _)| *at == name) {
            Some((_, error)) => Err(error()),
            None => Ok(()),
        }
    }

    fn called(&self) -> Vec<&'static str> {
        self.calls.lock().unwrap().iter().map(|(name, _)| *name).collect()
    }
}

#[async_trait]
impl OrderStore for World {
    async fn load(&self, _order: &OrderId) -> Result<Option<(Order, Version)>, StoreError> {
        Ok(self.row.lock().unwrap().clone())
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let mut conflicts = self.conflicts.lock().unwrap();
        let mut row = self.row.lock().unwrap();
        let (order, version) = row.take().unwrap();
        assert_eq!((commit.from, commit.expected), (order.state, version));
        if *conflicts > 0 {
            *conflicts -= 1;
            *row = Some((order, version.next()));
            return Ok(Committed::Conflict);
        }
        let mut order = order.apply(commit.journal.clone()).unwrap();
        order.state = commit.to;
        *row = Some((order, version.next()));
        self.commits.lock().unwrap().push(commit);
        Ok(Committed::Yes)
    }
}

#[async_trait]
impl Inventory for World {
    async fn check(&self, _order: &Order) -> Result<StockCheck, CallError> {
        self.call("check", None)?;
        Ok(StockCheck { available: false })
    }

    async fn reserve(&self, key: &IdempotencyKey, order: &Order) -> Result<Reservation, CallError> {
        self.call("reserve", Some(key))?;
        let line = |line: &Line| ReservedLine {
            sku: line.sku.clone(),
            quantity: line.quantity,
            warehouse: line.warehouse_hint.clone().unwrap(),
            weight_grams: 100,
        };
        Ok(Reservation {
            id: ReservationId::parse("RSV-1").unwrap(),
            expires_at: OffsetDateTime::UNIX_EPOCH,
            lines: order.content.lines.iter().map(line).collect(),
        })
    }

    async fn commit(
        &self,
        key: &IdempotencyKey,
        _order: &Order,
        reservation: &Reservation,
    ) -> Result<CommittedReservation, CallError> {
        self.call("commit", Some(key))?;
        let id = reservation.id.clone();
        Ok(CommittedReservation { id })
    }
}

#[async_trait]
impl Logistics for World {
    async fn calculate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        _reservation: &Reservation,
        origin: &WarehouseId,
    ) -> Result<Shipment, CallError> {
        self.call("calculate", Some(key))?;
        Ok(Shipment {
            origin: origin.clone(),
            carrier: "Carrier".into(),
            service: "Standard".into(),
            estimated_delivery: "2026-04-09".into(),
            tracking_number: format!("T-{origin}"),
            cost: order.content.total,
        })
    }
}

#[async_trait]
impl Documents for World {
    async fn generate(
        &self,
        key: &IdempotencyKey,
        _order: &Order,
        _reservation: &Reservation,
        shipments: &[Shipment],
    ) -> Result<steps::Documents, CallError> {
        self.call("generate", Some(key))?;
        Ok(steps::Documents {
            fiscal_id: "F-1".into(),
            invoice_url: "http://invoice".into(),
            label_urls: shipments
                .iter()
                .map(|shipment| shipment.tracking_number.clone())
                .collect(),
        })
    }
}

#[async_trait]
impl Notifications for World {
    async fn confirm(&self, key: &IdempotencyKey, _order: &Order, _: &[Shipment]) -> Result<Notice, CallError> {
        self.call("confirm", Some(key))?;
        Ok(Notice {
            id: "N-1".into(),
            channels: vec!["email".into()],
        })
    }
}

fn content() -> OrderMessage {
    let line = |sku: &str, warehouse: &str| Line {
        sku: Sku::parse(sku).unwrap(),
        quantity: 1,
        warehouse_hint: Some(WarehouseId::parse(warehouse).unwrap()),
        unit_price: None,
    };
    OrderMessage {
        order: OrderId::parse("ORD-1").unwrap(),
        placed_at: OffsetDateTime::UNIX_EPOCH,
        customer: CustomerId::parse("C").unwrap(),
        payment: PaymentId::parse("P").unwrap(),
        address: Address {
            country: "MX".into(),
            city: "CDMX".into(),
            zip: "1".into(),
            line1: "x".into(),
        },
        lines: vec![line("A", "WH-MX-2"), line("B", "WH-MX-1"), line("C", "WH-MX-2")],
        shipping_fee: None,
        total: Money::parse("1", Currency::parse("MXN").unwrap()).unwrap(),
        key: IdempotencyKey::parse("ORD-1-v1").unwrap(),
        not_before: None,
    }
}

fn world() -> Arc<World> {
    let order = Order {
        content: content(),
        generation: Generation::FIRST,
        state: State::Accepted,
        progress: Progress::default(),
    };
    let world = World::default();
    *world.row.lock().unwrap() = Some((order, Version(1)));
    Arc::new(world)
}

fn delivery() -> Delivery {
    Delivery {
        message: Ok(content()),
        id: Some(MessageId::derive(&content().order, Generation::FIRST, "order.process")),
        generation: Generation::FIRST,
        attempt: 1,
    }
}

/// Nothing in the world waits, so one poll is enough.
fn handle(world: &Arc<World>, delivery: &Delivery) -> Verdict {
    let handler = Handler {
        orders: Arc::<World>::clone(world),
        inventory: Arc::<World>::clone(world),
        logistics: Arc::<World>::clone(world),
        documents: Arc::<World>::clone(world),
        notifications: Arc::<World>::clone(world),
        worker: "w".into(),
    };
    match pin!(handler.handle(delivery)).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(verdict) => verdict,
        Poll::Pending => panic!("the handler waits for something"),
    }
}

const ROAD: [&str; 7] = [
    "check",
    "reserve",
    "calculate",
    "calculate",
    "commit",
    "generate",
    "confirm",
];

#[test]
fn an_order_goes_its_road_and_ends_in_one_durable_commit() {
    let world = world();
    assert!(matches!(
        handle(&world, &delivery()),
        Verdict::Settled(Settled::Completed)
    ));
    assert_eq!(world.called(), ROAD);
    let commits = world.commits.lock().unwrap();
    let (last, journal) = commits.split_last().unwrap();
    assert_eq!(journal.len(), 5);
    assert!(
        journal
            .iter()
            .all(|commit| !commit.must_be_durable() && commit.processed.is_none())
    );
    assert!(last.must_be_durable() && last.to == State::Completed && last.processed == delivery().id);
    assert!(matches!(&last.outbox[..], [Outgoing::Completed(event)] if Some(event) == last.result.as_ref()));
    let origins: Vec<_> = last
        .result
        .as_ref()
        .unwrap()
        .shipments
        .iter()
        .map(|s| s.origin.as_str())
        .collect();
    assert_eq!(origins, ["WH-MX-1", "WH-MX-2"], "one shipment per origin");
}

#[test]
fn a_lost_answer_at_any_call_is_asked_for_again_under_the_same_key() {
    for name in ROAD {
        let world = world();
        *world.fails.lock().unwrap() = Some((name, unknown));
        assert!(matches!(handle(&world, &delivery()), Verdict::Unavailable(_)), "{name}");
        assert!(
            matches!(handle(&world, &delivery()), Verdict::Settled(Settled::Completed)),
            "{name}"
        );
        let calls = world.calls.lock().unwrap();
        let at = ROAD.iter().position(|&call| call == name).unwrap();
        assert_eq!(calls[at], calls[at + 1], "{name}: same call, same key");
        assert_eq!(calls.len(), ROAD.len() + 1, "{name}: finished steps are not repeated");
    }
}

#[test]
fn a_refusal_is_told_from_a_lost_answer() {
    let world = world();
    *world.fails.lock().unwrap() = Some(("reserve", refusal));
    let Verdict::Refused(reason) = handle(&world, &delivery()) else {
        panic!("not refused")
    };
    assert_eq!(reason.to_string(), "order ORD-1 at step reserve");
}

#[test]
fn a_repeat_of_a_finished_order_calls_nobody() {
    let world = world();
    let _first = handle(&world, &delivery());
    world.calls.lock().unwrap().clear();
    let verdict = handle(&world, &delivery());
    assert!(matches!(
        verdict,
        Verdict::Settled(Settled::Duplicate(State::Completed))
    ));
    assert!(world.called().is_empty());
}

#[test]
fn another_generation_is_a_duplicate_and_calls_nobody() {
    let world = world();
    let late = Delivery {
        generation: Generation(2),
        ..delivery()
    };
    assert!(matches!(
        handle(&world, &late),
        Verdict::Settled(Settled::Duplicate(State::Accepted))
    ));
    assert!(world.called().is_empty());
}

#[test]
fn a_conflict_is_decided_anew_and_three_of_them_are_given_back() {
    let world = world();
    *world.conflicts.lock().unwrap() = 2;
    assert!(matches!(
        handle(&world, &delivery()),
        Verdict::Settled(Settled::Completed)
    ));
    let world = self::world();
    *world.conflicts.lock().unwrap() = 3;
    assert!(matches!(handle(&world, &delivery()), Verdict::Unavailable(_)));
}

#[test]
fn what_checkout_never_accepted_is_refused_before_any_call() {
    let unknown = Arc::new(World::default());
    assert!(matches!(handle(&unknown, &delivery()), Verdict::Refused(_)));

    let world = world();
    let mut forged = content();
    forged.lines[0].quantity = 1_000;
    let forged = Delivery {
        message: Ok(forged),
        ..delivery()
    };
    assert!(matches!(handle(&world, &forged), Verdict::Refused(_)));

    let garbled = Delivery {
        message: Err(Malformed {
            kind: MalformedKind::Shape,
            field: "body".into(),
            reason: "not JSON".into(),
        }),
        ..delivery()
    };
    assert!(matches!(handle(&world, &garbled), Verdict::Refused(_)));
    assert!(world.called().is_empty());
}
