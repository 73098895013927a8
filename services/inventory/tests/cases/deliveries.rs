use contracts::effects::Page;
use contracts::inventory::{DeliveryAnswer, StockRow};
use contracts::limits::STOCK_BYTES_MAX;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{RESERVE, STOCK, World, delivery, reserve};

fn shelf(sku: &str, warehouse: &str) -> (String, String) {
    (sku.to_owned(), warehouse.to_owned())
}

#[tokio::test]
async fn a_delivery_is_counted_once_whatever_its_order_of_rows() {
    let world = World::new("delivery_once").await;
    let rows = [("A", "WH-MX-1", 3), ("B", "WH-MX-1", 2), ("A", "WH-MX-2", 1)];
    let first: DeliveryAnswer = world.deliver(&delivery(&rows)).await.ok();
    assert_eq!((first.rows, first.units, first.already_counted), (3, 6, false));
    assert_eq!(first.delivery_id.len(), 64);
    let mut turned = rows;
    turned.reverse();
    let again: DeliveryAnswer = world.deliver(&delivery(&turned)).await.ok();
    assert_eq!((again.delivery_id, again.already_counted), (first.delivery_id, true));
    let stock = world.stock().await;
    assert_eq!(stock[&shelf("A", "WH-MX-1")], 3);
    assert_eq!((stock.len(), world.movements().await.len()), (3, 3));
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_named_delivery_has_one_content() {
    let world = World::new("delivery_named").await;
    let mut named = delivery(&[("A", "WH-MX-1", 3)]);
    named["delivery_id"] = json!("DEL-1");
    assert!(!world.deliver(&named).await.ok::<DeliveryAnswer>().already_counted);
    assert!(world.deliver(&named).await.ok::<DeliveryAnswer>().already_counted);
    named["rows"][0]["units"] = json!(4);
    let refused = world.deliver(&named).await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "already-exists"));
    named["delivery_id"] = json!("DEL-2");
    assert!(!world.deliver(&named).await.ok::<DeliveryAnswer>().already_counted);
    assert_eq!(
        world.stock().await[&shelf("A", "WH-MX-1")],
        7,
        "the same goods under another name came again"
    );
}

#[tokio::test]
async fn a_crowd_that_delivers_the_same_is_one_delivery() {
    let world = World::new("delivery_crowd").await;
    let same = delivery(&[("A", "WH-MX-1", 3), ("B", "WH-MX-1", 2)]);
    let replies = join_all((0..20).map(|_| world.deliver(&same))).await;
    let answers: Vec<DeliveryAnswer> = replies.iter().map(testkit::http::Reply::ok).collect();
    assert_eq!(answers.iter().filter(|answer| !answer.already_counted).count(), 1);
    assert_eq!(world.stock().await[&shelf("A", "WH-MX-1")], 3);
}

#[tokio::test]
async fn no_units_make_a_product_known() {
    let world = World::with_stock("delivery_zero", &[("A", "WH-MX-1", 0)]).await;
    let short = world.post(RESERVE, "K", &reserve("ORD-1", &[("A", 1, None)])).await;
    assert_eq!(short.problem(), "out-of-stock");
    assert!(world.stock().await.is_empty());
    assert!(world.movements().await.is_empty());
}

#[tokio::test]
async fn a_delivery_that_cannot_be_counted_whole_is_not_counted_at_all() {
    let world = World::with_stock("delivery_refused", &[("A", "WH-MX-1", 1_000_000_000)]).await;
    let before = (world.stock().await, world.movements().await);
    let mut heavier = delivery(&[("A", "WH-MX-2", 1), ("B", "WH-MX-1", 1)]);
    heavier["rows"][0]["weight_kg"] = json!(1.6);
    let refused = world.deliver(&heavier).await;
    assert_eq!((refused.status, refused.problem().as_str()), (422, "invalid"));
    assert!(refused.text.contains("A is known with 1500 g"), "{}", refused.text);

    let mut more = delivery(&[("A", "WH-MX-1", 1_000_000_000)]);
    more["delivery_id"] = json!("DEL-2");
    assert_eq!(world.deliver(&more).await.status, 200);
    more["delivery_id"] = json!("DEL-3");
    let refused = world.deliver(&more).await;
    assert_eq!(
        (refused.status, refused.problem().as_str()),
        (422, "invalid"),
        "{}",
        refused.text
    );
    let (stock, movements) = (world.stock().await, world.movements().await);
    assert_eq!((stock.len(), movements.len()), (before.0.len(), before.1.len() + 1));
    world.assert_balanced().await;

    for (rows, field) in [
        (json!([]), "rows"),
        (
            json!([{ "sku": "ñ", "warehouse": "W", "weight_kg": 1, "units": 1 }]),
            "rows[0].sku",
        ),
    ] {
        let refused = world.deliver(&json!({ "rows": rows })).await;
        assert_eq!((refused.status, &refused.json()["field"]), (422, &json!(field)));
    }
}

#[tokio::test]
async fn the_largest_delivery_is_counted_and_a_larger_one_refused() {
    let world = World::new("delivery_largest").await;
    let row = |number: usize| json!({ "sku": format!("SKU-{:06}", number / 2), "warehouse": format!("WH-MX-{}", number % 2), "weight_kg": 0.25, "units": 7 });
    let mut rows: Vec<Value> = (0..100_000).map(row).collect();
    let answer: DeliveryAnswer = world.deliver(&json!({ "rows": rows })).await.ok();
    assert_eq!((answer.rows, answer.units), (100_000, 700_000));
    let mut counted = (0, 0);
    let mut next = Some(STOCK.to_owned());
    while let Some(path) = next {
        let page: Page<StockRow> = world.server.get(&path).await.ok();
        counted.0 += page.rows.len();
        counted.1 += page.rows.iter().map(|row| row.units).sum::<u32>();
        next = page.next.map(|after| format!("{STOCK}?after={after}"));
    }
    assert_eq!(counted, (100_000, 700_000));
    rows.push(row(100_000));
    assert_eq!(world.deliver(&json!({ "rows": rows })).await.json()["field"], "rows");
    let mut padded = delivery(&[("A", "WH-MX-1", 1)]);
    padded["note"] = json!("x".repeat(STOCK_BYTES_MAX));
    let refused = world.deliver(&padded).await;
    assert_eq!((refused.status, refused.problem().as_str()), (413, "too-large"));
}
