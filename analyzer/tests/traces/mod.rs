//! Small traces on disk, as the interposer would leave them.

// Each test binary uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::path::Path;
use trace_format::file::{RankHeader, job_path, rank_path};
use trace_format::run::job::Job;
use trace_format::run::over::Over;
use trace_format::system::SystemEvent;
use trace_reader::reader::RankEvent;
use trace_reader::synthetic;
use trace_reader::synthetic::RankWriter;
use trace_reader::text::parse;

pub(crate) fn header(rank: i32, size: i32) -> RankHeader {
    RankHeader { ticks_per_second: 1_000, ..synthetic::header(rank, size) }
}

/// The trace of one rank of a correct program, in several blocks.
pub(crate) fn rank_bytes(header: &RankHeader) -> Vec<u8> {
    let (rank, size) = (header.rank, header.size);
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    let mut text = format!("ranks {size}\n{rank}: MPI_Init() = ok\n");
    for tag in 0..20 {
        let send = format!("{rank}: MPI_Send(dest={right}, tag={tag}) = ok\n");
        let recv = format!("{rank}: MPI_Recv(source={left}, tag={tag}) = ok {{status={left}/{tag}/4}}\n");
        text += &if rank == 0 { send + &recv } else { recv + &send };
        text += &format!("{rank}: MPI_Barrier() = ok\n");
    }
    text += &format!("{rank}: MPI_Finalize() = ok\n");
    bytes_of(header, &text)
}

/// The trace of one rank, from a text.
fn bytes_of(header: &RankHeader, text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = RankWriter::new(&mut bytes, header).unwrap();
    for (i, (of, event)) in parse(text).unwrap().events.iter().enumerate() {
        match event {
            _ if *of != header.rank => {}
            RankEvent::Definition(d) => writer.define(std::slice::from_ref(d)).unwrap(),
            RankEvent::Call(call) => writer.call(call).unwrap(),
            other => panic!("{other:?}"),
        }
        if i % 16 == 0 {
            writer.flush().unwrap();
        }
    }
    writer.system(&SystemEvent::Exit { status: 0 }, 1_000);
    writer.flush().unwrap();
    drop(writer);
    bytes
}

pub(crate) fn write_rank(dir: &Path, header: &RankHeader) {
    fs::create_dir_all(dir).unwrap();
    fs::write(rank_path(dir, header.rank), rank_bytes(header)).unwrap();
}

/// The trace of a correct program: ranks pass a message around in a ring.
pub(crate) fn write_run(dir: &Path, size: i32) {
    for rank in 0..size {
        write_rank(dir, &header(rank, size));
    }
    let job = Job { format: 1, program: "./app".into(), ranks: size, ..Job::default() };
    fs::write(job_path(dir), serde_json::to_vec(&job).unwrap()).unwrap();
    Over::default().write(dir).unwrap();
}

/// The trace of a run, from a text.
pub(crate) fn write_text(dir: &Path, size: i32, text: &str) {
    for rank in 0..size {
        fs::write(rank_path(dir, rank), bytes_of(&header(rank, size), text)).unwrap();
    }
}

/// The trace of a program of one rank that makes a call so many times.
pub(crate) fn write_long(dir: &Path, calls: usize) {
    let text = "ranks 1\n0: MPI_Init() = ok\n0: MPI_Send(count=1, dest=MPI_PROC_NULL) = ok\n0: MPI_Finalize() = ok\n";
    let mut bytes = Vec::new();
    let mut writer = RankWriter::new(&mut bytes, &header(0, 1)).unwrap();
    for (_, event) in parse(text).unwrap().events {
        let RankEvent::Call(call) = &event else { continue };
        let times = if call.func.name() == "MPI_Send" { calls } else { 1 };
        for i in 0..times {
            writer.call(call).unwrap();
            if i % 4096 == 0 {
                writer.flush().unwrap();
            }
        }
    }
    writer.system(&SystemEvent::Exit { status: 0 }, 1_000);
    writer.flush().unwrap();
    drop(writer);
    fs::write(rank_path(dir, 0), bytes).unwrap();
}
