//! Mistakes in arguments are said before the call, whatever the library then makes of them.

use anyhow::{Result, bail, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::Mpi;
use mpivet_tests::report::Finding;
use mpivet_tests::vet;
use mpivet_tests::{root, scratch, share};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// The mistake of the program, the check that finds it, and its message.
const MISTAKES: [(&str, &str, &str); 14] = [
    ("periods", "invalid-argument", "periods of MPI_Cart_create is NULL, but 2 elements are to be read there"),
    ("recvcounts", "invalid-argument", "recvcounts of MPI_Gatherv is NULL, but 1 element is to be read there"),
    ("displs", "invalid-argument", "displs of MPI_Allgatherv is NULL, but 1 element is to be read there"),
    ("ranks", "invalid-argument", "ranks2 of MPI_Group_translate_ranks is NULL, but 1 element is to be written there"),
    ("requests", "invalid-argument", "array_of_requests of MPI_Waitall is NULL, but 2 elements are to be read there"),
    ("request", "invalid-request", "request of MPI_Wait is NULL; it must be the address of a request"),
    (
        "statuses",
        "invalid-argument",
        "array_of_statuses of MPI_Waitall is NULL, but 2 elements are to be written there",
    ),
    ("status", "invalid-argument", "status of MPI_Wait is NULL; it must be the address of a variable for the status"),
    ("attach", "invalid-argument", "MPI_Buffer_attach attaches a buffer, but the process has one already"),
    ("range", "invalid-rank", "ranges[0] and ranges[1] of MPI_Group_range_excl both name rank 0"),
    ("cart-short", "invalid-topology", "maxdims of MPI_Cart_get is 1, but the topology has 2 dimensions"),
    ("cart-null", "invalid-argument", "periods of MPI_Cart_get is NULL, but 2 elements are to be written there"),
    ("graph-short", "invalid-topology", "maxedges of MPI_Graph_get is 0, but the topology has 1 edge"),
    ("neighbors-short", "invalid-topology", "maxneighbors of MPI_Graph_neighbors is 0, but rank 0 has 1 neighbour"),
];

fn is_told(mpi: &Mpi, mistake: &str, check: &str, message: &str) -> Result<()> {
    let program = compile(mpi, &root().join("tests/programs/null-arrays.c"), &scratch())?;
    let dir = scratch().join("arguments").join(format!("{mistake}-{}", mpi.name));
    let vetted = vet::vet(&mpi.job(1, &program, &[mistake.to_owned()]), &dir, LIMIT)?;
    let first = vetted.report.findings.iter().find(|finding| finding.message.contains(message));
    // Where MPI_STATUS_IGNORE is NULL, it is no mistake.
    let is_ignored = mistake.starts_with("status") && mpi.name.contains("openmpi");
    let all = || vetted.report.findings.iter().map(|f| format!("{}: {}", f.check, f.message)).collect::<Vec<_>>();
    ensure!(first.is_some() != is_ignored, "{}, {mistake}: {:?}", mpi.name, all());
    ensure!(first.is_none_or(|f| f.check == check), "{}, {mistake}: {:?}", mpi.name, all());
    let said = vetted.outcome.stderr.contains(message);
    ensure!(said != is_ignored, "{}, {mistake}: not said at once\n{}", mpi.name, vetted.outcome.stderr);
    Ok(())
}

#[test]
fn mistakes_in_arguments_are_said_before_the_call() -> Result<()> {
    for mpi in share::mpis("mistakes_in_arguments_are_said_before_the_call") {
        for (mistake, check, message) in MISTAKES {
            is_told(&mpi, mistake, check, message)?;
        }
    }
    Ok(())
}

/// Runs a program of `tests/programs` on two ranks.
fn vetted(mpi: &Mpi, name: &str, arguments: &[&str]) -> Result<vet::Vetted> {
    let program = compile(mpi, &root().join("tests/programs").join(name), &scratch())?;
    let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
    let dir = scratch().join("arguments").join(format!("{name}-{}", mpi.name)).join(arguments.join("-"));
    vet::vet(&mpi.job(2, &program, &arguments), &dir, LIMIT)
}

#[test]
fn what_was_left_before_mpi_finalize_aborts_is_the_cause() -> Result<()> {
    for mpi in share::mpis("what_was_left_before_mpi_finalize_aborts_is_the_cause") {
        let vetted = vetted(&mpi, "window-left.c", &[])?;
        let all: Vec<_> = vetted.report.findings.iter().map(|f| (&*f.check, &*f.severity, &*f.message)).collect();
        let [(check, severity, message)] = all[..] else { bail!("{}: {all:?}", mpi.name) };
        let aborted = vetted.outcome.stderr.contains("died of SIGABRT");
        ensure!(check == "leak-window", "{}: {all:?}", mpi.name);
        let (wanted, said) =
            if aborted { ("error", "not freed when MPI_Finalize is called") } else { ("warning", "never freed") };
        ensure!(severity == wanted && message.contains(said), "{}: {all:?}", mpi.name);
    }
    Ok(())
}

#[test]
fn an_exception_that_nobody_catches_is_where_it_was_thrown() -> Result<()> {
    for mpi in share::mpis("an_exception_that_nobody_catches_is_where_it_was_thrown") {
        let vetted = vetted(&mpi, "uncaught.cpp", &[])?;
        let sites: Vec<_> =
            vetted.report.findings.iter().filter(|f| f.check == "abend").flat_map(|f| &f.sites).collect();
        ensure!(sites.iter().any(|s| s.source.contains("goes on to nobody")), "{}: {sites:?}", mpi.name);
    }
    Ok(())
}

#[test]
fn a_combined_receive_beyond_its_memory_is_a_warning_and_a_send_is_an_error() -> Result<()> {
    for mpi in share::mpis("a_combined_receive_beyond_its_memory_is_a_warning_and_a_send_is_an_error") {
        let of = |f: &&Finding| f.check == "inaccessible-buffer";
        let received = vetted(&mpi, "beyond-memory.c", &[])?;
        let all: Vec<_> = received.report.findings.iter().filter(of).map(|f| (&*f.severity, &*f.message)).collect();
        let is_warning = |what: &str| all.iter().any(|(s, message)| *s == "warning" && message.contains(what));
        let both = is_warning("recvbuf of MPI_Sendrecv ") && is_warning("buf of MPI_Sendrecv_replace ");
        ensure!(both && all.len() == 2, "{}: {all:?}", mpi.name);
        let sent = vetted(&mpi, "beyond-memory.c", &["send"])?;
        let all: Vec<_> = sent.report.findings.iter().filter(of).map(|f| (&*f.severity, &*f.message)).collect();
        let [("error", message)] = all[..] else { bail!("{}: {all:?}", mpi.name) };
        ensure!(message.contains("sendbuf of MPI_Sendrecv "), "{}: {message}", mpi.name);
    }
    Ok(())
}
