//! A stock file: `sku,warehouse,weight_kg,units`, one product in one warehouse a line.

use std::collections::HashMap;

use contracts::inventory::{StockRow, grams};
use pipeline::id::{Sku, WarehouseId};

use crate::terminal::escape;

/// The first line.
pub const HEADER: &str = "sku,warehouse,weight_kg,units";

/// Wrong cells that are told before the rest is left out.
const ERRORS_MAX: usize = 20;

/// Why a file is not taken, cell by cell.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct BadFile(Vec<String>);

/// The rows of a file; `name` is what it is called in errors.
///
/// # Errors
///
/// [`BadFile`] with line and column of everything that is wrong, up to twenty; nothing of such a file is to be used.
pub fn parse(name: &str, text: &str) -> Result<Vec<StockRow>, BadFile> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
    let refused = |told| Err(BadFile(vec![told]));
    match lines.next() {
        Some((_, HEADER)) => {}
        Some((_, other)) => {
            return refused(format!(
                "{name}:1: the first line is `{}`, not `{HEADER}`",
                escape(other)
            ));
        }
        None => return refused(format!("{name}: is empty; its first line must be `{HEADER}`")),
    }
    let mut errors = vec![];
    let mut rows = vec![];
    let mut first_at: HashMap<(String, String), usize> = HashMap::new();
    for (at, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let wrong = match row(line) {
            Ok(row) => match first_at.insert((row.sku.clone(), row.warehouse.clone()), at) {
                None => {
                    rows.push(row);
                    continue;
                }
                Some(first) => format!(
                    "{} in {} is in line {first} already; one line for each",
                    row.sku, row.warehouse
                ),
            },
            Err(wrong) => wrong,
        };
        errors.push(format!("{name}:{at}: {wrong}"));
        if errors.len() == ERRORS_MAX {
            errors.push("and perhaps more".to_owned());
            break;
        }
    }
    if errors.is_empty() {
        Ok(rows)
    } else {
        Err(BadFile(errors))
    }
}

fn row(line: &str) -> Result<StockRow, String> {
    let cells: Vec<_> = line.split(',').map(str::trim).collect();
    let [sku, warehouse, weight, units] = cells[..] else {
        return Err(format!("{} columns; {HEADER} are 4", cells.len()));
    };
    let column = |name: &str, cell: &str, error: &str| format!("column {name}: {error}, and is `{}`", escape(cell));
    Sku::parse(sku).map_err(|error| column("sku", sku, &error.to_string()))?;
    WarehouseId::parse(warehouse).map_err(|error| column("warehouse", warehouse, &error.to_string()))?;
    let weight_kg = weight_of(weight).ok_or_else(|| column("weight_kg", weight, WEIGHT))?;
    let units = units
        .parse()
        .map_err(|_| column("units", units, "must be a whole number from 0"))?;
    Ok(StockRow {
        sku: sku.to_owned(),
        warehouse: warehouse.to_owned(),
        weight_kg,
        units,
    })
}

const WEIGHT: &str = "must be kilograms such as 0.250, with at most three decimals, up to 10000";

/// Grams are the smallest unit that anything is kept in, so a fourth decimal would be lost without a word.
fn weight_of(text: &str) -> Option<f64> {
    let decimals = text.split_once('.').map_or("", |(_, decimals)| decimals);
    let digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let weight = text.parse().ok().filter(|_| digits && decimals.len() <= 3)?;
    grams(weight).map(|_| weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_file_gives_its_rows() {
        let rows = parse(
            "f",
            "\u{feff}sku,warehouse,weight_kg,units\r\nA-1,WH-MX-A,0.250,3\r\n\r\nA-1,WH-MX-B,2,0\r\n",
        )
        .unwrap();
        let told: Vec<_> = rows
            .iter()
            .map(|r| (&*r.sku, &*r.warehouse, r.weight_kg, r.units))
            .collect();
        assert_eq!(told, [("A-1", "WH-MX-A", 0.25, 3), ("A-1", "WH-MX-B", 2.0, 0)]);
    }

    #[test]
    fn every_wrong_cell_is_told_with_line_and_column() {
        let text = "sku,warehouse,weight_kg,units\nA 1,W,1,1\nA,,1,1\nA,W,1.2345,1\nA,W,NaN,1\nA,W,1,-1\nA,W,1\nA,W,1,1\nA,W,2,2\n";
        let told = parse("f.csv", text).unwrap_err().to_string();
        let starts = [
            "f.csv:2: column sku",
            "f.csv:3: column warehouse",
            "f.csv:4: column weight_kg",
            "f.csv:5: column weight_kg",
            "f.csv:6: column units",
            "f.csv:7: 3 columns",
            "f.csv:9: A in W is in line 8 already",
        ];
        assert_eq!(told.lines().count(), starts.len(), "{told}");
        for (line, start) in told.lines().zip(starts) {
            assert!(line.starts_with(start), "{line}");
        }
    }

    #[test]
    fn a_file_of_another_kind_is_told_by_its_first_line() {
        assert!(
            parse("f", "{\"a\":1}")
                .unwrap_err()
                .to_string()
                .contains("the first line is `{\"a\":1}`")
        );
        assert!(parse("f", "").unwrap_err().to_string().contains("is empty"));
        let errors = parse("f", &format!("{HEADER}\n{}", "x\n".repeat(1_000)))
            .unwrap_err()
            .to_string();
        assert_eq!(errors.lines().count(), ERRORS_MAX + 1);
    }
}
