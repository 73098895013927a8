//! Text in columns.

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Text, to the left.
    Left(&'static str),
    /// A number, to the right.
    Right(&'static str),
}

/// Blanks between columns.
const GAP: &str = "  ";

/// A table; cells are escaped text.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty one.
    #[must_use]
    pub fn new(columns: &[Column]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: vec![],
        }
    }

    /// Adds a row with a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, each with a line end; the first has the titles.
    #[must_use]
    pub fn text(&self) -> String {
        let titles = self.columns.iter().map(|column| match column {
            Column::Left(title) | Column::Right(title) => (*title).to_owned(),
        });
        let titles: Vec<String> = titles.collect();
        let lines = || std::iter::once(&titles).chain(&self.rows);
        let width = |at: usize| {
            lines()
                .filter_map(|cells| cells.get(at))
                .map(|cell| cell.chars().count())
                .max()
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(|at| width(at).unwrap_or(0)).collect();
        let mut text = String::new();
        for cells in lines() {
            let set = self
                .columns
                .iter()
                .zip(cells)
                .zip(&widths)
                .map(|((column, cell), &width)| match column {
                    Column::Left(_) => format!("{cell:<width$}"),
                    Column::Right(_) => format!("{cell:>width$}"),
                });
            text.push_str(set.collect::<Vec<_>>().join(GAP).trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_their_titles_and_lines_end_without_blanks() {
        let mut table = Table::new(&[Column::Left("order"), Column::Right("units"), Column::Left("why")]);
        table.row(["o-1".to_owned(), "7".to_owned(), String::new()]);
        table.row(["ñandú-22".to_owned(), "12345".to_owned(), "late".to_owned()]);
        assert_eq!(
            table.text(),
            "order     units  why\no-1           7\nñandú-22  12345  late\n"
        );
    }
}
