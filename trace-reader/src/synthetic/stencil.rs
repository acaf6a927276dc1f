//! Traces of a common kind of program, of any size and without running anything: processes on a torus that
//! exchange halos with their four neighbours, and now and then reduce something over all, over their row and over their
//! column. Times have a jitter, addresses differ from rank to rank, so that the files are as large as those of a run.

use super::writer::RankWriter;
use crate::call::{Call, Outcome, Value};
use std::fs::File;
use std::io::{BufWriter, Result};
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};
use trace_format::definition::{COMM_WORLD, Definition, FIRST_USER_ID, Id, Module};
use trace_format::file::{RankHeader, rank_path};
use trace_format::mpi::{FnId, Status};
use trace_format::ranks::Ranks;
use trace_format::run::job::{self, Job, Mpi};
use trace_format::run::over::Over;
use trace_format::system::SystemEvent;

/// A run to be written.
#[derive(Debug, Clone, Default)]
pub struct Stencil {
    /// Processes: the torus has about as many rows as columns.
    pub ranks: i32,
    /// Exchanges: nine calls of each rank.
    pub rounds: u64,
    /// Every so many rounds there is an MPI_Allreduce; 0: never.
    pub reduce_every: u64,
    /// Each rank has communicators of its row and its column, and uses them as often.
    pub grid_comms: bool,
    /// In each round halos have other sizes and tags, so that hardly a call is as one before it.
    pub varied: bool,
    /// In each round a quarter of the halos is left out, each time others, so that no rank goes round in a loop. Then
    /// [`Stencil::events`] and [`Stencil::with_events`] are a quarter too high for the messages.
    pub anew: bool,
    /// All wait for ever at the end, if so.
    pub hang: Option<Hang>,
}

/// How a run hangs at its end: some wait for messages that nobody sends, and the others for them in a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hang {
    /// Rank 0 waits for the last one.
    Behind0,
    /// The upper half waits for each other, round in a circle.
    BehindHalf,
    /// As the half, but of all the odd ranks.
    BehindOdd,
    /// One half is in a barrier of all, and the other in one of another communicator of all.
    InTwo,
}

/// Nanoseconds of a round, and when the first one begins.
const ROUND: u64 = 20_000;
const FIRST: u64 = 10_000_000;
const DOUBLE: i64 = 29;
const SUM: i64 = 15;
/// Doubles in a halo.
const HALO: i64 = 100;
const ROW: Id = FIRST_USER_ID;
const COLUMN: Id = FIRST_USER_ID + 1;
const OTHER: Id = FIRST_USER_ID + 2;
/// Libraries that a process has loaded, call sites, and frames of a stack.
const MODULES: u64 = 30;
const SITES: u32 = 16;
const FRAMES: u64 = 8;

/// A call of each round: when it begins in it, and how long it takes at least.
struct Planned {
    call: Call,
    begin: u64,
    length: u64,
}

/// One process and its place on the torus.
struct Rank<'a> {
    run: &'a Stencil,
    rank: i32,
    rows: i32,
    columns: i32,
    random: u64,
}

impl Stencil {
    /// Rounds for about so many events of all ranks together: each call is one, and each return.
    pub fn with_events(self, events: u64) -> Stencil {
        let calls = events / 2 / self.ranks.max(1) as u64;
        let reductions = if self.grid_comms { 3 } else { 1 };
        // Ten times the calls of a round, with its share of the reductions.
        let tenths = 90 + (10 * reductions as u64).checked_div(self.reduce_every).unwrap_or(0);
        Stencil { rounds: (calls * 10 / tenths).max(1), ..self }
    }

    /// Events of all ranks.
    pub fn events(&self) -> u64 {
        let reductions = self.rounds.checked_div(self.reduce_every).unwrap_or(0);
        let (setup, each) = if self.grid_comms { (4, 3) } else { (2, 1) };
        2 * self.ranks as u64 * (setup + 9 * self.rounds + each * reductions)
    }

