//! Tables with aligned columns.

/// A column is aligned to the right if its name begins with `>`.
pub(super) struct Table {
    head: Vec<(String, bool)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<S: AsRef<str>>(head: impl IntoIterator<Item = S>) -> Table {
        let column = |name: S| match name.as_ref().strip_prefix('>') {
            Some(name) => (name.to_owned(), true),
            None => (name.as_ref().to_owned(), false),
        };
        Table { head: head.into_iter().map(column).collect(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.head.len());
        self.rows.push(cells);
    }

    pub(super) fn render(&self) -> String {
        let width = |i: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(i));
            cells.chain(self.head.get(i).map(|h| &h.0)).map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let names: Vec<String> = self.head.iter().map(|h| h.0.clone()).collect();
        let mut text = String::new();
        for row in std::iter::once(&names).chain(&self.rows) {
            let mut line = String::new();
            for ((cell, width), (_, right)) in row.iter().zip(&widths).zip(&self.head) {
                line += "  ";
                line += &if *right { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["name", ">n", "where"]);
        table.row(vec!["a".into(), "10".into(), String::new()]);
        table.row(vec!["später".into(), "7".into(), "x.c:3".into()]);
        assert_eq!(table.render(), "  name     n  where\n  a       10\n  später   7  x.c:3\n");
    }
}
