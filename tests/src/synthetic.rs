//! Traces of long runs of many ranks, written without running anything: a halo exchange in a ring with a reduction now and
//! then, in which one rank computes longer than the others.

use anyhow::Result;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use trace_format::call::{Call, Outcome, Status, SystemEvent, Value};
use trace_format::definition::{COMM_WORLD, Definition};
use trace_format::file::{Launch, RankHeader, job_path, rank_path};
use trace_format::job::{Job, Mpi};
use trace_format::mpi::{FnId, table_hash};
use trace_format::ranks::Ranks;
use trace_format::writer::RankWriter;

/// A run to be written.
pub struct Synthetic {
    pub ranks: i32,
    /// Exchanges of each rank: seven calls, and one more in every fourth.
    pub rounds: u64,
    /// At the end ranks wait for each other around the ring.
    pub hangs: bool,
}

/// Nanoseconds that a round takes.
const ROUND: u64 = 20_000;
const DOUBLE: i64 = 29;
const SUM: i64 = 15;

struct Rank {
    rank: i32,
    ranks: i32,
    now: u64,
    index: u64,
    writer: RankWriter<BufWriter<File>>,
}

impl Synthetic {
    /// Events of all ranks: each call, and each return.
    pub fn events(&self) -> u64 {
        2 * self.ranks as u64 * (2 + 7 * self.rounds + self.rounds.div_ceil(4))
    }

    /// Writes the run into a directory, which is made.
    pub fn write(&self, dir: &Path) -> Result<()> {
        std::fs::create_dir_all(dir)?;
        let mpi = Mpi { family: "openmpi".into(), library: "Open MPI v4.1.4".into(), ..Mpi::default() };
        let job = Job { program: "./synthetic".into(), ranks: self.ranks, mpi, ..Job::default() };
        std::fs::write(job_path(dir), serde_json::to_vec(&job)?)?;
        (0..self.ranks).try_for_each(|rank| self.write_rank(dir, rank))
    }

    fn write_rank(&self, dir: &Path, rank: i32) -> Result<()> {
        let file = BufWriter::new(File::create(rank_path(dir, rank))?);
        let mut writer = RankWriter::new(file, &header(rank, self.ranks))?;
        let local = Ranks::first_n(self.ranks as u32);
        writer.define(&[Definition::Comm { id: COMM_WORLD, local, remote: None, neighbors: None }])?;
        let mut rank = Rank { rank, ranks: self.ranks, now: 0, index: 0, writer };
        rank.call(FnId::MPI_Init, 1_000_000, &[], &[])?;
        for round in 0..self.rounds {
            rank.round(round)?;
        }
        if self.hangs {
            rank.hang()?;
        } else {
            rank.call(FnId::MPI_Finalize, 1_000_000, &[], &[])?;
            rank.writer.system(&SystemEvent::Exit { status: 0 }, rank.now);
        }
        rank.writer.flush()?;
        Ok(())
    }
}

impl Rank {
    fn call(&mut self, func: FnId, length: u64, ins: &[(&str, Value)], outs: &[(&str, Value)]) -> Result<()> {
        let mut call = Call::new(func);
        (call.index, call.t_call, call.t_return) = (self.index, self.now, self.now + length);
        call.outcome = Outcome::Returned(0);
        self.put(&mut call, ins, outs)?;
        self.now += length + 200;
        Ok(())
    }

    fn put(&mut self, call: &mut Call, ins: &[(&str, Value)], outs: &[(&str, Value)]) -> Result<()> {
        self.index += 1;
        let row = call.func.row();
        for (name, value) in ins {
            call.ins[row.param(name).expect("a parameter")] = value.clone();
        }
        for (name, value) in outs {
            call.outs[row.param(name).expect("a parameter")] = value.clone();
        }
        Ok(self.writer.call(call)?)
    }

    fn neighbours(&self) -> (i32, i32) {
        ((self.rank + self.ranks - 1) % self.ranks, (self.rank + 1) % self.ranks)
    }

