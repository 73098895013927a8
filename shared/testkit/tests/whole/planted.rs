//! What the audit is for: each planted fault is found, and named.

use serde_json::Value;
use sqlx::{Executor as _, PgConnection};
use testkit::stack::Stack;

use crate::batch::{Batch, audit, database};

#[tokio::test]
async fn a_lost_order_a_second_invoice_a_missing_notice_and_a_stock_drift_are_each_found() {
    let stack = Stack::start_empty();
    let batch = Batch::sample(&stack);
    batch.load_stock(&stack);
    let submitted = stack.acuse(&["orders", "submit", batch.orders.to_str().unwrap()]);
    assert!(submitted.status.success(), "{submitted:?}");
    let (clean, code) = audit(&stack, &[]);
    assert_eq!((clean["ok"].as_bool(), code), (Some(true), 0), "{clean:#}");

    let mut orders = database(&stack, "").await;
    let lost = "insert into orders (order_id, idempotency_key, generation, version, state, accepted_at)
                values ('LOST-1', 'LOST-1', 1, 1, 'accepted', now())";
    finds(
        &stack,
        &mut orders,
        lost,
        "delete from orders where order_id = 'LOST-1'",
        |told| told["lost"] == 1,
    )
    .await;

    // The log refuses every change, to its own service too: faults are planted by its owner with the guard off.
    let mut documents = database(&stack, "DOCUMENTS").await;
    let second = "insert into effects (caller, kind, order_id, generation, subject)
                  select caller, kind, order_id, generation, 'second' from effects
                  where kind = 'invoice.issued' order by seq limit 1";
    let undo = "alter table effects disable trigger user; delete from effects where subject = 'second';
                alter table effects enable trigger user";
    finds(&stack, &mut documents, second, undo, |told| told["doubled"] == 1).await;

    let mut notifications = database(&stack, "NOTIFICATIONS").await;
    let missing = "alter table effects disable trigger user;
                   create table kept as select * from effects order by seq limit 1;
                   delete from effects where seq in (select seq from kept)";
    let undo = "insert into effects overriding system value select * from kept; drop table kept;
                alter table effects enable trigger user";
    finds(&stack, &mut notifications, missing, undo, |told| {
        told["incomplete"] == 1
    })
    .await;

    let mut inventory = database(&stack, "INVENTORY").await;
    let (drift, undo) = ("available = available + 1", "available = available - 1");
    let change = |set: &str| {
        format!(
            "update stock set {set} where (sku, warehouse) = (select sku, warehouse from stock order by 1, 2 limit 1)"
        )
    };
    finds(&stack, &mut inventory, &change(drift), &change(undo), |told| {
        told["stock_ok"] == false
    })
    .await;

    let (clean, code) = audit(&stack, &[]);
    assert_eq!(
        (clean["ok"].as_bool(), code),
        (Some(true), 0),
        "all faults are taken back: {clean:#}"
    );
}

/// Plants a fault, has the audit find it, and takes it back.
async fn finds(stack: &Stack, server: &mut PgConnection, plant: &str, undo: &str, found: fn(&Value) -> bool) {
    run(server, plant).await;
    let (told, code) = audit(stack, &[]);
    assert_eq!((told["ok"].as_bool(), code), (Some(false), 1), "{plant}: {told:#}");
    assert!(found(&told), "{plant}: {told:#}");
    run(server, undo).await;
}

async fn run(server: &mut PgConnection, statements: &str) {
    let done = server.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(statements))).await;
    done.unwrap_or_else(|error| panic!("{statements}: {error}"));
}
