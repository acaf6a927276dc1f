//! Waiting times on small traces: a line of the notation is a nanosecond.

use super::{Collector, Statistics, Waits};
use crate::symbols::Symbols;
use engine::clocks::Clock;
use engine::link::Linker;
use engine::worlds::Names;
use engine::{End, Engine};
use std::sync::{Arc, Mutex};
use trace_format::location::Location;
use trace_format::mpi::FnId;
use trace_reader::reader::EventRef;
use trace_reader::text::parse;

/// The collected counts, and the sizes of the worlds.
fn collect(text: &str, hosts: &[&str]) -> (Collector, Vec<i32>) {
    let trace = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let collector = Arc::new(Mutex::new(Collector::default()));
    let mut engine = Engine::new(trace.ranks);
    engine.listen(Box::new(collector.clone()));
    for (rank, host) in (0..).zip(hosts) {
        // The clock of a host is as many seconds ahead as its name says.
        let ahead = host.parse::<u64>().unwrap_or(0) * 1_000_000_000;
        engine.set_clock(rank, host, Clock { start_ticks: 0, start_unix_ns: ahead, ..Clock::default() });
    }
    let mut linker = Linker::default();
    let mut first = 0;
    for (world, size) in trace.worlds.iter().enumerate() {
        linker.add_world(first, *size, world > 0);
        first += size;
    }
    for (rank, event) in trace.events {
        linker.take(rank, EventRef::Whole(&mut event.into()), &mut engine);
    }
    engine.finish(&End::default());
    let collector = std::mem::take(&mut *collector.lock().unwrap());
    (collector, trace.worlds)
}

fn count_on(text: &str, hosts: &[&str]) -> Statistics {
    let (collector, worlds) = collect(text, hosts);
    let mut symbols = Symbols::default();
    for line in 1..=text.lines().count() as u32 {
        let place = Location { module: "a.out".into(), file: "t".into(), line, ..Location::default() };
        (0..worlds.iter().sum()).for_each(|rank| symbols.set_frames(rank, line, vec![place.clone()]));
    }
    collector.finish(&Names::new(worlds), &mut symbols)
}

fn count(text: &str) -> Statistics {
    count_on(text, &[])
}

/// Nanoseconds that the call of a rank at a line waited: late sender, late receiver, collective, other.
fn waited(statistics: &Statistics, rank: i32, line: u32) -> [u64; 4] {
    let site = statistics.sites.iter().find(|s| s.who.rank == rank && s.line == Some(line));
    let Waits { late_sender, late_receiver, collective, other } = site.map(|s| s.waits).unwrap_or_default();
    [late_sender, late_receiver, collective, other].map(|s| (s * 1e9).round() as u64)
}

#[test]
fn a_receive_waits_for_a_late_sender() {
    let s = count(
        "0: MPI_Recv(source=1)


1: MPI_Send(dest=0)
1: return = ok
0: return = ok {status=1/0/4}",
    );
    assert_eq!(waited(&s, 0, 1), [3, 0, 0, 2]);
    assert_eq!(waited(&s, 1, 4), [0, 0, 0, 1]);
}

#[test]
fn nobody_waits_for_an_early_sender() {
    let s = count(
        "1: MPI_Send(dest=0)
1: return = ok
0: MPI_Recv(source=1)

0: return = ok {status=1/0/4}",
    );
    assert_eq!((waited(&s, 0, 3), waited(&s, 1, 1)), ([0, 0, 0, 2], [0, 0, 0, 1]));
}

#[test]
fn a_send_waits_for_a_late_receiver_if_it_is_still_there() {
    let of = |send: &str| {
        count(&format!(
            "0: {send}(dest=1)


1: MPI_Recv(source=0)
1: return = ok {{status=0/0/4}}
0: return = ok"
        ))
    };
    assert_eq!(waited(&of("MPI_Ssend"), 0, 1), [0, 3, 0, 2]);
    assert_eq!(waited(&of("MPI_Send"), 0, 1), [0, 3, 0, 2]);
    // It did not wait for the receiver.
    assert_eq!(waited(&of("MPI_Bsend"), 0, 1), [0, 0, 0, 5]);
    let early = count(
        "0: MPI_Send(dest=1)
0: return = ok

1: MPI_Recv(source=0)
1: return = ok {status=0/0/4}",
    );
    assert_eq!(waited(&early, 0, 1), [0, 0, 0, 1]);
}

