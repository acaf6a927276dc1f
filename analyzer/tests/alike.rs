//! Calls that differ from others of their loop in buffers and requests alone are read and matched in a quicker way: findings
//! speak of each as it was.

use analyzer::observe::{Ending, Observer};
use std::fs::File;
use std::path::Path;
use trace_format::definition::{COMM_WORLD, Definition};
use trace_format::file::{RankHeader, rank_path};
use trace_format::mpi::{FnId, Rows};
use trace_format::ranks::Ranks;
use trace_format::settings::selection::Selection;
use trace_format::system::SystemEvent;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::synthetic::RankWriter;

const MESSAGES: i64 = 300;
/// From this one on nobody receives them.
const RECEIVED: i64 = 250;

struct Rank {
    writer: RankWriter<File>,
    calls: u64,
}

impl Rank {
    fn new(dir: &Path, rank: i32) -> Rank {
        let header = RankHeader {
            mpivet: "0".into(),
            rows: Rows::all(),
            rank,
            size: 2,
            host: "here".into(),
            ticks_per_second: 1_000_000_000,
            request_stride: 8,
            stage_bytes: 1 << 18,
            stack_depth: 8,
            program: "./windows".into(),
            cwd: "/".into(),
            ..RankHeader::default()
        };
        let mut writer = RankWriter::new(File::create(rank_path(dir, rank)).unwrap(), &header).unwrap();
        let local = Ranks::first_n(2);
        writer.define(&[Definition::Comm { id: COMM_WORLD, local, remote: None, neighbors: None }]).unwrap();
        let mut rank = Rank { writer, calls: 0 };
        rank.call(FnId::MPI_Init, &[], &[]);
        rank
    }

    fn call(&mut self, func: FnId, ins: &[(&str, Value)], outs: &[(&str, Value)]) {
        let (mut call, row) = (Call::new(func), func.row());
        (call.t_call, call.t_return) = (1_000 * self.calls, 1_000 * self.calls + 500);
        (call.site, call.outcome) = (func as u32, Outcome::Returned(0));
        ins.iter().for_each(|(name, value)| call.ins[row.param(name).unwrap()] = value.clone());
        outs.iter().for_each(|(name, value)| call.outs[row.param(name).unwrap()] = value.clone());
        self.writer.call(&call).unwrap();
        self.calls += 1;
    }

    /// Starts a message of a window, each with a buffer and a request of its own.
    fn start(&mut self, func: FnId, peer: &str, i: i64) {
        let ins = [
            ("buf", 0x10_0000 + 16 * i),
            ("count", 16),
            ("datatype", 1),
            (peer, i64::from(peer == "dest")),
            ("tag", 5),
            ("comm", COMM_WORLD.into()),
            ("request", 0x20_0000 + 8 * i),
        ];
        self.call(func, &ins.map(|(name, value)| (name, Value::Int(value))), &[("request", Value::Int(0x900 + i))]);
    }

    fn wait(&mut self, i: i64) {
        let request = Value::Request { slot: 0x20_0000 + 8 * i as u64, handle: 0x900 + i };
        self.call(FnId::MPI_Wait, &[("request", request)], &[]);
    }

    fn end(mut self) {
        self.call(FnId::MPI_Finalize, &[], &[]);
        self.writer.system(&SystemEvent::Exit { status: 0 }, 1_000 * self.calls + 600);
        self.writer.flush().unwrap();
    }
}

/// Names and calls of all findings.
fn findings(dir: &Path, count: bool) -> Vec<String> {
    let mut observer = Observer::open(dir, Selection::default()).unwrap();
    if count {
        // A listener is told of all values of each call.
        observer.count();
    }
    observer.read_rest(|_| true);
    let report = serde_json::to_value(observer.report(Ending::Any).unwrap()).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|f| format!("{} x{}: {}", f["check"].as_str().unwrap(), f["count"], f["sites"])).collect()
}

#[test]
fn a_finding_names_the_buffer_and_the_request_of_its_call() {
    let dir = tempfile::tempdir().unwrap();
    let mut sender = Rank::new(dir.path(), 0);
    (0..MESSAGES).for_each(|i| sender.start(FnId::MPI_Isend, "dest", i));
    (0..MESSAGES).for_each(|i| sender.wait(i));
    sender.end();
    let mut receiver = Rank::new(dir.path(), 1);
    (0..RECEIVED).for_each(|i| receiver.start(FnId::MPI_Irecv, "source", i));
    (0..RECEIVED).for_each(|i| receiver.wait(i));
    receiver.end();
    let found = findings(dir.path(), false);
    let alone = found.iter().find(|f| f.starts_with("nonpaired-send")).unwrap_or_else(|| panic!("{found:?}"));
    // The first message that nobody received is call 251 of the rank, since that of MPI_Init is 0.
    let (event, buffer, request) = (2 * (RECEIVED + 1) + 1, 0x10_0000 + 16 * RECEIVED, 0x20_0000 + 8 * RECEIVED);
    assert!(alone.contains(&format!("x{}:", MESSAGES - RECEIVED)), "{alone}");
    assert!(alone.contains(&format!("\"event\":{event}")), "{alone}");
    assert!(
        alone.contains(&format!("buf={buffer:#x}")) && alone.contains(&format!("request=@{request:#x}")),
        "{alone}"
    );
    assert_eq!(found, findings(dir.path(), true));
}
