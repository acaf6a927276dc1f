//! Programs that make and free objects in a loop for hours: what the engine keeps is bounded.

use analyzer::testing::describe;
use engine::{End, Engine};
use std::time::Instant;
use trace_format::definition::{COMM_WORLD, Combiner, Definition, FIRST_USER_ID, Id, Neighbors, ObjectKind};
use trace_format::mpi::FnId;
use trace_format::mpi::predefined::datatype_id;
use trace_format::ranks::Ranks;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::reader::RankEvent;

const RANKS: i32 = 2;

/// Rounds of a long run.
const LONG: u64 = if cfg!(debug_assertions) { 4_000 } else { 100_000 };

/// One rank of the program.
struct Program {
    rank: i32,
    calls: u64,
    last: Id,
    events: Vec<RankEvent>,
}

type Args<'a> = &'a [(&'a str, i64)];

impl Program {
    fn new(rank: i32) -> Program {
        Program { rank, calls: 0, last: FIRST_USER_ID, events: Vec::new() }
    }

    fn id(&mut self) -> Id {
        self.last += 1;
        self.last
    }

    fn call(&mut self, func: FnId, ins: Args, outs: Args) {
        let mut call = Call::new(func);
        (call.index, call.site) = (self.calls, func as u32);
        (call.t_call, call.t_return) = (2 * self.calls, 2 * self.calls + 1);
        self.calls += 1;
        call.outcome = Outcome::Returned(0);
        for (name, value) in ins {
            call.ins[func.row().param(name).unwrap()] = Value::Int(*value);
        }
        for (name, value) in outs {
            call.outs[func.row().param(name).unwrap()] = Value::Int(*value);
        }
        self.events.push(RankEvent::Call(call));
    }

    fn define(&mut self, definition: Definition) {
        self.events.push(RankEvent::Definition(definition));
    }

    fn comm(&mut self, topology: bool) -> Id {
        let id = self.id();
        let other = vec![1 - self.rank];
        let neighbors = topology.then(|| Neighbors { sources: other.clone(), destinations: other });
        self.define(Definition::Comm { id, local: Ranks::first_n(RANKS as u32), remote: None, neighbors });
        id
    }

    /// One round of the loop: communicators, a window, groups and types are made, used and freed.
    fn round(&mut self, number: u64) {
        let world = i64::from(COMM_WORLD);
        let dup = self.comm(false);
        self.call(FnId::MPI_Comm_dup, &[("comm", world)], &[("newcomm", dup.into())]);
        self.define(Definition::CommName { id: dup, name: format!("copy {number}") });
        let grid = self.comm(true);
        self.call(FnId::MPI_Cart_create, &[("comm_old", dup.into())], &[("comm_cart", grid.into())]);
        let win = self.id();
        self.define(Definition::OnComm { kind: ObjectKind::Win, id: win, comm: dup });
        self.call(FnId::MPI_Win_allocate, &[("comm", dup.into())], &[("win", win.into())]);
        let int = datatype_id("MPI_INT").unwrap();
        let datatype = self.id();
        let (ints, types) = (vec![2, 1, 2], vec![int]);
        let combiner = Combiner::Vector;
        self.define(Definition::Datatype { id: datatype, combiner, ints, types, size: 8, lb: 0, extent: 12 });
        self.call(FnId::MPI_Type_vector, &[("oldtype", int.into())], &[("newtype", datatype.into())]);
        self.define(Definition::TypeName { id: datatype, name: format!("pair {number}") });
        self.call(FnId::MPI_Type_commit, &[("datatype", datatype.into())], &[]);
        // The type is freed while a message of it is under way.
        let message = |peer, request| {
            [("count", 1), ("datatype", datatype.into()), (peer, i64::from(1 - self.rank)), ("tag", 3)]
                .into_iter()
                .chain([("comm", i64::from(dup)), ("request", request)])
                .collect::<Vec<_>>()
        };
        let (recv, send) = (message("source", 0x10), message("dest", 0x18));
        self.call(FnId::MPI_Irecv, &recv, &[("request", 1)]);
        self.call(FnId::MPI_Isend, &send, &[("request", 2)]);
        self.call(FnId::MPI_Type_free, &[("datatype", datatype.into())], &[]);
        self.call(FnId::MPI_Wait, &[("request", 2)], &[]);
        self.call(FnId::MPI_Wait, &[("request", 1)], &[]);
        // The group of the world comes with one handle, whoever asks for it.
        let group = self.id();
        self.define(Definition::Group { id: group, ranks: Ranks::first_n(RANKS as u32) });
        for _ in 0..2 {
            self.call(FnId::MPI_Comm_group, &[("comm", dup.into())], &[("group", group.into())]);
        }
        self.call(FnId::MPI_Group_free, &[("group", group.into())], &[]);
        let grouped = self.comm(false);
        let ins = [("comm", dup.into()), ("group", group.into()), ("tag", 5)];
        self.call(FnId::MPI_Comm_create_group, &ins, &[("newcomm", grouped.into())]);
        self.call(FnId::MPI_Group_free, &[("group", group.into())], &[]);
        self.call(FnId::MPI_Win_free, &[("win", win.into())], &[]);
        for comm in [grouped, grid, dup] {
            self.call(FnId::MPI_Comm_free, &[("comm", comm.into())], &[]);
        }
    }
}

/// Feeds `rounds` of both ranks, `ahead` of the first one before the other follows: the most that was kept.
fn highest(rounds: u64, ahead: u64) -> usize {
    let mut engine = Engine::new(RANKS);
    let mut programs: Vec<Program> = (0..RANKS).map(Program::new).collect();
    let (start, mut events, mut highest) = (Instant::now(), 0, 0);
    for first in (0..rounds).step_by(ahead as usize) {
        for program in &mut programs {
            for number in first..(first + ahead).min(rounds) {
                program.round(number);
                for event in std::mem::take(&mut program.events) {
                    events += 1;
                    engine.feed(program.rank, event);
                }
                highest = highest.max(engine.kept_objects());
            }
        }
    }
    assert_eq!((engine.in_flight(), engine.stuck()), (0, None));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or_default();
    println!("{rounds} rounds, {ahead} ahead: {events} events in {:?}, {highest} kept, {memory}", start.elapsed());
    for program in &mut programs {
        program.call(FnId::MPI_Finalize, &[], &[]);
        for event in std::mem::take(&mut program.events) {
            engine.feed(program.rank, event);
        }
    }
    let analysis = engine.finish(&End { stopped: true, ..End::default() });
    assert!(analysis.findings.is_empty(), "{}", describe(&analysis));
    highest
}

#[test]
fn what_was_freed_is_forgotten() {
    let (short, long) = (highest(LONG / 4, 1), highest(LONG, 1));
    assert!(long < 40_000 && long <= short + short / 10, "{short} entries in a short run, {long} in a long one");
}

/// While one rank is read far ahead of the other, what it made is kept for the other; then it goes.
#[test]
fn what_another_rank_has_not_come_to_stays() {
    let (once, often) = (highest(2_000, 2_000), highest(LONG, 2_000));
    assert!(often <= 2 * once, "{once} entries when one rank was ahead once, {often} after several times");
}
