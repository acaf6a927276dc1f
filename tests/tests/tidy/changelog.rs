//! The changelog has one line for a change, below what it is: for users, who look for one thing.

use super::text;
use anyhow::{Result, ensure};

/// Sections of a release, in this order. Those below them are by subject.
const SECTIONS: [&str; 3] = ["### Added", "### Changed", "### Fixed"];

#[test]
fn a_change_is_a_line() -> Result<()> {
    let text = text("CHANGELOG.md")?;
    let long: Vec<_> = text.lines().filter(|line| line.chars().count() > 120).collect();
    ensure!(long.is_empty(), "at most 120 characters, please: {long:#?}");
    for release in text.split("\n## ").skip(1) {
        let (name, body) = release.split_once('\n').unwrap_or((release, ""));
        let sections: Vec<_> = body.lines().filter(|line| line.starts_with("### ")).collect();
        ensure!(SECTIONS.iter().filter(|s| sections.contains(s)).eq(&sections), "{name} has the sections {sections:?}");
        let changes = body.lines().skip_while(|line| !line.starts_with("### ")).filter(|line| !line.is_empty());
        let other: Vec<_> = changes.filter(|line| !line.starts_with("- ") && !line.starts_with("###")).collect();
        ensure!(other.is_empty(), "no changes of a line in {name}: {other:#?}");
    }
    Ok(())
}