    /// Rows and columns of the torus, as near to a square as the number of ranks permits.
    fn grid(&self) -> (i32, i32) {
        let rows = (1..=self.ranks).take_while(|r| r * r <= self.ranks).filter(|r| self.ranks % r == 0).last();
        let rows = rows.unwrap_or(1);
        (rows, self.ranks / rows)
    }

    /// Writes the run into a directory, which is made, with so many threads.
    pub fn write(&self, dir: &Path, threads: usize) -> Result<()> {
        std::fs::create_dir_all(dir)?;
        let mpi = Mpi { family: "openmpi".into(), library: "Open MPI v4.1.4".into(), ..Mpi::default() };
        let job = Job { program: "./stencil".into(), ranks: self.ranks, mpi, ..Job::default() };
        job::write(job, dir)?;
        Over::default().write(dir)?;
        let (rows, columns) = self.grid();
        let next = AtomicI32::new(0);
        let work = || -> Result<()> {
            loop {
                let rank = next.fetch_add(1, Ordering::Relaxed);
                if rank >= self.ranks {
                    return Ok(());
                }
                Rank { run: self, rank, rows, columns, random: rank as u64 }.write(dir)?;
            }
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }
}

impl Rank<'_> {
    fn write(&mut self, dir: &Path) -> Result<()> {
        let file = BufWriter::new(File::create(rank_path(dir, self.rank))?);
        let mut writer = RankWriter::new(file, &self.header())?;
        writer.define(&self.definitions())?;
        put(&mut writer, &mut call(FnId::MPI_Init, 1, &[], &[]), 0, 1_000_000)?;
        if self.run.grid_comms {
            for (id, color, at) in [(ROW, self.row(), 2_000_000), (COLUMN, self.column(), 4_000_000)] {
                writer.define(&[comm(id, self.members(id))])?;
                let ins = [("comm", COMM_WORLD.into()), ("color", color.into()), ("key", self.rank.into())];
                put(
                    &mut writer,
                    &mut call(FnId::MPI_Comm_split, 2, &ints(&ins), &ints(&[("newcomm", id.into())])),
                    at,
                    1_000_000,
                )?;
            }
        }
        let (mut exchange, mut reductions) = (self.exchange(0), self.reductions());
        for round in 0..self.run.rounds {
            let start = FIRST + round * ROUND;
            if self.run.varied || self.run.anew {
                exchange = self.exchange(round);
            }
            self.play(&mut writer, &mut exchange, start)?;
            if self.run.reduce_every > 0 && (round + 1).is_multiple_of(self.run.reduce_every) {
                self.play(&mut writer, &mut reductions, start)?;
            }
        }
        let end = FIRST + self.run.rounds * ROUND;
        if let Some(hang) = self.run.hang {
            self.hang(&mut writer, end, hang)?;
        } else {
            put(&mut writer, &mut call(FnId::MPI_Finalize, 9, &[], &[]), end, 1_000_000)?;
            writer.system(&SystemEvent::Exit { status: 0 }, end + 2_000_000);
        }
        writer.flush()
    }

    fn play(&mut self, writer: &mut RankWriter<BufWriter<File>>, calls: &mut [Planned], start: u64) -> Result<()> {
        for planned in calls {
            // As xorshift has it: good enough for the last bits of times.
            self.random ^= self.random << 13 ^ 0x9e37_79b9_7f4a_7c15;
            self.random ^= self.random >> 7;
            let (early, long) = (self.random & 63, self.random >> 8 & 255);
            put(writer, &mut planned.call, start + planned.begin + early, planned.length + long)?;
        }
        Ok(())
    }

    fn header(&self) -> RankHeader {
        RankHeader {
            host: format!("node{}", self.rank / 64),
            start_unix_ns: 1_700_000_000_000_000_000,
            program: "./stencil".into(),
            ..super::header(self.rank, self.run.ranks)
        }
    }

    fn row(&self) -> i32 {
        self.rank / self.columns
    }

    fn column(&self) -> i32 {
        self.rank % self.columns
    }

    /// The rank so many rows and columns away.
    fn at(&self, rows: i32, columns: i32) -> i32 {
        let row = (self.row() + rows).rem_euclid(self.rows);
        row * self.columns + (self.column() + columns).rem_euclid(self.columns)
    }