    fn round(&mut self, number: u64) -> Result<()> {
        let (left, right) = self.neighbours();
        let int = |v: i64| Value::Int(v);
        let status = |source, tag| Status { source, tag, bytes: Some(800), cancelled: false };
        let request = |slot: i64| ("request", int(0x100 + 8 * slot));
        self.now = 2_000_000 + number * ROUND;
        for (slot, peer) in [left, right].into_iter().enumerate() {
            let slot = slot as i64;
            let ins = [&message("source", peer, 7)[..], &[request(slot)]].concat();
            self.call(FnId::MPI_Irecv, 300, &ins, &[("request", int(1 + slot))])?;
        }
        for (slot, peer) in [left, right].into_iter().enumerate() {
            let ins = [&message("dest", peer, 7)[..], &[request(2 + slot as i64)]].concat();
            self.call(FnId::MPI_Isend, 500, &ins, &[("request", int(3))])?;
        }
        let handles = Value::Requests { base: 0x100, handles: vec![1, 2, 3, 3] };
        let statuses = Value::Statuses(vec![status(left, 7), status(right, 7), status(0, 7), status(0, 7)]);
        let ins = [("count", int(4)), ("array_of_requests", handles)];
        self.call(FnId::MPI_Waitall, 2_000, &ins, &[("array_of_statuses", statuses)])?;
        // One of them is late, another one each time.
        let is_late = number % self.ranks as u64 == self.rank as u64;
        self.now += if is_late { 8_000 } else { 1_000 };
        let received = [("status", Value::Status(status(left, 8)))];
        let length = if number % self.ranks as u64 == left as u64 { 8_000 } else { 1_000 };
        // In an order that needs no buffers.
        if self.rank % 2 == 0 {
            self.call(FnId::MPI_Send, 400, &message("dest", right, 8), &[])?;
            self.call(FnId::MPI_Recv, length, &message("source", left, 8), &received)?;
        } else {
            self.call(FnId::MPI_Recv, length, &message("source", left, 8), &received)?;
            self.call(FnId::MPI_Send, 400, &message("dest", right, 8), &[])?;
        }
        if number.is_multiple_of(4) {
            let args = [("sendbuf", 0x1000), ("recvbuf", 0x2000), ("count", 1), ("datatype", DOUBLE), ("op", SUM)];
            let args = args.map(|(name, value)| (name, int(value)));
            let end = 2_000_000 + number * ROUND + ROUND - 1_000;
            let args = [&args[..], &[("comm", int(COMM_WORLD.into()))]].concat();
            self.call(FnId::MPI_Allreduce, end.saturating_sub(self.now).max(500), &args, &[])?;
        }
        Ok(())
    }

    /// An open receive from the left neighbour.
    fn hang(&mut self) -> Result<()> {
        let mut call = Call::new(FnId::MPI_Recv);
        (call.index, call.t_call) = (self.index, self.now);
        let (left, _) = self.neighbours();
        self.put(&mut call, &message("source", left, 9), &[])
    }
}

fn message(peer: &'static str, rank: i32, tag: i64) -> [(&'static str, Value); 6] {
    let args = [("buf", 0x1000), ("count", 100), ("datatype", DOUBLE), (peer, rank.into()), ("tag", tag)];
    let [a, b, c, d, e] = args.map(|(name, value)| (name, Value::Int(value)));
    [a, b, c, d, e, ("comm", Value::Int(COMM_WORLD.into()))]
}

/// The header of a rank of a run that never was; its ticks are nanoseconds.
pub fn header(rank: i32, size: i32) -> RankHeader {
    RankHeader {
        mpivet: env!("CARGO_PKG_VERSION").into(),
        table_hash: table_hash(),
        rank,
        size,
        // No process has this number.
        pid: u32::MAX,
        pid_start: 0,
        host: "nowhere".into(),
        ticks_per_second: 1_000_000_000,
        start_ticks: 0,
        start_unix_ns: 1_700_000_000_000_000_000,
        request_stride: 8,
        stage_bytes: 1 << 18,
        stack_depth: 8,
        keeping: Default::default(),
        may_have_threads: false,
        library_threads: Vec::new(),
        program: "./synthetic".into(),
        cwd: "/".into(),
        launch: Launch::default(),
    }
}
