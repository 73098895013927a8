use contracts::documents::{GenerateAnswer, Invoice, Label};
use platform::clock::Clock as _;
use serde_json::{Value, json};
use testkit::manners;

use super::{GENERATE, Tuesday, World, path_of, request, request_of};

#[tokio::test]
async fn documents_are_issued_once_and_can_be_read() {
    let world = World::new("once").await;
    let other = {
        let mut other = request("ORD-1");
        other["reservation_id"] = json!("RSV-2026-2");
        other
    };
    let answer = manners::acts_once(&world.router, &world.server, GENERATE, &request("ORD-1"), &other).await;
    let answer: GenerateAnswer = serde_json::from_str(&answer.to_string()).unwrap();
    let invoice = world.server.get(&path_of(&answer.invoice_url)).await;
    assert_eq!(invoice.header("content-type"), Some("application/json"));
    assert!(
        invoice.text.contains(r#""total":{"value":7.80,"currency":"BRL"}"#),
        "{}",
        invoice.text
    );
    let invoice: Invoice = invoice.ok();
    assert_eq!(
        (invoice.cfdi_uuid.as_str(), invoice.order_id.as_str()),
        (answer.cfdi_uuid.as_str(), "ORD-1")
    );
    assert_eq!(invoice.issued_at, Tuesday.now());
    let mut labels = vec![];
    for url in &answer.shipping_label_urls {
        let label: Label = world.server.get(&path_of(url)).await.ok();
        assert_eq!(label.voided_at, None);
        labels.push(label.tracking_number);
    }
    assert_eq!(labels, ["ORD-1-B", "ORD-1-A"], "in the order of the request");

    let done = world.done("ORD-1").await;
    let told: Vec<_> = done
        .iter()
        .map(|(kind, subject, _)| (kind.as_str(), subject.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("invoice.issued", answer.cfdi_uuid.as_str()),
            ("label.issued", "ORD-1-B"),
            ("label.issued", "ORD-1-A")
        ]
    );
}

#[tokio::test]
async fn an_order_has_one_uncredited_invoice_whatever_the_generation() {
    let world = World::new("generation").await;
    let first: Value = world.generate("K-1", &request("ORD-1")).await.ok();
    let mut second = request_of("ORD-1", 2);
    second["shipments"] = json!([{ "carrier": "Correios", "tracking_number": "NEW" }]);
    let refused = world.generate("K-2", &second).await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "already-exists"));
    assert!(
        refused.text.contains(first["cfdi_uuid"].as_str().unwrap()),
        "{}",
        refused.text
    );
    assert_eq!(world.done("ORD-1").await.len(), 3);
}

#[tokio::test]
async fn a_shipment_has_one_label() {
    let world = World::new("label").await;
    assert_eq!(world.generate("K-1", &request("ORD-1")).await.status, 200);
    let mut second = request("ORD-2");
    second["shipments"][1]["tracking_number"] = json!("ORD-1-A");
    let refused = world.generate("K-2", &second).await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "already-exists"));
    assert!(refused.text.contains("ORD-1-A"), "{}", refused.text);
    assert_eq!(world.done("ORD-2").await, [], "nothing of the second order is left");
    assert_eq!(
        world.generate("K-2", &request("ORD-2")).await.status,
        200,
        "a refusal took the key or the order"
    );
}

#[tokio::test]
async fn a_crowd_gets_one_invoice() {
    let world = World::new("crowd").await;
    for (order, one_key) in [("ORD-1", true), ("ORD-2", false)] {
        manners::acts_once_for_a_crowd(&world.server, GENERATE, &request(order), one_key).await;
    }
    assert_eq!(manners::effects(&world.server).await.len(), 6);
}

#[tokio::test]
async fn what_a_caller_asked_for_who_left_is_found_again() {
    let world = World::new("left").await;
    manners::acts_for_a_caller_who_left(&world.server, GENERATE, &request("ORD-1")).await;
    assert_eq!(world.done("ORD-1").await.len(), 3);
}

#[tokio::test]
async fn a_service_that_starts_again_remembers() {
    let world = World::new("again").await;
    let first: Value = world.generate("K-1", &request("ORD-1")).await.ok();
    world.close("ORD-2", 1).await;
    let world = world.again().await;
    let again = world.generate("K-1", &request("ORD-1")).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.ok::<Value>(), first);
    assert_eq!(world.generate("K-2", &request("ORD-2")).await.problem(), "superseded");
}

#[tokio::test]
async fn an_amount_has_the_digits_of_its_currency_on_every_document() {
    let world = World::new("digits").await;
    for (order, currency, value) in [
        ("ORD-1", "CLP", "12990"),
        ("ORD-2", "PYG", "145000"),
        ("ORD-3", "COP", "89900.00"),
        ("ORD-4", "MXN", "129.90"),
    ] {
        let issued: GenerateAnswer = world.generate(order, &sold(order, currency, value)).await.ok();
        let closed = world.close(order, 1).await;
        let total = format!(r#""total":{{"value":{value},"currency":"{currency}"}}"#);
        for url in [&issued.invoice_url, &closed.credit_notes[0].credit_note_url] {
            let document = world.server.get(&path_of(url)).await;
            assert!(document.text.contains(&total), "{}", document.text);
        }
    }
    for (currency, value) in [("CLP", "12990.5"), ("PYG", "145000.5"), ("clp", "12990"), ("XXX", "1")] {
        let refused = world.generate("K-5", &sold("ORD-5", currency, value)).await;
        assert_eq!(
            (refused.status, refused.problem().as_str()),
            (400, "malformed"),
            "{value} {currency}"
        );
    }
}

/// A request without unit prices.
fn sold(order: &str, currency: &str, value: &str) -> Value {
    let value: Value = serde_json::from_str(value).expect("a number");
    let mut request = request(order);
    let members = request.as_object_mut().expect("an object");
    members.retain(|name, _| !["lines", "shipping_fee"].contains(&name.as_str()));
    request["total"] = json!({ "value": value, "currency": currency });
    request
}

#[tokio::test]
async fn a_name_stands_on_a_label_as_it_was_given() {
    let world = World::new("names").await;
    for (place, carrier) in ["PÉREZ & HIJOS \"LA <Ñ>\"", "João e Irmãos 🐕", "Cafe\u{301} 한국"]
        .into_iter()
        .enumerate()
    {
        let order = format!("ORD-{place}");
        let mut request = request(&order);
        request["shipments"][0]["carrier"] = json!(carrier);
        let issued: GenerateAnswer = world.generate(&order, &request).await.ok();
        world.close(&order, 1).await;
        let label: Label = world.server.get(&path_of(&issued.shipping_label_url)).await.ok();
        assert_eq!(label.carrier, carrier);
    }
}
