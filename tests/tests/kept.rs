//! Everything that mpivet makes of a trace, of a handful of programs that are run once under each MPI of the system: it is
//! what is kept in `tests/formats/` (`BLESS=1` writes it), and has the published form. The text reports of all programs are
//! beside them (see `programs.rs`).

use anyhow::{Context as _, Result, bail};
use mpivet_tests::formats::{FORMATS, render, trace, valid};
use mpivet_tests::golden::Blessings;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::protocol::agrees;
use mpivet_tests::steady::steady;
use mpivet_tests::vet::{self, last_words};
use mpivet_tests::{jobs_at_once, root, run, side_by_side};
use std::path::Path;
use std::time::Duration;

/// Other outputs of a trace than that of `analyze`: name, extension of the file that is kept, command.
const OTHERS: [(&str, &str, &[&str]); 4] = [
    ("stats", "stats", &["stats"]),
    ("stats-json", "stats.json", &["stats", "--format", "json"]),
    ("perfetto", "perfetto.json", &["export", "--perfetto", "-"]),
    ("csv", "csv", &["export", "--csv", "-"]),
];

/// The part of a run's output that is the same in each run.
#[derive(Clone, Copy, PartialEq)]
enum Steady {
    All,
    /// Processes are ended while they run: no more than the parts of the protocol that count nothing.
    Protocol,
}
use Steady::{All, Protocol};

/// A name, the program, and what is kept.
const KEPT: [(&str, &str, Steady); 13] = [
    // The programs of 2006; the first two bring the whole job down, and how far the others got until then is a race.
    ("keldysh-1", "examples/keldysh-1-division-by-zero/bug.c", Protocol),
    ("keldysh-2", "examples/keldysh-2-send-to-nobody/bug.c", Protocol),
    ("keldysh-3", "examples/keldysh-3-growing-sends/bug.c", All),
    ("keldysh-4", "examples/keldysh-4-complex-as-integer/bug.c", All),
    ("keldysh-5", "examples/keldysh-5-bcast-allreduce-order/bug.c", All),
    ("keldysh-6", "examples/keldysh-6-buffer-overwritten/bug.c", All),
    ("real-deadlock", "examples/real-deadlock/bug.c", All),
    ("wrong-data-type", "examples/wrong-data-type/bug.c", All),
    ("overlapping-sendrecv", "examples/overlapping-sendrecv/bug.f90", All),
    ("leak-communicator", "examples/leak-communicator/bug.c", All),
    ("potential-deadlock", "examples/potential-deadlock/bug.c", All),
    ("fortran", "examples/real-deadlock/bug-mpif.f90", All),
    ("clean", "examples/real-deadlock/fixed.c", All),
];

/// Parts of a protocol that count what processes did, and where they end.
const COUNTS: [(&str, &str); 3] = [
    ("\n Nproc |", "\nAll errors/warnings:\n"),
    ("State of processes\n", "Errors and warnings\n"),
    ("Calls of MPI functions\n", "\nRun environment\n"),
];

fn without_counts(protocol: &str) -> Result<String> {
    let mut kept = protocol.to_owned();
    for (from, to) in COUNTS {
        let from = kept.find(from).with_context(|| format!("{from:?} is missing"))?;
        let to = from + kept[from..].find(to).with_context(|| format!("{to:?} is missing"))?;
        kept.replace_range(from..to, "");
    }
    Ok(kept)
}

fn command(trace: &Path, words: &[&str]) -> Result<String> {
    let (name, options) = words.split_first().context("no command")?;
    let mut command = vet::command()?;
    command.arg(name).arg(trace).args(options).current_dir(root());
    let outcome = run::run(command, Duration::from_secs(30))?;
    if outcome.code != Some(0) {
        bail!("mpivet {words:?}: exit code {:?}\n{}", outcome.code, last_words(&outcome));
    }
    Ok(outcome.stdout)
}

fn keeps(mpi: &Mpi, name: &str, source: &str, how: Steady, blessings: &Blessings) -> Result<()> {
    let trace = trace(mpi, source, None, &format!("{name}-{}", mpi.name))?;
    let compare = |format: &str, ending: &str, report: &str| {
        let file = root().join("tests/formats").join(format!("{name}.{ending}"));
        let report = steady(format, report).with_context(|| format!("{format} of {}", trace.display()))?;
        blessings.compare_or_add(&file, mpi.name, report)
    };
    let files = render(&trace, &FORMATS)?;
    let mut texts = Vec::new();
    for ((format, ending), file) in FORMATS.iter().zip(files) {
        valid(format, &file)?;
        let text = std::fs::read_to_string(&file)?;
        match how {
            All => compare(format, ending, &text)?,
            Protocol if *format == "protocol" => compare(format, ending, &without_counts(&text)?)?,
            Protocol => {}
        }
        texts.push((*format, text));
    }
    let of =
        |wanted| texts.iter().find(|(format, _)| *format == wanted).map(|(_, text)| text.as_str()).context("format");
    let (protocol, json) = (of("protocol")?, of("json")?);
    agrees(protocol, json).with_context(|| protocol.to_owned())?;
    for (format, ending, words) in OTHERS.iter().filter(|_| how == All) {
        compare(format, ending, &command(&trace, words)?)?;
    }
    Ok(())
}

#[test]
fn all_that_is_made_of_a_trace_is_what_is_kept() -> Result<()> {
    let blessings = Blessings::default();
    let mpis = mpi::required();
    let runs: Vec<_> = mpis.iter().flat_map(|mpi| KEPT.iter().map(move |kept| (mpi, kept))).collect();
    side_by_side(&runs, jobs_at_once(), |(mpi, (name, source, how))| {
        keeps(mpi, name, source, *how, &blessings).with_context(|| format!("{name} under {}", mpi.name))
    })?;
    blessings.write()
}
