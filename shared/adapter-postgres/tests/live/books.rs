//! Reading what waits for a person.

use adapter_postgres::dead_letters::{Filter, PgDeadLetterBooks};
use contracts::console::DeadLetterRow;
use pipeline::dead_letters::{Acted, Action, Content, DeadLetters as _, Letter, Queue};
use pipeline::failure::{Class, Failed};
use pipeline::happened::Operated;
use testkit::conformance::sample;
use uuid::Uuid;

use crate::scene::{given_up, letter, stray};
use crate::world::{Base, World};

/// Rows of more than any test has.
const ALL: i64 = 1_000;

fn books(world: &World) -> PgDeadLetterBooks {
    PgDeadLetterBooks(world.pool.clone())
}

async fn listed(world: &World, filter: &Filter) -> Vec<DeadLetterRow> {
    books(world).list(filter, None, ALL).await.unwrap().rows
}

/// Two orders that wait, one that is given up, one whose undoing is stuck, and two messages of nobody.
async fn some(world: &World) {
    for order in ["O-1", "O-2", "O-3"] {
        world.place(order).await;
        let _entry = world.kept(&given_up(Queue::Process, order)).await;
    }
    world.stuck("O-4").await;
    let _entry = world.kept(&letter(Queue::Compensation, "O-4", sample::failed())).await;
    let unknown = Failed::new(Class::UnknownOrder, None, "checkout does not know the order", 1);
    let _entry = world.kept(&letter(Queue::Process, "O-1", unknown)).await;
    let _entry = world.kept(&stray(b"\xff\xfe")).await;
    let (open, operated) = (listed(world, &Filter::default()).await, sample::operated());
    let third = open.iter().find(|row| row.order_id.as_deref() == Some("O-3")).unwrap();
    let acted = world
        .dead_letters
        .act(third.id.parse().unwrap(), Action::Abandon, &operated);
    assert_eq!(acted.await.unwrap(), Acted::Done);
}

#[tokio::test]
async fn filters_narrow_the_list_one_by_one_and_together() {
    let base = Base::new("books_filters").await;
    let world = base.fresh().await;
    some(&world).await;
    let count = async |state: &str, class: &str, order: &str, queue: &str| {
        let wanted = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let filter = Filter {
            state: wanted(state),
            class: wanted(class),
            order: wanted(order),
            queue: wanted(queue),
        };
        listed(&world, &filter).await.len()
    };
    assert_eq!(count("", "", "", "").await, 6);
    assert_eq!(count("open", "", "", "").await, 5);
    assert_eq!(count("abandoned", "", "", "").await, 1);
    assert_eq!(count("replayed", "", "", "").await, 0);
    assert_eq!(count("", "delivery_limit", "", "").await, 3);
    assert_eq!(count("open", "delivery_limit", "", "").await, 2);
    assert_eq!(
        count("", "", "O-1", "").await,
        2,
        "its own and the one that claims to be"
    );
    assert_eq!(count("", "unknown_order", "O-1", "").await, 1);
    assert_eq!(count("", "", "", "orders.compensation.dlq").await, 1);
    assert_eq!(count("", "invalid", "", "orders.invalid").await, 1);
    assert_eq!(count("", "invalid", "", "orders.process.dlq").await, 0);
    assert_eq!(count("", "", "o-1' or 'a'='a", "").await, 0, "text is text");
}

#[tokio::test]
async fn rows_say_what_the_list_shows_and_whether_they_are_the_orders_own() {
    let base = Base::new("books_rows").await;
    let world = base.fresh().await;
    some(&world).await;
    let of_first = Filter {
        order: Some("O-1".to_owned()),
        ..Filter::default()
    };
    let rows = listed(&world, &of_first).await;
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.of_order, &*row.class, row.generation, row.attempt))
        .collect();
    assert_eq!(told, [(true, "delivery_limit", 1, 1), (false, "unknown_order", 1, 1)]);
    let stuck = Filter {
        queue: Some("orders.compensation.dlq".to_owned()),
        ..Filter::default()
    };
    let row = listed(&world, &stuck).await.remove(0);
    assert_eq!(
        (row.step.as_deref(), &*row.reason),
        (Some("check_stock"), "unknown-sku: «Ñ»")
    );
    assert_eq!((&*row.state, row.attempt), ("open", 2));
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap_even_within_one_moment() {
    let base = Base::new("books_pages").await;
    let world = base.fresh().await;
    for place in 0..7_u8 {
        let _entry = world.kept(&stray(&[0xff, place])).await;
    }
    world
        .execute("update dead_letters set at = '2026-11-27 06:00Z' where body <> '\\xff06'")
        .await;
    let mut seen = vec![];
    let mut after: Option<Uuid> = None;
    for rows in [3, 3, 1] {
        let page = books(&world).list(&Filter::default(), after, 3).await.unwrap();
        assert_eq!(page.rows.len(), rows);
        after = page.next.map(|id| id.parse().unwrap());
        seen.extend(page.rows.into_iter().map(|row| row.id));
    }
    assert_eq!(after, None, "a page that is not full is the last");
    let all: Vec<_> = listed(&world, &Filter::default())
        .await
        .into_iter()
        .map(|row| row.id)
        .collect();
    assert_eq!(seen, all);
    let mut apart = seen.clone();
    apart.sort_unstable();
    apart.dedup();
    assert_eq!(apart.len(), 7);
}

