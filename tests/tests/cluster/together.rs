//! One analysis by processes on all nodes, `mpirun -n 6 mpivet analyze DIR`.

use super::{Job, LIMIT, Scene};
use anyhow::{Result, ensure};
use mpivet_tests::mpi::Mpi;
use mpivet_tests::run::{Outcome, run};
use mpivet_tests::vet;
use std::path::Path;
use trace_reader::synthetic::{Hang, Stencil};

pub(super) const SCENES: [(&str, Scene); 1] = [("one analysis by processes of all nodes", analysis)];

/// Starts `launcher` on the first node, without mpivet around it.
fn launched(job: &Job, launcher: &[String]) -> Result<Outcome> {
    let words = launcher.iter().map(String::as_str);
    let mut command = job.cluster.on("node1", &words.collect::<Vec<_>>());
    Mpi::prepare(&mut command);
    command.current_dir(&job.dir);
    run(command, LIMIT)
}

/// The report is that of one process, whoever starts the six.
fn analysis(job: &Job) -> Result<()> {
    let stencil = |ranks| Stencil { ranks, reduce_every: 10, ..Stencil::default() };
    let runs = [
        ("repeating", Stencil { ..stencil(64) }.with_events(400_000)),
        ("varied", Stencil { varied: true, grid_comms: true, ..stencil(16) }.with_events(60_000)),
        ("counted", Stencil { varied: true, ..stencil(16) }.with_events(600_000)),
        ("hanging", Stencil { rounds: 10, hang: Some(Hang::BehindHalf), ..stencil(200) }),
    ];
    let mpivet = vet::mpivet()?.display().to_string();
    for (name, run) in runs {
        let trace = job.dir.join(name);
        _ = std::fs::remove_dir_all(&trace);
        run.write(&trace, 2)?;
        ensure_same(job, &mpivet, &trace)?;
        std::fs::remove_dir_all(trace)?;
    }
    Ok(())
}

fn ensure_same(job: &Job, mpivet: &str, trace: &Path) -> Result<()> {
    let trace = trace.display().to_string();
    let words = [mpivet, "analyze", "--format", "json", &trace];
    let one = launched(job, &words.map(str::to_owned))?;
    ensure!(one.stdout.starts_with('{'), "{trace}: {:?}\n{}{}", one.code, one.stdout, one.stderr);
    for (launcher, launch) in [("srun", job.srun_of(&["-N3", "-n6"], &words)), ("ssh", job.over_ssh_of(&words))] {
        let several = launched(job, &launch)?;
        let what = format!("{trace} by {launcher}: {:?}, not {:?}", several.code, one.code);
        ensure!(several.stdout == one.stdout, "{what}\n{}{}", several.stdout, several.stderr);
        ensure!(several.code == one.code, "{what}\n{}", several.stderr);
    }
    Ok(())
}
