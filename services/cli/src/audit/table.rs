//! An audit for a person.

use std::fmt::Write as _;

use pipeline::audit::{Finding, Place, Report, Subject};

use crate::table::{Column, Table};
use crate::terminal::{Style, escape};

/// Findings of one subject that are shown.
const SHOWN_OF_ONE_KIND_MAX: usize = 20;

/// The whole table; its last line sums it up.
#[must_use]
pub fn text(report: &Report, style: Style) -> String {
    let mut text = outcomes(report, style);
    if !report.findings.is_empty() {
        text.push('\n');
        text.push_str(&findings(report));
    }
    text.push('\n');
    let line = last_line(report);
    text.push_str(&if report.ok { style.good(&line) } else { style.bad(&line) });
    text.push('\n');
    text
}

fn outcomes(report: &Report, style: Style) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String, alarming: bool| {
        let value = format!("{value:>10}");
        let value = if alarming { style.bad(&value) } else { value };
        // Writing to a string cannot fail.
        let _written = writeln!(text, "{name:<16}{value}");
    };
    let attention = [("dead-lettered", report.dead_lettered), ("stuck", report.stuck)];
    let faults = [
        ("lost", report.lost),
        ("incomplete", report.incomplete),
        ("doubled", report.doubled),
        ("unknown", report.unknown),
    ];
    line("accepted", report.accepted.to_string(), false);
    line("completed", report.completed.to_string(), false);
    line("compensated", report.compensated.to_string(), false);
    for (name, count) in attention {
        line(name, count.to_string(), count > 0);
    }
    line("in flight", report.in_flight.to_string(), false);
    for (name, count) in faults {
        line(name, count.to_string(), count > 0);
    }
    line("stock", stock(report), report.at_rest && !report.stock_ok);
    line("effects", report.effects_total.to_string(), false);
    if !report.places.is_empty() {
        let _written = writeln!(text, "on the way      {}", places(&report.places));
    } else if !report.at_rest {
        text.push_str("on the way      nothing in outbox and queues, but orders still changed\n");
    }
    text
}

fn findings(report: &Report) -> String {
    let mut table = Table::new(&[Column::Left("finding"), Column::Left("where"), Column::Left("why")]);
    let mut shown = 0;
    for of_kind in report.findings.chunk_by(|one, other| one.about == other.about) {
        for Finding { about, name, why } in of_kind.iter().take(SHOWN_OF_ONE_KIND_MAX) {
            table.row([word(*about).to_owned(), escape(name), escape(why)]);
            shown += 1;
        }
    }
    let mut text = table.text();
    let left = report.findings_total.saturating_sub(shown);
    if left > 0 {
        let _written = writeln!(text, "and {left} more; --json has the first 1000 of each kind");
    }
    text
}

fn word(about: Subject) -> &'static str {
    match about {
        Subject::Lost => "lost",
        Subject::Doubled => "doubled",
        Subject::Incomplete => "incomplete",
        Subject::Stock => "stock",
        Subject::Unknown => "unknown",
    }
}

/// One line that says it all; scripts look for it.
fn last_line(report: &Report) -> String {
    let figures = format!(
        "accepted {}, completed {}, compensated {}, dead-lettered {}, stuck {}, lost {}, doubled {}",
        report.accepted,
        report.completed,
        report.compensated,
        report.dead_lettered,
        report.stuck,
        report.lost,
        report.doubled
    );
    if report.ok {
        return format!("audit: ok, {figures}");
    }
    let (incomplete, in_flight, unknown) = (report.incomplete, report.in_flight, report.unknown);
    let stock = stock(report);
    format!(
        "audit: FAILED, {figures}, incomplete {incomplete}, in flight {in_flight}, unknown {unknown}, stock {stock}"
    )
}

fn stock(report: &Report) -> String {
    match report.drifts {
        _ if !report.at_rest => "in motion".to_owned(),
        0 => "exact".to_owned(),
        drifts => format!("{drifts} off"),
    }
}

/// Where messages are, in one line.
#[must_use]
pub fn places(places: &[Place]) -> String {
    let told = places.iter().map(|place| match place.depth {
        Some(depth) if place.name == "outbox" => format!("outbox {}", depth.ready),
        Some(depth) => format!(
            "{} {} ready, {} unacked",
            escape(&place.name),
            depth.ready,
            depth.unacked
        ),
        None => format!("{} not known yet", escape(&place.name)),
    });
    told.collect::<Vec<_>>().join("; ")
}
