//! What a process has committed to its trace survives its death at any moment: 50 random kills for each MPI, held
//! against a counter that the program keeps in a file of its own.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::{compile::compile, mpi, vet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use trace_format::mpi::FnId;
use trace_format::reader::{RankEvent, RankReader};

const KILLS: u32 = 50;

/// Pseudo-random delays, the same in every run.
struct Delays(u64);

impl Delays {
    fn next(&mut self) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_micros((self.0 >> 33) % 120_000)
    }
}

/// Calls begun and calls returned, as the program counted them.
fn counts(file: &Path) -> Option<(u64, u64)> {
    let bytes = std::fs::read(file).ok()?;
    let word = |at: usize| bytes.get(at..at + 8)?.first_chunk().map(|b| u64::from_le_bytes(*b));
    Some((word(0)?, word(8)?))
}

/// Calls of MPI_Comm_rank in the trace: all, and those that returned.
fn recorded(dir: &Path) -> Result<(u64, u64)> {
    let mut reader = RankReader::open(dir, 0)?;
    reader.writer_is_gone();
    let (mut calls, mut returned) = (0, 0);
    let mut take = |event| match event {
        RankEvent::Call(c) if c.func == FnId::MPI_Comm_rank => {
            calls += 1;
            returned += u64::from(c.succeeded());
        }
        RankEvent::Return { .. } => returned += 1,
        _ => {}
    };
    while reader.poll(64, &mut take)? {}
    ensure!(reader.defects.is_empty(), "defects: {:?}", reader.defects);
    Ok((calls, returned))
}

#[test]
fn a_killed_rank_loses_no_committed_event() -> Result<()> {
    let source = mpivet_tests::root().join("tests/programs/counter.c");
    let interposer = vet::mpivet()?.with_file_name("libmpivet.so");
    let scratch = mpivet_tests::scratch();
    mpi::under_each(&mpi::required(), |mpi| {
        let mut delays = Delays(2026);
        let program = compile(mpi, &source, &scratch)?;
        let mut most = 0;
        for kill in 0..KILLS {
            let place = scratch.join(format!("crash-{}-{kill}", mpi.name));
            _ = std::fs::remove_dir_all(&place);
            std::fs::create_dir_all(&place)?;
            let (counter, dir) = (place.join("counter"), place.join("trace"));
            let mut command = Command::new(&program);
            command.arg(&counter).env("LD_PRELOAD", &interposer).env("MPIVET_DIR", &dir);
            mpi::Mpi::prepare(&mut command);
            let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            let start = Instant::now();
            while counts(&counter).is_none_or(|(_, returned)| returned == 0) {
                ensure!(start.elapsed() < Duration::from_secs(30), "the program did not start");
                std::thread::sleep(Duration::from_millis(2));
            }
            std::thread::sleep(delays.next());
            child.kill()?;
            child.wait()?;
            let (begun, counted) = counts(&counter).context("the counter is there")?;
            let (calls, returned) = recorded(&dir).with_context(|| format!("kill {kill} of {}", mpi.name))?;
            // A call is counted as begun before it is made and as returned after it was: one may be in between.
            ensure!(
                counted <= returned && returned <= begun && begun - 1 <= calls && calls <= begun,
                "{} kill {kill}: begun {begun}, returned {counted}, recorded {calls}, of these returned {returned}",
                mpi.name
            );
            most = most.max(returned);
            std::fs::remove_dir_all(&place)?;
        }
        // The kills must have hit runs that emptied their stage many times.
        ensure!(most > 50_000, "{}: the longest run had {most} calls only", mpi.name);
        Ok(())
    })
}