    fn members(&self, id: Id) -> Ranks {
        match id {
            ROW => (0..self.columns).map(|c| self.row() * self.columns + c).collect(),
            COLUMN => (0..self.rows).map(|r| r * self.columns + self.column()).collect(),
            _ => Ranks::first_n(self.run.ranks as u32),
        }
    }

    /// Defines the modules of a process, at addresses of its own, its call sites, and MPI_COMM_WORLD.
    fn definitions(&self) -> Vec<Definition> {
        let start = |module: u64| 0x5500_0000_0000 + ((self.rank as u64) << 24) + (module << 32);
        let module = |number: u64| Module {
            start: start(number),
            end: start(number) + (1 << 20),
            bias: start(number),
            path: if number == 0 { "/nowhere/stencil".into() } else { format!("/nowhere/lib/libpart{number}.so.1") },
            build_id: vec![number as u8; 20],
        };
        let stack = |id: Id| {
            let frames = (0..FRAMES).map(|f| start(f % 3) + 0x1000 * f + 0x40 * u64::from(id) + 5);
            Definition::Stack { id, frames: frames.collect() }
        };
        let mut all: Vec<Definition> = (0..MODULES).map(|m| Definition::Module(module(m))).collect();
        all.extend((1..=SITES).map(stack));
        all.push(comm(COMM_WORLD, self.members(COMM_WORLD)));
        all
    }

    /// The calls of a round: messages into a direction have its number as their tag, or as the last two bits of it.
    fn exchange(&self, round: u64) -> Vec<Planned> {
        let (count, tags) = if self.run.varied { varied(round) } else { (HALO, 0) };
        let neighbours = [self.at(-1, 0), self.at(1, 0), self.at(0, -1), self.at(0, 1)];
        let mut calls = Vec::new();
        let status =
            |source, tag| Status { source, tag: tags as i32 + tag, bytes: Some(8 * count as u64), cancelled: false };
        let request = |slot: i64| ("request", Value::Int(0x100 + 8 * slot));
        let mut add = |call, begin, length| calls.push(Planned { call, begin, length });
        let is_sent = |sender: i32, side: i64| !self.run.anew || !is_left_out(round, sender, side);
        let mut statuses = Vec::new();
        for (side, from) in (0..).zip(neighbours).filter(|(side, from)| is_sent(*from, side ^ 1)) {
            let slot = statuses.len() as i64;
            let ins = [&message("source", from, tags + (side ^ 1), count)[..], &[request(slot)]].concat();
            let outs = [("request", Value::Int(1 + slot))];
            add(call(FnId::MPI_Irecv, 3 + side as u32, &ins, &outs), 100 + 400 * side as u64, 60);
            statuses.push(status(from, side as i32 ^ 1));
        }
        for (side, to) in (0..).zip(neighbours).filter(|(side, _)| is_sent(self.rank, *side)) {
            let slot = statuses.len() as i64;
            let ins = [&message("dest", to, tags + side, count)[..], &[request(slot)]].concat();
            let outs = [("request", Value::Int(1 + slot))];
            add(call(FnId::MPI_Isend, 7 + side as u32, &ins, &outs), 1_800 + 600 * side as u64, 200);
            statuses.push(status(0, 0));
        }
        let requests = statuses.len() as i64;
        let handles = Value::Requests { base: 0x100, handles: (1..=requests).collect() };
        let ins = [("count", Value::Int(requests)), ("array_of_requests", handles)];
        add(call(FnId::MPI_Waitall, 11, &ins, &[("array_of_statuses", Value::Statuses(statuses))]), 4_500, 4_500);
        calls
    }

