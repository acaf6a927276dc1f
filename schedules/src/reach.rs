//! Ways in which a receive or probe could have got another message than it did, whatever comes after that.
//!
//! The formula is that of deadlocks ([`mod@crate::explore`]), without "nothing more can happen": all states that can
//! be reached are models of it. It does not ask what the process does once it has the other message, so that this
//! also works where nobody knows it.

use crate::formula::Formula;
use crate::layout::Layout;
use crate::linearization::{Linearization, Node};
use crate::program::{OpIx, Program, Step};
use crate::question::{Budget, Event};
use crate::search::{Execution, Limit, Search, SearchResult};
use batsat::Lit;

/// The receiver of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Recv(OpIx),
    Probe { thread: u32, step: u32 },
}

/// A message that a receive or probe could get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub place: Place,
    pub send: OpIx,
}

/// The answer to a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reached {
    /// The events that must happen for it, and no others; in no order.
    Events(Vec<Event>),
    Never,
    /// The budget did not suffice.
    Undecided,
}

/// Answers one choice after the other, as long as `next` has one; `next` is given the answer to the one before.
/// `None`: the program has too many possibilities.
pub fn reach(program: &Program, budget: Budget, mut next: impl FnMut(Option<Reached>) -> Option<Choice>) -> Option<()> {
    let layout = Layout::with_unknown(program, budget.pairs)?;
    let mut receives = ReachSearch::new(&layout, budget);
    let mut answer = None;
    while let Some(choice) = next(answer.take()) {
        answer = Some(match choice.place {
            Place::Recv(recv) => receives.receive(choice.send, recv),
            Place::Probe { thread, step } => probe(program, thread, step, choice.send, budget)?,
        });
    }
    Some(())
}

/// Answers a choice of a probe. The message that a probe reports is a part of the formula, which is therefore another
/// one for each message.
fn probe(program: &Program, thread: u32, step: u32, send: OpIx, budget: Budget) -> Option<Reached> {
    let mut other = program.clone();
    match other.threads.get_mut(thread as usize).and_then(|steps| steps.get_mut(step as usize)) {
        Some(Step::Probe { found, .. }) => *found = Some(send),
        _ => return Some(Reached::Never),
    }
    let layout = Layout::with_unknown(&other, budget.pairs)?;
    let Some(point) = layout.points.list.iter().position(|g| (g.thread, g.step) == (thread, step)) else {
        return Some(Reached::Never);
    };
    let behind = layout.points.list.iter().position(|g| g.before == Some(point as u32));
    let mut asked = ReachSearch::new(&layout, budget);
    // The program behind the probe would be another one.
    let stop = behind.map(|b| asked.search.formula.point(b as u32, false));
    let goal = asked.search.formula.point(point as u32, true);
    Some(asked.way(Node::Point(point as u32), stop.into_iter().chain([goal]).collect()))
}

struct ReachSearch<'a> {
    layout: &'a Layout<'a>,
    search: Search<'a>,
    /// Pairs that did not match in the run.
    others: Vec<u32>,
}

impl<'a> ReachSearch<'a> {
    fn new(layout: &'a Layout<'a>, budget: Budget) -> ReachSearch<'a> {
        let formula = Formula::reachable(layout, Limit::new(budget.learned_of(layout.pairs.len())));
        ReachSearch { layout, search: Search { formula, rounds: budget.rounds }, others: layout.other_pairs() }
    }

    fn receive(&mut self, send: OpIx, recv: OpIx) -> Reached {
        let matches = |p: &&u32| self.layout.pairs[**p as usize].recv == recv;
        let pair = self.layout.pairs_of[send as usize].iter().find(matches).copied();
        let Some(pair) = pair else { return Reached::Never };
        let goal = self.search.formula.pair(pair, true);
        self.way(Node::Pair(pair), vec![goal])
    }

    /// The events that `goal` requires, with as few differences from the run as possible.
    fn way(&mut self, goal: Node, assumed: Vec<Lit>) -> Reached {
        let is_goal = |p: &u32| goal == Node::Pair(*p);
        let others: Vec<u32> = self.others.iter().copied().filter(|p| !is_goal(p)).collect();
        let past = |way: &Execution| Linearization::new(self.layout, &way.state).past(goal);
        let alone: Vec<Lit> = assumed.iter().copied().chain(self.search.only(&others, &[])).collect();
        if let SearchResult::Execution(way) = self.search.next(&alone) {
            return Reached::Events(past(&way));
        }
        let way = match self.search.next(&assumed) {
            SearchResult::Execution(way) => way,
            SearchResult::None => return Reached::Never,
            SearchResult::Undecided => return Reached::Undecided,
        };
        let before = past(&way);
        let is_used = |p: &u32| {
            let pair = self.layout.pairs[*p as usize];
            way.state.matched[*p as usize] && before.contains(&Event::Match { send: pair.send, recv: pair.recv })
        };
        let needed = others.iter().copied().filter(is_used).collect();
        Reached::Events(past(&self.search.with_fewest(way, needed, &others, &assumed)))
    }
}
