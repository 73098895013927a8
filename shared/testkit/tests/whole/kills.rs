//! `kill -9` of any process in the middle of a run, then starting it again, ends in a clean audit.

use testkit::stack::Stack;
use testkit::wait::until;

use crate::batch::{Batch, audit, database};

#[tokio::test]
async fn a_killed_order_worker_loses_and_doubles_nothing() {
    survives("order-worker-1").await;
}

#[tokio::test]
async fn a_killed_checkout_loses_and_doubles_nothing() {
    survives("checkout").await;
}

#[tokio::test]
async fn a_killed_inventory_loses_and_doubles_nothing() {
    survives("inventory").await;
}

#[tokio::test]
async fn a_killed_documents_service_loses_and_doubles_nothing() {
    survives("documents").await;
}

async fn survives(process: &str) {
    let stack = Stack::start_empty();
    let batch = Batch::largest(&stack);
    batch.load_stock(&stack);
    let mut orders = database(&stack, "").await;
    let ledger = stack.scratch("ledger");
    let _none_yet = std::fs::remove_file(&ledger);
    let (ledger, file) = (ledger.to_str().unwrap(), batch.orders.to_str().unwrap());
    let submit = ["orders", "submit", file, "--concurrency", "32", "--ledger", ledger];

    let mut submitting = stack.start_acuse(&submit);
    let some = i64::try_from(batch.count / 8).unwrap();
    until("some orders are completed", async || {
        completed(&mut orders).await >= some
    })
    .await;
    stack.kill_and_restart(process);
    let before_the_end = completed(&mut orders).await;
    let count = i64::try_from(batch.count).unwrap();
    assert!(
        before_the_end < count,
        "{process} was killed after the run, which shows nothing"
    );

    // Whoever places orders places those again that got no answer.
    let _some_without_answer = submitting.wait().unwrap();
    let again = stack.acuse(&submit);
    assert!(again.status.success(), "{again:?}");
    let (told, code) = audit(&stack, &["--ledger", ledger]);
    assert_eq!(
        (told["ok"].as_bool(), code),
        (Some(true), 0),
        "after {process} was killed: {told:#}"
    );
    assert_eq!(told["completed"].as_u64(), Some(batch.count), "{told:#}");
}

async fn completed(orders: &mut sqlx::PgConnection) -> i64 {
    let count = sqlx::query_scalar("select count(*) from orders where state = 'completed'");
    count.fetch_one(orders).await.unwrap()
}
