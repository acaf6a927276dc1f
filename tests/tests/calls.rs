//! Every MPI function, called from C and from the three Fortran bindings: it is recorded once, at its line, with the right
//! arguments and results. Ends with a table of what was called and recorded; it is in `calls/table.txt` of the tests'
//! scratch directory, too.
//!
//! With `MPIVET_TEST_TURN=N` (`mpivet_tests::share`) each MPI plays half of its bindings, with N+1 the others.
//! `MPIVET_CALLS_PLAIN=1` runs the programs without mpivet, to see that they are right themselves.

use anyhow::{Result, bail};
use libtest_mimic::{Arguments, Failed, Trial};
use mpivet_tests::calls::job::{Toolchain, is_large};
use mpivet_tests::calls::program::Program;
use mpivet_tests::calls::{Binding, exclusions::EXCLUSIONS, scenarios};
use mpivet_tests::{mpi, share::Turn, vet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

/// A line of the table.
struct Row {
    mpi: &'static str,
    binding: Binding,
    covered: usize,
    /// Functions that the binding has and no program calls, with the reason.
    excluded: BTreeMap<&'static str, String>,
    made: u64,
    recorded: u64,
}

/// Complaints about one function that a failure shows.
const SHOWN: usize = 2;

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(mpivet_tests::jobs_at_once);
    let table: Arc<Mutex<Vec<Row>>> = Arc::default();
    let mut trials = Vec::new();
    for (mpi, at) in mpi::required().into_iter().chain(mpi::others()).zip(0..) {
        for (binding, number) in Binding::ALL.into_iter().zip(at..) {
            if binding.is_fortran() && mpi.mpifort().is_none() || !Turn::now().includes(number, 2) {
                continue;
            }
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
        let text = show(&rows);
        print!("{text}");
        let file = mpivet_tests::scratch().join("calls/table.txt");
        if !rows.is_empty()
            && let Err(error) = std::fs::write(&file, text)
        {
            eprintln!("{}: {error}", file.display());
        }
    }
    conclusion.exit();
}

fn show(rows: &[Row]) -> String {
    let mut text = format!(
        "{:14} {:16} {:>9} {:>9} {:>6} {:>9}\n",
        "MPI", "binding", "functions", "excluded", "calls", "recorded"
    );
    for row in rows {
        let Row { mpi, binding, covered, excluded, made, recorded } = row;
        let excluded = excluded.len();
        _ = writeln!(text, "{mpi:14} {binding:16} {covered:9} {excluded:9} {made:6} {recorded:9}");
    }
    let mut places: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for row in rows {
        for (function, why) in &row.excluded {
            places.entry((why, function)).or_default().push(format!("{}::{}", row.mpi, row.binding.slug()));
        }
    }
    let mut functions: BTreeMap<(&str, Vec<String>), Vec<&str>> = BTreeMap::new();
    for ((why, function), places) in places {
        functions.entry((why, places)).or_default().push(function);
    }
    for ((why, places), functions) in functions {
        _ = writeln!(text, "not called: {}: {why} ({})", functions.join(", "), places.join(", "));
    }
    text
}

/// All programs of one MPI in one binding.
fn calls(mpi: &mpi::Mpi, binding: Binding) -> Result<Option<Row>> {
    let Some(toolchain) = Toolchain::of(mpi, binding)? else { return Ok(None) };
    let interposer = vet::mpivet()?.with_file_name("libmpivet.so");
    let interposer = std::env::var_os("MPIVET_CALLS_PLAIN").is_none().then_some(interposer.as_path());
    let mut row = Row { mpi: mpi.name, binding, covered: 0, excluded: BTreeMap::new(), made: 0, recorded: 0 };
    let mut problems = Vec::new();
    let mut wrong = BTreeMap::new();
    let (mut called, mut left_out) = (BTreeSet::new(), BTreeMap::new());
    for scenario in scenarios()? {
        let program = Program::new(&scenario, mpi, binding, &toolchain.available)?;
        called.extend(program.steps.iter().map(|step| step.function.name));
        left_out.extend(program.left_out.clone());
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
    // Functions for large counts belong to the programs for large counts.
    let of_binding = |name: &str| !name.starts_with("MPIX_") && is_large(name) == binding.is_large();
    let left = toolchain.available.iter().copied().filter(|f| of_binding(f) && !called.contains(f));
    let left: Vec<&str> = left.collect();
    row.covered = called.len();
    let mut forgotten = Vec::new();
    for name in left {
        let listed = EXCLUSIONS.iter().find(|(f, scope, _)| *f == name && scope.includes(binding));
        match left_out.remove(name).or(listed.map(|(.., why)| (*why).to_owned())) {
            Some(why) => _ = row.excluded.insert(name, why),
            None => forgotten.push(name),
        }
    }
    if !forgotten.is_empty() {
        problems.push(format!("{} functions neither called nor excluded: {forgotten:?}", forgotten.len()));
    }
    if !problems.is_empty() {
        let names: Vec<&str> = wrong.keys().copied().collect();
        bail!("{}{} functions are recorded wrong: {names:?}\n{}", show(&[row]), names.len(), problems.join("\n"));
    }
    Ok(Some(row))
}
