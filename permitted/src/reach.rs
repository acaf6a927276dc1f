//! How a receive or probe could have got another message than it did, whatever comes after that.
//!
//! The same formula as for deadlocks ([`crate::explore`]), without "nothing more can happen": all states that can be
//! reached are models of it. What the process does once it has the other message is not asked, so that this also works
//! where nobody knows it.

use crate::explore::{Budget, Event, Limit, forbid};
use crate::formula::{Formula, State, Verdict};
use crate::layout::Layout;
use crate::play::{Node, Play};
use crate::program::{OpIx, Program, Step};
use batsat::Lit;

/// Who gets the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Recv(OpIx),
    Probe { lane: u32, step: u32 },
}

/// A message that is to be got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub place: Place,
    pub send: OpIx,
}

/// What is known of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reached {
    /// What must happen for it, and nothing else; in no order.
    Way(Vec<Event>),
    Never,
    /// The budget did not suffice.
    Undecided,
}

/// Asks for one choice after the other, as long as `next` has one; `next` is told what came of the one before.
/// `None`: the program has too many possibilities.
pub fn reach(program: &Program, budget: Budget, mut next: impl FnMut(Option<Reached>) -> Option<Choice>) -> Option<()> {
    let layout = Layout::with_unknown(program, budget.pairs)?;
    let mut receives = Search::new(&layout, budget);
    let mut answer = None;
    while let Some(choice) = next(answer.take()) {
        answer = Some(match choice.place {
            Place::Recv(recv) => receives.receive(choice.send, recv),
            Place::Probe { lane, step } => probe(program, lane, step, choice.send, budget)?,
        });
    }
    Some(())
}

/// What a probe is told of is a part of the formula, which is therefore another one for each message.
fn probe(program: &Program, lane: u32, step: u32, send: OpIx, budget: Budget) -> Option<Reached> {
    let mut other = program.clone();
    match other.lanes.get_mut(lane as usize).and_then(|steps| steps.get_mut(step as usize)) {
        Some(Step::Probe { found, .. }) => *found = Some(send),
        _ => return Some(Reached::Never),
    }
    let layout = Layout::with_unknown(&other, budget.pairs)?;
    let Some(gate) = layout.gates.list.iter().position(|g| (g.lane, g.step) == (lane, step)) else {
        return Some(Reached::Never);
    };
    let behind = layout.gates.list.iter().position(|g| g.before == Some(gate as u32));
    let mut search = Search::new(&layout, budget);
    // What comes behind it would be something else.
    let stop = behind.map(|b| search.formula.gate(b as u32, false));
    let goal = search.formula.gate(gate as u32, true);
    Some(search.way(Node::Gate(gate as u32), stop.into_iter().chain([goal]).collect()))
}

struct Search<'a> {
    layout: &'a Layout<'a>,
    formula: Formula<'a, Limit>,
    /// Models that may still be looked at.
    rounds: u32,
    /// Pairs that are not those of the run.
    others: Vec<u32>,
}

enum Found {
    Way(State, Vec<Event>),
    None,
    Undecided,
}

impl<'a> Search<'a> {
    fn new(layout: &'a Layout<'a>, budget: Budget) -> Search<'a> {
        let formula = Formula::reachable(layout, Limit::new(budget.learned_of(layout.pairs.len())));
        Search { layout, formula, rounds: budget.rounds, others: layout.other_pairs() }
    }

    fn receive(&mut self, send: OpIx, recv: OpIx) -> Reached {
        let meets = |p: &&u32| self.layout.pairs[**p as usize].recv == recv;
        let pair = self.layout.pairs_of[send as usize].iter().find(meets).copied();
        let Some(pair) = pair else { return Reached::Never };
        let goal = self.formula.pair(pair, true);
        self.way(Node::Pair(pair), vec![goal])
    }

    /// A way to `goal` on which as little as possible is otherwise than in the run.
    fn way(&mut self, goal: Node, assumed: Vec<Lit>) -> Reached {
        let is_goal = |p: &u32| goal == Node::Pair(*p);
        let others: Vec<u32> = self.others.iter().copied().filter(|p| !is_goal(p)).collect();
        let without = |search: &Search, kept: &[u32]| {
            let gone = others.iter().filter(|p| !kept.contains(p)).map(|p| search.formula.pair(*p, false));
            assumed.iter().copied().chain(gone).collect::<Vec<Lit>>()
        };
        let alone = without(self, &[]);
        if let Found::Way(_, past) = self.next(goal, &alone) {
            return Reached::Way(past);
        }
        let (state, mut past) = match self.next(goal, &assumed) {
            Found::Way(state, past) => (state, past),
            Found::None => return Reached::Never,
            Found::Undecided => return Reached::Undecided,
        };
        let used = |past: &[Event], state: &State| -> Vec<u32> {
            let is_in = |p: &u32| {
                let pair = self.layout.pairs[*p as usize];
                past.contains(&Event::Meet { send: pair.send, recv: pair.recv })
            };
            others.iter().copied().filter(|p| state.met[*p as usize] && is_in(p)).collect()
        };
        let mut needed = used(&past, &state);
        let mut i = 0;
        while i < needed.len() {
            let fewer: Vec<u32> = needed.iter().copied().filter(|p| *p != needed[i]).collect();
            let assumptions = without(self, &fewer);
            match self.next(goal, &assumptions) {
                Found::Way(better, way) => {
                    needed.retain(|p| better.met[*p as usize]);
                    past = way;
                }
                Found::None | Found::Undecided => i += 1,
            }
        }
        Reached::Way(past)
    }

    fn next(&mut self, goal: Node, assumptions: &[Lit]) -> Found {
        while self.rounds > 0 {
            self.rounds -= 1;
            let state = match self.formula.solve(assumptions) {
                Verdict::Undecided => return Found::Undecided,
                Verdict::Impossible => return Found::None,
                Verdict::Model(state) => state,
            };
            let play = Play::new(self.layout, &state);
            let past = play.past(goal);
            match play.run() {
                Ok(_) => return Found::Way(state, past),
                Err(circle) => forbid(&mut self.formula, circle),
            }
        }
        Found::Undecided
    }
}
