//! What was undone: the undoing counts, it is there once, and nothing is left of a compensated order.

use super::world::World;
use super::*;

const A: &str = "WH-MX-A";
const B: &str = "WH-MX-B";

/// Plants one fault among orders that were undone; gives the figures and what the report says about it.
fn planted(fault: impl FnOnce(&mut World)) -> ([u64; 5], String) {
    let mut world = World::undone();
    fault(&mut world);
    let report = world.audit();
    assert!(!report.ok);
    let told = report
        .findings
        .iter()
        .map(|finding| format!("{}: {}\n", finding.name, finding.why));
    (faults(&report), told.collect())
}

/// A fault that makes one order incomplete, without a change of goods.
fn lacks(fault: impl FnOnce(&mut World), why: &str) {
    let (figures, told) = planted(fault);
    assert_eq!(figures, [0, 1, 0, 0, 0], "{told}");
    assert!(told.contains(why), "{told}");
}

/// A fault that gives one order too much, without a change of goods.
fn has_too_much(fault: impl FnOnce(&mut World), why: &str) {
    let (figures, told) = planted(fault);
    assert_eq!(figures, [0, 0, 1, 0, 0], "{told}");
    assert!(told.contains(why), "{told}");
}

#[test]
fn what_was_undone_and_had_again_is_not_doubled() {
    let report = World::undone().audit();
    assert!(report.ok && report.stock_ok, "{report:?}");
    assert_eq!((report.accepted, report.completed, report.compensated), (7, 5, 2));
    assert_eq!(report.effects["checkout"], 2);
}

#[test]
fn a_second_refund_and_one_of_an_order_that_is_not_compensated_are_found() {
    let refund = |world: &mut World, order, payment| {
        world.effect(Service::Checkout, "refund.recorded", order, payment);
    };
    has_too_much(|world| refund(world, "oos", "PAY-oos"), "oos: 2 refunds");
    has_too_much(|world| refund(world, "oos", "PAY-other"), "oos: 2 refunds");
    has_too_much(
        |world| refund(world, "o-1", "PAY-o-1"),
        "o-1: 1 refunds of an order that is completed",
    );
    for state in ["dead_lettered", "stuck"] {
        has_too_much(
            |world| {
                world.orders.push(("o-9".to_owned(), state));
                refund(world, "o-9", "PAY-o-9");
            },
            "o-9: 1 refunds of an order that waits for a person",
        );
    }
}

#[test]
fn a_missing_refund_is_found() {
    lacks(|world| world.drop_effect("refund.recorded", "gone"), "gone: no refund");
}

#[test]
fn a_live_reservation_under_a_compensated_order_is_found() {
    let (figures, told) = planted(|world| {
        world.effect(Service::Inventory, "reservation.confirmed", "oos", "RSV");
        world.move_goods("reserve", A, 1, Some("oos"));
        world.stock[0].1 -= 1;
    });
    assert_eq!(figures, [0, 1, 0, 0, 1], "{told}");
    assert!(told.contains("oos: 1 reservations that were not taken back"), "{told}");
    assert!(
        told.contains("oos: compensated, and 1 units are still reserved"),
        "{told}"
    );
}

#[test]
fn goods_that_did_not_come_back_are_found() {
    let (figures, told) = planted(|world| {
        world.drop_all("gone", &["reservation.returned", "return"]);
        world.stock = vec![(A, 0), (B, 4)];
    });
    assert_eq!(figures, [0, 1, 0, 0, 1], "{told}");
    assert!(
        told.contains("gone: compensated, and 4 units did not come back"),
        "{told}"
    );

    let (figures, told) = planted(|world| {
        for movement in world.movements.iter_mut().filter(|moved| moved.1 == "return") {
            movement.2 = A;
        }
        world.stock = vec![(A, 4), (B, 4)];
    });
    assert_eq!(figures, [0, 0, 0, 0, 1], "{told}");
    assert!(told.contains("gone: other goods came back than were taken"), "{told}");
}

#[test]
fn an_uncredited_invoice_and_a_label_that_is_still_good_are_found() {
    lacks(
        |world| world.drop_effect("invoice.credited", "gone"),
        "gone: 1 invoices that were not credited",
    );
    lacks(
        |world| world.drop_effect("label.voided", "gone"),
        "gone: 1 labels that were not made void",
    );
}

