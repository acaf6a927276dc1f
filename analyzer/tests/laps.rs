//! Laps that are as those before them are counted, not looked at call by call: whatever a run does, the report is the same.

use analyzer::crew::Crew;
use analyzer::observe::{Ending, Observer};
use report::Style;
use std::fs::File;
use std::path::Path;
use std::rc::Rc;
use trace_format::definition::{COMM_WORLD, Definition, FIRST_USER_ID, Id};
use trace_format::file::rank_path;
use trace_format::mpi::{FnId, Status};
use trace_format::ranks::Ranks;
use trace_format::settings::selection::Selection;
use trace_format::system::SystemEvent;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::synthetic::{RankWriter, Stencil, header};

const INT: i64 = 7;
const DOUBLE: i64 = 29;
const SUM: i64 = 15;
const ANY_SOURCE: i64 = -1;
const ANY_TAG: i64 = -1;

/// Numbers as from a die.
struct Die(u64);

impl Die {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn is(&mut self, one_of: u64) -> bool {
        self.roll(one_of) == 0
    }
}

/// A library's numbering of requests.
#[derive(Clone, Copy)]
enum Handles {
    Rising,
    /// One for all: they are complete at once.
    Shared,
    /// From a stack of free ones.
    Stack,
}

/// The calls of one rank.
struct Rank {
    calls: Vec<Call>,
    handles: Handles,
    next: i64,
    stack: Vec<i64>,
    /// The communicator of the loops.
    comm: Id,
    /// Elements of the messages of the lap at hand, of which a receive takes so many more, what is added to the tags, and where the
    /// buffers are.
    elements: i64,
    room: i64,
    tags: i64,
    buffer: i64,
    /// It ends in a call.
    is_cut: bool,
}

