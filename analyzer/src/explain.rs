//! `mpivet explain` and `mpivet checks`: the catalogue on the terminal.

use crate::exit::{CLEAN, Exit};
use trace_format::catalogue::{self, CHECKS, CheckInfo, Side};
use trace_format::settings::suggestions::did_you_mean;

pub(crate) fn explain(name: &str) -> Result<u8, Exit> {
    let Some(check) = catalogue::by_name(name) else {
        let near = did_you_mean(name, CHECKS.iter().flat_map(|c| [c.name, c.code]));
        let near = near.map(|near| near + " ").unwrap_or_default();
        return Err(Exit::Usage(format!("there is no check `{name}`; {near}`mpivet checks` lists them all")));
    };
    crate::exit::put(&page(check))?;
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
        let off = if c.default_on { "" } else { " (off)" };
        text += &format!("{}  {:width$}  {:7}  {side:7}  {}{off}\n", c.code, c.name, c.severity.name(), c.summary);
    }
    text += "\n`mpivet explain NAME` says more. `at once`: also printed while the program runs.\n";
    if CHECKS.iter().any(|c| !c.default_on) {
        text += "`(off)`: only with `--check NAME`.\n";
    }
    crate::exit::put(&text)?;
    Ok(CLEAN)
}

/// A page of the catalogue as plain text: headings underlined, examples indented, no Markdown.
fn page(check: &CheckInfo) -> String {
    let off = if check.default_on { "" } else { ", off by default" };
    let mut text = format!("{} {} ({}{off}): {}\n\n", check.code, check.name, check.severity.name(), check.summary);
    let mut fenced = false;
    for line in check.doc().trim().lines() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_plain() {
        for check in CHECKS {
            let page = page(check);
            assert!(page.starts_with(&format!("{} {}", check.code, check.name)), "{page}");
            assert!(!page.contains("```") && !page.contains("//~") && !page.contains("\n# "), "{page}");
        }
    }
}
