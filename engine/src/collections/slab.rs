//! A vector whose places are reused.
//!
//! It is not the crate `slab`, whose numbers are twice as long as those that operations keep of each other, and which moves
//! an entry out to remove it, where [`Slab::discard`] drops it in its place: with an entry of the size of an operation,
//! insertion and removal together take a quarter more instructions there.

use std::ops::{Index, IndexMut};
use trace_format::room::make_room;

#[derive(Debug)]
pub(crate) struct Slab<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    #[inline(always)]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = Some(value);
            return place;
        }
        make_room(&mut self.places, 1);
        self.places.push(Some(value));
        self.places.len() as u32 - 1
    }

    pub(crate) fn remove(&mut self, place: u32) -> Option<T> {
        let value = self.places.get_mut(place as usize)?.take();
        if value.is_some() {
            self.free.push(place);
        }
        value
    }

    /// As `remove`, of what is of no interest.
    #[inline]
    pub(crate) fn discard(&mut self, place: u32) {
        if let Some(entry) = self.places.get_mut(place as usize).filter(|entry| entry.is_some()) {
            *entry = None;
            self.free.push(place);
        }
    }

    #[inline]
    pub(crate) fn get(&self, place: u32) -> Option<&T> {
        self.places.get(place as usize)?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.places.iter().enumerate().filter_map(|(i, v)| v.as_ref().map(|v| (i as u32, v)))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        self.places.iter_mut().enumerate().filter_map(|(i, v)| v.as_mut().map(|v| (i as u32, v)))
    }

    /// The places in use.
    pub(crate) fn keys(&self) -> Vec<u32> {
        self.iter().map(|(i, _)| i).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, place: u32) -> &T {
        self.get(place).expect("a live entry")
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut T {
        self.get_mut(place).expect("a live entry")
    }
}
