//! Until there is a place for orders that cannot be processed, one that a service refuses stops the worker, loses
//! nothing, and goes on once its cause is gone.

use testkit::stack::Stack;
use testkit::wait::until;

use crate::batch::audit;

const ORDER: &str = r#"{"order_id":"REFUSED-1","customer_id":"C","payment_id":"P","items":[{"sku":"NEW-1","qty":1}],
    "shipping_address":{"country":"MX","city":"Puebla","zip":"72000","line1":"Calle 5"},
    "total_amount":{"value":10.00,"currency":"MXN"}}"#;

#[tokio::test]
async fn a_refused_order_stops_the_worker_with_its_name_and_completes_once_the_cause_is_gone() {
    let stack = Stack::start_empty();
    let (orders, delivery) = (stack.scratch("refused.jsonl"), stack.scratch("refused.csv"));
    std::fs::write(&orders, ORDER.replace('\n', " ")).unwrap();
    std::fs::write(&delivery, "sku,warehouse,weight_kg,units\nNEW-1,WH-MX-CDMX,1.000,1\n").unwrap();
    let submitted = stack.acuse(&["orders", "submit", orders.to_str().unwrap()]);
    assert!(submitted.status.success(), "{submitted:?}");

    let log = stack.scratch("logs/order-worker-1.log");
    until("the worker has ended, and says why", async || {
        let told = std::fs::read_to_string(&log).unwrap_or_default();
        told.contains("order-worker ends") && told.contains("REFUSED-1") && told.contains("unknown-sku")
    })
    .await;
    // The broker's figures for a queue that is a few seconds old come late, so this is asked until they are there.
    until("the audit sees the order in the queue again", async || {
        let output = stack.acuse(&["audit", "--json"]);
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (told["in_flight"].as_u64(), told["lost"].as_u64()) == (Some(1), Some(0))
    })
    .await;

    let loaded = stack.acuse(&["stock", "load", delivery.to_str().unwrap()]);
    assert!(loaded.status.success(), "{loaded:?}");
    stack.script(&["start", "order-worker-1"]);
    let (told, code) = audit(&stack, &[]);
    assert_eq!((told["completed"].as_u64(), code), (Some(1), 0), "{told:#}");
}
