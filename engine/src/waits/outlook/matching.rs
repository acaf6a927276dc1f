//! Whether all of one side can have a partner on the other side, and who stands in the way if not (Hall's condition).

/// A bipartite graph. Those of the right side have room for several of the left side.
pub(super) struct Bipartite {
    /// By place on the left side: places on the right side.
    pub(super) edges: Vec<Vec<usize>>,
    /// By place on the right side.
    pub(super) room: Vec<usize>,
}

impl Bipartite {
    /// Some of the left side that have fewer partners than they are many; `None`: all can have one at once.
    pub(super) fn too_many(&self) -> Option<Vec<usize>> {
        let mut taken: Vec<Vec<usize>> = vec![Vec::new(); self.room.len()];
        for left in 0..self.edges.len() {
            let mut reached = Reached { left: vec![false; self.edges.len()], right: vec![false; self.room.len()] };
            if !self.place(left, &mut taken, &mut reached) {
                return Some((0..self.edges.len()).filter(|l| reached.left[*l]).collect());
            }
        }
        None
    }

    /// Finds a partner for one more, where need be by giving others another one.
    fn place(&self, left: usize, taken: &mut [Vec<usize>], reached: &mut Reached) -> bool {
        reached.left[left] = true;
        for &right in &self.edges[left] {
            if std::mem::replace(&mut reached.right[right], true) {
                continue;
            }
            if taken[right].len() < self.room[right] {
                taken[right].push(left);
                return true;
            }
            for place in 0..taken[right].len() {
                let other = taken[right][place];
                if !reached.left[other] && self.place(other, taken, reached) {
                    taken[right][place] = left;
                    return true;
                }
            }
        }
        false
    }
}

/// The nodes that the search for a partner has reached.
struct Reached {
    left: Vec<bool>,
    right: Vec<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_many(edges: &[&[usize]], room: &[usize]) -> Option<Vec<usize>> {
        Bipartite { edges: edges.iter().map(|e| e.to_vec()).collect(), room: room.to_vec() }.too_many()
    }

    #[test]
    fn all_find_a_partner_if_others_give_theirs_up() {
        assert_eq!(too_many(&[&[0, 1], &[0]], &[1, 1]), None);
        assert_eq!(too_many(&[&[0, 1], &[0, 2], &[0]], &[1, 1, 1]), None);
        assert_eq!(too_many(&[&[0], &[0], &[0, 1]], &[2, 1]), None);
    }

    #[test]
    fn those_that_are_too_many_are_named() {
        assert_eq!(too_many(&[&[0], &[1], &[1]], &[1, 1]), Some(vec![1, 2]));
        assert_eq!(too_many(&[&[]], &[]), Some(vec![0]));
        assert_eq!(too_many(&[&[0], &[0, 1], &[0, 1], &[2]], &[1, 1, 1]), Some(vec![0, 1, 2]));
    }

    /// Against Hall's condition itself, for all small graphs.
    #[test]
    fn it_is_as_hall_says() {
        for bits in 0..1u32 << 9 {
            let edges: Vec<Vec<usize>> =
                (0..3).map(|l| (0..3).filter(|r| bits >> (3 * l + r) & 1 != 0).collect()).collect();
            for room in [[1, 1, 1], [2, 1, 1], [0, 1, 2]] {
                let deficient = |set: u32| {
                    let of = |l: &usize| set >> l & 1 != 0;
                    let near = |r: usize| (0..3).filter(of).any(|l| edges[l].contains(&r));
                    (0..3).filter(|r| near(*r)).map(|r| room[r]).sum::<usize>() < set.count_ones() as usize
                };
                let found = Bipartite { edges: edges.clone(), room: room.to_vec() }.too_many();
                assert_eq!(found.is_some(), (1..8).any(deficient));
                assert!(found.is_none_or(|f| deficient(f.iter().fold(0, |set, l| set | 1 << l))));
            }
        }
    }
}