    fn reductions(&self) -> Vec<Planned> {
        let buffers = [("sendbuf", 0x1000), ("recvbuf", 0x2000)];
        let of = |comm: Id| [("count", 1), ("datatype", DOUBLE), ("op", SUM), ("comm", comm.into())];
        let reduce = |comm: Id, site| call(FnId::MPI_Allreduce, site, &ints(&[&buffers[..], &of(comm)].concat()), &[]);
        let mut calls = vec![Planned { call: reduce(COMM_WORLD, 12), begin: 10_000, length: 4_000 }];
        if self.run.grid_comms {
            calls.push(Planned { call: reduce(ROW, 13), begin: 15_000, length: 2_000 });
            let ins = [("buffer", 0x1000), ("count", 1), ("datatype", DOUBLE), ("root", 0), ("comm", COLUMN.into())];
            calls.push(Planned { call: call(FnId::MPI_Bcast, 14, &ints(&ins), &[]), begin: 17_500, length: 1_500 });
        }
        calls
    }

    fn hang(&self, writer: &mut RankWriter<BufWriter<File>>, time: u64, hang: Hang) -> Result<()> {
        let (rank, ranks) = (self.rank, self.run.ranks);
        let half = ranks / 2;
        let source = match hang {
            Hang::Behind0 => (rank == 0).then_some(ranks - 1),
            Hang::BehindHalf => (rank >= half).then_some(half.max((rank + 1) % ranks)),
            Hang::BehindOdd => (rank % 2 == 1).then_some(((rank + 2) % ranks) | 1),
            Hang::InTwo => None,
        };
        let mut comm_of_all = COMM_WORLD;
        if hang == Hang::InTwo {
            writer.define(&[comm(OTHER, self.members(COMM_WORLD))])?;
            let (ins, outs) = (ints(&[("comm", COMM_WORLD.into())]), ints(&[("newcomm", OTHER.into())]));
            put(writer, &mut call(FnId::MPI_Comm_dup, 13, &ins, &outs), time, 1_000)?;
            if rank >= half {
                comm_of_all = OTHER;
            }
        }
        let time = time + 2_000;
        let mut open = match source {
            Some(source) => call(FnId::MPI_Recv, 15, &message("source", source, 99, HALO), &[]),
            None => call(FnId::MPI_Barrier, 16, &ints(&[("comm", comm_of_all.into())]), &[]),
        };
        (open.t_call, open.outcome) = (time, Outcome::Open);
        writer.call(&open)
    }
}

fn put(writer: &mut RankWriter<BufWriter<File>>, call: &mut Call, time: u64, length: u64) -> Result<()> {
    (call.t_call, call.t_return) = (time, time + length);
    writer.call(call)
}

fn comm(id: Id, local: Ranks) -> Definition {
    Definition::Comm { id, local, remote: None, neighbors: None }
}

fn ints<'a>(args: &[(&'a str, i64)]) -> Vec<(&'a str, Value)> {
    args.iter().map(|(name, value)| (*name, Value::Int(*value))).collect()
}

/// A call that returned, with these arguments and results.
fn call(func: FnId, site: Id, ins: &[(&str, Value)], outs: &[(&str, Value)]) -> Call {
    let (mut call, row) = (Call::new(func), func.row());
    (call.site, call.outcome) = (site, Outcome::Returned(0));
    for (name, value) in ins {
        call.ins[row.param(name).expect("a parameter")] = value.clone();
    }
    for (name, value) in outs {
        call.outs[row.param(name).expect("a parameter")] = value.clone();
    }
    call
}

/// Doubles in the halos of a round, and what is added to the tags: the same on all ranks.
fn varied(round: u64) -> (i64, i64) {
    let mixed = (round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (1 + (mixed & 0xff) as i64, (mixed >> 8 & 0x1fff) as i64 * 4)
}

/// Is the message of a rank to this side left out?
fn is_left_out(round: u64, sender: i32, side: i64) -> bool {
    let key = round << 32 ^ (sender as u64) << 2 ^ side as u64;
    let mixed = (key + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 62 == 0
}

fn message(peer: &'static str, rank: i32, tag: i64, count: i64) -> Vec<(&'static str, Value)> {
    ints(&[
        ("buf", 0x1000),
        ("count", count),
        ("datatype", DOUBLE),
        (peer, rank.into()),
        ("tag", tag),
        ("comm", COMM_WORLD.into()),
    ])
}
