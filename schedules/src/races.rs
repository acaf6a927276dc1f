//! Message races: receives that could have got another message, if everything before had been as it was.
//!
//! For each receive, the state is taken that holds all events of the run but those behind the match of this receive.
//! The standard permits that state, and any message that is there for the receive may be the one that it gets. Nothing
//! is assumed about what the processes do then.

use crate::formula::State;
use crate::layout::Layout;
use crate::linearization::Linearization;
use crate::program::Pair;
use crate::program::{Kind, OpIx, Program};
use crate::question::Budget;
use rustc_hash::FxHashMap;

/// A receive and a message that it could have got instead of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Race {
    pub recv: OpIx,
    pub send: OpIx,
}

/// Limit of nodes that the search visits.
const MAX_WORK: usize = 50_000_000;

/// The races of a program whose run came to its end, restricted to those that are `wanted`. `None`: there is too much
/// to look at.
pub fn races(program: &Program, budget: Budget, wanted: impl Fn(Race) -> bool) -> Option<Vec<Race>> {
    let layout = Layout::new(program, budget.pairs)?;
    let threads = Threads::new(program);
    let open = |recv: OpIx| {
        let Kind::Recv { source, tag, got: Some(got), .. } = *layout.kind(recv) else { return Vec::new() };
        if source.is_some() && tag.is_some() || !threads.is_alone(program, recv) {
            return Vec::new();
        }
        let others = layout.fitting[recv as usize].iter().map(|send| Race { recv, send: *send });
        others.filter(|r| r.send != got && threads.is_alone(program, r.send) && wanted(*r)).collect()
    };
    let open: Vec<Vec<Race>> = (0..program.ops.len() as OpIx).map(open).filter(|r: &Vec<Race>| !r.is_empty()).collect();
    if open.is_empty() {
        return Some(Vec::new());
    }
    let state = as_it_was(&layout);
    let linearization = Linearization::new(&layout, &state);
    let after = linearization.after();
    let (mut all, mut work) = (Vec::new(), 0);
    for candidates in open {
        let Some(meeting) = candidates.first().and_then(|r| linearization.match_of(r.recv)) else { continue };
        let behind = reached(&after, meeting, &mut work);
        if work > MAX_WORK {
            return None;
        }
        let has_been = |node: u32| !behind[node as usize];
        let is_there = |r: &Race| {
            let mut first = layout.before_pair(Pair { send: r.send, recv: r.recv });
            linearization.start(r.send).is_none_or(has_been)
                && !linearization.match_of(r.send).is_some_and(has_been)
                && first.all(|op| linearization.match_of(op).is_some_and(has_been))
        };
        all.extend(candidates.into_iter().filter(is_there));
    }
    Some(all)
}

/// The state at the end of the run.
fn as_it_was(layout: &Layout) -> State {
    let matched = |pair: &Pair| matches!(layout.kind(pair.recv), Kind::Recv { got, .. } if *got == Some(pair.send));
    State { passed: vec![true; layout.points.list.len()], matched: layout.pairs.iter().map(matched).collect() }
}

/// All nodes behind a node, with itself.
fn reached(after: &[Vec<u32>], from: u32, work: &mut usize) -> Vec<bool> {
    let mut seen = vec![false; after.len()];
    seen[from as usize] = true;
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        *work += 1 + after[node as usize].len();
        for next in &after[node as usize] {
            if !std::mem::replace(&mut seen[*next as usize], true) {
                open.push(*next);
            }
        }
    }
    seen
}

/// The one thread that sends or receives on a communicator, or `None` if several do. The order between the threads of
/// a process is not known.
struct Threads(FxHashMap<(u32, u32, bool), Option<u32>>);

impl Threads {
    fn new(program: &Program) -> Threads {
        let mut all = FxHashMap::default();
        for op in &program.ops {
            if let Some(key) = key(&op.kind) {
                let known = all.entry(key).or_insert(Some(op.thread));
                *known = known.filter(|thread| *thread == op.thread);
            }
        }
        Threads(all)
    }

    fn is_alone(&self, program: &Program, op: OpIx) -> bool {
        key(&program.ops[op as usize].kind).is_some_and(|key| matches!(self.0.get(&key), Some(Some(_))))
    }
}

/// Communicator, process, and whether it sends.
fn key(kind: &Kind) -> Option<(u32, u32, bool)> {
    match *kind {
        Kind::Send { comm, from, .. } => Some((comm, from, true)),
        Kind::Recv { comm, at, .. } => Some((comm, at, false)),
        Kind::Part { .. } | Kind::Free => None,
    }
}