#[test]
fn the_completing_call_waits_and_only_once() {
    let s = count(
        "0: MPI_Irecv(source=1, tag=1) = ok {request=r1}
0: MPI_Irecv(source=1, tag=2) = ok {request=r2}

0: MPI_Waitall(requests=[r1,r2])

1: MPI_Send(dest=0, tag=1) = ok

1: MPI_Send(dest=0, tag=2) = ok
0: return = ok {statuses=[1/1/4,1/2/4]}",
    );
    assert_eq!(waited(&s, 0, 4), [4, 0, 0, 1]);
    assert_eq!((waited(&s, 0, 1), waited(&s, 0, 2)), ([0; 4], [0; 4]));
    let isend = count(
        "0: MPI_Issend(dest=1) = ok {request=r1}

0: MPI_Wait(request=r1)

1: MPI_Irecv(source=0) = ok {request=r1}
0: return = ok
1: MPI_Wait(request=r1) = ok {status=0/0/4}",
    );
    assert_eq!(waited(&isend, 0, 3), [0, 2, 0, 1]);
}

#[test]
fn who_asks_does_not_wait() {
    let s = count(
        "0: MPI_Irecv(source=1) = ok {request=r1}
0: MPI_Test(request=r1)

1: MPI_Send(dest=0) = ok
0: return = ok {flag=1, status=1/0/4}",
    );
    assert_eq!(waited(&s, 0, 2), [0; 4]);
    assert_eq!(s.ranks[0].waits, Waits::default());
}

#[test]
fn exchanges_wait_for_the_later_one() {
    let s = count(
        "0: MPI_Sendrecv(dest=1, source=1)


1: MPI_Sendrecv(dest=0, source=0)
0: return = ok {status=1/0/4}
1: return = ok {status=0/0/4}",
    );
    assert_eq!((waited(&s, 0, 1), waited(&s, 1, 4)), ([3, 0, 0, 1], [0, 0, 0, 2]));
}

/// Calls of three ranks at lines 1, 2 and 5.
fn three(call: &str) -> Statistics {
    count(&format!(
        "0: {call}
1: {call}


2: {call}
0: return = ok
1: return = ok
2: return = ok"
    ))
}

fn at_collective(call: &str) -> [u64; 3] {
    let s = three(call);
    [waited(&s, 0, 1)[2], waited(&s, 1, 2)[2], waited(&s, 2, 5)[2]]
}

#[test]
fn collectives_wait_for_those_they_need() {
    assert_eq!(at_collective("MPI_Barrier()"), [4, 3, 0]);
    assert_eq!(at_collective("MPI_Allreduce()"), [4, 3, 0]);
    // All need the root, the root needs nobody.
    assert_eq!(at_collective("MPI_Bcast(root=2)"), [4, 3, 0]);
    assert_eq!(at_collective("MPI_Bcast(root=0)"), [0, 0, 0]);
    assert_eq!(at_collective("MPI_Bcast(root=1)"), [1, 0, 0]);
    // The root needs all, the others nobody.
    assert_eq!(at_collective("MPI_Reduce(root=0)"), [4, 0, 0]);
    assert_eq!(at_collective("MPI_Reduce(root=2)"), [0, 0, 0]);
    // Each needs those before it.
    assert_eq!(at_collective("MPI_Scan()"), [0, 0, 0]);
    let s = count("1: MPI_Scan()\n2: MPI_Scan()\n\n0: MPI_Scan() = ok\n1: return = ok\n2: return = ok");
    assert_eq!((waited(&s, 1, 1)[2], waited(&s, 2, 2)[2]), (3, 2));
    let [c] = &three("MPI_Barrier()").collectives[..] else { panic!("not one collective") };
    let ns = [c.seconds, c.wait_seconds, c.max_wait_seconds].map(|s| (s * 1e9).round() as u64);
    assert_eq!((c.communicator.as_str(), c.size, c.id), ("MPI_COMM_WORLD", 3, FnId::MPI_Barrier));
    assert_eq!((c.operations, c.unfinished, ns), (1, 0, [13, 7, 4]));
}

#[test]
fn nonblocking_collectives_wait_in_the_completing_call() {
    let s = count(
        "0: MPI_Ibarrier() = ok {request=r1}

0: MPI_Wait(request=r1)
1: MPI_Ibarrier() = ok {request=r1}
0: return = ok
1: MPI_Wait(request=r1) = ok",
    );
    assert_eq!((waited(&s, 0, 1), waited(&s, 0, 3)), ([0; 4], [0, 0, 1, 1]));
}

