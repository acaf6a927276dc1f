//! Loads and stores on memory of windows, in the notation.

use std::fmt::Write as _;
use trace_format::touched::Touched;

/// One line; the inverse of [`parse_touched`], but for the place in the program.
pub fn format_touched(touched: &Touched) -> String {
    let mut text = touched.verb().to_owned();
    for (from, bytes) in &touched.runs {
        _ = write!(text, " {from:#x}+{bytes}");
    }
    text
}

/// Reads a line that begins with `loads` or `stores`, in front of the call number `call` of its thread.
pub fn parse_touched(text: &str, call: u64) -> Result<Touched, String> {
    let wrong = || format!("`{text}` is not of the form stores 0x1000+8");
    let mut words = text.split_whitespace();
    let stores = match words.next() {
        Some("stores") => true,
        Some("loads") => false,
        _ => return Err(wrong()),
    };
    let run = |word: &str| {
        let (from, bytes) = word.strip_prefix("0x")?.split_once('+')?;
        Some((u64::from_str_radix(from, 16).ok()?, bytes.parse().ok()?))
    };
    let runs: Option<Vec<(u64, u64)>> = words.map(run).collect();
    Ok(Touched { call, stores, site: 0, runs: runs.filter(|runs| !runs.is_empty()).ok_or_else(wrong)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_read() {
        for (stores, runs) in [(true, vec![(0x1000, 8)]), (false, vec![(0x10, 1), (u64::MAX, u64::MAX)])] {
            let touched = Touched { call: 3, stores, site: 0, runs };
            assert_eq!(parse_touched(&format_touched(&touched), 3), Ok(touched));
        }
        for wrong in ["", "stores", "writes 0x1+1", "loads 0x1", "loads 1+1", "stores 0x1+x"] {
            assert!(parse_touched(wrong, 0).is_err(), "{wrong}");
        }
    }
}
