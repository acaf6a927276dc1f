//! The order in which ranks free their objects. Freeing is collective and may synchronise, so that the orders of all
//! ranks must fit together (MPI 4.1 section 6.14).

use crate::model::Model;
use crate::state::{CommIx, Origin};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A rank frees one object and then another.
pub(crate) struct Step {
    pub(crate) first: Rc<Origin>,
    pub(crate) then: Rc<Origin>,
}

/// An edge of a circle: the steps of all ranks that free these two objects one directly after the other.
pub(crate) type Edge = Vec<Step>;

impl Model {
    /// Objects that are freed in a circle: each one before the next by some rank, the last before the first.
    pub(crate) fn circle_of_frees(&self) -> Vec<Edge> {
        // Objects are numbered as they come rank by rank, whatever order the traces were read in.
        let mut numbers: FxHashMap<CommIx, usize> = FxHashMap::default();
        let mut edges: BTreeMap<(usize, usize), Edge> = BTreeMap::new();
        for (rank, r) in self.ranks.iter().enumerate().filter(|(rank, _)| !self.is_dim(*rank as i32)) {
            let mut last: FxHashMap<u16, (usize, &Rc<Origin>)> = FxHashMap::default();
            for (comm, call) in &r.frees.0 {
                let c = &self.comms.list[*comm];
                if c.size() < 2 || c.is_foreign() || c.spoiled || c.space.tangled {
                    continue;
                }
                debug_assert_eq!(call.rank, rank as i32);
                let next = numbers.len();
                let node = *numbers.entry(*comm).or_insert(next);
                // Calls of different threads have no order.
                if let Some((before, first)) = last.insert(call.thread, (node, call)) {
                    let step = Step { first: first.clone(), then: call.clone() };
                    edges.entry((before, node)).or_default().push(step);
                }
            }
        }
        let Some(circle) = circle(numbers.len(), edges.keys().copied()) else { return Vec::new() };
        let next = circle.iter().skip(1).chain(circle.first());
        circle.iter().zip(next).filter_map(|(a, b)| edges.remove(&(*a, *b))).collect()
    }
}

/// A circle in a directed graph, from its lowest node on.
fn circle(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Option<Vec<usize>> {
    let (mut out, mut into) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for (a, b) in edges {
        out[a].push(b);
        into[b].push(a);
    }
    // A node with no way in or no way out is on no circle.
    let mut left = vec![true; nodes];
    for (forward, back) in [(&out, &into), (&into, &out)] {
        let mut degree: Vec<usize> = back.iter().map(|b| b.iter().filter(|n| left[**n]).count()).collect();
        let mut loose: Vec<usize> = (0..nodes).filter(|n| left[*n] && degree[*n] == 0).collect();
        while let Some(n) = loose.pop() {
            left[n] = false;
            for m in forward[n].iter().filter(|m| left[**m]) {
                degree[*m] -= 1;
                if degree[*m] == 0 {
                    loose.push(*m);
                }
            }
        }
    }
    let start = left.iter().position(|l| *l)?;
    let (mut path, mut place) = (Vec::new(), vec![None; nodes]);
    let mut n = start;
    while place[n].is_none() {
        place[n] = Some(path.len());
        path.push(n);
        n = out[n].iter().copied().find(|m| left[*m])?;
    }
    let mut circle = path.split_off(place[n]?);
    let lowest = circle.iter().enumerate().min_by_key(|(_, n)| **n).map_or(0, |(i, _)| i);
    circle.rotate_left(lowest);
    Some(circle)
}

#[cfg(test)]
mod tests {
    use super::circle;

    #[test]
    fn circles_are_found() {
        let find = |nodes, edges: &[(usize, usize)]| circle(nodes, edges.iter().copied());
        assert_eq!(find(3, &[(0, 1), (1, 2)]), None);
        assert_eq!(find(3, &[(0, 1), (1, 2), (0, 2)]), None);
        assert_eq!(find(2, &[(0, 1), (1, 0)]), Some(vec![0, 1]));
        assert_eq!(find(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]), Some(vec![1, 2, 3]), "with ways in and out");
        assert_eq!(find(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)]), Some(vec![0, 1]), "the first of two");
    }
}
