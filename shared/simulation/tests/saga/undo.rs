//! The calls that undo.

use adapter_memory::faults::{Fault, Plan};
use pipeline::dead_letters::Action;
use pipeline::order::State;
use pipeline::verdict::{Duplicate, Settled, Verdict};

use crate::stage::Stage;

const CALLS: [&str; 4] = [
    "inventory.close",
    "documents.close",
    "notifications.close",
    "notifications.apologise",
];
/// All of a road but the confirmation, and its undoing, each effect once.
const UNDONE: [&[&str]; 4] = [
    &["reservation.confirmed", "reservation.committed", "reservation.returned"],
    &["shipment.calculated", "shipment.calculated"],
    &[
        "invoice.issued",
        "label.issued",
        "label.issued",
        "invoice.credited",
        "label.voided",
        "label.voided",
    ],
    &["notice.queued", "notice.queued"],
];

/// An order that has everything but its confirmation, and is given up while `plan` is in force at `call`.
fn given_up(call: &'static str, plan: Plan) -> Stage {
    let mut stage = Stage::new();
    stage
        .world
        .faults
        .plan("notifications.confirm", Plan::Always(Fault::Refused));
    stage.rest();
    stage.world.faults.heal();
    stage.world.faults.plan(call, plan);
    stage.act(Action::Abandon);
    stage
}

fn is_undone(stage: &Stage, what: &str) {
    assert_eq!(stage.state(), State::Compensated, "{what}");
    assert_eq!(stage.effects(), UNDONE, "{what}");
    assert_eq!(stage.world.store.look(|tables| tables.refunds.len()), 1, "{what}");
}

#[test]
fn an_undo_that_fails_once_is_made_again_and_has_its_effect_once() {
    for call in CALLS {
        for fault in [Fault::Before, Fault::After, Fault::Busy] {
            is_undone(&given_up(call, Plan::Once(fault)), &format!("{call} {fault:?}"));
        }
    }
}

#[test]
fn an_undo_that_never_answers_or_is_refused_gets_stuck_and_a_redo_undoes_it() {
    for call in CALLS {
        let ends = [
            (Fault::Before, "exhausted", 6),
            (Fault::After, "exhausted", 6),
            (Fault::Busy, "exhausted", 6),
            (Fault::Refused, "refused", 1),
        ];
        for (fault, class, attempt) in ends {
            let mut stage = given_up(call, Plan::Always(fault));
            let ended = (stage.state(), stage.failed());
            assert_eq!(ended, (State::Stuck, (class, attempt)), "{call} {fault:?}");
            stage.world.faults.heal();
            stage.act(Action::Redo);
            is_undone(&stage, &format!("{call} {fault:?}"));
        }
    }
}

#[test]
fn a_whole_undoing_that_comes_again_does_nothing() {
    let mut stage = given_up("none", Plan::Once(Fault::Before));
    stage.repeat();
    assert!(matches!(
        stage.verdicts.last(),
        Some(Verdict::Settled(Settled::Duplicate(Duplicate::Final)))
    ));
    is_undone(&stage, "again");
}
