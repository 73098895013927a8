//! The page for people says what the code does.

use super::*;
use crate::dead_letters::Queue;
use crate::retry::{ATTEMPTS_MAX, DEFER_MS, DEFERRALS_MAX, LANES, RETURNS_MAX, RUNGS, Rest};

const PAGE: &str = include_str!("../../../../docs/verdicts.md");

/// The lines of a section, by its title.
fn section(title: &str) -> impl Iterator<Item = &'static str> {
    let lines = PAGE
        .lines()
        .skip_while(move |line| line.strip_prefix("## ") != Some(title));
    lines.skip(1).take_while(|line| !line.starts_with("## "))
}

#[test]
fn the_page_has_a_row_for_each_class_and_no_other() {
    let rows = section("The classes").filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let told: Vec<_> = rows.map(|(class, _)| class).collect();
    assert_eq!(told, Class::ALL.map(Class::name));
    for class in Class::ALL {
        let leads_there = format!("| class `{class}` |");
        assert!(
            section("What fails, and where it goes").any(|line| line.contains(&leads_there)),
            "nothing leads to {class}"
        );
    }
}

#[test]
fn the_page_names_every_queue_of_dead_letters() {
    for queue in Queue::ALL {
        let name = format!("`{}`", queue.name());
        assert!(
            section("What fails, and where it goes").any(|line| line.contains(&name)),
            "{name}"
        );
    }
}

#[test]
fn the_page_states_the_bounds() {
    let value = |title: &str| {
        let start = format!("| {title} | ");
        let row = section("How often, and how long").find_map(|line| line.strip_prefix(&start));
        row.unwrap_or_else(|| panic!("no row {title}")).trim_end_matches(" |")
    };
    assert_eq!(
        value("tries of one message"),
        format!("{ATTEMPTS_MAX}: the first, and {RUNGS} retries")
    );
    assert_eq!(
        value("returns of one delivery before it is set apart"),
        RETURNS_MAX.to_string()
    );
    let deferral = format!("{} s, without costing a try; {DEFERRALS_MAX} of them", DEFER_MS / 1_000);
    assert!(value("a deferral").starts_with(&deferral), "{deferral}");
    let middle = Rest::all().filter(|rest| rest.lane() == 1);
    let middle: Vec<_> = middle.map(|rest| (rest.milliseconds() / 1_000).to_string()).collect();
    let rests = format!("{} s, each in {LANES} lanes", middle.join(", "));
    assert!(value("rests between them").starts_with(&rests), "{rests}");
}
