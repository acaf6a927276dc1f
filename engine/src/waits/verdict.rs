//! The verdict on ranks that cannot go on: circles of ranks that hold each other, waits for finished ranks.

use super::{Assume, Graph, Vertex, eval};
use rustc_hash::FxHashMap;

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
        let others: Vec<bool> = self.vertices.iter().map(|v| !matches!(v, Vertex::Finished)).collect();
        for r in &dead {
            if self.cond(*r).is_some_and(|c| !eval(c, &others, assume)) {
                hung[*r as usize] = true;
                let needed = self.waits_for(*r).into_iter().map(|w| w.0).filter(|w| finished(*w)).collect();
                verdict.hang_ups.push((*r, needed));
            }
        }
        // Knots: parts of the graph that hold themselves.
        let components = self.components(&dead, &is_dead);
        let mut knotted = vec![false; self.vertices.len()];
        let holds_itself = |r: i32| self.waits_for(r).iter().any(|w| w.0 == r);
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

    /// Strongly connected components of the dead ranks' waits-for graph (Tarjan, without recursion).
    fn components(&self, dead: &[i32], is_dead: &[bool]) -> Vec<Vec<i32>> {
        let n = self.vertices.len();
        let next: Vec<Vec<i32>> = (0..n as i32)
            .map(|r| {
                let all = if is_dead[r as usize] { self.waits_for(r) } else { Vec::new() };
                all.into_iter().map(|w| w.0).filter(|w| is_dead[*w as usize]).collect()
            })
            .collect();
        let (mut index, mut low, mut on_stack) = (vec![usize::MAX; n], vec![0; n], vec![false; n]);
        let (mut stack, mut count, mut components) = (Vec::new(), 0, Vec::new());
        for root in dead {
            if index[*root as usize] != usize::MAX {
                continue;
            }
            let mut work = vec![(*root, 0usize)];
            while let Some((v, i)) = work.pop() {
                let u = v as usize;
                if i == 0 {
                    index[u] = count;
                    low[u] = count;
                    count += 1;
                    stack.push(v);
                    on_stack[u] = true;
                }
                match next[u].get(i) {
                    Some(w) => {
                        work.push((v, i + 1));
                        let w = *w as usize;
                        if index[w] == usize::MAX {
                            work.push((w as i32, 0));
                        } else if on_stack[w] {
                            low[u] = low[u].min(index[w]);
                        }
                    }
                    None => {
                        if low[u] == index[u] {
                            let at = stack.iter().rposition(|s| *s == v).unwrap_or(0);
                            let mut part = stack.split_off(at);
                            part.iter().for_each(|p| on_stack[*p as usize] = false);
                            part.sort_unstable();
                            components.push(part);
                        }
                        if let Some((parent, _)) = work.last() {
                            let p = *parent as usize;
                            low[p] = low[p].min(low[u]);
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
            while let Some(v) = queue.pop_front() {
                for (w, _) in self.waits_for(v) {
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
    pub(crate) hang_ups: Vec<(i32, Vec<i32>)>,
    /// Ranks that wait behind the others.
    pub(crate) behind: Vec<i32>,
    /// All that cannot go on.
    pub(crate) dead: Vec<i32>,
}
