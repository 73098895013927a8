//! The service on a database of its own.

mod check;
mod commit;
mod deliveries;
mod races;
mod reserve;
mod world;

use contracts::effects::{Effect, Page};
use platform::health::Readiness;
use serde_json::json;
use testkit::manners;
use testkit::wait::until;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::world::{RESERVE, World, reserve};

#[tokio::test]
async fn a_lost_database_is_told_and_met_again() {
    let world = World::with_stock("inventory_lost", &[("A", "WH-MX-1", 5)]).await;
    let readiness = Readiness::starting();
    let stopping = CancellationToken::new();
    let mut watching = JoinSet::new();
    watching.spawn(adapter_postgres::service::watch(
        world.pool.clone(),
        readiness.clone(),
        stopping.clone(),
    ));
    until("the database is there", async || readiness.reason().is_none()).await;
    world.database.shut().await;
    until("the loss is told", async || readiness.reason().is_some()).await;
    let lost = world.post(RESERVE, "K-1", &reserve("ORD-1", &[("A", 1, None)])).await;
    assert_eq!((lost.status, lost.problem().as_str()), (503, "unavailable"));
    assert_eq!(lost.header("retry-after"), Some("1"));
    assert!(!lost.text.contains("postgres"), "{}", lost.text);
    world.database.open().await;
    until("the database is back", async || readiness.reason().is_none()).await;
    assert_eq!(
        world
            .post(RESERVE, "K-1", &reserve("ORD-1", &[("A", 1, None)]))
            .await
            .status,
        200
    );
    stopping.cancel();
    watching.join_all().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_named_and_leaves_nothing() {
    let world = World::with_stock("inventory_unreadable", &[("A", "WH-MX-1", 5)]).await;
    manners::turns_strangers_away(&world.router, RESERVE).await;
    manners::refuses_what_cannot_be_read(&world.server, RESERVE, &reserve("ORD-1", &[("A", 1, None)])).await;
    for (pointer, value, field) in [
        ("/order_id", json!("a b"), "order_id"),
        ("/generation", json!(0), "generation"),
        ("/country", json!("mx"), "country"),
        ("/items", json!([]), "items"),
        ("/items/0/qty", json!(10_001), "items[0].qty"),
        ("/reservation_ttl_minutes", json!(1_441), "reservation_ttl_minutes"),
    ] {
        let mut body = reserve("ORD-1", &[("A", 1, None)]);
        body["reservation_ttl_minutes"] = json!(60);
        *body.pointer_mut(pointer).unwrap() = value;
        let refused = world.post(RESERVE, "K", &body).await;
        assert_eq!(
            (refused.status, refused.problem().as_str()),
            (422, "invalid"),
            "{pointer}"
        );
        assert_eq!(refused.json()["field"], field);
    }
    for path in [
        "/effects?after=x",
        "/inventory/movements?after=x",
        "/inventory/stock?after=A",
    ] {
        let page = world.server.get(path).await;
        assert_eq!((page.status, page.problem().as_str()), (400, "malformed"), "{path}");
    }
    let done = world.post(RESERVE, "K", &reserve("ORD-1", &[("A", 1, None)])).await;
    assert_eq!(done.status, 200, "a refusal took the key");
}

#[tokio::test]
async fn a_page_of_large_effects_stays_small_and_none_is_missed() {
    let world = World::new("inventory_pages").await;
    let written = sqlx::query!(
        "insert into effects (caller, kind, order_id, generation, subject, parts)
         select 'test', 'reservation.confirmed', 'ORD-' || number, 1, 'RSV-1', array_fill(repeat('x', 130), array[1000])
         from generate_series(1, 30) as number"
    );
    written.execute(&world.pool).await.unwrap();
    let mut seen = vec![];
    let mut path = Some("/effects".to_owned());
    while let Some(page) = path {
        let reply = world.server.get(&page).await;
        assert!(reply.text.len() < 2 * 1024 * 1024, "{} bytes", reply.text.len());
        let page: Page<Effect> = reply.ok();
        seen.extend(page.rows.into_iter().map(|effect| effect.order_id));
        path = page.next.map(|next| format!("/effects?after={next}"));
    }
    assert_eq!(seen, (1..=30).map(|number| format!("ORD-{number}")).collect::<Vec<_>>());
}
