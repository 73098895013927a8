//! Every state with everything that can happen, against a table written out by hand; and what each change sends.

use time::OffsetDateTime;

use super::*;
use crate::change::{Actor, change};
use crate::failure::Class;
use crate::happened::{Apology, Operated, Refund};
use crate::id::{CustomerId, IdempotencyKey, MessageId, OrderId, PaymentId, ReservationId, Sku, Version, WarehouseId};
use crate::message::{Address, Line};
use crate::money::{Currency, Money};
use crate::outgoing::Outgoing;
use crate::steps::ReservedLine;

fn content() -> OrderMessage {
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
        lines: vec![Line {
            sku: Sku::parse("A").unwrap(),
            quantity: 1,
            warehouse_hint: None,
            unit_price: None,
        }],
        shipping_fee: None,
        total: Money::parse("1", Currency::parse("MXN").unwrap()).unwrap(),
        key: IdempotencyKey::parse("ORD-1-v1").unwrap(),
        not_before: None,
    }
}

fn order(state: State, progress: Progress) -> Order {
    Order {
        content: content(),
        document: "{}".into(),
        generation: Generation(2),
        state,
        progress,
    }
}

fn reservation() -> Reservation {
    Reservation {
        id: ReservationId::parse("RSV-1").unwrap(),
        expires_at: OffsetDateTime::UNIX_EPOCH,
        lines: vec![ReservedLine {
            sku: Sku::parse("A").unwrap(),
            quantity: 1,
            warehouse: WarehouseId::parse("WH-MX-1").unwrap(),
            weight_grams: 1,
        }],
    }
}

fn failed() -> Failed {
    Failed::new(Class::Refused, None, "no", 1)
}

fn deed() -> Operated {
    Operated {
        by: "operator".into(),
        reason: "test".into(),
    }
}

/// The road of a second generation, in order.
fn road() -> [Happened; 8] {
    let id = reservation().id;
    [
        Happened::CloseEarlier,
        Happened::CheckStock(StockCheck { available: true }),
        Happened::Reserve(reservation()),
        Happened::CalculateShipment(vec![]),
        Happened::CommitReservation(CommittedReservation { id }),
        Happened::IssueDocuments(Documents {
            fiscal_id: "F".into(),
            invoice_url: "u".into(),
            label_urls: vec![],
        }),
        Happened::NotifyCustomer(Notice {
            id: "N".into(),
            channels: vec!["email".into()],
        }),
        Happened::Record,
    ]
}

fn turns() -> [Happened; 9] {
    let refund = Refund {
        payment: content().payment,
        amount: content().total,
        notice: Apology::OutOfStock,
    };
    [
        Happened::ReservationExpired(reservation().id),
        Happened::OutOfStock(vec![]),
        Happened::DeadLettered(failed()),
        Happened::Replayed(deed()),
        Happened::Edited(deed()),
        Happened::Abandoned(deed()),
        Happened::Stuck(failed()),
        Happened::Redone(deed()),
        Happened::Compensated(refund),
    ]
}

#[test]
fn an_open_order_takes_the_end_of_its_next_step_and_no_other() {
    for state in [State::Accepted, State::Processing] {
        for done in 0..road().len() {
            let progress = Progress::replay(road().into_iter().take(done));
            for (step, happened) in road().into_iter().enumerate() {
                let after = order(state, progress.clone())
                    .apply(happened)
                    .ok()
                    .map(|after| after.state);
                let expected = match step {
                    7 => State::Completed,
                    _ => State::Processing,
                };
                assert_eq!(
                    after,
                    (step == done).then_some(expected),
                    "{state}, {done} done, {step}"
                );
            }
        }
    }
}

