//! The table of an audit.

use cli::audit::Told;
use cli::audit::table::text;
use cli::terminal::Style;
use pipeline::audit::{Books, Depth, EffectRow, MovementRow, OrderRow, Place, Report, Sample, Service, StockRow};

fn order(books: &mut Books, id: &str, state: &str) {
    books.order(&OrderRow {
        id,
        state,
        generation: 1,
    });
}

fn effect(books: &mut Books, service: Service, seq: i64, kind: &str, order: &str, subject: &str) {
    let parts = ["email".to_owned()];
    books.effect(
        service,
        &EffectRow {
            seq,
            kind,
            order,
            subject,
            parts: &parts,
        },
    );
}

fn movement(books: &mut Books, seq: i64, kind: &str, units: u32, order: Option<&str>) {
    books.movement(&MovementRow {
        seq,
        kind,
        sku: "SKU-1",
        warehouse: "WH-MX-CDMX",
        units,
        order,
    });
}

/// One completed order of one unit.
fn clean() -> Books {
    let mut books = Books::default();
    order(&mut books, "ORD-1", "completed");
    effect(
        &mut books,
        Service::Inventory,
        1,
        "reservation.confirmed",
        "ORD-1",
        "RSV-1",
    );
    effect(
        &mut books,
        Service::Inventory,
        2,
        "reservation.committed",
        "ORD-1",
        "RSV-1",
    );
    effect(
        &mut books,
        Service::Logistics,
        1,
        "shipment.calculated",
        "ORD-1",
        "FMX-1",
    );
    effect(&mut books, Service::Documents, 1, "invoice.issued", "ORD-1", "INV-1");
    effect(&mut books, Service::Documents, 2, "label.issued", "ORD-1", "FMX-1");
    effect(
        &mut books,
        Service::Notifications,
        1,
        "notice.queued",
        "ORD-1",
        "order_confirmed/email",
    );
    movement(&mut books, 1, "delivery", 5, None);
    movement(&mut books, 2, "reserve", 1, Some("ORD-1"));
    movement(&mut books, 3, "commit", 1, Some("ORD-1"));
    books.stock(&StockRow {
        sku: "SKU-1",
        warehouse: "WH-MX-CDMX",
        units: 4,
    });
    books
}

fn rest(books: &Books) -> Report {
    books.report(&Sample::default(), true)
}

#[test]
fn an_audit_that_found_nothing() {
    let expected = "\
accepted                 1
completed                1
compensated              0
dead-lettered            0
stuck                    0
in flight                0
lost                     0
incomplete               0
doubled                  0
unknown                  0
stock                exact
effects                  6

audit: ok, accepted 1, completed 1, compensated 0, dead-lettered 0, stuck 0, lost 0, doubled 0
";
    assert_eq!(text(&rest(&clean()), Style::plain()), expected);
}

#[test]
fn an_audit_that_found_something_of_everything() {
    let mut books = clean();
    order(&mut books, "ORD-2", "processing");
    order(&mut books, "ORD-3", "dead_lettered");
    order(&mut books, "ORD-4\x1b[2J", "teleported");
    books.promised("ORD-5");
    effect(&mut books, Service::Documents, 3, "invoice.issued", "ORD-1", "INV-2");
    effect(&mut books, Service::Documents, 4, "label.issued", "ORD-6", "FMX-6");
    effect(&mut books, Service::Documents, 5, "poem.written", "ORD-1", "x");
    movement(&mut books, 4, "reserve", 2, Some("ORD-2"));
    let expected = "\
accepted                 4
completed                1
compensated              0
dead-lettered            1
stuck                    0
in flight                0
lost                     3
incomplete               0
doubled                  1
unknown                  2
stock                1 off
effects                  9

finding  where                why
lost     ORD-2                half processed, and no message of it is anywhere
lost     ORD-4\\u{1b}[2J       in a state that this audit does not know; is checkout newer than it?
lost     ORD-5                checkout promised to process it and does not know it
doubled  ORD-1                2 invoices issued and not credited
stock    SKU-1 in WH-MX-CDMX  4 units available; 5 delivered less 3 reserved make 2
unknown  ORD-6                services worked for it and checkout does not know it
unknown  documents            1 rows of the unknown kind \"poem.written\"

audit: FAILED, accepted 4, completed 1, compensated 0, dead-lettered 1, stuck 0, lost 3, doubled 1, incomplete 0, in flight 0, unknown 2, stock 1 off
";
    assert_eq!(text(&rest(&books), Style::plain()), expected);
}

#[test]
fn an_audit_while_things_move_says_where() {
    let mut books = clean();
    order(&mut books, "ORD-2", "accepted");
    let place = |name: &str, depth| Place {
        name: name.to_owned(),
        depth,
    };
    let sample = Sample {
        outbox: 12,
        queues: vec![
            place("orders.process", Some(Depth { ready: 3, unacked: 16 })),
            place("orders.new", None),
        ],
    };
    let told = text(&books.report(&sample, false), Style::plain());
    let expected = "\
in flight                1
lost                     0
incomplete               0
doubled                  0
unknown                  0
stock            in motion
effects                  6
on the way      outbox 12; orders.process 3 ready, 16 unacked; orders.new not known yet

audit: FAILED, accepted 2, completed 1, compensated 0, dead-lettered 0, stuck 0, lost 0, doubled 0, incomplete 0, in flight 1, unknown 0, stock in motion
";
    assert!(told.ends_with(expected), "{told}");
}

#[test]
fn a_long_list_of_findings_is_cut_and_says_so() {
    let mut books = clean();
    (0..25).for_each(|number| order(&mut books, &format!("ORD-{number}-x"), "stuck "));
    let told = text(&rest(&books), Style::plain());
    assert_eq!(
        told.lines().filter(|line| line.starts_with("lost  ")).count(),
        21,
        "20 findings and the figure: {told}"
    );
    assert!(
        told.contains("\nand 5 more; --json has the first 1000 of each kind\n"),
        "{told}"
    );
}

#[test]
fn an_audit_for_a_program() {
    let mut books = clean();
    effect(&mut books, Service::Documents, 3, "invoice.issued", "ORD-1", "INV-2");
    let report = rest(&books);
    let told = Told {
        report: &report,
        waited_ms: 6_012,
    };
    let expected = r#"{"at_rest":true,"accepted":1,"completed":1,"compensated":0,"dead_lettered":0,"stuck":0,"in_flight":0,"lost":0,"incomplete":0,"doubled":1,"unknown":0,"drifts":0,"stock_ok":true,"ok":false,"effects":{"checkout":0,"documents":3,"inventory":2,"logistics":1,"notifications":1},"effects_total":7,"places":[],"findings_total":1,"findings":[{"about":"doubled","name":"ORD-1","why":"2 invoices issued and not credited"}],"waited_ms":6012}"#;
    assert_eq!(serde_json::to_string(&told).unwrap(), expected);
}
