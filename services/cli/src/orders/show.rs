//! `acuse orders show`: one order and all that happened to it.

use std::fmt::Write as _;

use contracts::checkout::OrderView;
use pipeline::id::OrderId;
use pipeline::outgoing::Completed;

use super::{coloured, moment};
use crate::failure::{Failure, Outcome};
use crate::servers::Server;
use crate::settings::Settings;
use crate::table::{Column, Table};
use crate::terminal::{Style, escape, print};

/// Prints one order.
///
/// # Errors
///
/// When checkout does not know it or cannot be read.
pub async fn show(settings: &Settings<'_>, id: &OrderId, json: bool, style: Style) -> Result<Outcome, Failure> {
    let api = Server::Checkout.api(settings, 1)?;
    let view: OrderView = api.get_json(&format!("/orders/{id}")).await?;
    print(&if json {
        serde_json::to_string_pretty(&view).map_err(|error| Failure::Failed(error.to_string()))? + "\n"
    } else {
        text(&view, style)
    })?;
    Ok(Outcome::Fine)
}

/// An order for a person.
#[must_use]
pub fn text(view: &OrderView, style: Style) -> String {
    let summary = &view.summary;
    let took = summary.finished_at.map(|end| end - summary.accepted_at);
    let took = took
        .map(|took| format!(", after {:.3} s", took.as_seconds_f64()))
        .unwrap_or_default();
    let mut lines = vec![
        ("order", style.bold(&escape(&summary.order_id))),
        ("state", coloured(&summary.state, style)),
        ("generation", summary.generation.to_string()),
        ("accepted", moment(summary.accepted_at)),
    ];
    if let Some(end) = summary.finished_at {
        lines.push(("finished", moment(end) + &took));
    }
    lines.extend(view.result.iter().flat_map(result));
    let mut text = String::new();
    for (name, value) in lines {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "{name:<12}{value}");
    }
    text.push('\n');
    text.push_str(&history(view));
    text
}

fn result(result: &Completed) -> Vec<(&'static str, String)> {
    let mut lines = vec![("reservation", escape(&result.reservation_id))];
    for shipment in &result.shipments {
        let (carrier, number) = (escape(&shipment.carrier), escape(&shipment.tracking_number));
        let (day, origin) = (escape(&shipment.estimated_delivery), escape(&shipment.origin));
        lines.push(("shipment", format!("{carrier} {number} from {origin}, there on {day}")));
    }
    lines.push((
        "invoice",
        format!("{} {}", escape(&result.fiscal_id), escape(&result.invoice_url)),
    ));
    lines.extend(result.label_urls.iter().map(|url| ("label", escape(url))));
    lines.push(("notice", escape(&result.notification_id)));
    lines
}

fn history(view: &OrderView) -> String {
    let columns = [
        Column::Left("at"),
        Column::Left("event"),
        Column::Left("from"),
        Column::Left("to"),
        Column::Right("generation"),
        Column::Right("attempt"),
        Column::Left("by"),
        Column::Left("note"),
    ];
    let mut table = Table::new(&columns);
    for entry in &view.history {
        table.row([
            moment(entry.at),
            escape(&entry.event),
            entry.from.as_deref().map(escape).unwrap_or_default(),
            escape(&entry.to),
            entry.generation.to_string(),
            entry.attempt.to_string(),
            escape(&entry.worker),
            entry.note.as_deref().map(escape).unwrap_or_default(),
        ]);
    }
    table.text()
}
