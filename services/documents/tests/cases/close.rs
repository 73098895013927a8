use contracts::documents::{CloseAnswer, CreditNote, GenerateAnswer, Invoice, Label};
use platform::clock::Clock as _;
use serde_json::json;
use testkit::http::TestServer;
use testkit::manners;

use super::{CLOSE, Tuesday, World, closing, path_of, request, request_of};

async fn label(world: &World, number: &str) -> Label {
    world.server.get(&format!("/documents/label/{number}")).await.ok()
}

async fn refuses(world: &World, generation: u32, key: &str) {
    let refused = world.generate(key, &request_of("ORD-1", generation)).await;
    assert_eq!(
        (refused.status, refused.problem().as_str()),
        (409, "superseded"),
        "{key}"
    );
    assert_eq!(refused.header("idempotency-replayed"), None);
    assert_eq!(refused.header("retry-after"), None, "it will not pass");
}

#[tokio::test]
async fn closing_takes_the_invoice_and_its_labels_back_once() {
    let world = World::new("close").await;
    let issued: GenerateAnswer = world.generate("K-1", &request("ORD-1")).await.ok();
    let closed = world.close("ORD-1", 1).await;
    assert_eq!((closed.order_id.as_str(), closed.generation), ("ORD-1", 1));
    let [told] = &closed.credit_notes[..] else {
        panic!("{closed:?}")
    };
    assert_eq!(told.cfdi_uuid, issued.cfdi_uuid);
    let read = world.server.get(&path_of(&told.credit_note_url)).await;
    assert!(
        read.text.contains(r#""total":{"value":7.80,"currency":"BRL"}"#),
        "{}",
        read.text
    );
    let note: CreditNote = read.ok();
    assert_eq!(
        (note.kind.as_str(), note.order_id.as_str(), note.generation),
        ("credit_note", "ORD-1", 1)
    );
    assert_eq!(
        (&note.credit_note_uuid, &note.cfdi_uuid),
        (&told.credit_note_uuid, &issued.cfdi_uuid)
    );
    assert_eq!(note.issued_at, Tuesday.now());
    let invoice: Invoice = world.server.get(&path_of(&issued.invoice_url)).await.ok();
    assert_eq!(invoice.cfdi_uuid, issued.cfdi_uuid, "it can be read as before");
    for number in ["ORD-1-A", "ORD-1-B"] {
        assert_eq!(label(&world, number).await.voided_at, Some(Tuesday.now()));
    }
    let done = world.done("ORD-1").await;
    let said = |kind: &str, subject: &str, parts: &str| (kind.to_owned(), subject.to_owned(), parts.to_owned());
    assert_eq!(
        done[3..],
        [
            said("invoice.credited", &issued.cfdi_uuid, &told.credit_note_uuid),
            said("label.voided", "ORD-1-B", ""),
            said("label.voided", "ORD-1-A", ""),
        ]
    );

    let colleague = TestServer::start(world.router.clone(), manners::CALLERS[1]).await;
    for server in [&world.server, &colleague] {
        let again: CloseAnswer = server.post(CLOSE, &closing("ORD-1", 1)).await.ok();
        assert_eq!(again, closed);
    }
    assert_eq!(world.done("ORD-1").await, done, "closed again, nothing is done");
}

#[tokio::test]
async fn an_order_that_was_never_heard_of_is_closed_as_well() {
    let world = World::new("close_before").await;
    assert_eq!(world.close("ORD-1", 2).await.credit_notes, []);
    for generation in [1, 2] {
        refuses(&world, generation, &format!("K-{generation}")).await;
    }
    assert!(manners::effects(&world.server).await.is_empty());
    assert_eq!(world.generate("K-3", &request_of("ORD-1", 3)).await.status, 200);
    assert_eq!(
        world.generate("K-4", &request("ORD-10")).await.status,
        200,
        "another order is not closed"
    );
}

#[tokio::test]
async fn a_stored_answer_counts_no_more_once_its_generation_is_closed() {
    let world = World::new("close_stored").await;
    assert_eq!(world.generate("K-1", &request("ORD-1")).await.status, 200);
    world.close("ORD-1", 1).await;
    let done = world.done("ORD-1").await;
    refuses(&world, 1, "K-1").await;
    refuses(&world, 1, "K-2").await;
    let mut other = request("ORD-1");
    other["reservation_id"] = json!("RSV-2026-2");
    assert_eq!(world.generate("K-1", &other).await.problem(), "superseded");
    assert_eq!(world.done("ORD-1").await, done);
}

#[tokio::test]
async fn the_next_generation_has_documents_of_its_own_that_a_late_closing_leaves_alone() {
    let world = World::new("close_next").await;
    let first: GenerateAnswer = world.generate("K-1", &request("ORD-1")).await.ok();
    let closed = world.close("ORD-1", 1).await;
    // With the numbers that the void labels have.
    let second: GenerateAnswer = world.generate("K-2", &request_of("ORD-1", 2)).await.ok();
    assert_ne!(
        second.cfdi_uuid, first.cfdi_uuid,
        "a credited invoice does not answer the lookup"
    );
    let live = label(&world, "ORD-1-A").await;
    assert_eq!((live.generation, live.voided_at), (2, None));
    let done = world.done("ORD-1").await;
    assert_eq!(done.len(), 9);

    assert_eq!(world.close("ORD-1", 1).await, closed);
    assert_eq!(world.done("ORD-1").await, done, "the second generation goes on");
    let again = world.generate("K-2", &request_of("ORD-1", 2)).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));

    let both = world.close("ORD-1", 2).await;
    let credited: Vec<_> = both.credit_notes.iter().map(|note| note.cfdi_uuid.as_str()).collect();
    assert_eq!(credited, [&first.cfdi_uuid, &second.cfdi_uuid], "oldest first");
    assert_eq!(
        label(&world, "ORD-1-A").await.generation,
        2,
        "the last one that counted"
    );
    assert_eq!(world.done("ORD-1").await.len(), 12);

    assert_eq!(world.close("ORD-1", 1).await, closed, "a lower closing opens nothing");
    refuses(&world, 2, "K-2").await;
}

#[tokio::test]
async fn closing_a_generation_closes_all_lower_ones() {
    let world = World::new("close_lower").await;
    let issued: GenerateAnswer = world.generate("K-1", &request("ORD-1")).await.ok();
    let closed = world.close("ORD-1", 3).await;
    assert_eq!(closed.credit_notes.len(), 1);
    let note: CreditNote = world
        .server
        .get(&path_of(&closed.credit_notes[0].credit_note_url))
        .await
        .ok();
    assert_eq!((note.cfdi_uuid, note.generation), (issued.cfdi_uuid, 3));
    for generation in 1..=3 {
        refuses(&world, generation, &format!("K-late-{generation}")).await;
    }
    assert_eq!(world.generate("K-4", &request_of("ORD-1", 4)).await.status, 200);
}

#[tokio::test]
async fn a_void_label_gives_its_number_back() {
    let world = World::new("close_number").await;
    let mut second = request("ORD-2");
    second["shipments"] = request("ORD-1")["shipments"].clone();
    assert_eq!(world.generate("K-1", &request("ORD-1")).await.status, 200);
    assert_eq!(world.generate("K-2", &second).await.problem(), "already-exists");
    world.close("ORD-1", 1).await;
    assert_eq!(world.generate("K-2", &second).await.status, 200);
    assert_eq!(label(&world, "ORD-1-A").await.order_id, "ORD-2");
    world.close("ORD-1", 1).await;
    assert_eq!(
        label(&world, "ORD-1-A").await.voided_at,
        None,
        "it is another order's now"
    );
}