#[test]
fn a_missing_apology_and_one_over_too_few_channels_are_found() {
    lacks(
        |world| world.drop_all("oos", &["notice.queued"]),
        "oos: no apology queued",
    );
    lacks(
        |world| world.drop_effect("notice.queued", "oos"),
        "oos: no apology over 1 of 2 channels",
    );
}

#[test]
fn whoever_was_told_that_it_is_confirmed_must_hear_that_it_is_cancelled() {
    lacks(
        |world| {
            for effect in world.effects.iter_mut().filter(|effect| effect.3 == "gone") {
                effect.4 = effect.4.replace("order_cancelled", "out_of_stock");
            }
        },
        "gone: no word that the order is cancelled",
    );
}

#[test]
fn a_second_apology_is_found() {
    has_too_much(|world| world.notice("gone", "out_of_stock"), "gone: two apologies");
    has_too_much(
        |world| world.notice("oos", "out_of_stock"),
        "oos: the apology queued again over the same channel (2 times)",
    );
    has_too_much(
        |world| world.notice("o-1", "order_cancelled"),
        "o-1: 2 notices that do not belong to a completed order",
    );
}

#[test]
fn a_confirmation_after_the_apology_is_found() {
    let (figures, told) = planted(|world| world.notice("oos", "order_confirmed"));
    assert_eq!(figures, [0, 1, 1, 0, 0], "{told}");
    assert!(told.contains("oos: a confirmation after the apology"), "{told}");
    assert!(told.contains("oos: no word that the order is cancelled"), "{told}");
}

#[test]
fn the_order_of_two_notices_is_that_of_their_log_however_it_is_read() {
    let mut world = World::undone();
    world.effects.reverse();
    assert_eq!(world.audit(), World::undone().audit());
}

#[test]
fn what_is_undone_twice_is_found() {
    has_too_much(
        |world| world.effect(Service::Documents, "invoice.credited", "gone", "INV"),
        "gone: an invoice credited again",
    );
    has_too_much(
        |world| world.effect(Service::Inventory, "reservation.released", "edited", "RSV-0"),
        "edited: a reservation released again",
    );
    let (figures, told) = planted(|world| {
        world.effect(Service::Inventory, "reservation.released", "edited", "RSV-0");
        world.move_goods("release", B, 1, Some("edited"));
        world.stock[1].1 += 1;
    });
    assert_eq!(figures, [0, 0, 1, 0, 2], "{told}");
    assert!(
        told.contains("edited: 1 more units committed or given back than reserved"),
        "{told}"
    );
}

#[test]
fn what_is_undone_and_was_never_there_is_found() {
    for (service, kind) in [
        (Service::Inventory, "reservation.released"),
        (Service::Inventory, "reservation.returned"),
        (Service::Documents, "invoice.credited"),
        (Service::Documents, "label.voided"),
    ] {
        has_too_much(|world| world.effect(service, kind, "oos", "X"), "oos: 1 ");
    }
}

#[test]
fn a_completed_order_whose_goods_or_invoice_were_taken_back_is_found() {
    lacks(
        |world| world.effect(Service::Documents, "invoice.credited", "o-1", "INV"),
        "o-1: its invoice was credited",
    );
    let (figures, told) = planted(|world| {
        world.effect(Service::Inventory, "reservation.returned", "o-1", "RSV");
        world.move_goods("return", A, 2, Some("o-1"));
        world.stock[0].1 += 2;
    });
    assert_eq!(figures, [0, 1, 1, 0, 1], "{told}");
    assert!(told.contains("o-1: its reservation was taken back"), "{told}");
    assert!(told.contains("o-1: completed, and all its goods went back"), "{told}");
}

#[test]
fn a_second_reservation_at_once_is_found_wherever_the_order_stands() {
    for state in ["dead_lettered", "stuck"] {
        has_too_much(
            |world| {
                world.orders.push(("o-9".to_owned(), state));
                world.effect(Service::Inventory, "reservation.confirmed", "o-9", "RSV-1");
                world.effect(Service::Inventory, "reservation.confirmed", "o-9", "RSV-2");
            },
            "o-9: 2 reservations at once",
        );
    }
}

#[test]
fn a_label_of_a_parcel_whose_goods_went_back_is_found() {
    has_too_much(
        |world| world.effect(Service::Documents, "label.issued", "late", "late-first"),
        "late: 2 labels for goods from 1 warehouses",
    );
}
