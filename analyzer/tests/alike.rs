//! Calls that differ from others of their loop in buffers, requests, counts, tags and statuses alone are read and matched in a
//! quicker way: findings speak of each as it was.

use analyzer::observe::{Ending, Observer};
use std::fs::File;
use std::path::Path;
use trace_format::definition::{COMM_WORLD, Definition};
use trace_format::file::{RankHeader, rank_path};
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};
use trace_format::mpi::{FnId, Rows, Status};
use trace_format::ranks::Ranks;
use trace_format::settings::selection::Selection;
use trace_format::system::SystemEvent;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::synthetic::RankWriter;

const MESSAGES: i64 = 300;
/// From this one on nobody receives them.
const RECEIVED: i64 = 250;

fn count(i: i64) -> i64 {
    16 + i % 7
}

fn tag(i: i64) -> i64 {
    5 + i % 3
}

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

    /// Starts a message of a window, each with a buffer, a request, a count and a tag of its own.
    fn start(&mut self, func: FnId, peer: &str, i: i64) {
        let ins = [
            ("buf", 0x10_0000 + 16 * i),
            ("count", count(i)),
            ("datatype", 1),
            (peer, i64::from(peer == "dest")),
            ("tag", tag(i)),
            ("comm", COMM_WORLD.into()),
            ("request", 0x20_0000 + 8 * i),
        ];
        self.call(func, &ins.map(|(name, value)| (name, Value::Int(value))), &[("request", Value::Int(0x900 + i))]);
    }

    fn wait(&mut self, i: i64) {
        let request = Value::Request { slot: 0x20_0000 + 8 * i as u64, handle: 0x900 + i };
        self.call(FnId::MPI_Wait, &[("request", request)], &[]);
    }

    /// A blocking call with a message whose bytes are `count` elements.
    fn pass(&mut self, func: FnId, peer: (&str, i64), (buf, count, tag): (i64, i64, i64), status: Option<Status>) {
        let ins = [("buf", buf), ("count", count), ("datatype", 1), peer, ("tag", tag), ("comm", COMM_WORLD.into())];
        let status = status.map(|status| ("status", Value::Status(status)));
        self.call(func, &ins.map(|(name, value)| (name, Value::Int(value))), status.as_slice());
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
    assert!(alone.contains(&format!("count={}", count(RECEIVED))) && alone.contains(&format!("tag={}", tag(RECEIVED))));
    assert_eq!(found, findings(dir.path(), true));
}

/// Receives from anybody with any tag: what each has got, its status says.
#[test]
fn a_receive_is_matched_by_its_own_status() {
    const LONG: i64 = 200;
    let room = |i: i64| 12 + i % 4;
    let sent = |i: i64| if i == LONG { 21 } else { 8 + i % 5 };
    let dir = tempfile::tempdir().unwrap();
    let (mut sender, mut receiver) = (Rank::new(dir.path(), 0), Rank::new(dir.path(), 1));
    for i in 0..MESSAGES {
        // The last two of each ten come in another order than they were sent.
        let order = |i: i64| if i % 10 >= 8 { i ^ 1 } else { i };
        sender.pass(FnId::MPI_Send, ("dest", 1), (0x10_0000 + 64 * i, sent(i), 1000 + i), None);
        let (i, got) = (order(i), sent(order(i)).min(room(order(i))));
        let status = Status { source: 0, tag: 1000 + i as i32, bytes: Some(got as u64), cancelled: false };
        let (source, tag) = (i64::from(ANY_SOURCE), i64::from(ANY_TAG));
        receiver.pass(FnId::MPI_Recv, ("source", source), (0x30_0000, room(i), tag), Some(status));
    }
    [sender, receiver].into_iter().for_each(Rank::end);
    let found = findings(dir.path(), false);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert!(one.starts_with("wrong-send-size x1:"), "{one}");
    assert!(one.contains("count=21") && one.contains(&format!("tag={}", 1000 + LONG)), "{one}");
    assert!(one.contains(&format!("count={}", room(LONG))), "{one}");
    assert_eq!(found, findings(dir.path(), true));
}

/// A buffer among many lies in memory that others put to.
#[test]
fn a_buffer_in_a_window_is_found_among_others() {
    const WINDOW: i64 = 0x40_0000;
    const IN_IT: i64 = 150;
    let dir = tempfile::tempdir().unwrap();
    let mut ranks = [Rank::new(dir.path(), 0), Rank::new(dir.path(), 1)];
    let int = |name: &'static str, value: i64| (name, Value::Int(value));
    for rank in &mut ranks {
        let ins = [int("base", WINDOW), int("size", 64), int("disp_unit", 1), int("comm", COMM_WORLD.into())];
        rank.call(FnId::MPI_Win_create, &ins, &[int("win", 1000)]);
        rank.call(FnId::MPI_Win_fence, &[int("assert", 0), int("win", 1000)], &[]);
    }
    let [origin, target] = &mut ranks;
    let put = [
        int("origin_addr", 0x50_0000),
        int("origin_count", 8),
        int("origin_datatype", 1),
        int("target_rank", 1),
        int("target_disp", 16),
        int("target_count", 8),
        int("target_datatype", 1),
        int("win", 1000),
    ];
    origin.call(FnId::MPI_Put, &put, &[]);
    for i in 0..MESSAGES {
        let buf = if i == IN_IT { WINDOW + 20 } else { 0x10_0000 + 64 * i };
        target.pass(FnId::MPI_Send, ("dest", 0), (buf, 8, 3), None);
        let status = Status { source: 1, tag: 3, bytes: Some(8), cancelled: false };
        origin.pass(FnId::MPI_Recv, ("source", 1), (0x60_0000, 8, 3), Some(status));
    }
    for mut rank in ranks {
        rank.call(FnId::MPI_Win_fence, &[int("assert", 0), int("win", 1000)], &[]);
        rank.call(FnId::MPI_Win_free, &[int("win", 1000)], &[]);
        rank.end();
    }
    let found = findings(dir.path(), false);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert!(one.starts_with("rma-conflict x1:") && one.contains(&format!("buf={:#x}", WINDOW + 20)), "{one}");
    assert_eq!(found, findings(dir.path(), true));
}
