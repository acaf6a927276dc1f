//! A queue that mostly holds one entry at most, which needs no memory of its own: messages with a tag that no other has.

use std::collections::VecDeque;

#[derive(Debug, Clone)]
pub(crate) struct Queue<T> {
    first: Option<T>,
    /// The ones behind the first; `None` until there was one.
    #[expect(clippy::box_collection, reason = "few queues have more, and all are moved")]
    rest: Option<Box<VecDeque<T>>>,
}

impl<T> Default for Queue<T> {
    #[inline]
    fn default() -> Queue<T> {
        Queue { first: None, rest: None }
    }
}

impl<T> Queue<T> {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.as_ref().map_or(0, |rest| rest.len())
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<&T> {
        self.first.as_ref()
    }

    #[inline]
    pub(crate) fn push_back(&mut self, entry: T) {
        if self.first.is_none() {
            self.first = Some(entry);
        } else {
            self.rest.get_or_insert_default().push_back(entry);
        }
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let next = self.rest.as_mut().and_then(|rest| rest.pop_front());
        std::mem::replace(&mut self.first, next)
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.first.iter().chain(self.rest.iter().flat_map(|rest| rest.iter()))
    }

    /// Keeps those that this is true of.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&T) -> bool) {
        self.rest.iter_mut().for_each(|rest| rest.retain(&mut is_kept));
        if self.first.as_ref().is_some_and(|first| !is_kept(first)) {
            self.first = self.rest.as_mut().and_then(|rest| rest.pop_front());
        }
    }

    /// Puts it in front of the last ones, as long as this is true of them.
    #[inline]
    pub(crate) fn insert_before(&mut self, entry: T, mut is_later: impl FnMut(&T) -> bool) {
        let Some(first) = &mut self.first else {
            self.first = Some(entry);
            return;
        };
        let rest = self.rest.get_or_insert_default();
        let later = rest.iter().rev().take_while(|other| is_later(other)).count();
        if later == rest.len() && is_later(first) {
            rest.push_front(std::mem::replace(first, entry));
        } else {
            rest.insert(rest.len() - later, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_their_order() {
        let mut queue = Queue::default();
        for entry in [5, 3, 9, 7, 1, 4] {
            queue.insert_before(entry, |other| *other > entry);
        }
        assert_eq!(queue.iter().copied().collect::<Vec<_>>(), [1, 3, 4, 5, 7, 9]);
        queue.retain(|entry| *entry != 1 && *entry != 7);
        queue.push_back(2);
        assert_eq!((queue.len(), queue.front(), queue.clone().is_empty()), (5, Some(&3), false));
        assert_eq!(queue.iter().rev().copied().collect::<Vec<_>>(), [2, 9, 5, 4, 3]);
        let left: Vec<i32> = std::iter::from_fn(|| queue.pop_front()).collect();
        assert_eq!((left, queue.is_empty(), queue.len()), (vec![3, 4, 5, 9, 2], true, 0));
    }
}
