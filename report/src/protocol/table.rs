//! Tables of aligned columns in plain text. Numbers stand at the right, words at the left; long cells of the first
//! column go on in further lines.

use crate::clean;
use std::fmt;

/// Characters of the first column before it goes on in the next line.
const WIDEST: usize = 32;

/// A table with a name for each column.
pub(super) struct Table {
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(heads: &[&'static str]) -> Table {
        Table { heads: heads.to_vec(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.heads.len());
        self.rows.push(cells.iter().map(|c| clean::line(c).into_owned()).collect());
    }

    /// Rows so far.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Is everything in the column a number?
    fn is_number(&self, column: usize) -> bool {
        let number = |c: &String| c.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
        self.rows.iter().all(|row| number(&row[column]))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<Vec<Vec<String>>> = self.rows.iter().map(|row| lines_of(row)).collect();
        let mut widths: Vec<usize> = self.heads.iter().map(|h| h.chars().count()).collect();
        for line in rows.iter().flatten() {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let right: Vec<bool> = (0..self.heads.len()).map(|c| self.is_number(c)).collect();
        let heads: Vec<String> = self.heads.iter().map(|h| (*h).to_owned()).collect();
        line(f, &heads, &widths, &right)?;
        let rule: Vec<String> = widths.iter().map(|w| "-".repeat(w + 2)).collect();
        writeln!(f, "{}", rule.join("+"))?;
        rows.iter().flatten().try_for_each(|cells| line(f, cells, &widths, &right))
    }
}

/// The lines of a row.
fn lines_of(row: &[String]) -> Vec<Vec<String>> {
    let Some((first, rest)) = row.split_first() else { return Vec::new() };
    let mut lines: Vec<Vec<String>> = Vec::new();
    for part in wrap(first) {
        let rest = rest.iter().map(|c| if lines.is_empty() { c.clone() } else { String::new() });
        let line = std::iter::once(part).chain(rest).collect();
        lines.push(line);
    }
    lines
}

/// Breaks a list behind its commas.
fn wrap(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(", ") {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + part.trim_end().len() > WIDEST {
            lines.push(part.to_owned());
        } else {
            lines[last].push_str(part);
        }
    }
    lines.iter_mut().for_each(|l| l.truncate(l.trim_end().len()));
    lines
}

fn line(f: &mut fmt::Formatter<'_>, cells: &[String], widths: &[usize], right: &[bool]) -> fmt::Result {
    let pad = |((cell, width), right): ((&String, &usize), &bool)| {
        if *right { format!(" {cell:>width$} ") } else { format!(" {cell:<width$} ") }
    };
    let text: Vec<String> = cells.iter().zip(widths).zip(right).map(pad).collect();
    writeln!(f, "{}", text.join("|").trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["N", "line", "function"]);
        table.row(vec!["1".into(), "7".into(), "call MPI_Send".into()]);
        table.row(vec!["10".into(), "1234".into(), "ret MPI_Finalize".into()]);
        let expected = "  N | line | function\n----+------+------------------\n  1 |    7 | call MPI_Send\n 10 | 1234 | ret MPI_Finalize\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn long_lists_go_on_in_the_next_line() {
        let list: Vec<String> = (0..20).map(|n| (n * 3).to_string()).collect();
        let mut table = Table::new(&["Proc", "Nerr"]);
        table.row(vec![list.join(", "), "5".into()]);
        let text = table.to_string();
        assert!(text.lines().all(|l| l.len() < WIDEST + 10), "{text}");
        assert_eq!(text.matches('5').count() - list.join("").matches('5').count(), 1, "{text}");
        assert!(text.contains("57"), "nothing is lost: {text}");
    }
}
