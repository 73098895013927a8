//! Each fault that an audit is there for is planted once and must be found, and nothing else with it.

mod undone;
mod world;

use self::world::World;
use super::*;

/// The figures that must be zero: lost, incomplete, doubled, unknown, drifts.
fn faults(report: &Report) -> [u64; 5] {
    [
        report.lost,
        report.incomplete,
        report.doubled,
        report.unknown,
        report.drifts,
    ]
}

/// Plants one fault; gives the figures and what the report says about it.
fn planted(fault: impl FnOnce(&mut World)) -> ([u64; 5], String) {
    let mut world = World::clean();
    fault(&mut world);
    let report = world.audit();
    assert!(!report.ok);
    assert_eq!(report.findings_total, u64::try_from(report.findings.len()).unwrap());
    let told = report
        .findings
        .iter()
        .map(|finding| format!("{}: {}\n", finding.name, finding.why));
    (faults(&report), told.collect())
}

#[test]
fn a_clean_set_is_ok() {
    let report = World::clean().audit();
    assert!(report.ok && report.stock_ok, "{report:?}");
    assert_eq!((report.accepted, report.completed, report.in_flight), (3, 3, 0));
    assert_eq!(report.effects_total, 3 * 7 + 2);
    assert_eq!(report.effects["notifications"], 6);
    assert!(report.findings.is_empty());
}

#[test]
fn nothing_at_all_is_ok() {
    assert!(Books::default().report(&Sample::default(), true).ok);
}

#[test]
fn an_order_that_rests_half_done_is_lost() {
    for state in ["accepted", "processing", "notice_pending", "compensating"] {
        let (figures, told) = planted(|world| world.orders.push(("o-9".to_owned(), state)));
        assert_eq!(figures, [1, 0, 0, 0, 0]);
        assert!(told.starts_with("o-9: "), "{told}");
    }
}

#[test]
fn an_order_in_a_state_that_nobody_knows_is_lost() {
    let (figures, told) = planted(|world| world.orders.push(("o-9".to_owned(), "teleported")));
    assert_eq!(figures, [1, 0, 0, 0, 0]);
    assert!(told.contains("does not know"), "{told}");
}

#[test]
fn orders_that_wait_for_a_person_are_no_fault() {
    let mut world = World::clean();
    for (id, state) in [("o-7", "dead_lettered"), ("o-8", "stuck")] {
        world.orders.push((id.to_owned(), state));
    }
    let report = world.audit();
    assert!(report.ok);
    assert_eq!((report.dead_lettered, report.stuck), (1, 1));
    assert_eq!(report.accepted, 5);
}

#[test]
fn a_second_invoice_is_found() {
    let (figures, told) = planted(|world| world.effect(Service::Documents, "invoice.issued", "o-2", "INV-2"));
    assert_eq!(
        (figures, &*told),
        ([0, 0, 1, 0, 0], "o-2: 2 invoices issued and not credited\n")
    );
}

#[test]
fn a_second_invoice_is_found_whatever_state_the_order_is_in() {
    let (figures, _) = planted(|world| {
        world.orders.push(("o-9".to_owned(), "dead_lettered"));
        world.effect(Service::Documents, "invoice.issued", "o-9", "INV");
        world.effect(Service::Documents, "invoice.issued", "o-9", "INV");
    });
    assert_eq!(figures, [0, 0, 1, 0, 0]);
}

#[test]
fn a_missing_notice_is_found() {
    let (figures, told) = planted(|world| world.drop_effect("notice.queued", "o-1"));
    assert_eq!(
        (figures, &*told),
        ([0, 1, 0, 0, 0], "o-1: no confirmation over 1 of 2 channels\n")
    );
}

#[test]
fn a_second_confirmation_and_one_that_nobody_asked_for_are_found() {
    for channel in ["email", "pigeon"] {
        let subject = format!("order_confirmed/{channel}");
        let (figures, _) = planted(|world| world.effect(Service::Notifications, "notice.queued", "o-1", &subject));
        assert_eq!(figures, [0, 0, 1, 0, 0]);
    }
    let (figures, _) =
        planted(|world| world.effect(Service::Notifications, "notice.queued", "o-1", "out_of_stock/email"));
    assert_eq!(figures, [0, 0, 1, 0, 0]);
}

#[test]
fn a_second_label_and_a_label_for_another_parcel_are_found() {
    for number in ["o-1-WH-MX-A", "o-2-WH-MX-A"] {
        let (figures, _) = planted(|world| world.effect(Service::Documents, "label.issued", "o-1", number));
        assert_eq!(figures, [0, 0, 1, 0, 0]);
    }
}

#[test]
fn a_missing_label_and_a_missing_parcel_are_found() {
    let (figures, told) = planted(|world| world.drop_effect("label.issued", "o-3"));
    assert_eq!(
        (figures, &*told),
        ([0, 1, 0, 0, 0], "o-3: no label for 1 of 2 shipments\n")
    );
    let (figures, told) = planted(|world| {
        world.drop_effect("label.issued", "o-3");
        world.drop_effect("shipment.calculated", "o-3");
    });
    assert_eq!(
        (figures, &*told),
        ([0, 1, 0, 0, 0], "o-3: 1 shipments for goods from 2 warehouses\n")
    );
}

#[test]
fn a_parcel_calculated_twice_is_found() {
    let (figures, _) = planted(|world| {
        world.effect(Service::Logistics, "shipment.calculated", "o-1", "again");
        world.effect(Service::Documents, "label.issued", "o-1", "again");
    });
    assert_eq!(figures, [0, 0, 1, 0, 0]);
}

