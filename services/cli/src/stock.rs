//! `acuse stock`: deliveries in, and what is there.

mod file;

use std::io::Read as _;
use std::path::Path;

use contracts::inventory::{DeliveryAnswer, StockDelivery, StockRow};
use contracts::limits::STOCK_BYTES_MAX;

use crate::failure::{Failure, Outcome};
use crate::servers::{Go, Server, each_row};
use crate::settings::Settings;
use crate::table::{Column, Table};
use crate::terminal::{escape, print};

/// Rows that are set as one table; a longer list is set in parts.
const TABLE_ROWS_MAX: usize = 1_000;

/// Sends a file as one delivery.
///
/// # Errors
///
/// When the file has anything wrong, or inventory does not take it.
pub async fn load(settings: &Settings<'_>, path: &Path, delivery: Option<String>) -> Result<Outcome, Failure> {
    let name = path.display().to_string();
    let rows = file::parse(&name, &read(path)?).map_err(|error| Failure::Failed(error.to_string()))?;
    let delivery = StockDelivery {
        delivery_id: delivery,
        rows,
    };
    let api = Server::Inventory.api(settings, 1)?;
    let answer: DeliveryAnswer = api.put_json("/inventory/stock", &delivery).await?;
    print(&delivered(&answer))?;
    Ok(Outcome::Fine)
}

fn read(path: &Path) -> Result<String, Failure> {
    let failed = |reason: &dyn std::fmt::Display| Failure::Failed(format!("{}: {reason}", path.display()));
    let file = std::fs::File::open(path).map_err(|error| failed(&error))?;
    let mut text = String::new();
    let bytes_max = u64::try_from(STOCK_BYTES_MAX).unwrap_or(u64::MAX);
    let read = file
        .take(bytes_max + 1)
        .read_to_string(&mut text)
        .map_err(|error| failed(&error))?;
    if read > STOCK_BYTES_MAX {
        return Err(failed(&format!(
            "larger than {STOCK_BYTES_MAX} bytes; load it in several files"
        )));
    }
    Ok(text)
}

fn delivered(answer: &DeliveryAnswer) -> String {
    let name = escape(&answer.delivery_id);
    if answer.already_counted {
        format!("delivery {name} was counted before; nothing changed\n")
    } else {
        format!(
            "delivery {name}: {} rows, {} units counted\n",
            answer.rows, answer.units
        )
    }
}

/// Prints what is available.
///
/// # Errors
///
/// When inventory cannot be read.
pub async fn list(settings: &Settings<'_>, json: bool) -> Result<Outcome, Failure> {
    let api = Server::Inventory.api(settings, 1)?;
    let mut part: Vec<StockRow> = vec![];
    let mut printed = 0;
    each_row(&api, "/inventory/stock", |row| {
        part.push(row);
        if part.len() == TABLE_ROWS_MAX {
            print_part(&part, json, &mut printed)?;
            part.clear();
        }
        Ok(Go::On)
    })
    .await?;
    print_part(&part, json, &mut printed)?;
    if json {
        print(if printed == 0 { "[]\n" } else { "\n]\n" })?;
    } else if printed == 0 {
        print("no stock; acuse stock load FILE.csv brings some\n")?;
    }
    Ok(Outcome::Fine)
}

fn print_part(rows: &[StockRow], json: bool, printed: &mut usize) -> Result<(), Failure> {
    let text = if json {
        json_part(rows, *printed)?
    } else {
        table_part(rows)
    };
    *printed += rows.len();
    print(&text)
}

/// A piece of one JSON array, a row a line.
fn json_part(rows: &[StockRow], before: usize) -> Result<String, Failure> {
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        text.push_str(if before + at == 0 { "[\n" } else { ",\n" });
        text.push_str(&serde_json::to_string(row).map_err(|error| Failure::Failed(error.to_string()))?);
    }
    Ok(text)
}

fn table_part(rows: &[StockRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        Column::Left("sku"),
        Column::Left("warehouse"),
        Column::Right("kg"),
        Column::Right("available"),
    ];
    let mut table = Table::new(&columns);
    for row in rows {
        table.row([
            escape(&row.sku),
            escape(&row.warehouse),
            format!("{:.3}", row.weight_kg),
            row.units.to_string(),
        ]);
    }
    table.text()
}
