//! Comma-separated values as RFC 4180 has them, but with line feeds alone.

use std::fmt::Write as _;

/// Appends a row; fields with commas, quotes or line ends are quoted.
pub fn row<S: AsRef<str>>(out: &mut String, fields: impl IntoIterator<Item = S>) {
    for (i, field) in fields.into_iter().enumerate() {
        let (field, comma) = (field.as_ref(), if i == 0 { "" } else { "," });
        // Writing to a string cannot fail.
        _ = if field.contains([',', '"', '\n', '\r']) {
            write!(out, "{comma}\"{}\"", field.replace('"', "\"\""))
        } else {
            write!(out, "{comma}{field}")
        };
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let mut out = String::new();
        super::row(&mut out, ["a b", "", "x,y", "say \"x\"", "two\nlines"]);
        assert_eq!(out, "a b,,\"x,y\",\"say \"\"x\"\"\",\"two\nlines\"\n");
    }
}
