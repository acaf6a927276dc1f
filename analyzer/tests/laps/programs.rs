//! Programs for the tests of laps, written down as traces: loops and parts that differ from lap to lap, with mistakes.

use std::fs::File;
use std::path::Path;
use trace_format::definition::{COMM_WORLD, Definition, FIRST_USER_ID, Id};
use trace_format::file::rank_path;
use trace_format::mpi::{FnId, Status};
use trace_format::ranks::Ranks;
use trace_format::system::SystemEvent;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::synthetic::{RankWriter, header};

pub(crate) const INT: i64 = 7;
pub(crate) const DOUBLE: i64 = 29;
pub(crate) const SUM: i64 = 15;
pub(crate) const ANY_SOURCE: i64 = -1;
pub(crate) const ANY_TAG: i64 = -1;

/// Numbers as from a die.
pub(crate) struct Die(pub(crate) u64);

impl Die {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    pub(crate) fn is(&mut self, one_of: u64) -> bool {
        self.roll(one_of) == 0
    }
}

/// A library's numbering of requests.
#[derive(Clone, Copy)]
pub(crate) enum Handles {
    Rising,
    /// One for all: they are complete at once.
    Shared,
    /// From a stack of free ones.
    Stack,
}

/// The calls of one rank.
pub(crate) struct Rank {
    pub(crate) calls: Vec<Call>,
    pub(crate) handles: Handles,
    pub(crate) next: i64,
    pub(crate) stack: Vec<i64>,
    /// The communicator of the loops.
    pub(crate) comm: Id,
    /// Elements of the messages of the lap at hand, of which a receive takes so many more, what is added to the tags, and where the
    /// buffers are.
    pub(crate) elements: i64,
    pub(crate) room: i64,
    pub(crate) tags: i64,
    pub(crate) buffer: i64,
    /// It ends in a call.
    pub(crate) is_cut: bool,
}

