//! What is no order is refused by the name of its field, is not stored, and harms nobody.

use contracts::checkout::OrderSummary;
use contracts::effects::Page;
use contracts::limits::BODY_BYTES_MAX;
use contracts::problem::{CONTENT_TYPE, Kind, Problem};
use serde_json::json;
use testkit::bad_orders::{bad_orders, good_order, odd_orders};
use testkit::http::Reply;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::base::{Checkout, checkout, method, order};

const JSON: (&str, &str) = ("content-type", "application/json");

async fn post(it: &Checkout, headers: &[(&str, &str)], body: Vec<u8>) -> Reply {
    it.server.send_bytes(method("POST"), "/orders", headers, body).await
}

async fn stored(it: &Checkout) -> Vec<String> {
    let page: Page<OrderSummary> = it.server.get("/orders").await.ok();
    page.rows.into_iter().map(|order| order.order_id).collect()
}

/// What the answer is not, of what a refusal must be.
fn unlike(reply: &Reply, kind: Kind, field: &str) -> Option<String> {
    let problem: Option<Problem> = serde_json::from_str(&reply.text).ok();
    let right = reply.header("content-type") == Some(CONTENT_TYPE)
        && reply.status == kind.status()
        && problem.as_ref().is_some_and(|problem| {
            Kind::of_uri(&problem.kind) == Some(kind)
                && problem.field.as_deref() == Some(field)
                && problem.detail.len() <= 2_000
                && !problem.detail.chars().any(char::is_control)
        });
    (!right).then(|| {
        let told: String = reply.text.chars().take(300).collect();
        format!("{} {told}; wanted {kind:?} {field}", reply.status)
    })
}

#[tokio::test]
async fn every_bad_order_is_refused_by_its_field_and_the_next_good_one_is_taken() {
    let it = checkout("bad").await;
    let mut wrong = vec![];
    for (at, bad) in bad_orders().into_iter().enumerate() {
        let reply = post(&it, &[JSON], bad.body).await;
        wrong.extend(unlike(&reply, bad.kind, bad.field).map(|told| format!("{}: {told}", bad.name)));
        let next = post(&it, &[JSON], good_order(&format!("GOOD-{at}")).into_bytes()).await;
        assert_eq!(next.status, 202, "after {}: {}", bad.name, next.text);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let strange: Vec<_> = stored(&it)
        .await
        .into_iter()
        .filter(|id| !id.starts_with("GOOD-"))
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[tokio::test]
async fn odd_orders_are_taken_as_they_are_and_repeated_as_such() {
    let it = checkout("odd").await;
    for (name, document) in odd_orders() {
        for replayed in [None, Some("true")] {
            let reply = post(&it, &[JSON], document.clone().into_bytes()).await;
            assert_eq!(
                (reply.status, reply.header("idempotency-replayed")),
                (202, replayed),
                "{name}: {}",
                reply.text
            );
        }
    }
    assert_eq!(stored(&it).await.len(), odd_orders().len());
}

#[tokio::test]
async fn another_spelling_of_an_accent_is_another_text() {
    let it = checkout("accents").await;
    let mut document = order("O-1");
    document["shipping_address"]["city"] = json!("S\u{e3}o Paulo");
    assert_eq!(it.server.post("/orders", &document).await.status, 202);
    document["shipping_address"]["city"] = json!("Sa\u{303}o Paulo");
    let reply = it.server.post("/orders", &document).await;
    assert_eq!((reply.status, reply.problem().as_str()), (409, "order-conflict"));
}

#[tokio::test]
async fn a_body_is_plain_json_or_says_nothing() {
    let it = checkout("plain").await;
    for (header, value) in [
        ("content-encoding", "gzip"),
        ("content-encoding", "br"),
        ("content-type", "text/plain"),
        ("content-type", "application/x-java"),
        ("content-type", "multipart/form-data"),
    ] {
        let headers = [(header, value)];
        let reply = post(&it, &headers, good_order("O-1").into_bytes()).await;
        assert_eq!(unlike(&reply, Kind::Malformed, header), None, "{header}: {value}");
    }
    // A packed order that says nothing of it is no JSON.
    let reply = post(&it, &[JSON], b"\x1f\x8b\x08\x00\x00\x00\x00\x00".to_vec()).await;
    assert_eq!(unlike(&reply, Kind::Malformed, "body"), None);
    assert!(stored(&it).await.is_empty());
    for (at, headers) in [
        &[][..],
        &[("content-type", "application/json; charset=utf-8")],
        &[("content-encoding", "identity")],
    ]
    .into_iter()
    .enumerate()
    {
        let reply = post(&it, headers, good_order(&format!("O-{at}")).into_bytes()).await;
        assert_eq!(reply.status, 202, "{headers:?}: {}", reply.text);
    }
}

/// Writes a request as it is, and reads what comes first.
async fn raw(it: &Checkout, head: &str) -> String {
    let address = it.server.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4096];
    let read = stream.read(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

#[tokio::test]
async fn a_body_that_is_announced_too_large_is_refused_before_it_comes() {
    let it = checkout("announced").await;
    for length in [BODY_BYTES_MAX as u64 + 1, 1 << 40, u64::MAX - 2] {
        let head = format!(
            "POST /orders HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{{",
            testkit::http::token("shop")
        );
        let answer = raw(&it, &head).await;
        assert!(
            answer.starts_with("HTTP/1.1 413 ") && answer.contains("too-large"),
            "{length}: {answer}"
        );
    }
    assert_eq!(it.server.post("/orders", &order("O-1")).await.status, 202);
}

#[tokio::test]
async fn a_body_that_never_says_its_length_is_read_to_the_limit_and_no_further() {
    let it = checkout("chunked").await;
    let chunk = format!("{:x}\r\n{}\r\n", 64 * 1024, " ".repeat(64 * 1024));
    let head = format!(
        "POST /orders HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n{}",
        testkit::http::token("shop"),
        chunk.repeat(5)
    );
    let answer = raw(&it, &head).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert_eq!(it.server.post("/orders", &order("O-1")).await.status, 202);
}

#[tokio::test]
async fn addresses_that_are_no_text_or_too_long_are_problems() {
    let it = checkout("addresses").await;
    let long = format!("/orders/{}", "x".repeat(10_000));
    for path in [
        "/orders/%ff",
        "/orders/%c3%28",
        &long,
        "/orders?limit=many",
        "/effects?after=x",
    ] {
        let reply = it.server.get(path).await;
        let shown: String = path.chars().take(40).collect();
        assert_eq!(
            (reply.status, reply.header("content-type"), reply.problem().as_str()),
            (400, Some(CONTENT_TYPE), "malformed"),
            "{shown}: {}",
            reply.text
        );
    }
}
