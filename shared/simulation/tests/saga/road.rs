//! The calls of the straight road.

use adapter_memory::faults::{Fault, Plan};
use pipeline::dead_letters::Action;
use pipeline::order::State;
use pipeline::verdict::{Duplicate, Settled, Verdict};
use simulation::{Goods, document};

use crate::stage::Stage;

/// Every call of the road, and the effects that stand when it alone fails for ever before its effect.
const CALLS: [(&str, [&[&str]; 4]); 6] = [
    ("inventory.check", [&[], &[], &[], &[]]),
    ("inventory.reserve", [&[], &[], &[], &[]]),
    ("logistics.calculate", [&["reservation.confirmed"], &[], &[], &[]]),
    ("inventory.commit", [&["reservation.confirmed"], SHIPPED, &[], &[]]),
    ("documents.generate", [TAKEN, SHIPPED, &[], &[]]),
    ("notifications.confirm", [TAKEN, SHIPPED, ISSUED, &[]]),
];
const TAKEN: &[&str] = &["reservation.confirmed", "reservation.committed"];
const SHIPPED: &[&str] = &["shipment.calculated", "shipment.calculated"];
const ISSUED: &[&str] = &["invoice.issued", "label.issued", "label.issued"];
const TOLD: &[&str] = &["notice.queued", "notice.queued"];
/// A whole road, each effect once.
const ALL: [&[&str]; 4] = [TAKEN, SHIPPED, ISSUED, TOLD];

/// Every effect once; but during a whole ladder at one of the calls `outlast` the reservation runs out, and the parcels
/// with it, so that those of the next one are calculated too.
fn arrived(stage: &Stage, call: &str, outlast: &[&str]) {
    let parcels = if outlast.contains(&call) {
        [SHIPPED, SHIPPED].concat()
    } else {
        SHIPPED.to_vec()
    };
    assert_eq!(
        stage.effects()[1..],
        [parcels, ISSUED.to_vec(), TOLD.to_vec()],
        "{call}"
    );
    let committed = |kind: &&&str| **kind == "reservation.committed";
    assert_eq!(stage.effects()[0].iter().filter(committed).count(), 1, "{call}");
}

#[test]
fn a_call_that_fails_once_is_made_again_and_has_its_effect_once() {
    for (call, _) in CALLS {
        for fault in [Fault::Before, Fault::After, Fault::Busy] {
            let mut stage = Stage::new();
            stage.world.faults.plan(call, Plan::Once(fault));
            stage.rest();
            assert_eq!(stage.state(), State::Completed, "{call} {fault:?}");
            assert_eq!(stage.effects(), ALL, "{call} {fault:?}");
            let first = stage.verdicts.first().unwrap();
            match fault {
                Fault::Busy => assert!(matches!(first, Verdict::Defer(_)), "{call}: {first:?}"),
                _ => assert!(matches!(first, Verdict::Retry(_)), "{call}: {first:?}"),
            }
        }
    }
}

#[test]
fn a_call_that_never_answers_ends_the_ladder_and_a_replay_goes_on_from_there() {
    for (call, stands) in CALLS {
        let mut stage = Stage::new();
        stage.world.faults.plan(call, Plan::Always(Fault::Before));
        stage.rest();
        assert_eq!(
            (stage.state(), stage.failed()),
            (State::DeadLettered, ("exhausted", 6)),
            "{call}"
        );
        assert_eq!(stage.effects(), stands, "{call}");
        stage.world.faults.heal();
        stage.act(Action::Replay);
        assert_eq!(stage.state(), State::Completed, "{call}");
        arrived(&stage, call, &["logistics.calculate", "inventory.commit"]);
    }
}