#[test]
fn an_operation_that_not_all_came_to_is_unfinished() {
    let s = count("ranks 2\n0: MPI_Barrier()");
    let [c] = &s.collectives[..] else { panic!("not one collective") };
    assert_eq!((c.operations, c.unfinished), (1, 1));
    assert_eq!(s.functions[0].open, 1);
}

const LATE: &str = "0: MPI_Recv(source=1)


1: MPI_Send(dest=0) = ok

0: return = ok {status=1/0/4}";

#[test]
fn other_clocks_never_make_a_wait_longer_than_the_call() {
    let s = count_on(LATE, &["0", "0"]);
    assert_eq!((waited(&s, 0, 1), s.clocks_differ), ([3, 0, 0, 2], false));
    // It seems to have been sent long after it was received, or long before.
    let s = count_on(LATE, &["0", "100"]);
    assert_eq!((waited(&s, 0, 1), s.clocks_differ), ([5, 0, 0, 0], true));
    assert_eq!(waited(&count_on(LATE, &["100", "0"]), 0, 1), [0, 0, 0, 5]);
    assert_eq!(s.hosts, ["0", "100"]);
}

#[test]
fn messages_are_counted_by_size_and_pair() {
    let s = count(
        "0: MPI_Send(dest=1, count=3) = ok
1: MPI_Recv(source=0, count=5) = ok {status=0/0/12}
0: MPI_Send(dest=1, count=2, datatype=MPI_DOUBLE) = ok
1: MPI_Recv(source=-1, count=2, datatype=MPI_DOUBLE) = ok {status=0/0/16}
1: MPI_Send(dest=1, count=0, tag=9) = ok
2: MPI_Isend(dest=0, count=300) = ok {request=r1}",
    );
    let sizes: Vec<_> = s.sizes.iter().map(|s| (s.from, s.messages, s.bytes)).collect();
    assert_eq!(sizes, [(0, 1, 0), (8, 1, 12), (16, 1, 16), (1024, 1, 1200)]);
    let pairs: Vec<_> = s.pairs.iter().map(|p| (p.from.rank, p.to.rank, p.messages, p.bytes)).collect();
    assert_eq!(pairs, [(0, 1, 2, 28), (1, 1, 1, 0), (2, 0, 1, 1200)]);
    let of = |rank: usize, id: FnId| s.ranks[rank].functions.iter().find(|f| f.id == id).map(|f| (f.calls, f.bytes));
    assert_eq!(of(0, FnId::MPI_Send), Some((2, 28)));
    assert_eq!(of(1, FnId::MPI_Recv), Some((2, 28)));
    assert_eq!(of(2, FnId::MPI_Isend), Some((1, 1200)));
    let sum = s.functions.iter().find(|f| f.id == FnId::MPI_Send).map(|f| (f.calls, f.bytes));
    assert_eq!(sum, Some((3, 28)));
}

#[test]
fn collectives_move_what_each_process_gives() {
    let bytes = |call: &str| three(call).functions.iter().map(|f| f.bytes).sum::<u64>();
    assert_eq!(bytes("MPI_Bcast(count=5, root=1)"), 20);
    assert_eq!(bytes("MPI_Allreduce(count=5)"), 60);
    assert_eq!(bytes("MPI_Alltoall(sendcount=5)"), 180);
    assert_eq!(bytes("MPI_Scatter(sendcount=5, root=0)"), 60);
    assert_eq!(bytes("MPI_Barrier()"), 0);
}

#[test]
fn worlds_have_communicators_of_their_own() {
    let s = count("ranks 1\nranks w1 1\n0: MPI_Barrier() = ok\nw1.0: MPI_Barrier() = ok\nw1.0: MPI_Barrier() = ok");
    let names: Vec<_> = s.collectives.iter().map(|c| (c.communicator.as_str(), c.operations)).collect();
    assert_eq!(names, [("MPI_COMM_WORLD", 1), ("world 1 MPI_COMM_WORLD", 2)]);
    assert_eq!(s.ranks.iter().map(|r| r.who.to_string()).collect::<Vec<_>>(), ["0", "w1.0"]);
}

#[test]
fn some_ranks_can_be_looked_at_alone() {
    let mut s = count(
        "0: MPI_Send(dest=1) = ok
1: MPI_Recv(source=0) = ok {status=0/0/4}
1: MPI_Send(dest=2) = ok
2: MPI_Recv(source=1) = ok {status=1/0/4}",
    );
    s.retain(&[0].into());
    assert_eq!(s.ranks.iter().map(|r| r.who.rank).collect::<Vec<_>>(), [0]);
    assert_eq!(s.functions.iter().map(|f| (f.id, f.calls)).collect::<Vec<_>>(), [(FnId::MPI_Send, 1)]);
    assert_eq!(s.pairs.iter().map(|p| (p.from.rank, p.to.rank)).collect::<Vec<_>>(), [(0, 1)]);
    assert_eq!(s.sizes.iter().map(|s| s.messages).sum::<u64>(), 1);
    assert!(s.sites.iter().all(|s| s.who.rank == 0) && !s.sites.is_empty());
}

