//! `acuse topology`: what must be there at the broker.

use std::fmt::Write as _;

use adapter_rabbitmq::topology::{self, Report};

use crate::broker::management;
use crate::failure::{Failure, Outcome};
use crate::settings::Settings;
use crate::terminal::{escape, print};

/// New parts that are named one by one.
const CREATED_NAMED_MAX: usize = 12;

/// Creates what is missing and sets right what may be.
///
/// # Errors
///
/// When the broker does not do as asked.
pub async fn apply(settings: &Settings<'_>) -> Result<Outcome, Failure> {
    let report = topology::apply(&management(settings)?).await?;
    let many = report.created.len() > CREATED_NAMED_MAX;
    let told = report.to_string();
    let named = told.lines().filter(|line| !(many && line.starts_with("created ")));
    let counted = many.then(|| counted(&report));
    let lines = counted.as_deref().into_iter().chain(named);
    print(&lines.map(|line| escape(line) + "\n").collect::<String>())?;
    Ok(if report.remaining.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Found
    })
}

/// One line for a broker that had nothing before.
fn counted(report: &Report) -> String {
    let count = |kind: &str| report.created.iter().filter(|part| part.starts_with(kind)).count();
    format!(
        "created {} exchanges, {} queues with a policy each, {} bindings",
        count("exchange "),
        count("queue "),
        count("binding ")
    )
}

/// Tells what is not as it should be, and changes nothing.
///
/// # Errors
///
/// When the broker cannot be looked at.
pub async fn check(settings: &Settings<'_>) -> Result<Outcome, Failure> {
    let differences = topology::check(&management(settings)?).await?;
    if differences.is_empty() {
        print("topology: as it should be\n")?;
        return Ok(Outcome::Fine);
    }
    let mut told = String::new();
    for difference in &differences {
        // Writing to a string cannot fail.
        let _written = writeln!(told, "{}", escape(&difference.to_string()));
    }
    print(&format!("{told}topology: {} differences\n", differences.len()))?;
    Ok(Outcome::Found)
}
