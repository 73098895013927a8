//! The verdict table, line by line.

use super::*;
use crate::ports::Refusal;

fn call(step: Step, source: CallError) -> Failure {
    Failure::Call { step, source }
}

fn refused(kind: RefusalKind) -> CallError {
    CallError::Refused(Refusal {
        service: "test",
        kind,
        problem: "no".into(),
        detail: "no".into(),
    })
}

fn lost() -> CallError {
    CallError::Unknown {
        service: "test",
        source: "lost".into(),
    }
}

#[test]
fn only_a_refused_reserve_is_out_of_stock_and_only_a_refused_commit_reserves_again() {
    for step in Step::ALL {
        let short = call(step, refused(RefusalKind::OutOfStock(vec![]))).fate();
        let expired = call(step, refused(RefusalKind::ReservationExpired)).fate();
        let dead = Fate::DeadLetter(Class::Refused);
        let expected = if step == Step::Reserve {
            Fate::OutOfStock(vec![])
        } else {
            dead.clone()
        };
        assert_eq!(short, expected, "{}", step.name());
        let expected = if step == Step::CommitReservation {
            Fate::ReserveAgain
        } else {
            dead
        };
        assert_eq!(expired, expected, "{}", step.name());
    }
}

#[test]
fn a_time_out_is_never_a_refusal_and_a_busy_service_costs_no_try() {
    for step in Step::ALL {
        assert_eq!(call(step, lost()).fate(), Fate::Retry);
        assert_eq!(call(step, CallError::Busy { service: "test" }).fate(), Fate::Defer);
        let superseded = call(step, refused(RefusalKind::Superseded)).fate();
        assert_eq!(superseded, Fate::DeadLetter(Class::Superseded));
    }
    assert_eq!(Failure::Undo(lost()).fate(), Fate::Retry);
    let short = Failure::Undo(refused(RefusalKind::OutOfStock(vec![])));
    assert_eq!(
        short.fate(),
        Fate::DeadLetter(Class::Refused),
        "an undo takes nothing out of the stock"
    );
}

#[test]
fn what_is_not_a_call_has_a_fate_of_its_own() {
    let store = Failure::Store(StoreError {
        doing: "testing",
        source: "lost".into(),
    });
    for passes in [store, Failure::Contended, Failure::KeepsExpiring] {
        assert_eq!(passes.fate(), Fate::Retry, "{passes}");
    }
    assert_eq!(Failure::UnknownOrder.fate(), Fate::DeadLetter(Class::UnknownOrder));
    assert_eq!(Failure::Mismatch.fate(), Fate::DeadLetter(Class::Mismatch));
}

#[test]
fn a_reason_is_one_short_line() {
    let failed = Failed::new(Class::Refused, None, &"a\nb".repeat(1_000), 1);
    assert_eq!(failed.reason.chars().count(), REASON_LENGTH_MAX);
    assert!(!failed.reason.contains('\n'));
}
