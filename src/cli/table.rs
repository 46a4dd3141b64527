//! Text in aligned columns.

use crate::diag::one_line;

/// Rows of cells; columns are as wide as their widest cell.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    right: Vec<usize>,
}

impl Table {
    /// An empty table whose columns of these numbers are aligned to the right.
    pub(crate) fn right_aligned(right: &[usize]) -> Self {
        Self {
            rows: Vec::new(),
            right: right.to_vec(),
        }
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        let cells = cells.map(|cell| one_line(cell).into_owned());
        self.rows.push(cells.to_vec());
    }

    /// The text, each line after `indent`, without trailing blanks.
    pub(crate) fn text(&self, indent: &str) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell: &String| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut out = String::new();
        for row in &self.rows {
            let cells = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(i, (cell, &width))| {
                    if self.right.contains(&i) {
                        format!("{cell:>width$}")
                    } else {
                        format!("{cell:<width$}")
                    }
                });
            let line = format!("{indent}{}", cells.collect::<Vec<_>>().join("  "));
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}
