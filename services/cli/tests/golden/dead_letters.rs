//! Dead letters as a person reads them.

use std::fmt::Write as _;

use cli::dead_letters::{act, groups, list, show};
use cli::terminal::Style;
use contracts::console::{ActAnswer, Closed, DeadLetterGroup, DeadLetterRow, DeadLetterView};
use serde_json::json;
use time::OffsetDateTime;
use time::macros::datetime;

pub const ID: &str = "1f2e3d4c-0b7e-5c22-8d53-9f6427aae002";

const NOW: OffsetDateTime = datetime!(2026-11-27 09:30:00 UTC);

pub fn row() -> DeadLetterRow {
    DeadLetterRow {
        id: ID.to_owned(),
        state: "open".to_owned(),
        queue: "orders.process.dlq".to_owned(),
        order_id: Some("ORD-1".to_owned()),
        generation: 1,
        of_order: true,
        class: "exhausted".to_owned(),
        step: Some("reserve".to_owned()),
        reason: "inventory did not answer: error sending request for url: operation timed out".to_owned(),
        attempt: 6,
        at: datetime!(2026-11-27 06:00:14.5 UTC),
    }
}

/// One that belongs to no order.
pub fn stray() -> DeadLetterRow {
    DeadLetterRow {
        id: "aaaaaaaa-0b7e-5c22-8d53-9f6427aae002".to_owned(),
        queue: "orders.invalid".to_owned(),
        order_id: None,
        of_order: false,
        class: "invalid".to_owned(),
        step: None,
        reason: "no JSON \u{202e}here".to_owned(),
        attempt: 1,
        at: datetime!(2026-11-27 09:29:18 UTC),
        ..row()
    }
}

pub fn view() -> DeadLetterView {
    let headers =
        json!({ "attempt": {"i64": 6}, "last-error": {"text": "time\u{1b}[2J out"}, "tag": {"bytes_hex": "ff00"} });
    DeadLetterView {
        row: row(),
        properties: json!({ "message_id": "3f", "type": "order.process", "headers": headers }),
        body: Some("{\"order_id\": \"ORD-1\",\r\n \"note\": \"a\u{7}\"}".to_owned()),
        body_hex: None,
        closed: None,
    }
}

#[test]
fn a_list_of_what_waits() {
    let claimed = DeadLetterRow {
        order_id: Some("ORD-\u{7}2".to_owned()),
        class: "unknown_order".to_owned(),
        ..stray()
    };
    let expected = "\
id                                    class          step     queue               order         tries   age  reason
1f2e3d4c-0b7e-5c22-8d53-9f6427aae002  exhausted      reserve  orders.process.dlq  ORD-1             6   3 h  inventory did not answer: error sending request for url: ope…
aaaaaaaa-0b7e-5c22-8d53-9f6427aae002  invalid                 orders.invalid                        1  42 s  no JSON \\u{202e}here
aaaaaaaa-0b7e-5c22-8d53-9f6427aae002  unknown_order           orders.invalid      (ORD-\\u{7}2)      1  42 s  no JSON \\u{202e}here
these are 3; there are more (--limit)
";
    assert_eq!(list::text(&[row(), stray(), claimed], "open", true, NOW), expected);
    assert_eq!(list::text(&[], "open", false, NOW), "no such dead letters\n");
}

#[test]
fn a_list_of_any_state_says_which() {
    let done = DeadLetterRow {
        state: "abandoned".to_owned(),
        reason: "x".to_owned(),
        ..row()
    };
    let expected = "\
id                                    state      class      step     queue               order  tries  age  reason
1f2e3d4c-0b7e-5c22-8d53-9f6427aae002  abandoned  exhausted  reserve  orders.process.dlq  ORD-1      6  3 h  x
";
    assert_eq!(list::text(&[done], "all", false, NOW), expected);
}

