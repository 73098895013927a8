//! Requests of these tests, without keys.

use serde_json::{Value, json};

pub fn delivery(shelves: &[(&str, &str, u32)]) -> Value {
    let row = |&(sku, warehouse, units): &(&str, &str, u32)| json!({ "sku": sku, "warehouse": warehouse, "weight_kg": 1.5, "units": units });
    json!({ "rows": shelves.iter().map(row).collect::<Vec<_>>() })
}

/// A request to reserve, without a key.
pub fn reserve(order: &str, items: &[(&str, u32, Option<&str>)]) -> Value {
    let item = |&(sku, qty, warehouse): &(&str, u32, Option<&str>)| {
        let mut item = json!({ "sku": sku, "qty": qty });
        if let Some(warehouse) = warehouse {
            item["warehouse"] = json!(warehouse);
        }
        item
    };
    let items: Vec<_> = items.iter().map(item).collect();
    json!({ "order_id": order, "generation": 1, "country": "MX", "items": items })
}

/// A request to commit, without a key.
pub fn commit(order: &str, reservation: &str) -> Value {
    json!({ "order_id": order, "generation": 1, "reservation_id": reservation })
}

/// A request to close.
pub fn closing(order: &str, generation: u32) -> Value {
    json!({ "order_id": order, "generation": generation })
}

/// The same for another generation.
pub fn of_generation(mut request: Value, generation: u32) -> Value {
    request["generation"] = json!(generation);
    request
}
