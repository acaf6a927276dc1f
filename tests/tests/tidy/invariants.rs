//! Each invariant of ARCHITECTURE.md says what holds it, and that is there.

use super::{files, text};
use anyhow::{Context as _, Result, ensure};
use regex::Regex;

/// The invariants, a text each.
fn invariants() -> Result<Vec<String>> {
    let all = text("ARCHITECTURE.md")?;
    let section = all.split("\n## ").find(|section| section.starts_with("Invariants\n")).context("no invariants")?;
    Ok(section.split("\n- ").skip(1).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect())
}

/// The text in brackets at the end of an invariant.
fn guard(invariant: &str) -> Option<&str> {
    invariant.strip_suffix(']')?.rsplit_once('[').map(|(_, guard)| guard)
}

#[test]
fn each_invariant_names_what_holds_it() -> Result<()> {
    let all = invariants()?;
    ensure!(all.len() > 30, "{} invariants", all.len());
    let bare: Vec<_> =
        all.iter().filter(|text| guard(text).is_none_or(|g| !g.contains('`') && !is_review(g))).collect();
    ensure!(bare.is_empty(), "which test, lint or type holds it, in brackets? {bare:#?}");
    Ok(())
}

fn is_review(guard: &str) -> bool {
    guard.contains("held by review")
}

/// Paths are looked for by `the_map_names_what_is_there`.
#[test]
fn the_tests_that_hold_invariants_are_there() -> Result<()> {
    let sources = files("rs")?.iter().map(|path| text(path)).collect::<Result<Vec<_>>>()?.concat();
    let test = Regex::new(r"`([a-z0-9]+(?:_[a-z0-9]+){2,})`")?;
    let mut missing = Vec::new();
    let all = invariants()?;
    for name in all.iter().filter_map(|text| guard(text)).flat_map(|guard| test.captures_iter(guard)) {
        if !sources.contains(&format!("fn {}(", &name[1])) {
            missing.push(name[1].to_owned());
        }
    }
    ensure!(missing.is_empty(), "{missing:?}");
    Ok(())
}
