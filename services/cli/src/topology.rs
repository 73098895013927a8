//! `acuse topology`: what must be there at the broker.

use std::fmt::Write as _;

use adapter_rabbitmq::topology;

use crate::broker::management;
use crate::failure::{Failure, Outcome};
use crate::settings::Settings;
use crate::terminal::{escape, print};

/// Creates what is missing and sets right what may be.
///
/// # Errors
///
/// When the broker does not do as asked.
pub async fn apply(settings: &Settings<'_>) -> Result<Outcome, Failure> {
    let report = topology::apply(&management(settings)?).await?;
    let lines = report.to_string();
    print(&lines.lines().map(|line| escape(line) + "\n").collect::<String>())?;
    Ok(if report.remaining.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Found
    })
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
