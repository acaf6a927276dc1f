//! `mpivet explain` and `mpivet checks`: the catalogue on the terminal.

use crate::cli::{CLEAN, Exit};
use trace_format::catalogue::{self, CHECKS, CheckInfo, Side};

pub(crate) fn explain(name: &str) -> Result<u8, Exit> {
    let Some(check) = catalogue::by_name(name) else {
        let near = near(name, CHECKS.iter().flat_map(|c| [c.name, c.code]));
        let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(" or ")) };
        return Err(Exit::Usage(format!("there is no check `{name}`; {near}`mpivet checks` lists them all")));
    };
    crate::put(&page(check))?;
    Ok(CLEAN)
}

pub(crate) fn checks() -> Result<u8, Exit> {
    let width = CHECKS.iter().map(|c| c.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for c in CHECKS {
        let side = match c.side {
            Side::Dynamic => "at once",
            Side::Analyzer => "report",
        };
        text += &format!("{}  {:width$}  {:7}  {side:7}  {}\n", c.code, c.name, c.severity.name(), c.summary);
    }
    text += "\n`mpivet explain NAME` says more. `at once`: also printed while the program runs.\n";
    crate::put(&text)?;
    Ok(CLEAN)
}

/// A page of the catalogue as plain text: headings underlined, examples indented, no Markdown.
fn page(check: &CheckInfo) -> String {
    let mut text = format!("{} {} ({}): {}\n\n", check.code, check.name, check.severity.name(), check.summary);
    let mut fenced = false;
    for line in check.doc.trim().lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            text += &format!("    {}\n", line.replacen("//~", "<--", 1).trim_end());
        } else if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim();
            text += &format!("{heading}\n{}\n", "-".repeat(heading.chars().count()));
        } else {
            text += &format!("{}\n", line.trim_end());
        }
    }
    text
}

/// Up to three of `names` that are close to `name`, nearest first.
pub(crate) fn near(name: &str, names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let name = name.to_ascii_lowercase();
    let limit = (name.len() / 3).max(1);
    let mut scored: Vec<(usize, &'static str)> = names
        .filter_map(|candidate| {
            let lower = candidate.to_ascii_lowercase();
            let distance = distance(&name, &lower);
            let part = name.len() >= 4 && lower.contains(&name);
            (distance <= limit || part).then_some((distance, candidate))
        })
        .collect();
    scored.sort();
    scored.into_iter().map(|(_, n)| n).take(3).collect()
}

/// Letters to insert, delete or replace to get from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = || ["real-deadlock", "real-hang-up", "wrong-root", "nonpaired-send"].into_iter();
        assert_eq!(near("real-deadlok", names()), ["real-deadlock"]);
        assert_eq!(near("deadlock", names()), ["real-deadlock"]);
        assert_eq!(near("Wrong-Rot", names()), ["wrong-root"]);
        assert!(near("xyzzy", names()).is_empty());
    }

    #[test]
    fn pages_are_plain() {
        for check in CHECKS {
            let page = page(check);
            assert!(page.starts_with(&format!("{} {}", check.code, check.name)), "{page}");
            assert!(!page.contains("```") && !page.contains("//~") && !page.contains("\n# "), "{page}");
        }
    }
}