#[test]
fn a_call_whose_answer_is_always_lost_has_its_effect_once_all_the_same() {
    for (call, _) in CALLS.into_iter().filter(|(call, _)| *call != "inventory.check") {
        let mut stage = Stage::new();
        stage.world.faults.plan(call, Plan::Always(Fault::After));
        stage.rest();
        assert_eq!(
            (stage.state(), stage.failed()),
            (State::DeadLettered, ("exhausted", 6)),
            "{call}"
        );
        stage.world.faults.heal();
        stage.act(Action::Replay);
        assert_eq!(stage.state(), State::Completed, "{call}");
        arrived(&stage, call, &["logistics.calculate"]);
    }
}

#[test]
fn a_call_that_is_always_busy_costs_no_try_until_a_person_is_told() {
    for (call, _) in CALLS {
        let mut stage = Stage::new();
        stage.world.faults.plan(call, Plan::Always(Fault::Busy));
        stage.rest();
        let (class, _) = stage.failed();
        assert_eq!((stage.state(), class), (State::DeadLettered, "deferred"), "{call}");
        let last = stage.verdicts.iter().rev().nth(1).unwrap();
        assert!(
            matches!(last, Verdict::Defer(defer) if defer.deferrals == 720),
            "{call}: {last:?}"
        );
    }
}

#[test]
fn a_refused_call_waits_for_a_person_at_once_and_an_abandoned_order_keeps_nothing() {
    for (call, stands) in CALLS {
        let mut stage = Stage::new();
        stage.world.faults.plan(call, Plan::Always(Fault::Refused));
        stage.rest();
        assert_eq!(
            (stage.state(), stage.failed()),
            (State::DeadLettered, ("refused", 1)),
            "{call}"
        );
        assert_eq!(stage.effects(), stands, "{call}");
        stage.act(Action::Abandon);
        assert_eq!(stage.state(), State::Compensated, "{call}");
        let [stock, shipments, documents, notices] = stage.effects();
        let undone: &[&str] = match stands[0].len() {
            0 => &[],
            1 => &["reservation.confirmed", "reservation.released"],
            _ => &["reservation.confirmed", "reservation.committed", "reservation.returned"],
        };
        assert_eq!((&stock[..], &shipments[..]), (undone, stands[1]), "{call}");
        let credited: &[&str] = &["invoice.credited", "label.voided", "label.voided"];
        let papers = if stands[2].is_empty() {
            vec![]
        } else {
            [ISSUED, credited].concat()
        };
        assert_eq!(
            (documents, &notices[..]),
            (papers, TOLD),
            "{call}: one apology over each channel"
        );
        assert_eq!(stage.world.store.look(|tables| tables.refunds.len()), 1, "{call}");
    }
}

#[test]
fn an_edited_replay_closes_the_earlier_generation_first_whatever_fails() {
    for call in ["inventory.close", "documents.close", "notifications.close"] {
        for plan in [Plan::Once(Fault::Before), Plan::Once(Fault::After)] {
            let mut stage = Stage::new();
            stage
                .world
                .faults
                .plan("notifications.confirm", Plan::Always(Fault::Refused));
            stage.rest();
            stage.world.faults.heal();
            stage.world.faults.plan(call, plan);
            let text = document(1, Goods::One);
            let content = contracts::order_message::decode(text.as_bytes()).unwrap();
            stage.act(Action::Edit(Box::new(content.clone()), text.into()));
            assert_eq!(
                (stage.state(), stage.content()),
                (State::Completed, content),
                "{call} {plan:?}"
            );
            let again: &[&str] = &["reservation.returned", "reservation.confirmed", "reservation.committed"];
            assert_eq!(stage.effects()[0], [TAKEN, again].concat(), "{call} {plan:?}");
            assert_eq!(stage.effects()[3], TOLD, "{call} {plan:?}");
        }
    }
}

#[test]
fn a_whole_delivery_that_comes_again_does_nothing() {
    let mut stage = Stage::new();
    stage.rest();
    stage.repeat();
    assert!(matches!(
        stage.verdicts.last(),
        Some(Verdict::Settled(Settled::Duplicate(Duplicate::Final)))
    ));
    assert_eq!(stage.effects(), ALL);
}