#[test]
fn causes_the_largest_first() {
    let group = |count, class: &str, step: Option<&str>| DeadLetterGroup {
        class: class.to_owned(),
        step: step.map(str::to_owned),
        queue: "orders.process.dlq".to_owned(),
        count,
        oldest_at: datetime!(2026-11-25 06:00 UTC),
        reason: "no such\u{9b} product".to_owned(),
    };
    let expected = "\
open  class       step         queue               oldest  newest reason
 120  exhausted   reserve      orders.process.dlq     2 d  no such\\u{9b} product
   1  refused     check_stock  orders.process.dlq     2 d  no such\\u{9b} product
   1  superseded               orders.process.dlq     2 d  no such\\u{9b} product
";
    let all = [
        group(120, "exhausted", Some("reserve")),
        group(1, "refused", Some("check_stock")),
        group(1, "superseded", None),
    ];
    assert_eq!(groups::text(&all, NOW), expected);
    assert_eq!(groups::text(&[], NOW), "no open dead letters\n");
}

#[test]
fn one_with_properties_headers_and_body() {
    let expected = "\
id      1f2e3d4c-0b7e-5c22-8d53-9f6427aae002
state   open
queue   orders.process.dlq
order   ORD-1, generation 1
class   exhausted
step    reserve
reason  inventory did not answer: error sending request for url: operation timed out
try     6
came    2026-11-27 06:00:14.500Z, 3 h ago

message_id         3f
type               order.process
header attempt     6
header last-error  time\\u{1b}[2J out
header tag         ff00 (bytes_hex)

{\"order_id\": \"ORD-1\",
 \"note\": \"a\\u{7}\"}
";
    assert_eq!(show::text(&view(), NOW, Style::plain()), expected);
}

#[test]
fn one_that_is_no_text_and_was_closed() {
    let bytes: Vec<u8> = (0..=40).map(|n| 0xff - n).collect();
    let mut hex = String::new();
    for byte in &bytes {
        let _written = write!(hex, "{byte:02x}");
    }
    let view = DeadLetterView {
        row: DeadLetterRow {
            state: "discarded".to_owned(),
            order_id: Some("ORD-9".to_owned()),
            ..stray()
        },
        properties: json!({}),
        body: None,
        body_hex: Some(hex),
        closed: Some(Closed {
            at: datetime!(2026-11-27 09:29:30 UTC),
            by: "ana".to_owned(),
            reason: "a test\u{2066}".to_owned(),
        }),
    };
    let expected = "\
id      aaaaaaaa-0b7e-5c22-8d53-9f6427aae002
state   discarded by ana at 2026-11-27 09:29:30.000Z: a test\\u{2066}
queue   orders.invalid
order   ORD-9, says the message, which belongs to no order's row
class   invalid
reason  no JSON \\u{202e}here
try     1
came    2026-11-27 09:29:18.000Z, 42 s ago


41 bytes that are no text, in hexadecimal:
fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0
dfdedddcdbdad9d8d7
";
    assert_eq!(show::text(&view, NOW, Style::plain()), expected);
    assert_eq!(show::bytes(&view), Some(bytes));
}

#[test]
fn what_was_done_is_one_line() {
    let line = |id: &str, done: &str, row: Option<&DeadLetterRow>| {
        let answer = ActAnswer {
            id: id.to_owned(),
            done: done.to_owned(),
            warnings: vec![],
        };
        act::line(&answer, row)
    };
    let (row, stray) = (row(), stray());
    for (done, of, expected) in [
        ("replayed", Some(&row), ": order ORD-1 goes on"),
        ("replayed", Some(&stray), ": the message is in its queue again"),
        ("replayed", None, ""),
        ("edited", Some(&row), ": order ORD-1 goes on with the other document"),
        ("abandoned", Some(&row), ": order ORD-1 is being undone"),
        ("abandoned", None, ": its order is being undone"),
        ("discarded", Some(&stray), ""),
        ("reborn\u{7}", None, ""),
    ] {
        let done_shown = done.replace('\u{7}', "\\u{7}");
        assert_eq!(line("1f2e", done, of), format!("{done_shown} 1f2e{expected}\n"));
    }
    assert_eq!(
        line("ORD-1", "redone", None),
        "redone ORD-1: the order is being undone\n"
    );
}
