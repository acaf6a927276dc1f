//! Every matching that the standard permits.
//!
//! The formula of [`crate::formula`] does not say that what led to a state had an order. Each model of it is therefore
//! played: what can happen next happens, until nothing is left, and the model is a way to a deadlock; or until what is left
//! waits for itself in a circle, and that circle is forbidden by a clause. This ends, since every clause excludes models.

use crate::bags::Settled;
use crate::formula::Formula;
use crate::layout::Layout;
use crate::program::{OpIx, Program};
use crate::search::{Found, Limit, Search};

/// What the MPI library is taken to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// A standard send may wait for its receive (MPI 4.1 section 3.4).
    pub sends_block: bool,
    /// A collective operation may wait for all of its communicator (MPI 4.1 section 6.1).
    pub collectives_block: bool,
}

impl Reading {
    /// Nothing that the standard does not promise.
    pub const WEAKEST: Reading = Reading { sends_block: true, collectives_block: true };
    /// As much buffering and as little waiting as there can be.
    pub const GENEROUS: Reading = Reading { sends_block: false, collectives_block: false };
}

/// How much work is done before the question is left undecided. Counted, not timed: the same question gets the same answer.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Pairs of a send and a receive that may belong together, but need not.
    pub pairs: usize,
    /// Clauses that the solver may learn; fewer of them where each costs more, see [`COSTLY_PAIRS`].
    pub learned: u64,
    /// Models that may turn out to have no order.
    pub rounds: u32,
}

/// From so many pairs on a learned clause costs the more the more of them there are.
const COSTLY_PAIRS: u64 = 2_000;

impl Budget {
    /// Clauses that the solver may learn about so many pairs.
    pub(crate) fn learned_of(&self, pairs: usize) -> u64 {
        let times = (pairs as u64).div_ceil(COSTLY_PAIRS).max(1);
        self.learned / (times * times)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { pairs: 20_000, learned: 60_000, rounds: 20_000 }
    }
}

/// Something that happens on the way to a deadlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The thread passes the step in which it could have had to wait.
    Pass { lane: u32, step: u32 },
    /// The message of the send goes to the receive.
    Meet { send: OpIx, recv: OpIx },
}

/// A way to a deadlock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// What happens, in order.
    pub events: Vec<Event>,
    /// By thread: the step in which it waits for ever; `None`: it came to its end.
    pub stuck: Vec<Option<u32>>,
}

/// What exploration says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// No permitted matching leads to a deadlock.
    Safe,
    Deadlock(Witness),
    /// The budget did not suffice.
    Undecided,
}

/// Could a receive of the program take another message than it did, as far as arguments and what is known of the process
/// go? `true` also if there are too many possibilities to look at.
pub fn has_choices(program: &Program, budget: Budget) -> bool {
    Layout::new(program, budget.pairs).is_none_or(|layout| layout.has_choices())
}

/// Looks for a deadlock that is permitted under `reading`, other than those in `known` (threads and the steps in which
/// they wait).
pub fn explore(program: &Program, reading: Reading, known: &[Vec<(u32, u32)>], budget: Budget) -> Answer {
    let Some(settled) = Settled::new(program) else { return find(program, reading, known, budget) };
    let known: Vec<_> = known.iter().map(|steps| settled.there(steps)).collect();
    match find(&settled.program, reading, &known, budget) {
        Answer::Deadlock(witness) => Answer::Deadlock(settled.back(witness)),
        other => other,
    }
}

fn find(program: &Program, reading: Reading, known: &[Vec<(u32, u32)>], budget: Budget) -> Answer {
    let Some(layout) = Layout::new(program, budget.pairs) else { return Answer::Undecided };
    if layout.gates.list.is_empty() {
        return Answer::Safe;
    }
    let mut formula = Formula::new(&layout, reading, Limit::new(budget.learned_of(layout.pairs.len())));
    for deadlock in known {
        let at = |(lane, step): &(u32, u32)| layout.gates.list.iter().position(|g| (g.lane, g.step) == (*lane, *step));
        let gates: Vec<u32> = deadlock.iter().filter_map(at).map(|g| g as u32).collect();
        if gates.len() == deadlock.len() {
            formula.exclude(&gates);
        }
    }
    let mut search = Search { formula, rounds: budget.rounds };
    let way = match search.next(&[]) {
        Found::Way(way) => way,
        Found::None => return Answer::Safe,
        Found::Undecided => return Answer::Undecided,
    };
    // What was received otherwise than in the run, and need not have been, is of no interest.
    let others = layout.other_pairs();
    let needed = others.iter().copied().filter(|p| way.state.met[*p as usize]).collect();
    let way = search.with_fewest(way, needed, &others, &[]);
    Answer::Deadlock(Witness { events: way.events, stuck: stuck(&layout, &way.state.passed) })
}

fn stuck(layout: &Layout, passed: &[bool]) -> Vec<Option<u32>> {
    let mut stuck = vec![None; layout.last.len()];
    for (i, gate) in layout.gates.list.iter().enumerate().rev() {
        if !passed[i] {
            stuck[gate.lane as usize] = Some(gate.step);
        }
    }
    stuck
}
