//! The ranks that have not come to a collective operation. All who wait there share one list of them, so that the
//! wait-for graph does not grow with the square of the ranks.

use crate::collective::{What, what};
use crate::model::Model;
use crate::state::CommIx;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Lists of some of the absent that are kept of an operation, to be shared.
const KEPT: usize = 8;

/// Ranks that somebody waits for, all of them: the first ones of a list that others share.
#[derive(Debug, Clone)]
pub(crate) struct Absent {
    ranks: Rc<[i32]>,
    len: usize,
}

impl Absent {
    /// By their places in the communicator.
    pub(super) fn ranks(&self) -> &[i32] {
        &self.ranks[..self.len]
    }

    /// Lists with one number are one list, and the longer one holds the shorter one.
    pub(super) fn list(&self) -> usize {
        self.ranks.as_ptr() as usize
    }
}

/// A collective operation that not all have come to.
pub(super) struct Gathered {
    /// Which one it is; `None`: those who have come do not agree.
    pub(super) kind: Option<What>,
    /// The places of the absent in the communicator.
    pub(super) places: Rc<[u32]>,
    ranks: Rc<[i32]>,
    others: RefCell<Vec<Rc<[i32]>>>,
}

impl Gathered {
    pub(super) fn of(model: &Model, comm: CommIx, index: u64) -> Option<Gathered> {
        let c = &model.comms.list[comm];
        let parts = &c.space.get(index)?.parts;
        let mut kinds = parts.iter().flatten().map(|part| what(part.call.func));
        let first = kinds.next();
        let absent = parts.iter().enumerate().filter(|(_, part)| part.is_none());
        let places: Rc<[u32]> = absent.map(|(place, _)| place as u32).collect();
        let ranks = places.iter().map(|place| c.member(*place)).collect();
        let kind = first.filter(|first| kinds.all(|kind| kind == *first));
        Some(Gathered { kind, places, ranks, others: RefCell::default() })
    }

    /// The first ones of the absent.
    pub(super) fn first(&self, len: usize) -> Absent {
        Absent { ranks: self.ranks.clone(), len }
    }

    /// The absent at whose places `is_wanted` holds.
    pub(super) fn some(&self, is_wanted: impl Fn(u32) -> bool) -> Absent {
        let with_ranks = self.places.iter().zip(&*self.ranks);
        let wanted: Vec<i32> = with_ranks.filter(|(place, _)| is_wanted(**place)).map(|(_, rank)| *rank).collect();
        if wanted.len() == self.ranks.len() {
            return self.first(wanted.len());
        }
        let mut others = self.others.borrow_mut();
        let known = others.iter().find(|other| other[..] == wanted[..]).cloned();
        let ranks = known.unwrap_or_else(|| {
            let new: Rc<[i32]> = wanted.into();
            if others.len() < KEPT {
                others.push(new.clone());
            }
            new
        });
        Absent { len: ranks.len(), ranks }
    }
}

/// The ranks that can go on, as far as that is found out. None of them is taken back.
pub(super) struct Free {
    ranks: Vec<bool>,
    /// So many at the beginning of a list can.
    of_lists: RefCell<FxHashMap<usize, usize>>,
}

impl Free {
    pub(super) fn new(ranks: Vec<bool>) -> Free {
        Free { ranks, of_lists: RefCell::default() }
    }

    pub(super) fn set(&mut self, rank: usize) {
        self.ranks[rank] = true;
    }

    /// Processes outside the world can.
    pub(super) fn has(&self, rank: i32) -> bool {
        self.ranks.get(rank as usize).is_none_or(|free| *free)
    }

    pub(super) fn has_all(&self, absent: &Absent) -> bool {
        let mut of_lists = self.of_lists.borrow_mut();
        let reached = of_lists.entry(absent.list()).or_default();
        while let Some(rank) = absent.ranks().get(*reached) {
            if !self.has(*rank) {
                return false;
            }
            *reached += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_looked_at_once_whoever_asks() {
        let ranks: Rc<[i32]> = [2, 0, 3].into();
        let [two, all] = [2, 3].map(|len| Absent { ranks: ranks.clone(), len });
        let mut free = Free::new(vec![false, true, true, false]);
        assert!(!free.has_all(&two) && !free.has_all(&all));
        free.set(0);
        assert!(free.has_all(&two) && !free.has_all(&all));
        free.set(3);
        assert!(free.has_all(&all) && free.has_all(&two));
        assert_eq!(free.of_lists.borrow()[&two.list()], 3);
        assert!(free.has(4), "nobody knows of it");
    }

    #[test]
    fn lists_that_are_alike_are_one() {
        let (places, ranks): (Rc<[u32]>, Rc<[i32]>) = ([1, 4, 5].into(), [10, 40, 50].into());
        let gathered = Gathered { kind: None, places, ranks, others: RefCell::default() };
        let [all, some, again] = [0, 2, 3].map(|least| gathered.some(|place| place > least));
        assert_eq!((all.ranks(), some.ranks()), (&[10, 40, 50][..], &[40, 50][..]));
        assert_eq!((all.list(), some.list()), (gathered.first(1).list(), again.list()));
        assert_eq!(gathered.first(2).ranks(), [10, 40]);
    }
}
