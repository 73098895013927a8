//! Rows as what they say.

use pipeline::dead_letters::{Content, EntryId, Queue};
use pipeline::failure::Failed;
use pipeline::happened::{Apology, Refund};
use pipeline::id::{Generation, OrderId, PaymentId};
use pipeline::money::{Currency, Money};
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use testkit::conformance::dead_letters::Entry;

pub fn text(row: &PgRow, column: &str) -> String {
    row.get(column)
}

/// A count that is never below zero.
pub fn count(row: &PgRow, column: &str) -> u32 {
    row.get::<i32, _>(column).try_into().unwrap()
}

pub fn refund(row: &PgRow) -> Refund {
    let amount = text(row, "amount");
    let (digits, currency) = amount.split_once(' ').unwrap();
    let notice = text(row, "notice");
    let notices = [Apology::OutOfStock, Apology::OrderCancelled];
    Refund {
        payment: PaymentId::parse(&text(row, "payment_id")).unwrap(),
        amount: Money::parse(digits, Currency::parse(currency).unwrap()).unwrap(),
        notice: notices.into_iter().find(|known| known.template() == notice).unwrap(),
    }
}

pub fn entry(row: &PgRow) -> Entry {
    let order: Option<String> = row.get("order_id");
    let state = text(row, "state");
    Entry {
        id: EntryId(row.get("id")),
        queue: Queue::of_name(&text(row, "queue")).unwrap(),
        order: order.map(|order| OrderId::parse(&order).unwrap()),
        generation: Generation(count(row, "generation")),
        failed: Failed {
            class: text(row, "class").parse().unwrap(),
            step: row.get("step"),
            reason: text(row, "reason"),
            attempt: count(row, "attempt"),
        },
        content: Content {
            body: row.get("body"),
            properties: text(row, "written"),
        },
        of_row: row.get("of_row"),
        closed_as: (state != "open").then_some(state),
    }
}
