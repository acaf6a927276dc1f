//! The protocol of a run of a thousand ranks: soon there, of a size that a person can look through, and with every rank in
//! it.

mod traces;

use analyzer::observe::{Ending, Observer};
use report::{Colour, Format};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use trace_format::definition::Definition;
use trace_format::file::{job_path, rank_path};
use trace_format::run::job::Job;
use trace_format::settings::selection::Selection;
use trace_format::system::SystemEvent;
use trace_reader::reader::RankEvent;
use trace_reader::synthetic::RankWriter;
use trace_reader::text::parse;
use traces::header;

const RANKS: i32 = 1000;

/// Ranks whose numbers of calls differ, which leave communicators behind; most of them wait for the last ones, which wait
/// for each other.
fn mixed(rank: i32) -> String {
    let (left, right) = ((rank + RANKS - 1) % RANKS, (rank + 1) % RANKS);
    let mut text = format!("ranks {RANKS}\n{rank}: MPI_Init() = ok\n");
    text += &format!("{rank}: def comm c1 {{0-{}}}\n{rank}: MPI_Comm_dup() = ok {{newcomm=c1}}\n", RANKS - 1);
    for tag in 0..10 {
        let send = format!("{rank}: MPI_Send(dest={right}, tag={tag}) = ok\n");
        let recv = format!("{rank}: MPI_Recv(source={left}, tag={tag}) = ok {{status={left}/{tag}/4}}\n");
        text += &if rank == 0 { send + &recv } else { recv + &send };
    }
    for _ in 0..(rank * 37) % 101 {
        text += &format!("{rank}: MPI_Send(dest=MPI_PROC_NULL) = ok\n");
    }
    // Nobody receives it.
    text += &format!("{rank}: MPI_Isend(dest={right}, tag=77, request=@0x10) = ok {{request=r1}}\n");
    text += &match rank {
        997 => format!("{rank}: MPI_Recv(source=998, tag=1)\n"),
        998 => format!("{rank}: MPI_Recv(source=997, tag=1)\n"),
        _ => format!("{rank}: MPI_Barrier()\n"),
    };
    text
}

/// All of them wait for their neighbours.
fn ring(rank: i32) -> String {
    let left = (rank + RANKS - 1) % RANKS;
    format!("ranks {RANKS}\n{rank}: MPI_Init() = ok\n{rank}: MPI_Recv(source={left}, tag={rank})\n")
}

fn write(dir: &Path, text: fn(i32) -> String) {
    for rank in 0..RANKS {
        let mut bytes = Vec::new();
        let mut writer = RankWriter::new(&mut bytes, &header(rank, RANKS)).unwrap();
        for (_, event) in parse(&text(rank)).unwrap().events.iter().filter(|(of, _)| *of == rank) {
            match event {
                RankEvent::Definition(d) => writer.define(std::slice::from_ref(d)).unwrap(),
                RankEvent::Call(call) => {
                    let frames = vec![0x1000 + u64::from(call.site), 0x2000, 0x3000 + u64::from(call.site) / 4];
                    writer.define(&[Definition::Stack { id: call.site, frames }]).unwrap();
                    writer.call(call).unwrap();
                }
                other => panic!("{other:?}"),
            }
        }
        writer.system(&SystemEvent::Recording { on: true }, 1_000);
        writer.flush().unwrap();
        drop(writer);
        fs::write(rank_path(dir, rank), bytes).unwrap();
    }
    let job = Job { format: 1, program: "./app".into(), ranks: RANKS, ..Job::default() };
    fs::write(job_path(dir), serde_json::to_vec(&job).unwrap()).unwrap();
}

/// The protocol of a thousand ranks.
fn protocol(text: fn(i32) -> String) -> String {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), text);
    let mut observer = Observer::open(dir.path(), Selection::default()).unwrap();
    observer.count();
    observer.keep_protocol();
    observer.read_rest(|_| true);
    let stuck = observer.stuck().expect("a deadlock").ranks;
    assert_eq!(stuck.len(), RANKS as usize, "all of them wait");
    let report = observer.report(Ending::Stuck(stuck)).unwrap();
    let begin = Instant::now();
    let protocol = report.render(Format::Protocol, Colour::Plain);
    let took = begin.elapsed();
    if let Ok(dir) = std::env::var("PROTOCOLS_OF_MANY") {
        fs::write(Path::new(&dir).join(format!("{}.txt", protocol.len())), &protocol).unwrap();
    }
    assert!(took < Duration::from_secs(1), "rendered in {took:?}");
    assert!(protocol.len() < 1_000_000, "{} bytes", protocol.len());
    for heading in
        ["Task state", "State of processes", "Real deadlocks and hang-ups", "Communicators", "Run environment"]
    {
        assert!(protocol.contains(&format!("{heading}\n===")), "{heading} is missing");
    }
    // Every rank has its numbers once, where the state of processes is told.
    let states = protocol.split("State of processes").nth(1).unwrap().split("Errors and warnings").next().unwrap();
    let mut told = vec![0; RANKS as usize];
    for row in states.lines().filter(|l| l.contains('|') && !l.contains("Proc")) {
        let list = row.split('|').next().unwrap().trim().trim_end_matches(',').replace(' ', "");
        let ranks: trace_format::ranks::Ranks = list.parse().unwrap();
        ranks.iter().for_each(|r| told[r as usize] += 1);
    }
    assert!(told.iter().all(|n| *n == 1), "{told:?}");
    protocol
}

#[test]
fn a_thousand_ranks_fit() {
    let protocol = protocol(mixed);
    assert!(protocol.contains("997:MPI_Recv   998:MPI_Recv   deadlock !"), "the chain");
}

#[test]
fn a_circle_of_a_thousand_ranks_fits() {
    let protocol = protocol(ring);
    let chain = protocol.lines().find(|l| l.ends_with("deadlock !")).expect("a chain");
    assert!(chain.contains("0:MPI_Recv   999:MPI_Recv   998:MPI_Recv") && chain.len() < 2000, "{chain}");
    let calls = protocol.lines().filter(|l| l.starts_with("Proc=")).count();
    assert!(calls > 1 && calls < 100, "{calls} calls in full");
}
