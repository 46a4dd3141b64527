//! Text in aligned columns.

use super::terminal;
use slosmith_text::diag::{one_line, wrapped};

/// Blanks in front of the cells that do not fit into a line of the terminal.
const FURTHER: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    right: Vec<usize>,
}

impl Table {
    pub(crate) fn right_aligned(right: &[usize]) -> Self {
        Self {
            rows: Vec::new(),
            right: right.to_vec(),
        }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        let cells = cells.map(|cell| one_line(cell).into_owned());
        self.rows.push(cells.to_vec());
    }

    /// The text, each line after `indent`, without trailing blanks. On a terminal, columns that do not fit into its width
    /// are on further lines.
    pub(crate) fn text(&self, indent: &str) -> String {
        self.within(indent, terminal::stdout_width().unwrap_or(usize::MAX))
    }

    fn within(&self, indent: &str, room: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell: &String| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let ends = widths.iter().scan(indent.len(), |end, width| {
            *end += width + 2;
            Some(*end - 2)
        });
        // A first column alone says nothing.
        let fitting = ends.take_while(|end| *end <= room).count().max(2);
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
            let cells: Vec<_> = cells.collect();
            let (cells, further) = cells.split_at(cells.len().min(fitting));
            let line = format!("{indent}{}", cells.join("  "));
            out.push_str(line.trim_end());
            out.push('\n');
            let further: Vec<_> = further.iter().map(|cell| cell.trim()).collect();
            let inner = format!("{indent}{:FURTHER$}", "");
            for line in wrapped(&further.join("  "), room.saturating_sub(inner.len())) {
                out.push_str(&format!("{inner}{line}\n"));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_on_further_lines() {
        let mut table = Table::default();
        table.row(["name", "kind", "title"]);
        table.row(["vllm.queue", "gauge", "Requests that wait for a place"]);
        let wide = "name        kind   title\nvllm.queue  gauge  Requests that wait for a place\n";
        assert_eq!(table.within("", usize::MAX), wide);
        assert_eq!(
            table.within("", 24),
            "name        kind\n    title\nvllm.queue  gauge\n    Requests that wait\n    for a place\n"
        );
    }
}
