//! The steps in which threads may have to wait.

use crate::program::{OpIx, Program, Step};

/// A step in which a thread may have to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gate {
    pub(crate) lane: u32,
    pub(crate) step: u32,
    /// The one before it in its thread.
    pub(crate) before: Option<u32>,
}

/// All of them, thread by thread.
pub(crate) struct Gates {
    pub(crate) list: Vec<Gate>,
    /// By thread: its gates, as a range of the list.
    pub(crate) of_lane: Vec<std::ops::Range<u32>>,
    /// By operation: the first gate that is passed when it is complete.
    pub(crate) completes: Vec<Option<u32>>,
    /// By operation: the last gate before its start.
    pub(crate) before_op: Vec<Option<u32>>,
}

impl Gates {
    pub(crate) fn new(program: &Program) -> Gates {
        let none: Vec<Option<u32>> = vec![None; program.ops.len()];
        let mut gates = Gates { list: Vec::new(), of_lane: Vec::new(), completes: none.clone(), before_op: none };
        for (lane, steps) in program.lanes.iter().enumerate() {
            let first = gates.list.len() as u32;
            for (step, what) in steps.iter().enumerate() {
                let number = gates.list.len() as u32;
                let before = number.checked_sub(1).filter(|b| *b >= first);
                match what {
                    Step::Start(op) => gates.before_op[*op as usize] = before,
                    Step::Wait(_) | Step::Probe { .. } => {
                        if let Step::Wait(wait) = what {
                            wait.done().iter().for_each(|op| _ = gates.completes[*op as usize].get_or_insert(number));
                        }
                        gates.list.push(Gate { lane: lane as u32, step: step as u32, before });
                    }
                }
            }
            gates.of_lane.push(first..gates.list.len() as u32);
        }
        gates
    }

    /// The last gate of a thread.
    pub(crate) fn last(&self, lane: usize) -> Option<u32> {
        self.of_lane.get(lane).and_then(|gates| gates.clone().last())
    }

    /// How many gates of its thread have been passed with this one.
    pub(crate) fn count(&self, gate: u32) -> u32 {
        gate + 1 - self.of_lane[self.list[gate as usize].lane as usize].start
    }

    pub(crate) fn step<'a>(&self, program: &'a Program, gate: u32) -> &'a Step {
        let gate = &self.list[gate as usize];
        &program.lanes[gate.lane as usize][gate.step as usize]
    }

    pub(crate) fn completed_at(&self, op: OpIx) -> Option<u32> {
        self.completes[op as usize]
    }
}
