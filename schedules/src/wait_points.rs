//! The steps in which threads may have to wait.

use crate::program::{OpIx, Program, Step};

/// A step in which a thread may have to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitPoint {
    pub(crate) thread: u32,
    pub(crate) step: u32,
    /// The previous one of its thread.
    pub(crate) before: Option<u32>,
}

/// All wait points, thread by thread.
pub(crate) struct WaitPoints {
    pub(crate) list: Vec<WaitPoint>,
    /// By thread: its points, as a range of the list.
    pub(crate) of_thread: Vec<std::ops::Range<u32>>,
    /// By operation: the first point that is passed when it is complete.
    pub(crate) completes: Vec<Option<u32>>,
    /// By operation: the last point before its start.
    pub(crate) before_op: Vec<Option<u32>>,
}

impl WaitPoints {
    pub(crate) fn new(program: &Program) -> WaitPoints {
        let none: Vec<Option<u32>> = vec![None; program.ops.len()];
        let mut points =
            WaitPoints { list: Vec::new(), of_thread: Vec::new(), completes: none.clone(), before_op: none };
        for (thread, steps) in program.threads.iter().enumerate() {
            let first = points.list.len() as u32;
            for (step, what) in steps.iter().enumerate() {
                let number = points.list.len() as u32;
                let before = number.checked_sub(1).filter(|b| *b >= first);
                match what {
                    Step::Start(op) => points.before_op[*op as usize] = before,
                    Step::Wait(_) | Step::Probe { .. } => {
                        if let Step::Wait(wait) = what {
                            wait.done().iter().for_each(|op| _ = points.completes[*op as usize].get_or_insert(number));
                        }
                        points.list.push(WaitPoint { thread: thread as u32, step: step as u32, before });
                    }
                }
            }
            points.of_thread.push(first..points.list.len() as u32);
        }
        points
    }

    /// The last point of a thread.
    pub(crate) fn last(&self, thread: usize) -> Option<u32> {
        self.of_thread.get(thread).and_then(|points| points.clone().last())
    }

    /// Number of points of its thread that have been passed with this one.
    pub(crate) fn count(&self, point: u32) -> u32 {
        point + 1 - self.of_thread[self.list[point as usize].thread as usize].start
    }

    pub(crate) fn step<'a>(&self, program: &'a Program, point: u32) -> &'a Step {
        let point = &self.list[point as usize];
        &program.threads[point.thread as usize][point.step as usize]
    }

    pub(crate) fn completed_at(&self, op: OpIx) -> Option<u32> {
        self.completes[op as usize]
    }
}
