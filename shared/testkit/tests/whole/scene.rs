//! Single orders, where they stand, and what waits for a person.

use serde_json::Value;
use sqlx::{FromRow, PgConnection};
use testkit::stack::Stack;
use testkit::wait::until;

use crate::batch::database;

/// A stack with one warehouse in it.
pub struct Scene {
    pub stack: Stack,
    pub orders: PgConnection,
}

/// An open entry of the console's store.
#[derive(Debug, FromRow)]
pub struct Entry {
    pub id: String,
    pub class: String,
    pub step: Option<String>,
    pub body: Vec<u8>,
}

/// An order for `quantity` of `sku` that goes to `country`.
pub fn order(id: &str, sku: &str, quantity: u32, country: &str) -> String {
    format!(
        r#"{{"order_id":"{id}","timestamp":"2026-04-07T14:32:15Z","customer_id":"C-{id}","payment_id":"P-{id}","items":[{{"sku":"{sku}","qty":{quantity}}}],"shipping_address":{{"country":"{country}","city":"Puebla","zip":"72000","line1":"Calle 5"}},"total_amount":{{"value":10.00,"currency":"MXN"}},"idempotency_key":"{id}-v1"}}"#
    )
}

impl Scene {
    /// 100 units of `A` lie in Mexico, and as many in a country that no carrier serves.
    pub async fn set(settings: &[(&'static str, &'static str)]) -> Self {
        let stack = Stack::start_empty_with(settings);
        let orders = database(&stack, "").await;
        let scene = Self { stack, orders };
        scene.deliver("A,WH-MX-CDMX,1.000,100\nA,WH-ZZ-1,1.000,100\n");
        scene
    }

    /// Loads stock.
    pub fn deliver(&self, rows: &str) {
        let file = self.stack.scratch("delivery.csv");
        std::fs::write(&file, format!("sku,warehouse,weight_kg,units\n{rows}")).unwrap();
        self.done(&["stock", "load", file.to_str().unwrap()]);
    }

    /// Has checkout accept an order.
    pub fn submit(&self, order: &str) {
        let file = self.stack.scratch("order.jsonl");
        std::fs::write(&file, order).unwrap();
        self.done(&["orders", "submit", file.to_str().unwrap()]);
    }

    /// Runs `acuse`, which must succeed.
    pub fn done(&self, arguments: &[&str]) {
        let output = self.stack.acuse(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    /// Returns once the order is in `state`.
    pub async fn is(&mut self, order: &str, state: &str) {
        let orders = &mut self.orders;
        until(&format!("order {order} is {state}"), async || {
            let found = sqlx::query_scalar::<_, String>("select state from orders where order_id = $1").bind(order);
            found.fetch_optional(&mut *orders).await.unwrap().as_deref() == Some(state)
        })
        .await;
    }

    /// The open entry about `order`, once there is one.
    pub async fn entry(&mut self, order: &str) -> Entry {
        self.entry_where("order_id = $1", order).await
    }

    /// The open entry of a message with these bytes, once there is one.
    pub async fn entry_of(&mut self, body: &[u8]) -> Entry {
        let numbers = Value::from(body.to_vec()).to_string();
        self.entry_where(
            "body = (select decode(string_agg(lpad(to_hex(one::text::int), 2, '0'), '' order by at), 'hex')
             from json_array_elements($1::json) with ordinality as bytes(one, at))",
            &numbers,
        )
        .await
    }

    async fn entry_where(&mut self, condition: &str, value: &str) -> Entry {
        let asked =
            format!("select id::text, class, step, body from dead_letters where state = 'open' and {condition}");
        let orders = &mut self.orders;
        testkit::wait::until_some(&format!("an open entry where {condition}: {value}"), async || {
            let found = sqlx::query_as(sqlx::AssertSqlSafe(asked.clone())).bind(value);
            found.fetch_optional(&mut *orders).await.unwrap()
        })
        .await
    }

    /// How often `event` stands in the order's history.
    pub async fn times(&mut self, order: &str, event: &str) -> i64 {
        let count = sqlx::query_scalar("select count(*) from history where order_id = $1 and event = $2");
        count.bind(order).bind(event).fetch_one(&mut self.orders).await.unwrap()
    }
}
