//! The search for a state of a formula that an order of events leads to.

use crate::formula::{Formula, State, Verdict};
use crate::linearization::{Linearization, Node};
use crate::question::Event;
use batsat::{Callbacks, ClauseKind, Lit};
use std::cell::Cell;
use std::rc::Rc;

/// The result of a search.
pub(crate) enum SearchResult {
    Execution(Execution),
    None,
    /// The budget did not suffice.
    Undecided,
}

/// An execution that ends in a state.
pub(crate) struct Execution {
    /// The variables that are true at its end.
    pub(crate) state: State,
    /// Its events, in order.
    pub(crate) events: Vec<Event>,
}

/// A formula, and the clauses learned from models that have no order.
pub(crate) struct Search<'a> {
    pub(crate) formula: Formula<'a, Limit>,
    /// Models that may still be looked at.
    pub(crate) rounds: u32,
}

impl Search<'_> {
    pub(crate) fn next(&mut self, assumptions: &[Lit]) -> SearchResult {
        while self.rounds > 0 {
            self.rounds -= 1;
            let state = match self.formula.solve(assumptions) {
                Verdict::Undecided => return SearchResult::Undecided,
                Verdict::Impossible => return SearchResult::None,
                Verdict::Model(state) => state,
            };
            match Linearization::new(self.formula.layout, &state).run() {
                Ok(events) => return SearchResult::Execution(Execution { state, events }),
                Err(cycle) => self.forbid(cycle),
            }
        }
        SearchResult::Undecided
    }

    /// Excludes a cycle of events that wait for each other.
    fn forbid(&mut self, cycle: Vec<Node>) {
        let not = |node| match node {
            Node::Point(g) => self.formula.point(g, false),
            Node::Pair(p) => self.formula.pair(p, false),
        };
        let clause: Vec<Lit> = cycle.into_iter().map(not).collect();
        self.formula.add(clause);
    }

    /// Assumes that only those of the pairs `others` match that are in `kept`.
    pub(crate) fn only(&self, others: &[u32], kept: &[u32]) -> Vec<Lit> {
        let gone = others.iter().filter(|p| !kept.contains(p));
        gone.map(|p| self.formula.pair(*p, false)).collect()
    }

    /// Finds an execution like `execution` with as few of the pairs `others` as possible: no pair of `needed` can be left out of
    /// the result.
    pub(crate) fn with_fewest(
        &mut self,
        mut execution: Execution,
        mut needed: Vec<u32>,
        others: &[u32],
        assumed: &[Lit],
    ) -> Execution {
        let mut i = 0;
        while i < needed.len() {
            let fewer: Vec<u32> = needed.iter().copied().filter(|p| *p != needed[i]).collect();
            let assumptions: Vec<Lit> = assumed.iter().copied().chain(self.only(others, &fewer)).collect();
            match self.next(&assumptions) {
                SearchResult::Execution(better) => {
                    needed.retain(|p| better.state.matched[*p as usize]);
                    execution = better;
                }
                SearchResult::None | SearchResult::Undecided => i += 1,
            }
        }
        execution
    }
}

/// Ends the solver's work when it has learned enough.
pub(crate) struct Limit {
    learned: Rc<Cell<u64>>,
    limit: u64,
}

impl Limit {
    pub(crate) fn new(limit: u64) -> Limit {
        Limit { learned: Rc::new(Cell::new(0)), limit }
    }
}

impl Callbacks for Limit {
    fn on_new_clause(&mut self, _: &[Lit], _: ClauseKind) {
        self.learned.set(self.learned.get() + 1);
    }

    fn stop(&self) -> bool {
        self.learned.get() >= self.limit
    }
}
