//! What each change sends, and whether it may be lost.

use super::*;
use crate::failure::{Class, Failed};
use crate::happened::{Apology, Operated, Refund};
use crate::samples;
use crate::steps::{CommittedReservation, StockCheck};

fn actor() -> Actor {
    Actor {
        name: "w".into(),
        attempt: 1,
        message: Some(MessageId::derive(
            &samples::order().content.order,
            Generation::FIRST,
            "order.process",
        )),
    }
}

#[test]
fn each_turn_sends_its_messages_and_is_durable() {
    let failed = || Failed::new(Class::Refused, None, "no", 1);
    let deed = || Operated {
        by: "ana".into(),
        reason: "because".into(),
    };
    let content = samples::order().content;
    let refund = Refund {
        payment: content.payment,
        amount: content.total,
        notice: Apology::OutOfStock,
    };
    let table: [(State, Happened, &[&str]); 8] = [
        (
            State::Processing,
            Happened::OutOfStock(vec![]),
            &["order.compensate to orders.compensation"],
        ),
        (
            State::Processing,
            Happened::DeadLettered(failed()),
            &["order.process to orders.dlx", "order.dead_lettered to orders.events"],
        ),
        (
            State::DeadLettered,
            Happened::Replayed(deed()),
            &["order.process to orders"],
        ),
        (
            State::DeadLettered,
            Happened::Edited(deed()),
            &["order.process to orders"],
        ),
        (
            State::DeadLettered,
            Happened::Abandoned(deed()),
            &["order.compensate to orders.compensation"],
        ),
        (
            State::Compensating,
            Happened::Stuck(failed()),
            &["order.compensate to orders.dlx"],
        ),
        (
            State::Stuck,
            Happened::Redone(deed()),
            &["order.compensate to orders.compensation"],
        ),
        (
            State::Compensating,
            Happened::Compensated(refund),
            &["order.compensated to orders.events"],
        ),
    ];
    for (state, happened, expected) in table {
        let name = happened.name();
        let mut order = samples::order();
        order.progress.stock_check = Some(StockCheck { available: true });
        order.state = state;
        let (after, commit) = change(&order, Version(7), happened, &actor()).unwrap();
        let sent = |out: &Outgoing| format!("{} to {}", out.kind(), out.destination().exchange());
        assert_eq!(commit.outbox.iter().map(sent).collect::<Vec<_>>(), expected, "{name}");
        assert!(commit.must_be_durable(), "{name}");
        assert_eq!(
            (commit.from, commit.to, commit.expected),
            (state, after.state, Version(7)),
            "{name}"
        );
        assert_eq!(commit.processed.is_some(), after.state.is_final(), "{name}");
    }
}

#[test]
fn the_end_of_a_step_may_be_lost_but_for_what_is_held_and_the_last_one_records_the_order() {
    let id = samples::reservation().id;
    let road = [
        (Happened::CheckStock(StockCheck { available: true }), false),
        (Happened::Reserve(samples::reservation()), true),
        (Happened::ReservationExpired(id.clone()), true),
        (Happened::Reserve(samples::reservation()), true),
        (Happened::CalculateShipment(vec![samples::shipment()]), false),
        (Happened::CommitReservation(CommittedReservation { id }), false),
        (Happened::IssueDocuments(samples::documents()), false),
        (Happened::NotifyCustomer(samples::notice()), true),
    ];
    let mut order = samples::order();
    for (happened, durable) in road {
        // A reservation runs out when its commit is refused.
        if matches!(happened, Happened::ReservationExpired(_)) {
            order.progress.shipments = Some(vec![samples::shipment()]);
        }
        let (name, last) = (happened.name(), matches!(happened, Happened::NotifyCustomer(_)));
        let (after, commit) = change(&order, Version(1), happened, &actor()).unwrap();
        assert_eq!(commit.must_be_durable(), durable, "{name}");
        assert_eq!(
            (commit.to == State::Completed, commit.result.is_some()),
            (last, last),
            "{name}"
        );
        assert_eq!(commit.outbox.len(), usize::from(last), "{name}");
        order = after;
    }
}
