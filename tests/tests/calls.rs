//! Every MPI function, called from C and from the three Fortran bindings: it is recorded once, at its line, with the right
//! arguments and results. Ends with a table of what was called and recorded.
//!
//! `MPIVET_CALLS_PLAIN=1` runs the programs without mpivet, to see that they are right themselves.

use anyhow::{Result, bail};
use libtest_mimic::{Arguments, Failed, Trial};
use mpivet_tests::calls::job::{Toolchain, is_large};
use mpivet_tests::calls::program::Program;
use mpivet_tests::calls::{Binding, exclusions::EXCLUSIONS, scenarios};
use mpivet_tests::{mpi, vet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

/// A line of the table.
struct Row {
    mpi: &'static str,
    binding: Binding,
    covered: usize,
    excluded: usize,
    made: u64,
    recorded: u64,
}

/// Complaints about one function that a failure shows.
const SHOWN: usize = 2;

fn main() {
    let arguments = Arguments::from_args();
    let table: Arc<Mutex<Vec<Row>>> = Arc::default();
    let mut trials = Vec::new();
    for mpi in mpi::required() {
        for binding in Binding::ALL {
            let (table, mpi) = (Arc::clone(&table), mpi.clone());
            trials.push(Trial::test(format!("{}::{}", mpi.name, binding.slug()), move || {
                let row = calls(&mpi, binding).map_err(|error| Failed::from(format!("{error:#}")));
                table.lock().map_err(|_| "another test panicked")?.extend(row?);
                Ok(())
            }));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Ok(mut rows) = table.lock() {
        rows.sort_by_key(|row| (row.mpi, row.binding));
        print!("{}", show(&rows));
    }
    conclusion.exit();
}

fn show(rows: &[Row]) -> String {
    let mut text = format!(
        "{:10} {:16} {:>9} {:>9} {:>6} {:>9}\n",
        "MPI", "binding", "functions", "excluded", "calls", "recorded"
    );
    for row in rows {
        let Row { mpi, binding, covered, excluded, made, recorded } = row;
        _ = writeln!(text, "{mpi:10} {binding:16} {covered:9} {excluded:9} {made:6} {recorded:9}");
    }
    text
}

/// All programs of one MPI in one binding.
fn calls(mpi: &mpi::Mpi, binding: Binding) -> Result<Option<Row>> {
    let Some(toolchain) = Toolchain::of(mpi, binding)? else { return Ok(None) };
    let interposer = vet::mpivet()?.with_file_name("libmpivet.so");
    let interposer = std::env::var_os("MPIVET_CALLS_PLAIN").is_none().then_some(interposer.as_path());
    let mut row = Row { mpi: mpi.name, binding, covered: 0, excluded: 0, made: 0, recorded: 0 };
    let mut problems = Vec::new();
    let mut wrong = BTreeMap::new();
    let (mut called, mut left_out) = (BTreeSet::new(), BTreeSet::new());
    for scenario in scenarios()? {
        let program = Program::new(&scenario, mpi.name, binding, &toolchain.available)?;
        called.extend(program.steps.iter().map(|step| step.function.name));
        left_out.extend(program.left_out.iter().copied());
        match toolchain.run(&program, interposer) {
            Ok(tally) => {
                row.made += tally.made;
                row.recorded += tally.recorded;
                for (function, complaint) in tally.complaints {
                    let count = wrong.entry(function).or_insert(0);
                    *count += 1;
                    if *count <= SHOWN {
                        problems.push(format!("{}: {complaint}", scenario.name));
                    }
                }
            }
            Err(error) => problems.push(format!("{}: {error:#}", scenario.name)),
        }
    }
    let excluded = |name: &str| {
        left_out.contains(name) || EXCLUSIONS.iter().any(|(f, scope, _)| *f == name && scope.includes(binding))
    };
    // What is there for large counts alone is the business of the program for large counts.
    let of_binding = |name: &str| !name.starts_with("MPIX_") && is_large(name) == (binding == Binding::LargeC);
    let left = toolchain.available.iter().copied().filter(|f| of_binding(f) && !called.contains(f));
    let left: Vec<&str> = left.collect();
    row.excluded = left.iter().filter(|f| excluded(f)).count();
    row.covered = called.len();
    let forgotten: Vec<&&str> = left.iter().filter(|f| !excluded(f)).collect();
    if !forgotten.is_empty() {
        problems.push(format!("{} functions neither called nor excluded: {forgotten:?}", forgotten.len()));
    }
    if !problems.is_empty() {
        let names: Vec<&str> = wrong.keys().copied().collect();
        bail!("{}{} functions are recorded wrong: {names:?}\n{}", show(&[row]), names.len(), problems.join("\n"));
    }
    Ok(Some(row))
}
