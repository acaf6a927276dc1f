//! Rules of this house that no compiler holds. Where a rule is broken already, the places are listed, and the list may only become
//! shorter.

mod changelog;
mod circles;
mod folders;
mod invariants;
mod local_calls;
mod names;
mod toolchain;

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files of the repository with this extension, by their paths in it.
fn files(extension: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    let mut open = vec![root()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Files that are built or hidden do not count.
            if path.is_dir() && !path.is_symlink() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                all.push(path.strip_prefix(root())?.display().to_string());
            }
        }
    }
    ensure!(!all.is_empty(), "there is no *.{extension}");
    all.sort();
    Ok(all)
}

fn text(path: &str) -> Result<String> {
    std::fs::read_to_string(root().join(path)).with_context(|| path.to_owned())
}

/// The files in `folder` in which a line that is no comment has `what`.
fn with(folder: &str, what: &str) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for path in files("rs")?.into_iter().filter(|path| path.starts_with(folder)) {
        if text(&path)?.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(what)) {
            found.insert(path);
        }
    }
    Ok(found)
}

fn only(found: BTreeSet<String>, allowed: &[&str]) -> Result<()> {
    let allowed: BTreeSet<String> = allowed.iter().map(|path| (*path).to_owned()).collect();
    let new: Vec<_> = found.difference(&allowed).collect();
    let gone: Vec<_> = allowed.difference(&found).collect();
    ensure!(new.is_empty(), "the rule is broken in {new:?}");
    ensure!(gone.is_empty(), "the rule holds in {gone:?} now: take them off the list");
    Ok(())
}

#[test]
fn one_module_knows_bincode() -> Result<()> {
    only(with("", "bincode::")?, &["tests/tests/tidy/main.rs", "trace-format/src/codec.rs"])
}

/// Production code asks an `Abi` for what is meant: neither which family it is, nor what its libraries call themselves.
#[test]
fn one_folder_knows_the_families_of_mpi_libraries() -> Result<()> {
    let folder = "interposer/src/mpi/abi/";
    let names = ["\"mpich\"", "\"openmpi\"", "\"MPICH", "\"Open MPI", "\"Intel", "\"ompi_", "\"MPIR_", "\"PMPIR_"];
    let others = ["Family::", "abi.name ==", "abi.name !=", "abi().name =="];
    let knows = |line: &str| names.iter().chain(&others).any(|what| line.contains(what));
    let mut found = BTreeSet::new();
    for path in files("rs")?.into_iter().filter(|p| p.starts_with("interposer/") && !p.starts_with(folder)) {
        let text = text(&path)?;
        let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        if production.lines().any(|line| !line.trim_start().starts_with("//") && knows(line)) {
            found.insert(path);
        }
    }
    only(found, &[])
}

#[test]
fn the_recorder_knows_no_mpi() -> Result<()> {
    only(with("recorder/", "MPI_")?, &[])?;
    only(with("recorder/", "trace_format::mpi")?, &[])
}

/// Properties of checks come from the catalogue, not from how their codes begin.
#[test]
fn no_check_is_known_by_the_beginning_of_its_code() -> Result<()> {
    only(with("", "with(\"MV")?, &["analyzer/src/events/tests.rs"])
}

/// The code map is read at one sitting: two pages.
#[test]
fn the_map_fits_on_two_pages() -> Result<()> {
    let all = text("ARCHITECTURE.md")?;
    let map = all.split("\n## ").find(|section| section.starts_with("Code map\n")).context("no code map")?;
    let lines = map.lines().count();
    ensure!((40..=110).contains(&lines), "{lines} lines: a folder a line; the rest is said at the heads of files");
    Ok(())
}

/// The map names existing places: each path in ARCHITECTURE.md and docs/internals/ is there.
#[test]
fn the_map_names_what_is_there() -> Result<()> {
    let roots = [
        "interposer/",
        "analyzer/",
        "trace-format/",
        "trace-reader/",
        "symbols/",
        "typemap/",
        "recorder/",
        "schedules/",
        "rma/",
        "debug-queues/",
        "tests/",
        "scripts/",
        "docs/",
        "loom/",
        "fuzz/",
        "examples/",
        "include/",
        "engine/",
        "report/",
        "symbolizer/",
        "precise/",
    ];
    let mut map = text("ARCHITECTURE.md")?;
    for entry in std::fs::read_dir(root().join("docs/internals"))? {
        map.push_str(&std::fs::read_to_string(entry?.path())?);
    }
    let named: BTreeSet<&str> =
        map.split('`').skip(1).step_by(2).filter(|t| roots.iter().any(|r| t.starts_with(r))).collect();
    ensure!(named.len() > 100, "{} paths", named.len());
    let is_there = |path: &str| {
        // An example of a name, or something to be typed.
        path.contains(['<', '*', ' ', 'N', ':', '{']) || exists(&root().join(path))
    };
    let missing: Vec<_> = named.into_iter().filter(|path| !is_there(path)).collect();
    ensure!(missing.is_empty(), "{missing:?}");
    Ok(())
}

fn exists(path: &Path) -> bool {
    path.exists() || PathBuf::from(format!("{}.rs", path.display())).exists()
}

/// Comments are sentences with a subject, and no longer than a wide terminal. Traces in examples may be longer.
#[test]
fn comments_can_be_read() -> Result<()> {
    let mut wrong = Vec::new();
    for path in files("rs")? {
        for (line, number) in text(&path)?.lines().zip(1..) {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let words = comment.trim_start_matches(['/', '!']).trim_start();
            let begins = ["Those ", "That of ", "The same ", "Who ", "Whose ", "What ", "Of "]
                .iter()
                .any(|start| words.starts_with(start));
            let is_long = line.chars().count() > 132 && !words.contains(": found MV");
            if begins || is_long {
                wrong.push(format!("{path}:{number}: {words}"));
            }
        }
    }
    ensure!(wrong.is_empty(), "begin with what it is about, or break the line:\n{}", wrong.join("\n"));
    Ok(())
}

/// The crates that ARCHITECTURE.md calls free of unsafe code forbid it, the reader of traces denies it but for one mapped
/// file, and the command but for an option of its allocator.
#[test]
fn crates_without_unsafe_code_forbid_it() -> Result<()> {
    for root_file in [
        "analyzer/src/lib.rs",
        "debug-queues/mqs/src/lib.rs",
        "debug-queues/table/src/lib.rs",
        "engine/src/lib.rs",
        "report/src/lib.rs",
        "rma/src/lib.rs",
        "schedules/src/lib.rs",
        "symbols/src/lib.rs",
        "trace-format/src/lib.rs",
    ] {
        ensure!(text(root_file)?.contains("\n#![forbid(unsafe_code)]\n"), "{root_file}");
    }
    ensure!(text("analyzer/src/main.rs")?.contains("\n#![deny(unsafe_code)]\n"), "analyzer");
    only(
        with("analyzer/src/", "(unsafe_code")?,
        &["analyzer/src/allocator.rs", "analyzer/src/lib.rs", "analyzer/src/main.rs"],
    )?;
    ensure!(text("trace-reader/src/lib.rs")?.contains("\n#![deny(unsafe_code)]\n"), "trace-reader");
    only(with("trace-reader/src/", "(unsafe_code")?, &["trace-reader/src/lib.rs", "trace-reader/src/reader/stage.rs"])
}