#[test]
fn pictures_of_many_ranks_have_blocks() {
    let ring: String = (0..300).map(|r| format!("{r}: MPI_Send(dest={}) = ok\n", (r + 1) % 300)).collect();
    let s = count(&ring);
    let blocks = s.blocks(256);
    assert_eq!((blocks.side, blocks.processes), (150, 2));
    let at = |from: usize, to: usize| blocks.messages[from * 150 + to];
    assert_eq!((at(0, 0), at(0, 1), at(149, 0), at(1, 0)), (1, 1, 1, 0));
    assert_eq!((blocks.messages.iter().sum::<u64>(), blocks.bytes.iter().sum::<u64>()), (300, 1200));
    assert_eq!(s.blocks(1000).processes, 1);
}

#[test]
fn memory_does_not_grow_with_the_run() {
    let round = "0: MPI_Irecv(source=1) = ok {request=r1}
0: MPI_Waitall(requests=[r1])
1: MPI_Send(dest=0) = ok
0: return = ok {statuses=[1/0/4]}
0: MPI_Comm_dup() = ok {newcomm=c1{0,1}}
1: MPI_Comm_dup() = ok {newcomm=c1{0,1}}
0: MPI_Barrier(comm=c1) = ok
1: MPI_Barrier(comm=c1) = ok
0: MPI_Comm_free(comm=c1) = ok
1: MPI_Comm_free(comm=c1) = ok\n";
    // The call site of a line is its number: the same program each time.
    let kept = |rounds: usize| {
        let text: String = (0..rounds).map(|i| round.replace("c1", &format!("c{i}"))).collect();
        let mut trace = parse(&text).unwrap();
        let lines = round.lines().count() as u32;
        for (_, event) in &mut trace.events {
            if let trace_reader::reader::RankEvent::Call(call) = event {
                call.site = (call.site - 1) % lines + 1;
            }
        }
        let collector = Arc::new(Mutex::new(Collector::default()));
        let mut engine = Engine::new(trace.ranks);
        engine.listen(Box::new(collector.clone()));
        trace.events.into_iter().for_each(|(rank, event)| engine.feed(rank, event));
        let collector = collector.lock().unwrap();
        collector.kept()
    };
    let (some, many) = (kept(4_200), kept(4_800));
    assert_eq!(some, many);
    // The communicators that are told apart, with the three operations on each.
    assert!((4_096..20_000).contains(&many), "{many}");
}

/// Nanoseconds of all threads, in MPI and polling.
fn shares(s: &Statistics) -> [u64; 3] {
    let sum = |of: fn(&super::Rank) -> f64| s.ranks.iter().map(of).sum::<f64>();
    [s.thread_seconds, sum(|r| r.mpi_seconds), sum(|r| r.polling_seconds)].map(|s| (s * 1e9).round() as u64)
}

#[test]
fn shares_are_of_the_time_of_all_threads_and_of_nothing_twice() {
    // Two threads of a rank that are in MPI at once, for three and five lines.
    let s = count(
        "0.0: MPI_Recv(source=1)\n0.1: MPI_Recv(source=1)\n\n0.0: return = ok {status=1/0/4}\n\n\n0.1: return = ok {status=1/0/4}",
    );
    assert_eq!(shares(&s), [8, 8, 0]);
    assert_eq!((s.rank_seconds * 1e9).round() as u64, 6);
    // A callback calls MPI_Send inside of MPI_Comm_dup: the three lines of the outer call have one of the inner one.
    let s = count(
        "0: MPI_Comm_dup()\n0: MPI_Send(dest=1) = ok\n0: MPI_Recv(source=1)\n0: return = ok {status=1/0/4}\n0: return = ok {newcomm=c1{0,1}}",
    );
    let [all, mpi, polling] = shares(&s);
    assert!(mpi + polling <= all, "{mpi} + {polling} of {all}");
    let functions: f64 = s.functions.iter().map(|f| f.seconds + f.polling_seconds).sum();
    assert_eq!((functions * 1e9).round() as u64, mpi + polling);
}
