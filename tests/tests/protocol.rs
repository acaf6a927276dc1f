//! `--format protocol`: the numbers in its tables are those of the JSON report of the same trace, and sources that moved are
//! found. `kept.rs` has protocols that are kept.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::formats::{analyze, render, trace};
use mpivet_tests::mpi;
use mpivet_tests::protocol::agrees;
use mpivet_tests::{jobs_at_once, root, scratch, side_by_side};
use std::path::PathBuf;

#[test]
fn its_numbers_are_those_of_the_report() -> Result<()> {
    let Some(mpi) = mpi::first() else { return Ok(()) };
    // tests/kept.rs does the same with the programs whose protocols are kept.
    let all = [
        ("halo", "examples/halo/bug.c"),
        ("races", "examples/message-race/bug.c"),
        ("unfinished", "examples/unfinished-recv/bug.c"),
        ("hang-up", "examples/real-hang-up/bug.c"),
        ("potential", "examples/potential-deadlock/bug.c"),
        ("leaks", "examples/leak-communicator/bug.c"),
    ];
    side_by_side(&all, jobs_at_once(), |(name, source)| {
        let trace = trace(&mpi, source, None, &format!("protocol-{name}"))?;
        let files = render(&trace, &[("protocol", "protocol"), ("json", "json")])?;
        let [protocol, json] = &files[..] else { anyhow::bail!("{files:?}") };
        let protocol = std::fs::read_to_string(protocol)?;
        agrees(&protocol, &std::fs::read_to_string(json)?).with_context(|| format!("{name}\n{protocol}"))
    })
}

#[test]
fn sources_that_moved_are_found() -> Result<()> {
    let Some(mpi) = mpi::first() else { return Ok(()) };
    let there = scratch().join("protocol-moved");
    _ = std::fs::remove_dir_all(&there);
    let (old, new) = (there.join("old/src"), there.join("new/deep/src"));
    std::fs::create_dir_all(&old)?;
    std::fs::create_dir_all(&new)?;
    let source = old.join("moved.c");
    std::fs::copy(root().join("examples/wrong-data-type/bug.c"), &source)?;
    let trace = trace(&mpi, &source.display().to_string(), None, "protocol-moved-trace")?;
    let text = |options: &[&str]| -> Result<String> { Ok(analyze(&trace, options, &[])?.stdout) };
    let protocol = ["--format", "protocol"];
    let fragment = "//~ wrong-data-type";
    ensure!(text(&protocol)?.contains(fragment), "{}", text(&protocol)?);

    let moved: PathBuf = new.join("moved.c");
    std::fs::rename(&source, &moved)?;
    ensure!(!text(&protocol)?.contains(fragment), "it is shown although it is gone");
    let path = there.join("new");
    let path = path.to_str().context("UTF-8")?;
    let found = text(&[&protocol[..], &["--source-path", path]].concat())?;
    ensure!(found.contains(fragment) && !found.contains("was changed after the run"), "{found}");
    ensure!(text(&["--source-path", path])?.contains(fragment), "not in other formats");

    std::fs::write(&moved, std::fs::read_to_string(&moved)?)?;
    let changed = text(&["--source-path", path])?;
    ensure!(changed.contains("moved.c was changed after the run: its lines may be others"), "{changed}");
    let wrong = analyze(&trace, &["--source-path", "/nowhere/at/all"], &[])?;
    ensure!(wrong.code == Some(2) && wrong.stderr.contains("there is no such directory"), "{wrong:?}");
    Ok(())
}
