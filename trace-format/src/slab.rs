//! A vector whose places are reused.
//!
//! It is not the crate `slab`, whose numbers are twice as long as those that operations keep of each other, and which moves
//! an entry out to remove it, where [`Slab::discard`] drops it in its place: with an entry of the size of an operation,
//! insertion and removal together take a quarter more instructions there.

use crate::room::make_room;
use std::ops::{Index, IndexMut};

/// See the module.
#[derive(Debug)]
pub struct Slab<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab::new()
    }
}

impl<T> Slab<T> {
    /// Returns an empty one, which allocates nothing.
    pub const fn new() -> Slab<T> {
        Slab { places: Vec::new(), free: Vec::new() }
    }

    /// Puts a value in: its place.
    #[inline(always)]
    pub fn insert(&mut self, value: T) -> u32 {
        if let Some(place) = self.free.pop() {
            // A free place holds nothing that would have to be dropped.
            std::mem::forget(self.places[place as usize].replace(value));
            return place;
        }
        make_room(&mut self.places, 1);
        self.places.push(Some(value));
        self.places.len() as u32 - 1
    }

    /// Takes the value at a place out; `None` if there is none.
    pub fn remove(&mut self, place: u32) -> Option<T> {
        let value = self.places.get_mut(place as usize)?.take();
        if value.is_some() {
            self.free.push(place);
        }
        value
    }

    /// As `remove`, of what is of no interest.
    #[inline]
    pub fn discard(&mut self, place: u32) {
        if let Some(entry) = self.places.get_mut(place as usize).filter(|entry| entry.is_some()) {
            *entry = None;
            self.free.push(place);
        }
    }

    /// The place that the next value will get.
    pub fn next(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.places.len() as u32)
    }

    /// The value at a place; `None` if there is none.
    #[inline]
    pub fn get(&self, place: u32) -> Option<&T> {
        self.places.get(place as usize)?.as_ref()
    }

    /// The value at a place, to change; `None` if there is none.
    #[inline]
    pub fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    /// The values with their places, in the order of these.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.places.iter().enumerate().filter_map(|(i, v)| v.as_ref().map(|v| (i as u32, v)))
    }

    /// The values with their places, in the order of these, to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        self.places.iter_mut().enumerate().filter_map(|(i, v)| v.as_mut().map(|v| (i as u32, v)))
    }

    /// The places in use.
    pub fn keys(&self) -> Vec<u32> {
        self.iter().map(|(i, _)| i).collect()
    }

    /// Removes the values that this is not true of.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&T) -> bool) {
        for (place, entry) in self.places.iter_mut().enumerate() {
            if entry.take_if(|value| !is_kept(value)).is_some() {
                self.free.push(place as u32);
            }
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Is there no value?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