#[tokio::test]
async fn a_page_goes_on_behind_a_row_that_was_closed_meanwhile() {
    let base = Base::new("books_closed").await;
    let world = base.fresh().await;
    for place in 0..4_u8 {
        let _entry = world.kept(&stray(&[0xff, place])).await;
    }
    let open = Filter {
        state: Some("open".to_owned()),
        ..Filter::default()
    };
    let first = books(&world).list(&open, None, 2).await.unwrap();
    let operated = sample::operated();
    let next: Uuid = first.next.unwrap().parse().unwrap();
    let acted = world
        .dead_letters
        .act(next.to_string().parse().unwrap(), Action::Discard, &operated);
    assert_eq!(acted.await.unwrap(), Acted::Done);
    let second = books(&world).list(&open, Some(next), 2).await.unwrap();
    assert_eq!(second.rows.len(), 2);
}

#[tokio::test]
async fn groups_count_what_is_open_the_largest_first() {
    let base = Base::new("books_groups").await;
    let world = base.fresh().await;
    some(&world).await;
    world
        .execute("update dead_letters set at = '2020-01-01Z', reason = 'an older one' where order_id = 'O-2'")
        .await;
    let groups = books(&world).groups().await.unwrap();
    let told: Vec<_> = groups
        .iter()
        .map(|group| (group.count, &*group.class, &*group.queue))
        .collect();
    let expected = [
        (2, "delivery_limit", "orders.process.dlq"),
        (1, "invalid", "orders.invalid"),
        (1, "refused", "orders.compensation.dlq"),
        (1, "unknown_order", "orders.process.dlq"),
    ];
    assert_eq!(told, expected);
    assert_eq!(groups[0].oldest_at.year(), 2020);
    assert!(
        groups[0].reason.starts_with("the broker gave it up"),
        "the newest one's: {}",
        groups[0].reason
    );
    assert_eq!(groups[2].step.as_deref(), Some("check_stock"));
}

#[tokio::test]
async fn an_entry_shows_bytes_as_they_are_and_who_closed_it() {
    let base = Base::new("books_show").await;
    let world = base.fresh().await;
    let properties = r#"{"type": "\u001b[2J", "headers": {"a": {"text_hex": "00ff"}, "n": {"u32": 4294967295}, "deep": {"table": {"x": {"array": []}}}}, "timestamp": 18446744073709551615}"#;
    let odd = |body: &[u8]| Letter {
        content: Content {
            body: body.to_vec(),
            properties: properties.to_owned(),
        },
        ..stray(b"")
    };
    let binary = world.kept(&odd(b"\0\xff{\n")).await;
    let shown = books(&world).show(binary.0).await.unwrap().unwrap();
    assert_eq!((shown.body, shown.body_hex.as_deref()), (None, Some("00ff7b0a")));
    assert_eq!(
        shown.properties,
        serde_json::from_str::<serde_json::Value>(properties).unwrap()
    );
    assert_eq!(shown.closed, None);

    let text = world.kept(&odd("{\"a\": \"ñ\0\u{202e}\"}".as_bytes())).await;
    let shown = books(&world).show(text.0).await.unwrap().unwrap();
    assert_eq!(
        (shown.body.as_deref(), shown.body_hex),
        (Some("{\"a\": \"ñ\0\u{202e}\"}"), None)
    );
    let empty = world.kept(&odd(b"")).await;
    assert_eq!(
        books(&world).show(empty.0).await.unwrap().unwrap().body.as_deref(),
        Some("")
    );

    let operated = Operated {
        by: "ana".to_owned(),
        reason: "it's \"odd\" \\ %s ${x} '); drop table orders; -- ñ\u{1f4a9}\u{202e}".to_owned(),
    };
    let acted = world.dead_letters.act(text, Action::Discard, &operated).await.unwrap();
    assert_eq!(acted, Acted::Done);
    let closed = books(&world).show(text.0).await.unwrap().unwrap().closed.unwrap();
    assert_eq!((closed.by, closed.reason), (operated.by, operated.reason));
    assert_eq!(books(&world).show(Uuid::nil()).await.unwrap(), None);
}

#[tokio::test]
async fn what_the_database_cannot_hold_is_refused_and_leaves_nothing() {
    let base = Base::new("books_nul").await;
    let world = base.fresh().await;
    world.place("O-1").await;
    let mut nul = given_up(Queue::Process, "O-1");
    nul.content.properties = r#"{"type": "a\u0000b"}"#.to_owned();
    assert!(world.dead_letters.drain(&nul).await.is_err(), "no NUL in JSON");
    nul.content.properties = "no JSON".to_owned();
    assert!(world.dead_letters.drain(&nul).await.is_err());
    assert_eq!(
        world.state("O-1").await.name(),
        "accepted",
        "its row does not wait without an entry"
    );

    let entry = world.kept(&given_up(Queue::Process, "O-1")).await;
    let operated = Operated {
        by: "ana".to_owned(),
        reason: "a\0b".to_owned(),
    };
    assert!(world.dead_letters.act(entry, Action::Replay, &operated).await.is_err());
    assert_eq!(world.state("O-1").await.name(), "dead_lettered");
    assert_eq!(listed(&world, &Filter::default()).await[0].state, "open");
}
