//! `docs/checks.md` and a page for each check in `docs/checks/`, made from the catalogue and the programs of `examples/`.

use crate::examples::{is_bug, programs, twin_of};
use crate::expect::Program;
use crate::{mpi, root};
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use trace_format::catalogue::{CHECKS, CheckInfo, Side};

/// The command that writes the pages.
pub const COMMAND: &str = "scripts/docs";

const HEAD: &str = "\
# Checks

Everything that mpivet can find, with a page for each check. These pages are made by `scripts/docs` from the catalogue in
`trace-format/src/catalogue/` and the programs in `examples/`; `mpivet explain NAME` prints the same about one check,
`mpivet checks` lists them all.

Where a check is decided: *at once*, in the running process, which says so on standard error and in the report; or in the
*report*, from the traces of all ranks. A check that is *off* by default is turned on with `--check NAME`.

";

const EXAMPLES: &str = "
## Examples and twins

Every program with a mistake is held against its report by the tests, and so is its correct twin, of which nothing may be
reported. Where the last column does not say `all`, some of the MPIs that the tests know lack something, or behave in a
way of their own; the program's head says why. They are
";

/// The directory of the pages of the checks.
pub fn directory() -> PathBuf {
    root().join("docs/checks")
}

/// All pages: their paths and texts.
pub fn pages() -> Result<BTreeMap<PathBuf, String>> {
    let bugs: Vec<Program> = programs()?.into_iter().filter(is_bug).collect();
    let mut pages = BTreeMap::from([(root().join("docs/checks.md"), index()?)]);
    for check in CHECKS {
        pages.insert(directory().join(check.name).with_extension("md"), page(check, &bugs)?);
    }
    Ok(pages)
}

/// The list of all checks.
fn index() -> Result<String> {
    let bugs: Vec<Program> = programs()?.into_iter().filter(is_bug).collect();
    let mut page = HEAD.to_owned();
    page += "| code | name | severity | where | meaning | examples |\n|---|---|---|---|---|---|\n";
    for check in CHECKS {
        let mut links = Vec::new();
        let dir = root().join("examples").join(check.name);
        for program in ["bug", "fixed"] {
            let path = ["c", "f90"].map(|ending| dir.join(program).with_extension(ending));
            if let Some(path) = path.iter().find(|path| path.is_file()) {
                links.push(link("..", program, path)?);
            }
        }
        let CheckInfo { code, name, summary, .. } = check;
        let place = place(check);
        let links = links.join(", ");
        _ = writeln!(
            page,
            "| {code} | <a id=\"{name}\"></a>[{name}](checks/{name}.md) | {} | {place} | {summary} | {links} |",
            severity(check)
        );
    }
    let names: Vec<&str> = mpi::known().map(|(name, _)| name).collect();
    _ = write!(page, "{EXAMPLES}{}.\n\n", names.join(", "));
    page += "| check | program | twin | ranks | MPIs |\n|---|---|---|---|---|\n";
    for check in CHECKS {
        for bug in with(check, &bugs) {
            let program = link("..", &name(&bug.path)?, &bug.path)?;
            let twin = twin_of(bug).map(|twin| link("..", &file(&twin), &twin)).transpose()?.unwrap_or_default();
            let line = format!("| {} | {program} | {twin} | {} | {} |", check.name, bug.ranks, under(bug));
            _ = writeln!(page, "{line}");
        }
    }
    Ok(page)
}

/// The page of one check.
fn page(check: &CheckInfo, bugs: &[Program]) -> Result<String> {
    let CheckInfo { code, name: title, summary, .. } = check;
    let when = if check.side == Side::Dynamic { "found at once" } else { "found in the report" };
    let mut page = format!("# {title}\n\n{code} ({}, {when}): {summary}.\n\n", severity(check));
    for line in check.doc().lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        let heading = if line.starts_with("# ") { "#" } else { "" };
        _ = writeln!(page, "{heading}{line}");
    }
    page += "\n## Programs\n\nWith the mistake, and without it:\n\n";
    for bug in with(check, bugs) {
        let program = link("../..", &name(&bug.path)?, &bug.path)?;
        let twin = twin_of(bug).map(|twin| link("../..", &file(&twin), &twin)).transpose()?;
        let twin = twin.map(|twin| format!(", {twin}")).unwrap_or_default();
        _ = writeln!(page, "- {program}{twin}");
    }
    page += "\n[All checks](../checks.md)\n";
    Ok(page)
}

/// The programs in which the check finds something.
fn with<'a>(check: &CheckInfo, bugs: &'a [Program]) -> impl Iterator<Item = &'a Program> {
    bugs.iter().filter(|bug| bug.expected.iter().any(|e| e.check == check.name))
}

/// The part of mpivet that decides the check.
fn place(check: &CheckInfo) -> &'static str {
    match check.side {
        Side::Dynamic => "at once",
        Side::Analyzer => "report",
    }
}

fn severity(check: &CheckInfo) -> String {
    format!("{}{}", check.severity.name(), if check.default_on { "" } else { ", off" })
}

/// The MPIs that a program runs under, in as few words as possible; `all` for all of them.
fn under(program: &Program) -> String {
    let (with, without): (Vec<_>, Vec<_>) =
        mpi::known().partition(|(name, families)| program.is_for(|word| mpi::is_called(name, families, word)));
    let list = |all: Vec<(&str, &[&str])>| all.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    match (with.len(), without.len()) {
        (_, 0) => "all".to_owned(),
        (some, more) if some > more => format!("not {}", list(without)),
        _ => list(with),
    }
}

fn file(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// `halo/bug.c`.
fn name(path: &Path) -> Result<String> {
    Ok(path.strip_prefix(root().join("examples"))?.display().to_string())
}

/// A link to a program, from a page that is so far below the root of the source tree.
fn link(up: &str, text: &str, path: &Path) -> Result<String> {
    let relative = path.strip_prefix(root()).context("a program of the source tree")?;
    Ok(format!("[{text}]({up}/{})", relative.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_checks_and_their_programs_are_on_the_pages() {
        let pages = pages().unwrap();
        let index = index().unwrap();
        for check in CHECKS {
            let row = format!("| {} | <a id=\"{n}\"></a>[{n}](checks/{n}.md) |", check.code, n = check.name);
            assert!(index.contains(&row), "{}", check.name);
            let page = &pages[&directory().join(check.name).with_extension("md")];
            assert!(page.starts_with(&format!("# {}\n", check.name)), "{page}");
            assert!(page.contains("\n## How to fix\n") && page.contains("](../../examples/"), "{page}");
        }
        // Every link leads somewhere.
        for (path, page) in &pages {
            for target in page.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
                assert!(path.parent().unwrap().join(target).is_file(), "{}: {target}", path.display());
            }
        }
        let row = "| wrong-data-type | [wrong-data-type/bug-spawned.c](../examples/wrong-data-type/bug-spawned.c) \
                   | [fixed-spawned.c](../examples/wrong-data-type/fixed-spawned.c) |";
        assert!(
            index.lines().any(|line| line.starts_with(row) && line.ends_with("| openmpi, openmpi-5.0 |")),
            "{index}"
        );
    }
}
