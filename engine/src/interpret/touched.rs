//! Loads and stores of the program on memory that its process exposes by a window (MPI 4.1, 12.7). Each is an access in front of
//! the next call of its thread.

use super::accesses::MAX_RUNS;
use crate::model::Model;
use crate::state::{Accessed, Exposes, Lasts, Origin, Pattern};
use rma::Deed;
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;
use trace_format::mpi::FnId;
use trace_format::touched::Touched;
use trace_reader::args::Args;
use trace_reader::reader::Varying;

impl Model {
    pub(super) fn touch(&mut self, rank: i32, thread: u16, time: u64, touched: &Touched) {
        let r = &self.ranks[rank as usize];
        let all: SmallVec<[Exposes; 2]> = r.exposes.iter().filter(|e| e.owner == e.place).copied().collect();
        if all.is_empty() {
            return;
        }
        let deed = if touched.stores { Deed::Write } else { Deed::Read };
        let runs: Vec<(i64, i64)> = touched.runs.iter().take(MAX_RUNS).filter_map(addresses).collect();
        let call = Rc::new(place_of(rank, thread, time, touched));
        for exposes in all {
            let within: Vec<(i64, i64)> = runs.iter().filter_map(|run| exposes.within(*run)).collect();
            if !within.is_empty() {
                let (call, runs, lasts) = (call.clone(), within.as_slice().into(), Lasts::Instruction);
                let access = Accessed { call, origin: exposes.place, displacement: 0, deed, runs, lasts };
                self.use_window_memory(exposes, access);
            }
        }
    }
}

/// From, and up to.
fn addresses((from, bytes): &(u64, u64)) -> Option<(i64, i64)> {
    let from = i64::try_from(*from).ok()?;
    Some((from, from.checked_add_unsigned(*bytes)?))
}

/// The place of the next call, as if a call without arguments were made there. Nobody asks for its function.
fn place_of(rank: i32, thread: u16, time: u64, touched: &Touched) -> Origin {
    let nothing = Args::new(FnId::MPI_Win_sync.row().params.len());
    let pattern = Rc::new(Pattern::new(FnId::MPI_Win_sync, touched.site, nothing.clone(), nothing, 0));
    let index = touched.call;
    Origin { rank, time, end: Cell::new(time), thread, index, varying: Varying::default(), pattern }
}
