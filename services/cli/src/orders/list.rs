//! `acuse orders list`: orders and where they stand.

use std::fmt::Write as _;

use contracts::checkout::OrderSummary;

use super::moment;
use crate::failure::{Failure, Outcome};
use crate::servers::{Go, Server, each_row};
use crate::settings::Settings;
use crate::table::{Column, Table};
use crate::terminal::{escape, print};

/// Prints the first `limit` orders that are in `state`, or in any.
///
/// # Errors
///
/// When checkout cannot be read.
pub async fn list(settings: &Settings<'_>, state: Option<&str>, limit: usize, json: bool) -> Result<Outcome, Failure> {
    let api = Server::Checkout.api(settings, 1)?;
    let mut orders: Vec<OrderSummary> = vec![];
    let mut more = false;
    each_row(&api, "/orders", |order: OrderSummary| {
        if state.is_some_and(|state| state != order.state) {
            return Ok(Go::On);
        }
        if orders.len() == limit {
            more = true;
            return Ok(Go::Enough);
        }
        orders.push(order);
        Ok(Go::On)
    })
    .await?;
    print(&if json {
        serde_json::to_string_pretty(&orders).map_err(|error| Failure::Failed(error.to_string()))? + "\n"
    } else {
        text(&orders, more)
    })?;
    Ok(Outcome::Fine)
}

/// Orders for a person; `more`: there are others.
#[must_use]
pub fn text(orders: &[OrderSummary], more: bool) -> String {
    if orders.is_empty() {
        return "no such orders\n".to_owned();
    }
    let columns = [
        Column::Left("order"),
        Column::Left("state"),
        Column::Left("accepted"),
        Column::Right("seconds"),
    ];
    let mut table = Table::new(&columns);
    for order in orders {
        let took = order
            .finished_at
            .map(|end| format!("{:.3}", (end - order.accepted_at).as_seconds_f64()));
        table.row([
            escape(&order.order_id),
            escape(&order.state),
            moment(order.accepted_at),
            took.unwrap_or_default(),
        ]);
    }
    let mut text = table.text();
    if more {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "these are {}; there are more (--limit)", orders.len());
    }
    text
}
