//! One order, and many.

use cli::orders::{list, show};
use cli::terminal::Style;
use contracts::checkout::{HistoryEntry, OrderSummary, OrderView};
use pipeline::outgoing::{Completed, CompletedShipment};
use time::macros::datetime;

fn summary() -> OrderSummary {
    OrderSummary {
        order_id: "ORD-1".to_owned(),
        state: "completed".to_owned(),
        generation: 1,
        accepted_at: datetime!(2026-11-27 03:00:14.5 -03:00),
        finished_at: Some(datetime!(2026-11-27 06:00:15.75 UTC)),
    }
}

fn view() -> OrderView {
    let entry = |from: Option<&str>, to: &str, event: &str, worker: &str, attempt| HistoryEntry {
        at: datetime!(2026-11-27 06:00:14.5 UTC),
        from: from.map(str::to_owned),
        to: to.to_owned(),
        event: event.to_owned(),
        generation: 1,
        attempt,
        worker: worker.to_owned(),
        note: None,
    };
    OrderView {
        summary: summary(),
        version: 2,
        history: vec![
            entry(None, "accepted", "accepted", "checkout", 0),
            entry(Some("accepted"), "processing", "check_stock", "order-worker-1\u{7}", 1),
        ],
        result: Some(Completed {
            reservation_id: "RSV-1".to_owned(),
            shipments: vec![CompletedShipment {
                origin: "WH-MX-CDMX".to_owned(),
                carrier: "FedEx Mexico".to_owned(),
                tracking_number: "FMX-1".to_owned(),
                estimated_delivery: "2026-12-01".to_owned(),
            }],
            fiscal_id: "F-1".to_owned(),
            invoice_url: "http://127.0.0.1:1/invoices/1".to_owned(),
            label_urls: vec!["http://127.0.0.1:1/labels/1".to_owned()],
            notification_id: "NOTIF-1".to_owned(),
        }),
    }
}

#[test]
fn an_order_with_result_and_history() {
    let expected = "\
order       ORD-1
state       completed
generation  1
accepted    2026-11-27 06:00:14.500Z
finished    2026-11-27 06:00:15.750Z, after 1.250 s
reservation RSV-1
shipment    FedEx Mexico FMX-1 from WH-MX-CDMX, there on 2026-12-01
invoice     F-1 http://127.0.0.1:1/invoices/1
label       http://127.0.0.1:1/labels/1
notice      NOTIF-1

at                        event        from      to          generation  attempt  by                   note
2026-11-27 06:00:14.500Z  accepted               accepted             1        0  checkout
2026-11-27 06:00:14.500Z  check_stock  accepted  processing           1        1  order-worker-1\\u{7}
";
    assert_eq!(show::text(&view(), Style::plain()), expected);
}

#[test]
fn a_note_is_shown_as_text_and_cut() {
    let mut view = view();
    view.history[0].note = Some(format!("refused at reserve: \u{1b}[2J\u{202e}{}", "x".repeat(1_000)));
    let told = show::text(&view, Style::plain());
    let line = told.lines().find(|line| line.contains("refused")).unwrap();
    assert!(
        line.contains(r"  refused at reserve: \u{1b}[2J\u{202e}xxx") && line.ends_with('…'),
        "{line}"
    );
    assert!(line.len() < 450, "{line}");
}

#[test]
fn a_list_of_orders() {
    let mut open = summary();
    open.finished_at = None;
    open.state = "processing".to_owned();
    let expected = "\
order  state       accepted                  seconds
ORD-1  completed   2026-11-27 06:00:14.500Z    1.250
ORD-1  processing  2026-11-27 06:00:14.500Z
these are 2; there are more (--limit)
";
    assert_eq!(list::text(&[summary(), open], true), expected);
    assert_eq!(list::text(&[], false), "no such orders\n");
}
