//! What is asked of the console, and how each command ends.

use std::fs;
use std::path::Path;

use contracts::console::{DeadLetterRow, DeadLetterView};
use contracts::problem::Kind;
use serde_json::{Value, json};

use crate::dead_letters::{ID, row, stray, view};
use crate::shell::{Fake, acuse};

const OPEN: &str = "GET /dead-letters?limit=1000";

fn page(rows: &[DeadLetterRow], next: Option<&str>) -> Value {
    let mut page = json!({ "rows": rows });
    if let Some(next) = next {
        page["next"] = next.into();
    }
    page
}

fn answer(id: &str, done: &str) -> Value {
    json!({ "id": id, "done": done })
}

fn problem(kind: Kind, detail: &str) -> Value {
    serde_json::to_value(kind.problem(detail)).unwrap()
}

fn path(what: &str) -> String {
    format!("POST /dead-letters/{ID}/{what}")
}

#[tokio::test]
async fn filters_and_one_row_more_than_is_shown_are_asked_for() {
    let asked = "GET /dead-letters?limit=2&class=exhausted&order_id=ORD-1&queue=orders.process.dlq&state=all";
    let it = Fake::start(&[(asked, 200, page(&[row(), stray()], Some(ID)))]).await;
    let filters = [
        "--class",
        "exhausted",
        "--order",
        "ORD-1",
        "--queue",
        "orders.process.dlq",
    ];
    let arguments = [
        &["dead-letters", "list", "--state", "all", "--limit", "1"][..],
        &filters,
    ]
    .concat();
    let said = it.acuse(&arguments).await;
    let text = said.text();
    assert!(
        said.code == 0 && text.contains(ID) && !text.contains(&stray().id),
        "{said:?}"
    );
    assert!(text.ends_with("these are 1; there are more (--limit)\n"), "{text}");
}

#[tokio::test]
async fn a_long_list_is_read_page_by_page_and_printed_as_json() {
    let it = Fake::start(&[
        (
            "GET /dead-letters?limit=1000&state=open",
            200,
            page(&[row()], Some("a&b")),
        ),
        (
            "GET /dead-letters?limit=1000&state=open&after=a%26b",
            200,
            page(&[stray()], None),
        ),
    ])
    .await;
    let said = it.acuse(&["dead-letters", "list", "--limit", "5000", "--json"]).await;
    let rows: Vec<DeadLetterRow> = serde_json::from_slice(&said.bytes).unwrap();
    assert_eq!((said.code, rows), (0, vec![row(), stray()]));
}

#[tokio::test]
async fn nothing_to_list_is_no_failure() {
    let it = Fake::start(&[
        ("GET /dead-letters?limit=21&state=open", 200, page(&[], None)),
        ("GET /dead-letters/groups", 200, json!({ "groups": [] })),
    ])
    .await;
    let said = it.acuse(&["dead-letters", "list"]).await;
    assert_eq!(said.parts(), (0, "no such dead letters\n", ""));
    let said = it.acuse(&["dead-letters", "groups"]).await;
    assert_eq!(said.parts(), (0, "no open dead letters\n", ""));
    let said = it.acuse(&["dead-letters", "groups", "--json"]).await;
    assert_eq!(said.parts(), (0, "[]\n", ""));
}

#[tokio::test]
async fn a_body_goes_out_byte_for_byte_and_alone() {
    let shown = format!("GET /dead-letters/{ID}");
    let bytes = DeadLetterView {
        body: None,
        body_hex: Some("00ff1b5b324a0a".to_owned()),
        ..view()
    };
    let it = Fake::start(&[(&shown, 200, json!(bytes))]).await;
    let said = it.acuse(&["dead-letters", "show", ID, "--body"]).await;
    assert_eq!(
        (said.code, &said.bytes[..], said.told.as_str()),
        (0, &b"\0\xff\x1b[2J\n"[..], "")
    );

    let it = Fake::start(&[(&shown, 200, json!(view()))]).await;
    let said = it.acuse(&["dead-letters", "show", ID, "--body"]).await;
    assert_eq!(said.text(), view().body.unwrap());
    let said = it.acuse(&["dead-letters", "show", ID, "--json"]).await;
    assert_eq!(serde_json::from_slice::<DeadLetterView>(&said.bytes).unwrap(), view());
}

