//! What only a database can show.

use contracts::effects::{Effect, Page};
use contracts::inventory::ReserveAnswer;
use sqlx::Connection as _;

use crate::cases::{COMMIT, RESERVE, World, commit, reserve};

#[tokio::test]
async fn a_page_of_large_effects_stays_small_and_none_is_missed() {
    let world = World::new("inventory_pages").await;
    let written = sqlx::query!(
        "insert into effects (caller, kind, order_id, generation, subject, parts)
         select 'test', 'reservation.confirmed', 'ORD-' || number, 1, 'RSV-1', array_fill(repeat('x', 130), array[1000])
         from generate_series(1, 30) as number"
    );
    written.execute(&world.base.pool).await.unwrap();
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

#[tokio::test]
async fn movements_cannot_be_changed() {
    let world = World::with_stock("delivery_append_only", &[("A", "WH-MX-1", 3)]).await;
    for result in [
        sqlx::query!("update movements set units = 4")
            .execute(&world.base.pool)
            .await,
        sqlx::query!("delete from movements").execute(&world.base.pool).await,
    ] {
        let told = result.unwrap_err().to_string();
        assert!(told.contains("append-only"), "{told}");
    }
}

#[tokio::test]
async fn what_a_crash_held_is_free_at_once() {
    let world = World::with_stock("rows_crash", &[("A", "WH-MX-1", 9)]).await;
    let mut crashing = world.base.pool.acquire().await.unwrap().detach();
    let mut transaction = crashing.begin().await.unwrap();
    let held = sqlx::query_scalar!(
        r#"select locked as "locked!" from take_key_of_order_alone('ORD-1', 1, 'order-worker', 'reserve', 'K')"#
    );
    assert!(held.fetch_one(&mut *transaction).await.unwrap());
    let request = reserve("ORD-1", &[("A", 1, None)]);
    let mut asking = Box::pin(world.post(RESERVE, "K", &request));
    tokio::select! {
        reply = &mut asking => panic!("it did not wait: {}", reply.text),
        () = testkit::wait::until("it waits", async || waiting(&world).await == 1) => {}
    }
    // The connection ends without a word, as that of a killed process does.
    std::mem::forget(transaction);
    drop(crashing);
    assert_eq!(asking.await.status, 200);
}

async fn waiting(world: &World) -> i64 {
    let waiting = sqlx::query_scalar!(
        r#"select count(*) as "waiting!" from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'"#
    );
    waiting.fetch_one(&world.base.pool).await.expect("a count")
}

#[tokio::test]
async fn an_effect_outlives_its_stored_answer() {
    let world = World::with_stock("rows_pruned", &[("A", "WH-MX-1", 9)]).await;
    let first = world.reserved("ORD-1", &[("A", 2, None)]).await;
    let committing = commit("ORD-1", &first.reservation_id);
    assert_eq!(world.post(COMMIT, "K", &committing).await.status, 200);
    let pruned = sqlx::query!("delete from idempotency_keys")
        .execute(&world.base.pool)
        .await;
    assert_eq!(pruned.unwrap().rows_affected(), 2);
    world.wait(60 * 24 * 30);
    let again = world
        .post(RESERVE, "ORD-1-reserve", &reserve("ORD-1", &[("A", 2, None)]))
        .await;
    assert_eq!(again.ok::<ReserveAnswer>(), first);
    assert_eq!(world.post(COMMIT, "K", &committing).await.status, 200);
    assert_eq!(
        world.done("ORD-1").await,
        ["reservation.confirmed", "reservation.committed"]
    );
    world.assert_balanced().await;
}
