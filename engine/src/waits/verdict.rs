//! The verdict on ranks that cannot go on: circles of ranks that hold each other, waits for finished ranks.

use super::absent::{Absent, Free};
use super::{Assume, Cond, Graph, Vertex, eval};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Graph {
    /// The verdict on the ranks that cannot go on.
    pub(crate) fn verdict(&self, certain: bool) -> Verdict {
        let assume = Assume { uncertain: certain, bad: true };
        let dead = self.dead_apart_from_bad(certain);
        let mut is_dead = vec![false; self.vertices.len()];
        dead.iter().for_each(|r| is_dead[*r as usize] = true);
        let finished = |r: i32| matches!(self.vertices[r as usize], Vertex::Finished);
        let mut verdict = Verdict::default();
        // Hang-ups: what a rank needs is a finished one, even if all others could go on.
        let mut hung = vec![false; self.vertices.len()];
        let mut needed_of: FxHashMap<(usize, usize), Rc<[i32]>> = FxHashMap::default();
        let others = Free::new(self.vertices.iter().map(|v| !matches!(v, Vertex::Finished)).collect());
        for r in &dead {
            if self.cond(*r).is_some_and(|c| !eval(c, &others, assume)) {
                hung[*r as usize] = true;
                let needed =
                    || -> Rc<[i32]> { self.waits_for(*r).into_iter().map(|w| w.0).filter(|w| finished(*w)).collect() };
                let needed = match self.cond(*r) {
                    Some(Cond::OnAll { ranks, .. }) => {
                        let key = (ranks.list(), ranks.ranks().len());
                        needed_of.entry(key).or_insert_with(needed).clone()
                    }
                    _ => needed(),
                };
                verdict.hang_ups.push((*r, needed));
            }
        }
        // Knots: parts of the graph that hold themselves.
        let components = self.components(&dead, &is_dead);
        let mut knotted = vec![false; self.vertices.len()];
        let holds_itself = |r: i32| self.cond(r).is_some_and(|cond| is_on(cond, r));
        for helped in [true, false] {
            for part in components.iter().filter(|p| p.len() > 1 || p.iter().any(|r| holds_itself(*r))) {
                if part.iter().any(|r| knotted[*r as usize]) {
                    continue;
                }
                let inside = |r: i32| part.binary_search(&r).is_ok();
                let stay = self.stay(assume, |r| if inside(r) { None } else { Some(helped || !finished(r)) });
                let stay: Vec<i32> =
                    if helped { stay } else { stay.into_iter().filter(|r| !hung[*r as usize]).collect() };
                let looped = stay.len() > 1 || stay.iter().any(|r| holds_itself(*r));
                // A wait that a hang-up holds is no knot of its own.
                if stay.is_empty() || !looped || !helped && part.iter().any(|r| hung[*r as usize]) {
                    continue;
                }
                stay.iter().for_each(|r| knotted[*r as usize] = true);
                let cycle = self.cycle(&stay);
                verdict.knots.push(Knot { ranks: stay, cycle });
            }
        }
        verdict.hang_ups.retain(|h| !knotted[h.0 as usize]);
        verdict.knots.sort_by(|a, b| a.ranks.cmp(&b.ranks));
        verdict.behind = dead.iter().copied().filter(|r| !knotted[*r as usize] && !hung[*r as usize]).collect();
        verdict.dead = self.dead(certain);
        verdict
    }

    /// Strongly connected components of the dead ranks' waits-for graph (Tarjan, without recursion). Who waits for all of a
    /// list has one edge to it: a vertex for each length of the list leads to the last rank and to the shorter list.
    fn components(&self, dead: &[i32], is_dead: &[bool]) -> Vec<Vec<i32>> {
        let ranks = self.vertices.len();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); ranks];
        let is_stuck = |rank: i32| is_dead.get(rank as usize).is_some_and(|dead| *dead);
        let mut lists: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for rank in dead {
            let (mut to, mut absent) = (Vec::new(), Vec::new());
            self.cond(*rank).into_iter().for_each(|cond| edges(cond, &mut to, &mut absent));
            let mut out: Vec<usize> = to.into_iter().filter(|r| is_stuck(*r)).map(|r| r as usize).collect();
            for all in absent {
                let list = lists.entry(all.list()).or_default();
                for rank in &all.ranks()[list.len().min(all.ranks().len())..] {
                    let last = Some(*rank).filter(|r| is_stuck(*r)).map(|r| r as usize);
                    next.push(last.into_iter().chain(list.last().copied()).collect());
                    list.push(next.len() - 1);
                }
                out.extend(all.ranks().len().checked_sub(1).map(|last| list[last]));
            }
            next[*rank as usize] = out;
        }
        let n = next.len();
        let (mut index, mut low, mut on_stack) = (vec![usize::MAX; n], vec![0; n], vec![false; n]);
        let (mut stack, mut count, mut components) = (Vec::new(), 0, Vec::new());
        for root in dead {
            if index[*root as usize] != usize::MAX {
                continue;
            }
            let mut work = vec![(*root as usize, 0usize)];
            while let Some((v, i)) = work.pop() {
                if i == 0 {
                    index[v] = count;
                    low[v] = count;
                    count += 1;
                    stack.push(v);
                    on_stack[v] = true;
                }
                match next[v].get(i) {
                    Some(w) => {
                        work.push((v, i + 1));
                        if index[*w] == usize::MAX {
                            work.push((*w, 0));
                        } else if on_stack[*w] {
                            low[v] = low[v].min(index[*w]);
                        }
                    }
                    None => {
                        if low[v] == index[v] {
                            let at = stack.iter().rposition(|s| *s == v).unwrap_or(0);
                            let part = stack.split_off(at);
                            part.iter().for_each(|p| on_stack[*p] = false);
                            let mut part: Vec<i32> =
                                part.into_iter().filter(|p| *p < ranks).map(|p| p as i32).collect();
                            part.sort_unstable();
                            components.push(part);
                        }
                        if let Some((parent, _)) = work.last() {
                            low[*parent] = low[*parent].min(low[v]);
                        }
                    }
                }
            }
        }
        components
    }

    /// A shortest circle through the lowest rank that is on one.
    fn cycle(&self, ranks: &[i32]) -> Vec<i32> {
        for start in ranks {
            let mut from: FxHashMap<i32, i32> = FxHashMap::default();
            let mut queue = std::collections::VecDeque::from([*start]);
            let mut seen = FxHashMap::default();
            while let Some(v) = queue.pop_front() {
                for w in self.unseen(v, &mut seen) {
                    if w == *start {
                        let mut path = vec![v];
                        while let Some(p) = path.last().and_then(|l| from.get(l)) {
                            path.push(*p);
                        }
                        path.reverse();
                        return path;
                    }
                    if ranks.binary_search(&w).is_ok() && !from.contains_key(&w) {
                        from.insert(w, v);
                        queue.push_back(w);
                    }
                }
            }
        }
        Vec::new()
    }

    /// Ranks that `rank` waits for, ascending, without the parts of lists that were seen.
    fn unseen(&self, rank: i32, seen: &mut FxHashMap<usize, usize>) -> Vec<i32> {
        let (mut all, mut absent) = (Vec::new(), Vec::new());
        self.cond(rank).into_iter().for_each(|cond| edges(cond, &mut all, &mut absent));
        for absent in absent {
            let (seen, ranks) = (seen.entry(absent.list()).or_default(), absent.ranks());
            all.extend_from_slice(&ranks[(*seen).min(ranks.len())..]);
            *seen = ranks.len().max(*seen);
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The ranks of a condition, and the lists of them that others share.
fn edges<'a>(cond: &'a Cond, to: &mut Vec<i32>, absent: &mut Vec<&'a Absent>) {
    match cond {
        Cond::On { rank, .. } => to.push(*rank),
        Cond::OnAll { ranks, .. } => absent.push(ranks),
        Cond::All(all) | Cond::Any(all) => all.iter().for_each(|cond| edges(cond, to, absent)),
        Cond::Free | Cond::Bad | Cond::Perhaps => {}
    }
}

/// Does a rank wait for itself? In a collective operation that it has come to it does not.
fn is_on(cond: &Cond, itself: i32) -> bool {
    match cond {
        Cond::On { rank, .. } => *rank == itself,
        Cond::All(all) | Cond::Any(all) => all.iter().any(|cond| is_on(cond, itself)),
        Cond::OnAll { .. } | Cond::Free | Cond::Bad | Cond::Perhaps => false,
    }
}

/// Ranks that hold each other.
#[derive(Debug, Clone)]
pub(crate) struct Knot {
    pub(crate) ranks: Vec<i32>,
    /// A circle among them, from the lowest rank on.
    pub(crate) cycle: Vec<i32>,
}

/// The verdict on the ranks that cannot go on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Verdict {
    pub(crate) knots: Vec<Knot>,
    /// A waiting rank, and the finished ones that it needs.
    pub(crate) hang_ups: Vec<(i32, Rc<[i32]>)>,
    /// Ranks that wait behind the others.
    pub(crate) behind: Vec<i32>,
    /// All that cannot go on.
    pub(crate) dead: Vec<i32>,
}