#[tokio::test]
async fn a_beginning_names_the_one_open_dead_letter_that_begins_so() {
    let shown = format!("GET /dead-letters/{ID}");
    let twin = DeadLetterRow {
        id: ID.replacen("1f2e3d4c", "1f2e3d4d", 1),
        ..row()
    };
    let it = Fake::start(&[
        (OPEN, 200, page(&[stray(), row(), twin.clone()], None)),
        (&shown, 200, json!(view())),
    ])
    .await;
    let said = it.acuse(&["dead-letters", "show", "1F2E3D4C-0"]).await;
    assert!(
        said.code == 0 && said.text().starts_with(&format!("id      {ID}\n")),
        "{said:?}"
    );

    let said = it.acuse(&["dead-letters", "show", "1f2e3d"]).await;
    let told = format!("acuse: 2 open dead letters begin with 1f2e3d:\n  {ID}\n  {}\n", twin.id);
    assert_eq!(said.parts(), (1, "", told.as_str()));

    let said = it.acuse(&["dead-letters", "show", "ffffff"]).await;
    let told = "acuse: no open dead letter begins with ffffff; others can be named by their whole id\n";
    assert_eq!(said.parts(), (1, "", told));

    let asked = it.asked().len();
    let said = it.acuse(&["dead-letters", "show", "1f2e3"]).await;
    assert!(
        said.code == 2 && said.told.contains("first 6 or more characters"),
        "{said:?}"
    );
    assert_eq!(it.asked().len(), asked, "too short a name asks nobody");
}

#[tokio::test]
async fn a_beginning_is_looked_for_among_the_first_thousand() {
    let many: Vec<_> = (0..1_000)
        .map(|n| DeadLetterRow {
            id: format!("{n:08x}{}", &ID[8..]),
            ..row()
        })
        .collect();
    let next = "GET /dead-letters?limit=1000&after=x";
    let it = Fake::start(&[(OPEN, 200, page(&many, Some("x"))), (next, 200, page(&[row()], None))]).await;
    let said = it
        .acuse(&["dead-letters", "discard", "1f2e3d4c", "--reason", "x"])
        .await;
    let told =
        "acuse: of the first 1000 open dead letters none begins with 1f2e3d4c; others can be named by their whole id\n";
    assert_eq!(said.parts(), (1, "", told));
}

