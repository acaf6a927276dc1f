//! Reports made from findings written by hand: text as people read it, JSON as programs do.

use analyzer::engine::{RankEnd, RankSummary};
use analyzer::load::Damage;
use analyzer::report::{Colour, FailOn, Report, RunInfo};
use analyzer::symbols::Symbols;
use serde_json::{Value, json};
use trace_format::catalogue::by_name;
use trace_format::finding::{CallRef, Finding, Severity};
use trace_format::job::Mpi;
use trace_format::symbols::Location;

const SOURCE: &str = "#include <mpi.h>\nvoid exchange(void) {\n\tMPI_Recv(in, n, MPI_INT, left, 0, comm, &s);\n}\nint main() {\n  exchange();\n}\n";

/// A directory with a source file, and symbols that know two places in it: site 1 is in `exchange`, site 2 in `main`.
struct Scene {
    dir: tempfile::TempDir,
    symbols: Symbols,
}

fn scene(ranks: i32) -> Scene {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("halo.c"), SOURCE).unwrap();
    let file = dir.path().join("halo.c").to_str().unwrap().to_owned();
    let place = |function: &str, line| Location {
        function: function.into(),
        file: file.clone(),
        line,
        module: "/home/me/halo".into(),
        offset: 0x1000 + u64::from(line),
    };
    let start = Location { function: "__libc_start_main".into(), module: "/lib/libc.so.6".into(), ..Location::default() };
    let mut symbols = Symbols::default();
    for rank in 0..ranks {
        symbols.add_rank(rank, dir.path().to_str().unwrap());
        symbols.set_frames(rank, 1, vec![place("exchange", 3), place("main", 6), start.clone()]);
        symbols.set_frames(rank, 2, vec![place("main", 6), start.clone()]);
        let bare = Location { function: "solve".into(), module: "/home/me/libsolve.so".into(), offset: 0x42, ..Location::default() };
        symbols.set_frames(rank, 3, vec![bare]);
    }
    Scene { dir, symbols }
}

fn call(rank: i32, site: u32, text: &str, role: &str) -> CallRef {
    let function = text.split('(').next().unwrap().to_owned();
    CallRef { rank, thread: 0, event: 7, function, text: text.into(), site, pc: 0, role: role.into() }
}

fn ended(rank: i32, end: RankEnd, current: Option<CallRef>) -> RankSummary {
    RankSummary {
        rank,
        end,
        exit_status: None,
        calls: 10,
        sends: 2,
        recvs: 3,
        collectives: 1,
        unfinished: 1,
        current,
        events: 19,
    }
}

fn run(ranks: i32) -> RunInfo {
    RunInfo {
        mpi: Mpi {
            family: "openmpi".into(),
            library: "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4".into(),
            standard: "3.1".into(),
            path: "/usr/lib/libmpi.so.40".into(),
        },
        program: "./halo".into(),
        arguments: vec!["100".into()],
        ranks,
        trace_dir: "mpivet-halo-1".into(),
        ..RunInfo::default()
    }
}

fn deadlock(ranks: i32) -> (Vec<Finding>, Vec<RankSummary>) {
    let recv = |rank: i32| {
        let from = (rank + 1) % ranks;
        call(rank, 1, &format!("MPI_Recv(count=1, source={from}, tag=0)"), &format!("waits for rank {from}"))
    };
    let calls: Vec<CallRef> = (0..ranks).map(recv).collect();
    let finding = Finding::new(by_name("real-deadlock").unwrap(), format!("{ranks} ranks wait for each other"), calls)
        .with_note("0: MPI_Recv -> 1: MPI_Recv -> 0");
    (vec![finding], (0..ranks).map(|r| ended(r, RankEnd::Stopped, Some(recv(r)))).collect())
}

#[test]
fn a_deadlock_reads_well() {
    let mut scene = scene(2);
    let (findings, ranks) = deadlock(2);
    let report = Report::new(RunInfo { stopped: true, ..run(2) }, findings, &ranks, &mut scene.symbols);
    assert_eq!(
        report.to_text(Colour::Plain),
        "\
mpivet: ./halo 100, 2 ranks, Open MPI v4.1.4 (MPI 3.1)
  ranks 0,1: was stopped in MPI_Recv (halo.c:3)
  mpivet stopped the job, because it could never have gone on
  1 error, 0 warnings, 0 notes in 20 MPI calls
  trace: mpivet-halo-1

error[MV601] real-deadlock: 2 ranks wait for each other
  --> halo.c:3
   2 | void exchange(void) {
   3 |     MPI_Recv(in, n, MPI_INT, left, 0, comm, &s);
     rank 0 in MPI_Recv(count=1, source=1, tag=0): waits for rank 1
     rank 1 in MPI_Recv(count=1, source=0, tag=0): waits for rank 0
     stack: exchange (halo.c:3) < main (halo.c:6)
  = 0: MPI_Recv -> 1: MPI_Recv -> 0
  = more: mpivet explain real-deadlock
"
    );
}
