//! Every state against everything that can happen, by hand.

use super::*;
use crate::failure::Class;
use crate::happened::{Apology, Operated, Refund};
use crate::id::{PaymentId, ReservationId};
use crate::samples;

/// How far an order got.
const STAGES: [&str; 8] = [
    "nothing",
    "checked",
    "reserved",
    "shipped",
    "committed",
    "invoiced",
    "told",
    "closed earlier",
];

fn at_stage(stage: &str) -> Order {
    let mut order = samples::order();
    let done: &[Happened] = &[
        Happened::CheckStock(StockCheck { available: true }),
        Happened::Reserve(samples::reservation()),
        Happened::CalculateShipment(vec![samples::shipment()]),
        Happened::CommitReservation(CommittedReservation {
            id: samples::reservation().id,
        }),
        Happened::IssueDocuments(samples::documents()),
        Happened::NotifyCustomer(samples::notice()),
    ];
    match STAGES.iter().position(|one| *one == stage).unwrap() {
        7 => {
            order.generation = Generation(2);
            order.progress.closed_earlier = true;
        }
        steps => {
            for happened in &done[..steps] {
                order = order.apply(happened.clone()).unwrap();
            }
        }
    }
    order
}

fn everything() -> Vec<Happened> {
    let failed = Failed::new(Class::Refused, None, "no", 1);
    let operated = Operated {
        by: "ana".to_owned(),
        reason: "because".to_owned(),
    };
    vec![
        Happened::CloseEarlier,
        Happened::CheckStock(StockCheck { available: false }),
        Happened::Reserve(samples::reservation()),
        Happened::CalculateShipment(vec![samples::shipment()]),
        Happened::CommitReservation(CommittedReservation {
            id: samples::reservation().id,
        }),
        Happened::IssueDocuments(samples::documents()),
        Happened::NotifyCustomer(samples::notice()),
        Happened::Record,
        Happened::ReservationExpired(samples::reservation().id),
        Happened::OutOfStock(vec![]),
        Happened::DeadLettered(failed.clone()),
        Happened::Replayed(operated.clone()),
        Happened::Edited(operated.clone()),
        Happened::Abandoned(operated.clone()),
        Happened::Stuck(failed),
        Happened::Redone(operated),
        Happened::Compensated(Refund {
            payment: PaymentId::parse("P-1").unwrap(),
            amount: samples::order().content.total,
            notice: Apology::OutOfStock,
        }),
    ]
}

/// The names of what may happen next.
fn may_happen(order: &Order) -> Vec<&'static str> {
    let legal = everything()
        .into_iter()
        .filter(|happened| order.clone().apply(happened.clone()).is_ok());
    legal.map(|happened| happened.name()).collect()
}

#[test]
fn on_the_straight_road_the_next_step_may_happen_or_a_turn() {
    for (stage, expected) in [
        ("nothing", &["check_stock", "dead_lettered"][..]),
        ("checked", &["reserve", "out_of_stock", "dead_lettered"]),
        ("reserved", &["calculate_shipment", "dead_lettered"]),
        (
            "shipped",
            &["commit_reservation", "reservation_expired", "dead_lettered"],
        ),
        ("committed", &["issue_documents", "dead_lettered"]),
        ("invoiced", &["notify_customer", "dead_lettered"]),
        ("told", &["record", "dead_lettered"]),
        ("closed earlier", &["check_stock", "dead_lettered"]),
    ] {
        assert_eq!(may_happen(&at_stage(stage)), expected, "{stage}");
    }
    let mut second = samples::order();
    second.generation = Generation(2);
    assert_eq!(
        may_happen(&second),
        ["close_earlier", "dead_lettered"],
        "a later generation"
    );
}

#[test]
fn off_the_straight_road_nothing_but_its_own_way_on_may_happen() {
    for (state, expected) in [
        (State::Completed, &[][..]),
        (State::Compensated, &[]),
        (State::Compensating, &["stuck", "compensated"]),
        (State::DeadLettered, &["replayed", "edited", "abandoned"]),
        (State::Stuck, &["redone"]),
    ] {
        for stage in STAGES {
            let mut order = at_stage(stage);
            order.state = state;
            assert_eq!(may_happen(&order), expected, "{state} with {stage}");
            assert_eq!(order.next_step(), None);
        }
    }
}

#[test]
fn where_it_leads() {
    let after = |order: Order, name: &str| {
        let happened = everything()
            .into_iter()
            .find(|happened| happened.name() == name)
            .unwrap();
        order.apply(happened).unwrap()
    };
    assert_eq!(after(at_stage("nothing"), "check_stock").state, State::Processing);
    assert_eq!(after(at_stage("told"), "record").state, State::Completed);
    assert_eq!(after(at_stage("checked"), "out_of_stock").state, State::Compensating);
    let mut dead = after(at_stage("committed"), "dead_lettered");
    assert_eq!(dead.state, State::DeadLettered);
    dead.progress.closed_earlier = true;
    let replayed = after(dead.clone(), "replayed");
    assert_eq!(
        (replayed.state, replayed.next_step()),
        (State::Accepted, Some(Step::IssueDocuments))
    );
    let edited = after(dead.clone(), "edited");
    assert_eq!(
        (edited.state, edited.generation, edited.next_step()),
        (State::Accepted, Generation(2), Some(Step::CloseEarlier))
    );
    let abandoned = after(dead, "abandoned");
    assert_eq!(
        (abandoned.state, abandoned.progress.cause),
        (State::Compensating, Some(Cause::Abandoned))
    );
    let stuck = after(abandoned, "stuck");
    assert_eq!(after(stuck, "redone").state, State::Compensating);
}

#[test]
fn a_reservation_that_ran_out_takes_its_parcels_with_it() {
    let order = at_stage("shipped");
    let held = order.progress.reservation.as_ref().unwrap().id.clone();
    let other = ReservationId::parse("RSV-OTHER").unwrap();
    assert!(order.clone().apply(Happened::ReservationExpired(other)).is_err());
    let after = order.apply(Happened::ReservationExpired(held)).unwrap();
    assert_eq!(after.next_step(), Some(Step::Reserve));
    assert_eq!(after.progress.shipments, None);
}
