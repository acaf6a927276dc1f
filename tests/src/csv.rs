//! Reads comma-separated values (RFC 4180).

use anyhow::{Result, ensure};
use std::collections::BTreeMap;

/// The rows, by the names of the columns.
pub fn parse(text: &str) -> Result<Vec<BTreeMap<String, String>>> {
    let mut rows = rows(text)?.into_iter();
    let head = rows.next().unwrap_or_default();
    rows.map(|row| {
        ensure!(row.len() == head.len(), "{} fields in place of {}: {row:?}", row.len(), head.len());
        Ok(head.iter().cloned().zip(row).collect())
    })
    .collect()
}

fn rows(text: &str) -> Result<Vec<Vec<String>>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut was_quoted) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' if quoted => quoted = false,
            c if quoted => field.push(c),
            '"' => {
                ensure!(field.is_empty() && !was_quoted, "a quote inside of a field without quotes: {field}");
                (quoted, was_quoted) = (true, true);
            }
            ',' => {
                row.push(std::mem::take(&mut field));
                was_quoted = false;
            }
            '\n' => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
                was_quoted = false;
            }
            c => {
                ensure!(!was_quoted, "text behind a quoted field");
                field.push(c);
            }
        }
    }
    ensure!(!quoted && field.is_empty() && row.is_empty(), "the last line does not end");
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_are_read() -> Result<()> {
        assert_eq!(rows("a,\"b,\"\"c\"\"\n\"\n,\n")?, [vec!["a", "b,\"c\"\n"], vec!["", ""]]);
        assert!(rows("a\"b\n").is_err() && rows("a").is_err() && rows("\"a\n").is_err() && rows("\"a\"b\n").is_err());
        assert!(parse("a,b\n1\n").is_err());
        Ok(())
    }
}