#[tokio::test]
async fn a_replay_says_which_order_goes_on() {
    let (replay, shown) = (path("replay"), format!("GET /dead-letters/{ID}"));
    let mut warned = answer(ID, "replayed");
    warned["warnings"] = json!(["mind\u{1b}[2J the gap"]);
    let it = Fake::start(&[
        (&replay, 200, warned),
        (&shown, 200, json!(view())),
        (OPEN, 200, page(&[row()], None)),
    ])
    .await;
    let expected = format!("replayed {ID}: order ORD-1 goes on\n");
    let warning = "acuse: warning: mind\\u{1b}[2J the gap\n";
    for name in [ID, "1f2e3d"] {
        let said = it
            .acuse(&["dead-letters", "replay", name, "--reason", "ñandú is back"])
            .await;
        assert_eq!(said.parts(), (0, expected.as_str(), warning));
    }
    let bodies: Vec<_> = it
        .asked()
        .into_iter()
        .filter(|(asked, _)| *asked == replay)
        .map(|(_, body)| body)
        .collect();
    assert_eq!(bodies, [r#"{"reason":"ñandú is back"}"#; 2]);
}

#[tokio::test]
async fn another_document_goes_along_as_it_is_written() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("other-document.json");
    fs::write(&file, "\n {\"total\": 10.00, \"order_id\": \"ORD-1\"}\n").unwrap();
    let file = file.to_str().unwrap();
    let replay = path("replay");
    let it = Fake::start(&[(&replay, 200, answer(ID, "edited")), (OPEN, 200, page(&[row()], None))]).await;
    let arguments = ["dead-letters", "replay", "1f2e3d", "--reason", "x", "--document", file];
    let said = it.acuse(&arguments).await;
    let expected = format!("edited {ID}: order ORD-1 goes on with the other document\n");
    assert_eq!(said.parts(), (0, expected.as_str(), ""));
    let (_, body) = it.asked().pop().unwrap();
    assert_eq!(
        body,
        r#"{"reason":"x","document":{"total": 10.00, "order_id": "ORD-1"}}"#
    );

    fs::write(file, "{").unwrap();
    let said = it.acuse(&arguments).await;
    assert!(
        said.code == 1 && said.told.contains("other-document.json: is no JSON"),
        "{said:?}"
    );
    fs::write(file, " ".repeat(300 * 1024)).unwrap();
    let said = it.acuse(&arguments).await;
    assert!(
        said.code == 1 && said.told.contains("is larger than 262144 bytes"),
        "{said:?}"
    );
    let said = it
        .acuse(&[
            "dead-letters",
            "replay",
            ID,
            "--reason",
            "x",
            "--document",
            "/nowhere/at-all",
        ])
        .await;
    assert!(said.code == 1 && said.told.contains("/nowhere/at-all: "), "{said:?}");
    assert_eq!(it.asked().len(), 2, "a document that cannot be sent asks for nothing");
}

#[tokio::test]
async fn abandon_discard_and_redo_say_what_they_did() {
    let (abandon, discard) = (path("abandon"), format!("POST /dead-letters/{}/discard", stray().id));
    let it = Fake::start(&[
        (&abandon, 200, answer(ID, "abandoned")),
        (&discard, 200, answer(&stray().id, "discarded")),
        ("POST /orders/ORD-1/redo", 200, answer("ORD-1", "redone")),
        (OPEN, 200, page(&[row(), stray()], None)),
    ])
    .await;
    let said = it.acuse(&["dead-letters", "abandon", "1f2e3d", "--reason", "a"]).await;
    assert_eq!(
        said.parts(),
        (0, &*format!("abandoned {ID}: order ORD-1 is being undone\n"), "")
    );
    // What was done is told, though nobody can say any more to what.
    let said = it
        .acuse(&["dead-letters", "discard", &stray().id, "--reason", "b"])
        .await;
    assert_eq!(said.parts(), (0, &*format!("discarded {}\n", stray().id), ""));
    let said = it.acuse(&["orders", "redo", "ORD-1", "--reason", "c"]).await;
    assert_eq!(said.parts(), (0, "redone ORD-1: the order is being undone\n", ""));
    let bodies: Vec<_> = it
        .asked()
        .into_iter()
        .filter(|(asked, _)| asked.starts_with("POST"))
        .map(|(_, body)| body)
        .collect();
    assert_eq!(
        bodies,
        ["a", "b", "c"].map(|reason| json!({ "reason": reason }).to_string())
    );
}

#[tokio::test]
async fn refusals_are_told_and_end_with_1_and_what_may_still_be_done_with_69() {
    let told = |status: u16, detail: &str| format!("acuse: console answered {status}: {detail}\n");
    for (kind, detail, code, expected) in [
        (Kind::NotFound, "there is none", 1, told(404, "there is none")),
        (
            Kind::NotWaiting,
            "it was\u{1b} replayed",
            1,
            told(409, "it was\\u{1b} replayed"),
        ),
        (
            Kind::Invalid,
            "total_amount must stay",
            1,
            told(422, "total_amount must stay"),
        ),
        (
            Kind::Unavailable,
            "ask again",
            69,
            "acuse: console is busy: ask again\n".to_owned(),
        ),
    ] {
        let (replay, abandon, discard) = (path("replay"), path("abandon"), path("discard"));
        let (show, redo) = (format!("GET /dead-letters/{ID}"), "POST /orders/ORD-1/redo");
        let list = "GET /dead-letters?limit=21&class=x&state=open";
        let all = [
            &*replay,
            &*abandon,
            &*discard,
            &*show,
            redo,
            "GET /dead-letters/groups",
            list,
        ];
        let answers = all.map(|asked| (asked, kind.status(), problem(kind, detail)));
        let it = Fake::start(&answers).await;
        for command in [
            &["dead-letters", "replay", ID, "--reason", "x"][..],
            &["dead-letters", "abandon", ID, "--reason", "x"],
            &["dead-letters", "discard", ID, "--reason", "x"],
            &["dead-letters", "show", ID, "--body"],
            &["orders", "redo", "ORD-1", "--reason", "x"],
            &["dead-letters", "groups", "--json"],
            &["dead-letters", "list", "--class", "x"],
        ] {
            assert_eq!(
                it.acuse(command).await.parts(),
                (code, "", expected.as_str()),
                "{command:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_console_that_is_not_there_is_told_apart() {
    let said = acuse("http://127.0.0.1:1", &["dead-letters", "groups"]).await;
    assert!(
        said.code == 69 && said.told.starts_with("acuse: console did not answer: "),
        "{said:?}"
    );
    let flag = ["dead-letters", "groups", "--console-url", "ftp://127.0.0.1"];
    let said = acuse("http://127.0.0.1:1", &flag).await;
    assert!(
        said.code == 2 && said.told.contains("the way to console cannot be used"),
        "{said:?}"
    );
}

#[tokio::test]
async fn acts_need_a_reason_and_a_name() {
    let long = "x".repeat(201);
    for arguments in [
        &["dead-letters", "replay", ID][..],
        &["dead-letters", "abandon", ID, "--reason", " "],
        &["dead-letters", "discard", ID, "--reason", &long],
        &["dead-letters", "discard", ID, "--reason", "a\nb"],
        &["dead-letters", "discard", "--reason", "x"],
        &["dead-letters", "discard", "no-id-at-all", "--reason", "x"],
        &["orders", "redo", "ORD-1"],
        &["orders", "redo", "ORD 1", "--reason", "x"],
        &["dead-letters", "list", "--limit", "0"],
        &["dead-letters", "list", "--state", "gone"],
        &["dead-letters", "show", ID, "--json", "--body"],
    ] {
        let said = acuse("http://127.0.0.1:1", arguments).await;
        assert_eq!((said.code, said.text()), (2, ""), "{arguments:?}: {}", said.told);
    }
}