pub(crate) fn ints<const N: usize>(values: [(&'static str, i64); N]) -> Vec<(&'static str, Value)> {
    values.map(|(name, value)| (name, Value::Int(value))).to_vec()
}

pub(crate) fn message(comm: Id, peer: &'static str, rank: i64, tag: i64, count: i64) -> Vec<(&'static str, Value)> {
    ints([("buf", 0x5000), ("count", count), ("datatype", INT), (peer, rank), ("tag", tag), ("comm", comm.into())])
}

impl Rank {
    pub(crate) fn new(handles: Handles) -> Rank {
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

    pub(crate) fn call(&mut self, func: FnId, ins: Vec<(&str, Value)>, outs: Vec<(&str, Value)>) {
        let (mut call, row) = (Call::new(func), func.row());
        (call.site, call.outcome) = (func as u32, Outcome::Returned(0));
        ins.into_iter().for_each(|(name, value)| call.ins[row.param(name).unwrap()] = value);
        outs.into_iter().for_each(|(name, value)| call.outs[row.param(name).unwrap()] = value);
        self.calls.push(call);
    }

    pub(crate) fn message(&self, peer: &'static str, rank: i64, tag: i64) -> Vec<(&'static str, Value)> {
        let count = self.elements + if peer == "source" { self.room } else { 0 };
        let mut message = message(self.comm, peer, rank, tag + self.tags, count);
        message[0].1 = Value::Int(self.buffer);
        message
    }

    pub(crate) fn status(&self, source: i64, tag: i64) -> Status {
        let bytes = Some(4 * self.elements as u64);
        Status { source: source as i32, tag: (tag + self.tags) as i32, bytes, cancelled: false }
    }

    pub(crate) fn received(&self, source: i64, tag: i64) -> (&'static str, Value) {
        ("status", Value::Status(self.status(source, tag)))
    }

    pub(crate) fn send(&mut self, to: i64, tag: i64) {
        self.call(FnId::MPI_Send, self.message("dest", to, tag), Vec::new());
    }

    pub(crate) fn recv(&mut self, from: i64, named: bool, tag: i64) {
        let source = if named { from } else { ANY_SOURCE };
        self.call(FnId::MPI_Recv, self.message("source", source, tag), vec![self.received(from, tag)]);
    }

    /// It takes whatever comes next.
    pub(crate) fn recv_any_tag(&mut self, from: i64, named: bool, tag: i64) {
        let mut message = self.message("source", if named { from } else { ANY_SOURCE }, tag);
        let any = message.iter_mut().find(|(name, _)| *name == "tag").unwrap();
        any.1 = Value::Int(ANY_TAG);
        self.call(FnId::MPI_Recv, message, vec![self.received(from, tag)]);
        // Another line of the program.
        self.calls.last_mut().unwrap().site += 1_000;
    }

    /// It looks for a message from anywhere, and sees this one.
    pub(crate) fn probe(&mut self, from: i64, tag: i64) {
        let seen = self.received(from, tag);
        let ins = ints([("source", ANY_SOURCE), ("tag", tag + self.tags), ("comm", self.comm.into())]);
        self.call(FnId::MPI_Probe, ins, vec![seen]);
    }

    pub(crate) fn handle(&mut self) -> i64 {
        self.next += 1;
        match self.handles {
            Handles::Rising => self.next,
            Handles::Shared => 0x77,
            Handles::Stack => self.stack.pop().unwrap_or(0x78),
        }
    }

    /// It writes a handle to this variable.
    pub(crate) fn start(&mut self, func: FnId, mut ins: Vec<(&'static str, Value)>, variable: i64) -> (u64, i64) {
        let handle = self.handle();
        ins.push(("request", Value::Int(variable)));
        self.call(func, ins, vec![("request", Value::Int(handle))]);
        (variable as u64, handle)
    }

    pub(crate) fn wait(&mut self, (slot, handle): (u64, i64), status: Option<(i64, i64)>) {
        let outs = status.map(|(source, tag)| self.received(source, tag)).into_iter().collect();
        self.call(FnId::MPI_Wait, vec![("request", Value::Request { slot, handle })], outs);
        self.stack.push(handle);
    }

    pub(crate) fn wait_all(&mut self, base: u64, handles: Vec<i64>, statuses: Vec<Status>) {
        let count = Value::Int(handles.len() as i64);
        self.stack.extend(handles.iter().rev());
        self.call(
            FnId::MPI_Waitall,
            vec![("count", count), ("array_of_requests", Value::Requests { base, handles })],
            vec![("array_of_statuses", Value::Statuses(statuses))],
        );
    }

    pub(crate) fn wait_any(&mut self, base: u64, handles: &mut [i64], index: usize) {
        let ins = vec![
            ("count", Value::Int(handles.len() as i64)),
            ("array_of_requests", Value::Requests { base, handles: handles.to_vec() }),
        ];
        self.call(FnId::MPI_Waitany, ins, vec![("index", Value::Int(index as i64))]);
        self.stack.push(std::mem::replace(&mut handles[index], 0));
    }

    pub(crate) fn allreduce(&mut self, datatype: i64) {
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
    pub(crate) fn dup(&mut self) {
        let new = self.comm.max(FIRST_USER_ID - 1) + 1;
        let ins = ints([("comm", self.comm.into())]);
        self.call(FnId::MPI_Comm_dup, ins, vec![("newcomm", Value::Int(new.into()))]);
        self.comm = new;
    }

    pub(crate) fn write(mut self, dir: &Path, rank: i32, size: i32) {
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

pub(crate) const KINDS: u64 = 13;

/// The calls of all ranks in a lap of some loop.
pub(crate) fn lap(kind: u64, all: &mut [Rank], persistent: &[[(u64, i64); 2]]) {
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
pub(crate) const CHAOS: u64 = 1 << 20;

/// Messages between any two, blocking or not, some of them received from anywhere, with few tags. They are completed soon or late
/// in one of several ways; between them are collective operations.
pub(crate) fn chaos(die: &mut Die, all: &mut [Rank]) {
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
pub(crate) fn complete_all(rank: &mut Rank, open: &mut Vec<(u64, i64)>) {
    if !open.is_empty() {
        let handle = |at: u64| open.iter().find(|o| o.0 == at).map_or(0, |o| o.1);
        let handles = (0..8).map(|n| handle(0x9800 + 8 * n)).collect();
        rank.wait_all(0x9800, handles, Vec::new());
        open.clear();
    }
}

/// Persistent requests of each rank, for a message around all of them.
pub(crate) fn persistent_of(all: &mut [Rank]) -> Vec<[(u64, i64); 2]> {
    let size = all.len() as i64;
    let requests = |(i, rank): (usize, &mut Rank)| {
        let around = |by: i64| (i as i64 + by).rem_euclid(size);
        let recv = rank.start(FnId::MPI_Recv_init, message(rank.comm, "source", around(-1), 30, 4), 0x9300);
        let send = rank.start(FnId::MPI_Send_init, message(rank.comm, "dest", around(1), 30, 4), 0x9308);
        [recv, send]
    };
    all.iter_mut().enumerate().map(requests).collect()
}

pub(crate) fn free(all: &mut [Rank], persistent: &[[(u64, i64); 2]]) {
    for (rank, persistent) in all.iter_mut().zip(persistent) {
        for (slot, handle) in persistent {
            let request = Value::Request { slot: *slot, handle: *handle };
            rank.call(FnId::MPI_Request_free, vec![("request", request)], Vec::new());
        }
    }
}

/// Loops of all ranks, one after the other and in each other, with some mistakes of some of them; each loop with so many
/// calls of rank 0 at least. `anew`: each lap is another one.
pub(crate) fn make(die: &mut Die, dir: &Path, at_least: usize, anew: bool) {
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
