//! Traces that nobody has recorded, for tests and measurements. With the feature `synthetic` alone: no part of what users
//! build.

mod stencil;
mod writer;

pub use stencil::{Hang, Stencil};
use trace_format::file::{RankHeader, STAGE_BYTES};
use trace_format::mpi::Rows;
pub use writer::{RankWriter, encode_call, encode_return, event_block};

/// The header of a rank of a run that never was; its ticks are nanoseconds. Tests change what they are about.
pub fn header(rank: i32, size: i32) -> RankHeader {
    RankHeader {
        mpivet: env!("CARGO_PKG_VERSION").into(),
        rows: Rows::all(),
        rank,
        size,
        // No process has this number.
        pid: u32::MAX,
        host: "nowhere".into(),
        ticks_per_second: 1_000_000_000,
        request_stride: 8,
        stage_bytes: STAGE_BYTES as u32,
        stack_depth: 8,
        program: "./app".into(),
        cwd: "/".into(),
        ..RankHeader::default()
    }
}
