//! Speed and memory of the engine: `cargo test --release -p mpivet --test text_speed -- --ignored --nocapture`.

use engine::{End, Engine};
use std::time::Instant;
use trace_format::mpi::{FnId, Status};
use trace_format::settings::selection::Selection;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::reader::RankEvent;

fn call(func: FnId, index: &mut u64, ins: &[(&str, Value)], outs: &[(&str, Value)]) -> RankEvent {
    let mut call = Call::new(func);
    call.index = *index;
    call.site = func as u32;
    *index += 1;
    call.outcome = Outcome::Returned(0);
    for (name, value) in ins {
        call.ins[func.row().param(name).unwrap()] = value.clone();
    }
    for (name, value) in outs {
        call.outs[func.row().param(name).unwrap()] = value.clone();
    }
    RankEvent::Call(call)
}

/// A halo exchange with a reduction now and then: the calls of one rank in one round.
fn round(rank: i32, ranks: i32, number: u64, index: &mut u64, out: &mut Vec<RankEvent>) {
    let int = |v: i64| Value::Int(v);
    let (left, right) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
    let message = |peer: &'static str, rank: i32, slot: i64| {
        [
            ("buf", int(0x1000)),
            ("count", int(100)),
            ("datatype", int(29)),
            (peer, int(rank.into())),
            ("tag", int(7)),
            ("comm", int(1)),
            ("request", int(slot)),
        ]
    };
    for (k, peer) in [left, right].into_iter().enumerate() {
        let slot = 0x100 + 8 * k as i64;
        out.push(call(FnId::MPI_Irecv, index, &message("source", peer, slot), &[("request", int(1 + k as i64))]));
    }
    for (k, peer) in [left, right].into_iter().enumerate() {
        let slot = 0x110 + 8 * k as i64;
        out.push(call(FnId::MPI_Isend, index, &message("dest", peer, slot), &[("request", int(3))]));
    }
    let status = |source| Status { source, tag: 7, bytes: Some(800), cancelled: false };
    out.push(call(
        FnId::MPI_Waitall,
        index,
        &[("count", int(4)), ("array_of_requests", Value::Requests { base: 0x100, handles: vec![1, 2, 3, 3] })],
        &[("array_of_statuses", Value::Statuses(vec![status(left), status(right), status(0), status(0)]))],
    ));
    let p2p = |peer: &'static str, rank: i32| {
        [
            ("buf", int(0x1000)),
            ("count", int(100)),
            ("datatype", int(29)),
            (peer, int(rank.into())),
            ("tag", int(8)),
            ("comm", int(1)),
        ]
    };
    let send = call(FnId::MPI_Send, index, &p2p("dest", right), &[]);
    let recv = call(FnId::MPI_Recv, index, &p2p("source", left), &[("status", Value::Status(status(left)))]);
    // In an order that needs no buffers.
    out.extend(if rank % 2 == 0 { [send, recv] } else { [recv, send] });
    if number.is_multiple_of(4) {
        let args = [
            ("sendbuf", int(0x1000)),
            ("recvbuf", int(0x2000)),
            ("count", int(1)),
            ("datatype", int(29)),
            ("op", int(15)),
            ("comm", int(1)),
        ];
        out.push(call(FnId::MPI_Allreduce, index, &args, &[]));
    }
}

#[test]
#[ignore = "takes seconds, for release builds"]
fn ten_million_events_take_seconds() {
    // With the deadlock replay, and without it.
    let choices = ["", "-potential-deadlock,-potential-hang-up"];
    for (ranks, choice) in [2, 64, 512].into_iter().flat_map(|ranks| choices.map(|choice| (ranks, choice))) {
        let mut engine = Engine::new(ranks);
        let mut selection = Selection::default();
        selection.choose(choice).unwrap();
        engine.select(selection);
        let mut index = vec![0u64; ranks as usize];
        let target = 10_000_000 / ranks as u64 / 2;
        let (mut spent, mut highest) = (std::time::Duration::ZERO, 0);
        let mut done = 0;
        while index[0] < target {
            for rank in 0..ranks {
                // About a block of the file.
                let mut events = Vec::new();
                for r in 0..400 {
                    round(rank, ranks, done + r, &mut index[rank as usize], &mut events);
                }
                let start = Instant::now();
                for event in events {
                    engine.feed(rank, event);
                }
                spent += start.elapsed();
            }
            done += 400;
            highest = highest.max(engine.in_flight());
        }
        let events: u64 = 2 * index.iter().sum::<u64>();
        let left = engine.in_flight();
        let start = Instant::now();
        assert_eq!(engine.stuck(), None);
        let stuck = start.elapsed();
        // No endings in this trace: only memory and findings about the traffic are looked at.
        let analysis = engine.finish(&End { stopped: true, ..End::default() });
        let total = spent + start.elapsed();
        println!(
            "{ranks} ranks {choice}: {events} events in {total:?} ({:.1} million a second), stuck {stuck:?}, in flight {highest}, left {left}",
            events as f64 / total.as_secs_f64() / 1e6
        );
        assert!(analysis.findings.is_empty(), "{}", analyzer::testing::describe(&analysis));
        assert_eq!(left, 0);
    }
}