fn ints<const N: usize>(values: [(&'static str, i64); N]) -> Vec<(&'static str, Value)> {
    values.map(|(name, value)| (name, Value::Int(value))).to_vec()
}

fn message(comm: Id, peer: &'static str, rank: i64, tag: i64, count: i64) -> Vec<(&'static str, Value)> {
    ints([("buf", 0x5000), ("count", count), ("datatype", INT), (peer, rank), ("tag", tag), ("comm", comm.into())])
}

impl Rank {
    fn new(handles: Handles) -> Rank {
        let mut rank = Rank {
            calls: Vec::new(),
            handles,
            next: 0x100,
            stack: (1..200).collect(),
            comm: COMM_WORLD,
            elements: 4,
            room: 0,
            tags: 0,
            buffer: 0x5000,
            is_cut: false,
        };
        rank.call(FnId::MPI_Init, Vec::new(), Vec::new());
        rank
    }

    fn call(&mut self, func: FnId, ins: Vec<(&str, Value)>, outs: Vec<(&str, Value)>) {
        let (mut call, row) = (Call::new(func), func.row());
        (call.site, call.outcome) = (func as u32, Outcome::Returned(0));
        ins.into_iter().for_each(|(name, value)| call.ins[row.param(name).unwrap()] = value);
        outs.into_iter().for_each(|(name, value)| call.outs[row.param(name).unwrap()] = value);
        self.calls.push(call);
    }

    fn message(&self, peer: &'static str, rank: i64, tag: i64) -> Vec<(&'static str, Value)> {
        let count = self.elements + if peer == "source" { self.room } else { 0 };
        let mut message = message(self.comm, peer, rank, tag + self.tags, count);
        message[0].1 = Value::Int(self.buffer);
        message
    }

    fn status(&self, source: i64, tag: i64) -> Status {
        let bytes = Some(4 * self.elements as u64);
        Status { source: source as i32, tag: (tag + self.tags) as i32, bytes, cancelled: false }
    }

    fn received(&self, source: i64, tag: i64) -> (&'static str, Value) {
        ("status", Value::Status(self.status(source, tag)))
    }

    fn send(&mut self, to: i64, tag: i64) {
        self.call(FnId::MPI_Send, self.message("dest", to, tag), Vec::new());
    }

    fn recv(&mut self, from: i64, named: bool, tag: i64) {
        let source = if named { from } else { ANY_SOURCE };
        self.call(FnId::MPI_Recv, self.message("source", source, tag), vec![self.received(from, tag)]);
    }

    /// It takes whatever comes next.
    fn recv_any_tag(&mut self, from: i64, named: bool, tag: i64) {
        let mut message = self.message("source", if named { from } else { ANY_SOURCE }, tag);
        let any = message.iter_mut().find(|(name, _)| *name == "tag").unwrap();
        any.1 = Value::Int(ANY_TAG);
        self.call(FnId::MPI_Recv, message, vec![self.received(from, tag)]);
        // Another line of the program.
        self.calls.last_mut().unwrap().site += 1_000;
    }

    /// It looks for a message from anywhere, and sees this one.
    fn probe(&mut self, from: i64, tag: i64) {
        let seen = self.received(from, tag);
        let ins = ints([("source", ANY_SOURCE), ("tag", tag + self.tags), ("comm", self.comm.into())]);
        self.call(FnId::MPI_Probe, ins, vec![seen]);
    }

    fn handle(&mut self) -> i64 {
        self.next += 1;
        match self.handles {
            Handles::Rising => self.next,
            Handles::Shared => 0x77,
            Handles::Stack => self.stack.pop().unwrap_or(0x78),
        }
    }

    /// It writes a handle to this variable.
    fn start(&mut self, func: FnId, mut ins: Vec<(&'static str, Value)>, variable: i64) -> (u64, i64) {
        let handle = self.handle();
        ins.push(("request", Value::Int(variable)));
        self.call(func, ins, vec![("request", Value::Int(handle))]);
        (variable as u64, handle)
    }

    fn wait(&mut self, (slot, handle): (u64, i64), status: Option<(i64, i64)>) {
        let outs = status.map(|(source, tag)| self.received(source, tag)).into_iter().collect();
        self.call(FnId::MPI_Wait, vec![("request", Value::Request { slot, handle })], outs);
        self.stack.push(handle);
    }

    fn wait_all(&mut self, base: u64, handles: Vec<i64>, statuses: Vec<Status>) {
        let count = Value::Int(handles.len() as i64);
        self.stack.extend(handles.iter().rev());
        self.call(
            FnId::MPI_Waitall,
            vec![("count", count), ("array_of_requests", Value::Requests { base, handles })],
            vec![("array_of_statuses", Value::Statuses(statuses))],
        );
    }

    fn wait_any(&mut self, base: u64, handles: &mut [i64], index: usize) {
        let ins = vec![
            ("count", Value::Int(handles.len() as i64)),
            ("array_of_requests", Value::Requests { base, handles: handles.to_vec() }),
        ];
        self.call(FnId::MPI_Waitany, ins, vec![("index", Value::Int(index as i64))]);
        self.stack.push(std::mem::replace(&mut handles[index], 0));
    }

    fn allreduce(&mut self, datatype: i64) {
        let ins = [
            ("sendbuf", 0x6000),
            ("recvbuf", 0x6100),
            ("count", 2),
            ("datatype", datatype),
            ("op", SUM),
            ("comm", self.comm.into()),
        ];
        self.call(FnId::MPI_Allreduce, ints(ins), Vec::new());
    }

    /// From here on it communicates on a duplicate.
    fn dup(&mut self) {
        let new = self.comm.max(FIRST_USER_ID - 1) + 1;
        let ins = ints([("comm", self.comm.into())]);
        self.call(FnId::MPI_Comm_dup, ins, vec![("newcomm", Value::Int(new.into()))]);
        self.comm = new;
    }

    fn write(mut self, dir: &Path, rank: i32, size: i32) {
        if !self.is_cut {
            self.call(FnId::MPI_Finalize, Vec::new(), Vec::new());
        } else if let Some(last) = self.calls.last_mut() {
            (last.outcome, last.outs) = (Outcome::Open, vec![Value::None; last.outs.len()]);
        }
        let mut writer = RankWriter::new(File::create(rank_path(dir, rank)).unwrap(), &header(rank, size)).unwrap();
        for id in [COMM_WORLD].into_iter().chain(FIRST_USER_ID..=self.comm) {
            let local = Ranks::first_n(size as u32);
            writer.define(&[Definition::Comm { id, local, remote: None, neighbors: None }]).unwrap();
        }
        let mut time = 0;
        for call in &mut self.calls {
            (call.t_call, call.t_return) = (time, time + 500);
            time += 1_000 + u64::from(call.func as u16 % 7);
            writer.call(call).unwrap();
        }
        if !self.is_cut {
            writer.system(&SystemEvent::Exit { status: 0 }, time);
        }
        writer.flush().unwrap();
    }
}

const KINDS: u64 = 13;

/// The calls of all ranks in a lap of some loop.
fn lap(kind: u64, all: &mut [Rank], persistent: &[[(u64, i64); 2]]) {
    let size = all.len() as i64;
    let around = |i: usize, by: i64| (i as i64 + by).rem_euclid(size);
    match kind {
        0 => all.iter_mut().for_each(|rank| rank.allreduce(INT)),
        // To and fro between the first two; sources named or not.
        1 | 2 => {
            all[0].send(1, 5);
            all[1].recv(0, kind == 1, 5);
            all[1].send(0, 6);
            all[0].recv(1, kind == 1, 6);
        }
        // A window of messages.
        3 | 4 => {
            for (i, rank) in all.iter_mut().enumerate() {
                let mut started = Vec::new();
                for n in 0..6 {
                    let variable = 0x9000 + 8 * n;
                    started.push(match n % 2 {
                        0 => rank.start(FnId::MPI_Irecv, rank.message("source", around(i, -1), n), variable),
                        _ => rank.start(FnId::MPI_Isend, rank.message("dest", around(i, 1), n - 1), variable),
                    });
                }
                let none = Status { source: 0, tag: 0, bytes: None, cancelled: false };
                let come = |rank: &Rank, n: i64| if n % 2 == 0 { rank.status(around(i, -1), n) } else { none };
                match kind {
                    3 => {
                        let statuses = (0..6).map(|n| come(rank, n)).collect();
                        rank.wait_all(0x9000, started.iter().map(|s| s.1).collect(), statuses);
                    }
                    _ => {
                        for (n, request) in started.into_iter().enumerate().rev() {
                            rank.wait(request, (n % 2 == 0).then(|| (around(i, -1), n as i64)));
                        }
                    }
                }
            }
        }
        5 => {
            for (i, rank) in all.iter_mut().enumerate() {
                let mut ins = ints([
                    ("sendbuf", 0x5000),
                    ("sendcount", rank.elements),
                    ("sendtype", INT),
                    ("dest", around(i, 1)),
                    ("sendtag", 3 + rank.tags),
                    ("recvbuf", 0x5100),
                ]);
                ins.extend(ints([
                    ("recvcount", rank.elements + rank.room),
                    ("recvtype", INT),
                    ("source", around(i, -1)),
                    ("recvtag", 3 + rank.tags),
                    ("comm", rank.comm.into()),
                ]));
                rank.call(FnId::MPI_Sendrecv, ins, vec![rank.received(around(i, -1), 3)]);
            }
        }
        6 => {
            for rank in all {
                let request = rank.start(FnId::MPI_Ibarrier, ints([("comm", rank.comm.into())]), 0x9100);
                rank.wait(request, None);
            }
        }
        7 => {
            for (i, rank) in all.iter_mut().enumerate() {
                let mut handles: Vec<i64> = (0..3)
                    .map(|n| rank.start(FnId::MPI_Irecv, rank.message("source", around(i, -1), n), 0x9200 + 8 * n).1)
                    .collect();
                (0..3).for_each(|n| rank.send(around(i, 1), n));
                for index in [2, 0, 1] {
                    rank.wait_any(0x9200, &mut handles, index);
                }
            }
        }
        8 => {
            for (rank, persistent) in all.iter_mut().zip(persistent) {
                for (slot, handle) in persistent {
                    let request = Value::Request { slot: *slot, handle: *handle };
                    rank.call(FnId::MPI_Start, vec![("request", request)], Vec::new());
                }
                for (slot, handle) in persistent {
                    let request = Value::Request { slot: *slot, handle: *handle };
                    rank.call(FnId::MPI_Wait, vec![("request", request)], Vec::new());
                }
            }
        }
        // Each sends before it receives: a library need not buffer that.
        9 => {
            for (i, rank) in all.iter_mut().enumerate() {
                rank.send(around(i, 1), 8);
                rank.recv(around(i, -1), true, 8);
            }
        }
        // The message that is sent first is received last; the other one is longer.
        10 => {
            for (i, rank) in all.iter_mut().enumerate() {
                let mut handles = Vec::new();
                for n in 0..4 {
                    let (peer, by, tag) = if n < 2 { ("source", -1, 1 - n) } else { ("dest", 1, n - 2) };
                    let func = if n < 2 { FnId::MPI_Irecv } else { FnId::MPI_Isend };
                    rank.elements += 5 * tag;
                    let message = rank.message(peer, around(i, by), tag);
                    rank.elements -= 5 * tag;
                    handles.push(rank.start(func, message, 0x9000 + 8 * n).1);
                }
                rank.wait_all(0x9000, handles, Vec::new());
            }
        }
        // The receiver asks first how much comes.
        11 => {
            let last = all.len() as i64 - 1;
            let sender = &mut all[last as usize];
            sender.send(0, 12);
            for _ in 0..2 {
                let comm = ints([("comm", sender.comm.into())]);
                sender.call(FnId::MPI_Comm_rank, comm, vec![("rank", Value::Int(last))]);
            }
            let rank = &mut all[0];
            let (probed, status) = (rank.received(last, 12), rank.status(last, 12));
            let ins = ints([("source", last), ("tag", 12 + rank.tags), ("comm", rank.comm.into())]);
            rank.call(FnId::MPI_Probe, ins, vec![probed]);
            let ins = vec![("status", Value::Status(status)), ("datatype", Value::Int(INT))];
            rank.call(FnId::MPI_Get_count, ins, vec![("count", Value::Int(rank.elements))]);
            rank.recv(last, true, 12);
        }
        CHAOS.. => chaos(&mut Die(kind.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), all),
        _ => {
            let last = all.len() - 1;
            let comm = all[last].comm;
            all[last].call(FnId::MPI_Comm_rank, ints([("comm", comm.into())]), vec![("rank", Value::Int(last as i64))]);
            all[last].send(0, 9);
            all[0].recv(last as i64, true, 9);
        }
    }
}

/// Numbers from here on are seeds for [`chaos`].
const CHAOS: u64 = 1 << 20;

/// Messages between any two, blocking or not, some of them received from anywhere, with few tags. They are completed soon or late
/// in one of several ways; between them are collective operations.
fn chaos(die: &mut Die, all: &mut [Rank]) {
    let mut open: Vec<Vec<(u64, i64)>> = all.iter().map(|_| Vec::new()).collect();
    for _ in 0..1 + die.roll(12) {
        let from = die.roll(all.len() as u64) as usize;
        let to = (from + 1 + die.roll(all.len() as u64 - 1) as usize) % all.len();
        let tag = 40 + die.roll(3) as i64;
        // As many as fit into their variables.
        let variable = |open: &[(u64, i64)]| (0..8).map(|n| 0x9800 + 8 * n).find(|at| open.iter().all(|o| o.0 != *at));
        // A blocking call that comes first must not wait for one that comes later.
        match variable(&open[to]).filter(|_| !die.is(3)) {
            Some(at) => {
                let message = all[to].message("source", from as i64, tag);
                let made = all[to].start(FnId::MPI_Irecv, message, at as i64);
                open[to].push(made);
                match variable(&open[from]).filter(|_| die.is(2)) {
                    Some(at) => {
                        let message = all[from].message("dest", to as i64, tag);
                        let made = all[from].start(FnId::MPI_Isend, message, at as i64);
                        open[from].push(made);
                    }
                    None => all[from].send(to as i64, tag),
                }
            }
            None => {
                all[from].send(to as i64, tag);
                let takes = die.roll(6);
                if takes == 1 {
                    all[to].probe(from as i64, tag);
                }
                match takes {
                    4.. => all[to].recv_any_tag(from as i64, takes == 4, tag),
                    _ => all[to].recv(from as i64, takes != 0, tag),
                }
            }
        }
        if die.is(4) {
            all.iter_mut().for_each(|rank| rank.allreduce(INT));
        }
        let free: Option<Vec<u64>> = open.iter().map(|open| variable(open)).collect();
        if let Some(free) = free.filter(|_| die.is(4)) {
            for ((rank, open), at) in all.iter_mut().zip(&mut open).zip(free) {
                open.push(rank.start(FnId::MPI_Ibarrier, ints([("comm", rank.comm.into())]), at as i64));
            }
        }
        for (rank, open) in all.iter_mut().zip(&mut open) {
            match die.roll(9) {
                3.. => {}
                0 => open.drain(..).for_each(|request| rank.wait(request, None)),
                1 if !open.is_empty() => rank.wait(open.remove(die.roll(open.len() as u64) as usize), None),
                _ => complete_all(rank, open),
            }
        }
    }
    all.iter_mut().zip(&mut open).for_each(|(rank, open)| complete_all(rank, open));
}

/// MPI_Waitall for all variables, of which some may be empty.
fn complete_all(rank: &mut Rank, open: &mut Vec<(u64, i64)>) {
    if !open.is_empty() {
        let handle = |at: u64| open.iter().find(|o| o.0 == at).map_or(0, |o| o.1);
        let handles = (0..8).map(|n| handle(0x9800 + 8 * n)).collect();
        rank.wait_all(0x9800, handles, Vec::new());
        open.clear();
    }
}

/// Persistent requests of each rank, for a message around all of them.
fn persistent_of(all: &mut [Rank]) -> Vec<[(u64, i64); 2]> {
    let size = all.len() as i64;
    let requests = |(i, rank): (usize, &mut Rank)| {
        let around = |by: i64| (i as i64 + by).rem_euclid(size);
        let recv = rank.start(FnId::MPI_Recv_init, message(rank.comm, "source", around(-1), 30, 4), 0x9300);
        let send = rank.start(FnId::MPI_Send_init, message(rank.comm, "dest", around(1), 30, 4), 0x9308);
        [recv, send]
    };
    all.iter_mut().enumerate().map(requests).collect()
}

fn free(all: &mut [Rank], persistent: &[[(u64, i64); 2]]) {
    for (rank, persistent) in all.iter_mut().zip(persistent) {
        for (slot, handle) in persistent {
            let request = Value::Request { slot: *slot, handle: *handle };
            rank.call(FnId::MPI_Request_free, vec![("request", request)], Vec::new());
        }
    }
}

/// Loops of all ranks, one after the other and in each other, with some mistakes of some of them; each loop with so many
/// calls of rank 0 at least. `anew`: each lap is another one.
fn make(die: &mut Die, dir: &Path, at_least: usize, anew: bool) {
    let size = 2 + die.roll(3) as i32;
    let mut all: Vec<Rank> = Vec::new();
    for _ in 0..size {
        all.push(Rank::new([Handles::Rising, Handles::Shared, Handles::Stack][die.roll(3) as usize]));
    }
    all.iter_mut().for_each(|rank| rank.handles = Handles::Rising);
    let persistent = persistent_of(&mut all);
    for _ in 0..1 + die.roll(3) {
        // Persistent requests end a stretch, and so does a circle of sends.
        let may_be = |die: &mut Die, kind: u64| match kind {
            8 | 9 => die.is(16),
            _ => die.is(2),
        };
        let kinds: Vec<u64> = (0..KINDS).filter(|kind| anew && may_be(die, *kind)).chain([0]).collect();
        let body_of = |die: &mut Die| -> Vec<(u64, u64)> {
            let kind = |die: &mut Die| match anew {
                true if die.is(2) => CHAOS + die.roll(1 << 30),
                true => kinds[die.roll(kinds.len() as u64) as usize],
                false => die.roll(KINDS),
            };
            (0..1 + die.roll(3)).map(|_| (kind(die), 1 + die.roll(3))).collect()
        };
        let mut body = body_of(die);
        let (calls, laps) = (all[0].calls.len(), [5, 60, 200][die.roll(3) as usize]);
        let mut number = 0;
        // Which of these differ from lap to lap.
        let [counts, tags, room, buffers] = if die.is(2) { [(); 4].map(|()| die.is(2)) } else { [false; 4] };
        let sides = if die.is(2) { 3 } else { 100 };
        let (now_and_then, mut elements) = (die.is(2), 4);
        while number < laps || all[0].calls.len() < calls + at_least {
            let added = 64 * die.roll(sides) as i64;
            if !now_and_then {
                elements = 1 + die.roll(sides) as i64;
            }
            for rank in &mut all {
                rank.elements = if counts { elements } else { 4 };
                rank.tags = if tags { added } else { 0 };
                rank.room = if room { elements % 3 } else { 0 };
                rank.buffer = 0x5000 + if buffers { 8 * elements } else { 0 };
            }
            if anew {
                body = body_of(die);
            }
            for (kind, times) in &body {
                for _ in 0..*times {
                    if counts && now_and_then && die.is(10) {
                        elements = 1 + die.roll(sides) as i64;
                        all.iter_mut().for_each(|rank| rank.elements = elements);
                    }
                    lap(*kind, &mut all, &persistent);
                }
            }
            number += 1;
        }
        if die.is(2) {
            all.iter_mut().for_each(Rank::dup);
        }
    }
    free(&mut all, &persistent);
    for _ in 0..die.roll(3) {
        let rank = &mut all[die.roll(size as u64) as usize];
        let at = 1 + die.roll(rank.calls.len() as u64 - 1) as usize;
        let row = rank.calls[at].func.row();
        let set = |call: &mut Call, name: &str, value: i64| {
            row.param(name).into_iter().for_each(|place| call.ins[place] = Value::Int(value));
        };
        match die.roll(6) {
            0 => _ = rank.calls.remove(at),
            // There is room for little in one of two.
            5 => rank.calls[at..].iter_mut().filter(|c| c.func == row.id).step_by(2).for_each(|call| {
                ["count", "recvcount"].iter().for_each(|name| set(call, name, 2));
            }),
            1 => set(&mut rank.calls[at], "datatype", DOUBLE),
            2 => ["count", "sendcount"].iter().for_each(|name| set(&mut rank.calls[at], name, 1)),
            3 => ["tag", "recvtag"].iter().for_each(|name| set(&mut rank.calls[at], name, 4)),
            // In all laps from here on.
            _ => rank.calls[at..].iter_mut().filter(|c| c.func == row.id).for_each(|c| set(c, "datatype", DOUBLE)),
        }
    }
    if die.is(3) {
        // A message that nobody receives, or one too many is waited for: through all that comes.
        let place = 1 + die.roll(all[0].calls.len() as u64 - 1) as usize;
        let mut calls = all[0].calls.split_off(place);
        let comm = all[0].comm;
        match die.is(2) {
            true => all[0].send(1, 50),
            false => _ = all[0].start(FnId::MPI_Irecv, message(comm, "source", ANY_SOURCE, 51, 4), 0x9400),
        }
        all[0].calls.append(&mut calls);
    }
    if die.is(5) {
        // Some are stuck or killed.
        for rank in &mut all {
            rank.is_cut = !die.is(3);
            if rank.is_cut {
                rank.calls.truncate(1 + die.roll(rank.calls.len() as u64) as usize);
            }
        }
    }
    for (rank, calls) in all.into_iter().enumerate() {
        calls.write(dir, rank as i32, size);
    }
}

/// A way to read traces.
#[derive(Clone, Copy)]
enum By {
    /// Call by call.
    One,
    Laps,
    /// So many helpers read, and laps are counted.
    Crew(usize),
}

/// The report, and how many calls were not looked at one by one.
fn report(dir: &Path, selection: Selection, by: By) -> (String, u64) {
    let mut observer = Observer::open(dir, selection).unwrap();
    match by {
        By::One => observer.count(),
        By::Laps => {}
        By::Crew(helpers) => observer.crew = Some(Rc::new(Crew::of_threads(helpers))),
    }
    observer.read_rest(|_| true);
    let leapt = observer.leapt();
    let mut report = observer.report(Ending::Any).unwrap();
    report.take_statistics();
    let json = serde_json::to_value(&report).unwrap();
    (format!("{json:#}\n{}", report.to_text(Style::of_file(true))), leapt)
}

/// The report, which does not depend on who reads the traces, and how many calls were not looked at one by one if laps are counted.
fn report_of_all_ways(dir: &Path, selection: &Selection, helpers: usize) -> (String, u64) {
    let (expected, none) = report(dir, selection.clone(), By::One);
    assert_eq!(none, 0);
    let (got, leapt) = report(dir, selection.clone(), By::Laps);
    assert!(expected == got, "expected\n{expected}\ngot\n{got}");
    let (got, by_crew) = report(dir, selection.clone(), By::Crew(helpers));
    assert!(expected == got, "{helpers} helpers: expected\n{expected}\ngot\n{got}");
    assert_eq!(leapt, by_crew, "calls that were counted, by {helpers} helpers");
    (expected, leapt)
}

/// Compares the reports of runs: how many there are in which laps were counted, with findings, and with both.
fn compare(seeds: impl IntoIterator<Item = u64>, at_least: usize, anew: bool, without: &[&str]) -> [usize; 3] {
    let mut selection = Selection::default();
    without.iter().for_each(|check| selection.choose(&format!("-{check}")).unwrap());
    let [mut some, mut wrong, mut both] = [0; 3];
    for seed in seeds {
        let dir = tempfile::tempdir().unwrap();
        println!("run {seed}");
        make(&mut Die(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed)), dir.path(), at_least, anew);
        let (expected, leapt) = report_of_all_ways(dir.path(), &selection, 1 + seed as usize % 3);
        let is_wrong = !expected.contains("has no errors");
        some += usize::from(leapt > 0);
        wrong += usize::from(is_wrong);
        both += usize::from(leapt > 0 && is_wrong);
    }
    println!("in {some} laps were counted, {wrong} have findings, {both} both");
    [some, wrong, both]
}

/// For these, the first calls of a run are written down.
const OF_OTHER_MATCHINGS: [&str; 4] = ["potential-deadlock", "potential-hang-up", "message-race", "probe-receive-race"];

#[test]
fn reports_do_not_depend_on_whether_each_call_was_looked_at() {
    let times = if std::env::var_os("MPIVET_TEST_FULL").is_some() { 10 } else { 1 };
    let [some, wrong, both] = compare(1..=150 * times, 0, false, &OF_OTHER_MATCHINGS);
    assert!(some > 30 && wrong > 50 && wrong < 140 * times as usize && both > 20, "{some} {wrong} {both}");
}

/// Each lap is another one: stretches between moments at which nothing is under way are counted.
#[test]
fn nor_do_they_where_ranks_decide_anew() {
    let times = if std::env::var_os("MPIVET_TEST_FULL").is_some() { 25 } else { 1 };
    let [some, wrong, both] = compare(5_001..=5_000 + 40 * times, 4_000, true, &OF_OTHER_MATCHINGS);
    assert!(some > 20 && wrong > 15 && wrong < 36 * times as usize && both > 10, "{some} {wrong} {both}");
}

/// Laps are counted when a run is too long for other matchings to be looked at.
#[test]
fn nor_do_they_with_the_replay_of_deadlocks() {
    let [some, wrong, both] = compare([1001, 1002, 1003, 1006, 1012, 1015, 1016], 30_000, false, &[]);
    assert!(some > 2 && wrong > 2 && both > 0, "{some} {wrong} {both}");
    let [some, wrong, both] = compare([1003, 1007, 1009], 30_000, true, &[]);
    assert!(some > 1 && wrong > 1 && both > 0, "{some} {wrong} {both}");
}

/// A rank that does not repeat itself is looked at now and then only; when it begins to, that is seen.
#[test]
fn loops_are_found_behind_much_that_is_no_loop() {
    for persistent in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let mut all = [Rank::new(Handles::Rising), Rank::new(Handles::Rising)];
        let send = all[0].start(FnId::MPI_Send_init, message(COMM_WORLD, "dest", 1, 7, 4), 0x9300);
        let recv = all[1].start(FnId::MPI_Recv_init, message(COMM_WORLD, "source", 0, 7, 4), 0x9300);
        for tag in 100..50_000 {
            all[0].send(1, tag);
            all[1].recv(0, true, tag);
            // Tags, counts and buffers may be others in a loop.
            all.iter_mut().filter_map(|rank| rank.calls.last_mut()).for_each(|call| call.site = tag as u32);
        }
        let laps = 80_000;
        for _ in 0..laps {
            for (rank, (slot, handle)) in all.iter_mut().zip([send, recv]) {
                if persistent {
                    rank.call(FnId::MPI_Start, vec![("request", Value::Request { slot, handle })], Vec::new());
                    rank.call(FnId::MPI_Wait, vec![("request", Value::Request { slot, handle })], Vec::new());
                }
            }
            if !persistent {
                all[0].send(1, 7);
                all[1].recv(0, true, 7);
            }
        }
        // Is missing in both reports, or in none.
        all[0].send(1, 5);
        all.into_iter().enumerate().for_each(|(rank, calls)| calls.write(dir.path(), rank as i32, 2));
        let mut selection = Selection::default();
        selection.choose("-potential-deadlock").unwrap();
        let (expected, leapt) = report_of_all_ways(dir.path(), &selection, 2);
        assert!(expected.contains("nonpaired-send"), "{expected}");
        // Awake, asleep, and awake again when the loop has begun. Each call before it is like no other.
        let calls = 50_000 + if persistent { 2 * laps } else { laps };
        let most = 2 * (calls - 50_000);
        assert!(leapt > most / 2 && leapt <= most, "{leapt} calls were counted, {most} may be");
    }
}

/// Their messages are looked at: tags must be the same at both ends, and there must be room for what comes.
#[test]
fn laps_are_counted_whose_counts_and_tags_differ() {
    let mut selection = Selection::default();
    OF_OTHER_MATCHINGS.iter().for_each(|check| selection.choose(&format!("-{check}")).unwrap());
    // To and fro, a window of messages that are waited for together or one by one, MPI_Sendrecv, MPI_Waitany.
    // The message that is sent first and received last has another tag, but for one lap: then the other receive takes it.
    // MPI_Probe and MPI_Get_count, with one tag, and persistent requests beside them.
    for kind in [1, 3, 4, 5, 7, 10, 11] {
        let more = match kind {
            // Too long is the message of a call that repeats one of a lap before it, which is not counted yet when that is seen.
            5 => Some("repeated"),
            10 | 11 => Some("one tag"),
            _ => None,
        };
        // Laps of few calls, and of many.
        let laps = if matches!(kind, 1 | 5) { 10_000 } else { 2_000 };
        let mut of_right_program = 0;
        for mistake in [None, Some("truncat"), Some("tag")].into_iter().chain(more.map(Some)) {
            let dir = tempfile::tempdir().unwrap();
            let mut all = [Rank::new(Handles::Stack), Rank::new(Handles::Rising)];
            let persistent = persistent_of(&mut all);
            for number in 0..laps {
                for rank in &mut all {
                    rank.elements = 1 + number * number % 97;
                    rank.tags = if kind == 11 { 0 } else { 64 * (number * number % 89) };
                    rank.room = number % 3;
                    if mistake == Some("repeated") {
                        rank.elements = if number < laps * 3 / 4 - 4 { 1 + number / 2 % 19 } else { 50 };
                        (rank.tags, rank.room) = (0, 0);
                    }
                }
                let before: Vec<usize> = all.iter().map(|rank| rank.calls.len()).collect();
                lap(kind, &mut all, &[]);
                if kind == 11 {
                    lap(8, &mut all, &persistent);
                }
                if number == laps * 3 / 4 && mistake == Some("one tag") {
                    for (rank, before) in all.iter_mut().zip(before) {
                        // A probe that sees none of the messages.
                        for call in rank.calls[before..].iter_mut().filter(|call| call.func != FnId::MPI_Probe) {
                            call.func
                                .row()
                                .param("tag")
                                .into_iter()
                                .for_each(|tag| call.ins[tag] = Value::Int(1 << 20));
                        }
                    }
                } else if number == laps * 3 / 4 {
                    let receives = usize::from(kind != 11);
                    let calls = before[receives];
                    let is_receive =
                        |call: &&mut Call| call.func != FnId::MPI_Probe && call.func.row().param("source").is_some();
                    let first = all[receives].calls[calls..].iter_mut().find(is_receive);
                    let (call, row) =
                        first.map(|call| (call.func, call)).map(|(func, call)| (call, func.row())).unwrap();
                    let mut set = |names: [&str; 2], value: i64| {
                        let place = names.iter().find_map(|name| row.param(name)).unwrap();
                        call.ins[place] = Value::Int(value);
                    };
                    match mistake {
                        Some("truncat") => set(["recvcount", "count"], 0),
                        Some("repeated") => set(["recvcount", "count"], 20),
                        Some(_) => set(["recvtag", "tag"], 1 << 20),
                        None => {}
                    }
                }
            }
            free(&mut all, &persistent);
            let calls: usize = all.iter().map(|rank| rank.calls.len()).sum();
            all.into_iter().enumerate().for_each(|(rank, calls)| calls.write(dir.path(), rank as i32, 2));
            let (expected, leapt) = report_of_all_ways(dir.path(), &selection, 2);
            let is_wrong = !expected.contains("has no errors");
            // A probe is believed, whatever was sent.
            let is_told = mistake.is_some() && (kind, mistake) != (11, Some("one tag"));
            assert_eq!(is_wrong, is_told, "{kind} {mistake:?}: {expected}");
            println!("{kind} {mistake:?}: {leapt} of {calls} calls");
            if mistake.is_none() {
                of_right_program = leapt;
            }
            assert!(mistake.is_none() || leapt < of_right_program, "{kind} {mistake:?}: the mistake was counted");
            // A message without its partner is under way up to the end, and what takes it is not known for certain; a probe
            // waits for one that never comes.
            let is_cut_off = mistake == Some("tag") || (kind, mistake) == (11, Some("one tag"));
            let most = if is_cut_off { calls * 3 / 4 } else { calls };
            assert!(leapt as usize > most * 3 / 4, "{kind} {mistake:?}: {leapt} of {calls} calls were counted");
        }
    }
}

/// One rank goes through its round several times in a lap.
#[test]
fn what_is_as_a_round_before_need_not_be_as_a_lap_before() {
    const LAPS: usize = 10_000;
    let mut selection = Selection::default();
    OF_OTHER_MATCHINGS.iter().for_each(|check| selection.choose(&format!("-{check}")).unwrap());
    let dir = tempfile::tempdir().unwrap();
    let mut all = [Rank::new(Handles::Rising), Rank::new(Handles::Rising)];
    for number in 0..LAPS {
        for nth in 0..2 {
            // From the second message of a lap on, until some laps later.
            all[0].elements = if (10_001..10_400).contains(&(2 * number + nth)) { 7 } else { 5 };
            all[0].send(1, 3);
            all[1].elements = if nth == 0 { 5 } else { 7 };
            all[1].recv(0, true, 3);
            all[1].calls.last_mut().unwrap().site = 100 + nth as u32;
        }
    }
    all.into_iter().enumerate().for_each(|(rank, calls)| calls.write(dir.path(), rank as i32, 2));
    let (expected, leapt) = report_of_all_ways(dir.path(), &selection, 2);
    assert!(expected.contains("wrong-send-size") && expected.contains("199 times"), "{expected}");
    assert!(leapt as usize > 2 * LAPS, "{leapt}");
}

/// Helpers send hardly more than a sum for each lap; the report is the same.
#[test]
fn laps_are_counted_where_they_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let run = Stencil { ranks: 16, varied: true, ..Stencil::default() }.with_events(1_000_000);
    run.write(dir.path(), 2).unwrap();
    let (expected, leapt) = report(dir.path(), Selection::default(), By::Laps);
    assert!(leapt > 300_000, "{leapt}");
    for helpers in [1, 3] {
        let crew = Rc::new(Crew::of_threads(helpers));
        let mut observer = Observer::open(dir.path(), Selection::default()).unwrap();
        observer.crew = Some(Rc::clone(&crew));
        observer.read_rest(|_| true);
        assert_eq!(observer.leapt(), leapt, "{helpers} helpers");
        let mut report = observer.report(Ending::Any).unwrap();
        report.take_statistics();
        assert!(expected.contains(&report.to_text(Style::of_file(true))), "{helpers} helpers");
        // Some come before laps are counted; with several helpers these are so many more as they read ahead. All would be 13 MB.
        println!("{helpers} helpers have sent {} bytes", crew.received());
        assert!(helpers > 1 || crew.received() < 7 * run.events(), "{} bytes", crew.received());
    }
}
