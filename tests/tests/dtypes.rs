//! Datatypes against the types of the arrays that Python programs give to mpi4py.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::python::{self, Python};
use mpivet_tests::{mpi, vet};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn script(name: &str) -> PathBuf {
    mpivet_tests::root().join("tests/programs/python").join(name)
}

/// Runs a program with each Python that has NumPy, under each MPI.
fn each(name: &str, test: impl Fn(&vet::Vetted) -> Result<()>) -> Result<()> {
    let has_numpy = |python: &Python| {
        Command::new(&python.program).args(["-c", "import numpy"]).output().is_ok_and(|done| done.status.success())
    };
    for python in python::required()?.iter().filter(|python| python.has_lines() && has_numpy(python)) {
        for mpi in mpi::required() {
            let case = format!("{name}-{}-{}", python.version, mpi.name);
            let dir = mpivet_tests::scratch().join("dtypes").join(&case);
            let vetted = vet::vet(&python.job(&mpi, 2, &script(name)), &dir, LIMIT)?;
            test(&vetted).with_context(|| format!("{case}: {}", vet::last_words(&vetted.outcome)))?;
        }
    }
    Ok(())
}

/// A line with a mistake says in a comment what the report must say of the array.
#[test]
fn datatypes_that_are_not_those_of_the_arrays_are_found() -> Result<()> {
    let text = std::fs::read_to_string(script("dtypes_bug.py"))?;
    let lines = text.lines().zip(1..).filter_map(|(line, number)| Some((number, line.split_once("# mistake: ")?.1)));
    let wanted: Vec<(usize, &str)> = lines.collect();
    each("dtypes_bug.py", |vetted| {
        let found = &vetted.report.findings;
        for (line, words) in &wanted {
            let is_it = |f: &&mpivet_tests::report::Finding| f.sites.iter().any(|site| site.line == *line);
            let finding = found.iter().find(is_it).with_context(|| format!("line {line} is not reported"))?;
            let is_right = finding.check == "buffer-type" && finding.message.contains(words);
            ensure!(is_right, "line {line}: {finding}, not {words}");
        }
        ensure!(found.len() == wanted.len(), "{found:?}");
        Ok(())
    })
}

#[test]
fn arrays_that_fit_and_views_of_them_are_left_alone() -> Result<()> {
    each("dtypes_fixed.py", |vetted| {
        ensure!(vetted.outcome.code == Some(0) && vetted.report.findings.is_empty(), "{:?}", vetted.report.findings);
        Ok(())
    })
}
