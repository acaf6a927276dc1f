//! Calls and messages by what their threads had called before, so that they are found again in other runs.

use super::RecordedProgram;
use rustc_hash::{FxHashMap, FxHasher};
use schedules::{Kind, OpIx, Program, Step};
use std::hash::Hash as _;
use std::hash::Hasher as _;

/// Steps of each thread: what a step is known by, in all runs.
pub(super) struct Places(Vec<Vec<u64>>);

impl Places {
    pub(super) fn new(recorded: &RecordedProgram, threads: &[(i32, u16)]) -> Places {
        let of_thread = |(thread, steps): (usize, &Vec<Step>)| {
            // Numbers of communicators depend on the order in which the ranks were read.
            let mut comms: FxHashMap<u32, usize> = FxHashMap::default();
            let mut before = FxHasher::default();
            threads[thread].hash(&mut before);
            let mut place = before.finish();
            let mut places = Vec::with_capacity(steps.len() + 1);
            places.push(place);
            for (number, step) in steps.iter().enumerate() {
                let mut known = |comm: u32| {
                    let next = comms.len();
                    *comms.entry(comm).or_insert(next)
                };
                let mut h = FxHasher::default();
                place.hash(&mut h);
                let func = recorded.calls[thread].get(number).map_or(0, |call| call.func.index());
                match step {
                    Step::Start(op) => match recorded.program.ops[*op as usize].kind {
                        Kind::Send { comm, to, tag, bytes, .. } => (func, known(comm), to, tag, bytes).hash(&mut h),
                        Kind::Recv { comm, source, tag, .. } => (func, known(comm), source, tag).hash(&mut h),
                        Kind::Part { position, .. } => (func, position).hash(&mut h),
                        Kind::Free => func.hash(&mut h),
                    },
                    Step::Probe { comm, source, tag, .. } => (func, known(*comm), source, tag).hash(&mut h),
                    // When what is complete differs from run to run.
                    Step::Wait(_) => {
                        places.push(place);
                        continue;
                    }
                }
                place = h.finish();
                places.push(place);
            }
            places
        };
        Places(recorded.program.threads.iter().enumerate().map(of_thread).collect())
    }

    /// The number of the matching of a wildcard at this step with that message.
    pub(super) fn matching(&self, program: &Program, (thread, step): (usize, usize), send: OpIx) -> u64 {
        let send = &program.ops[send as usize];
        let mut h = FxHasher::default();
        (self.0[thread][step], self.0[send.thread as usize][send.step as usize + 1]).hash(&mut h);
        h.finish()
    }
}
