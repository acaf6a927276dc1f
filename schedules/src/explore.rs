//! Exploration of all matchings that the standard permits.
//!
//! The formula of [`crate::formula`] does not say that the events before a state have an order. Each model of it is
//! therefore linearized: each event that can happen next happens, until none is left. If all happened, the model is an
//! execution that ends in a deadlock. If not, the events that are left wait for each other in a cycle, and a clause
//! forbids that cycle. This ends, since every clause excludes models.

use crate::formula::Formula;
use crate::layout::Layout;
use crate::program::Program;
use crate::question::{Budget, Semantics, Witness};
use crate::search::{Limit, Search, SearchResult};
use crate::symmetry::Reduced;

/// The answer of the exploration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// No permitted matching leads to a deadlock.
    Safe,
    Deadlock(Witness),
    /// The budget did not suffice.
    Undecided,
}

/// Could a receive of the program take another message than it did, as far as arguments and knowledge of the process
/// tell? Also `true` if there are too many possibilities to look at.
pub fn has_choices(program: &Program, budget: Budget) -> bool {
    Layout::new(program, budget.pairs).is_none_or(|layout| layout.has_choices())
}

/// Looks for a deadlock that is permitted under `semantics`, other than those in `known` (threads and the steps in
/// which they wait).
pub fn explore(program: &Program, semantics: Semantics, known: &[Vec<(u32, u32)>], budget: Budget) -> Answer {
    let Some(reduced) = Reduced::new(program) else { return find(program, semantics, known, budget) };
    let known: Vec<_> = known.iter().map(|steps| reduced.to_reduced(steps)).collect();
    match find(&reduced.program, semantics, &known, budget) {
        Answer::Deadlock(witness) => Answer::Deadlock(reduced.to_original(witness)),
        other => other,
    }
}

fn find(program: &Program, semantics: Semantics, known: &[Vec<(u32, u32)>], budget: Budget) -> Answer {
    let Some(layout) = Layout::new(program, budget.pairs) else { return Answer::Undecided };
    if layout.points.list.is_empty() {
        return Answer::Safe;
    }
    let mut formula = Formula::new(&layout, semantics, Limit::new(budget.learned_of(layout.pairs.len())));
    for deadlock in known {
        let at = |(thread, step): &(u32, u32)| {
            layout.points.list.iter().position(|g| (g.thread, g.step) == (*thread, *step))
        };
        let points: Vec<u32> = deadlock.iter().filter_map(at).map(|g| g as u32).collect();
        if points.len() == deadlock.len() {
            formula.exclude(&points);
        }
    }
    let mut search = Search { formula, rounds: budget.rounds };
    let execution = match search.next(&[]) {
        SearchResult::Execution(execution) => execution,
        SearchResult::None => return Answer::Safe,
        SearchResult::Undecided => return Answer::Undecided,
    };
    // Receives that got another message than in the run, without need, are of no interest.
    let others = layout.other_pairs();
    let needed = others.iter().copied().filter(|p| execution.state.matched[*p as usize]).collect();
    let execution = search.with_fewest(execution, needed, &others, &[]);
    Answer::Deadlock(Witness { events: execution.events, stuck: stuck(&layout, &execution.state.passed) })
}

fn stuck(layout: &Layout, passed: &[bool]) -> Vec<Option<u32>> {
    let mut stuck = vec![None; layout.last.len()];
    for (i, point) in layout.points.list.iter().enumerate().rev() {
        if !passed[i] {
            stuck[point.thread as usize] = Some(point.step);
        }
    }
    stuck
}