#[test]
fn a_missing_commit_is_found() {
    let (figures, told) = planted(|world| {
        world.drop_effect("reservation.committed", "o-1");
        world
            .movements
            .retain(|movement| movement.1 != "commit" || movement.4.as_deref() != Some("o-1"));
    });
    assert_eq!(figures, [0, 1, 0, 0, 1]);
    assert!(told.contains("o-1: no reservation committed"), "{told}");
    assert!(told.contains("2 units are reserved and not committed"), "{told}");
}

#[test]
fn the_commit_of_another_reservation_is_found() {
    let (figures, told) = planted(|world| {
        world.drop_effect("reservation.committed", "o-1");
        world.effect(Service::Inventory, "reservation.committed", "o-1", "RSV-2");
    });
    assert_eq!(figures, [0, 1, 0, 0, 0]);
    assert!(told.contains("not the confirmed one"), "{told}");
}

#[test]
fn a_stock_drift_is_found_in_every_shape() {
    let faults: [fn(&mut World); 5] = [
        |world| world.stock[1].1 = 9,
        |world| world.stock.truncate(1),
        |world| world.stock.push(("WH-MX-C", 0)),
        |world| world.move_goods("reserve", "WH-MX-B", 8, None),
        |world| world.move_goods("reserve", "WH-MX-B", 9, Some("o-1")),
    ];
    for (at, fault) in faults.into_iter().enumerate() {
        let mut world = World::clean();
        fault(&mut world);
        let report = world.audit();
        assert!(report.drifts > 0 && !report.stock_ok && !report.ok, "{at}");
        assert!(
            report
                .findings
                .iter()
                .any(|finding| finding.name.starts_with("SKU in WH-MX-")),
            "{at}"
        );
    }
}

#[test]
fn goods_handed_over_from_another_shelf_are_found_though_the_sums_agree() {
    let (figures, told) = planted(|world| {
        for movement in world
            .movements
            .iter_mut()
            .filter(|m| m.1 == "commit" && m.4.as_deref() == Some("o-3"))
        {
            movement.2 = "WH-MX-A";
        }
    });
    assert_eq!(figures, [0, 0, 0, 0, 2]);
    assert!(told.contains("other goods were committed"), "{told}");
}

#[test]
fn an_order_that_a_ledger_holds_and_checkout_does_not_know_is_lost() {
    let (figures, told) = planted(|world| world.promised = vec!["o-1".to_owned(), "o-9".to_owned()]);
    assert_eq!(figures, [1, 0, 0, 0, 0]);
    assert!(told.starts_with("o-9: checkout promised"), "{told}");
}

#[test]
fn work_for_an_order_that_checkout_does_not_know_is_found() {
    let (figures, told) = planted(|world| {
        world.effect(Service::Documents, "invoice.issued", "o-9", "INV");
        world.effect(Service::Documents, "label.issued", "o-9", "X");
    });
    assert_eq!(figures, [0, 0, 0, 1, 0]);
    assert!(told.starts_with("o-9: "), "{told}");
}

#[test]
fn rows_of_kinds_that_the_audit_does_not_know_are_never_ok() {
    let (figures, told) = planted(|world| {
        world.effect(Service::Documents, "poem.written", "o-1", "X");
        world.effect(Service::Logistics, "invoice.issued", "o-1", "X");
        world.move_goods("evaporate", "WH-MX-A", 1, None);
    });
    assert_eq!(figures, [0, 0, 0, 3, 0]);
    assert!(
        told.contains("documents: 1 rows of the unknown kind \"poem.written\""),
        "{told}"
    );
}

#[test]
fn rows_that_come_twice_count_once() {
    let mut world = World::clean();
    world.effects.extend(world.effects.clone());
    world.movements.extend(world.movements.clone());
    world.orders.extend(world.orders.clone());
    assert_eq!(world.audit(), World::clean().audit());
}

#[test]
fn what_moves_is_in_flight_and_nothing_is_called_lost_for_it() {
    let mut world = World::clean();
    world.orders.push(("o-9".to_owned(), "processing"));
    world.effect(Service::Inventory, "reservation.confirmed", "o-10", "RSV");
    let queue = Place {
        name: "orders.process".to_owned(),
        depth: Some(Depth { ready: 3, unacked: 1 }),
    };
    let sample = Sample {
        outbox: 0,
        queues: vec![queue.clone()],
    };
    let report = world.books().report(&sample, false);
    assert_eq!((report.in_flight, report.places), (1, vec![queue]));
    assert_eq!((report.lost, report.unknown, report.drifts), (0, 0, 0));
    assert!(!report.ok && !report.stock_ok);
    let messages_only = World::clean().books().report(&sample, false);
    assert_eq!((messages_only.in_flight, messages_only.ok), (4, false));
}

#[test]
fn a_list_of_findings_ends_and_the_count_does_not() {
    let mut world = World::default();
    for number in 0..FINDINGS_OF_ONE_KIND_MAX + 5 {
        world.orders.push((format!("o-{number:05}"), "accepted"));
    }
    let report = world.audit();
    assert_eq!(report.findings.len(), FINDINGS_OF_ONE_KIND_MAX);
    assert_eq!((report.lost, report.findings_total), (1_005, 1_005));
    assert_eq!(report.findings[0].name, "o-00000");
}

#[test]
fn a_digest_changes_with_a_state_and_with_a_row_and_not_with_the_order_of_reading() {
    let clean = World::clean().books().digest();
    let mut world = World::clean();
    world.orders.reverse();
    assert_eq!(world.books().digest(), clean);
    world.orders[0].1 = "processing";
    assert_ne!(world.books().digest(), clean);
    let mut world = World::clean();
    world.effect(Service::Logistics, "shipment.calculated", "o-1", "X");
    assert_ne!(world.books().digest(), clean);
}