#[test]
fn every_turn_from_every_state_is_as_the_table_says() {
    use State::{Accepted, Compensated, Compensating, DeadLettered, Processing, Stuck};
    /// What is reached from each state; all others refuse it.
    type Row = (usize, &'static [(State, State)]);
    // Before reserve, so that out of stock can be, and an expiry cannot.
    let table: [Row; 9] = [
        (0, &[]),
        (1, &[(Accepted, Compensating), (Processing, Compensating)]),
        (2, &[(Accepted, DeadLettered), (Processing, DeadLettered)]),
        (3, &[(DeadLettered, Accepted)]),
        (4, &[(DeadLettered, Accepted)]),
        (5, &[(DeadLettered, Compensating)]),
        (6, &[(Compensating, Stuck)]),
        (7, &[(Stuck, Compensating)]),
        (8, &[(Compensating, Compensated)]),
    ];
    let progress = Progress::replay(road().into_iter().take(2));
    for (turn, arrows) in table {
        for state in State::ALL {
            let happened = turns()[turn].clone();
            let name = happened.name();
            let after = order(state, progress.clone())
                .apply(happened)
                .ok()
                .map(|after| after.state);
            let expected = arrows.iter().find(|(from, _)| *from == state).map(|(_, to)| *to);
            assert_eq!(after, expected, "{state}: {name}");
        }
    }
}

#[test]
fn only_the_reservation_that_is_held_can_run_out_and_its_parcels_go_with_it() {
    let before_commit = Progress::replay(road().into_iter().take(4));
    let other = ReservationId::parse("RSV-2").unwrap();
    let held = order(State::Processing, before_commit);
    assert!(held.clone().apply(Happened::ReservationExpired(other)).is_err());
    let after = held.apply(Happened::ReservationExpired(reservation().id)).unwrap();
    assert_eq!(after.next_step(), Some(Step::Reserve));
    assert_eq!(after.progress.shipments, None);
}

#[test]
fn an_edit_opens_a_generation_with_an_empty_journal_and_a_replay_keeps_both() {
    let dead = order(State::DeadLettered, Progress::replay(road().into_iter().take(3)));
    let edited = dead.clone().apply(Happened::Edited(deed())).unwrap();
    assert_eq!(
        (edited.generation, edited.next_step()),
        (Generation(3), Some(Step::CloseEarlier))
    );
    let replayed = dead.apply(Happened::Replayed(deed())).unwrap();
    assert_eq!(
        (replayed.generation, replayed.next_step()),
        (Generation(2), Some(Step::CalculateShipment))
    );
}

#[test]
fn each_change_sends_its_messages_and_is_durable_when_it_does() {
    let before = |happened: &Happened| match happened {
        Happened::OutOfStock(_) | Happened::DeadLettered(_) => State::Processing,
        Happened::Replayed(_) | Happened::Edited(_) | Happened::Abandoned(_) => State::DeadLettered,
        Happened::Redone(_) => State::Stuck,
        _ => State::Compensating,
    };
    let actor = Actor {
        name: "w".into(),
        attempt: 1,
        message: Some(MessageId::derive(&content().order, Generation(2), "order.process")),
    };
    let sends: [&[&str]; 8] = [
        &["order.compensate to orders.compensation"],
        &["order.process to orders.dlx", "order.dead_lettered to orders.events"],
        &["order.process to orders"],
        &["order.process to orders"],
        &["order.compensate to orders.compensation"],
        &["order.compensate to orders.dlx"],
        &["order.compensate to orders.compensation"],
        &["order.compensated to orders.events"],
    ];
    for (happened, expected) in turns().into_iter().skip(1).zip(sends) {
        let name = happened.name();
        let order = order(before(&happened), Progress::replay(road().into_iter().take(2)));
        let (after, commit) = change(&order, Version(7), happened, &actor).unwrap();
        let sent = |out: &Outgoing| format!("{} to {}", out.kind(), out.destination().exchange());
        assert_eq!(commit.outbox.iter().map(sent).collect::<Vec<_>>(), expected, "{name}");
        assert!(commit.must_be_durable(), "{name}");
        assert_eq!(
            (commit.from, commit.to, commit.expected),
            (order.state, after.state, Version(7)),
            "{name}"
        );
        assert_eq!(commit.processed.is_some(), after.state.is_final(), "{name}");
    }
}

#[test]
fn the_end_of_a_step_may_be_lost_but_for_what_is_held_and_the_last_one_records_the_order() {
    let actor = Actor {
        name: "w".into(),
        attempt: 1,
        message: None,
    };
    for (done, happened) in road().into_iter().take(7).enumerate() {
        let order = order(State::Processing, Progress::replay(road().into_iter().take(done)));
        let (after, commit) = change(&order, Version(1), happened, &actor).unwrap();
        let last = done == 6;
        assert_eq!(after.state == State::Completed, last);
        let holds = done == 2;
        assert_eq!(
            (commit.must_be_durable(), commit.result.is_some()),
            (last || holds, last)
        );
        assert_eq!(commit.outbox.len(), usize::from(last));
    }
}
