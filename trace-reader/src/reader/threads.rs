//! The threads of a process. Most have one: it takes the room of one.

use super::Thread;

/// Threads by their numbers.
#[derive(Default)]
pub(super) struct Threads(Vec<Thread>);

impl Threads {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn place(&self, number: u16) -> Result<usize, usize> {
        self.0.binary_search_by_key(&number, Thread::number)
    }

    pub(super) fn get(&self, number: u16) -> Option<&Thread> {
        self.0.get(self.place(number).ok()?)
    }

    pub(super) fn get_mut(&mut self, number: u16) -> Option<&mut Thread> {
        let place = self.place(number).ok()?;
        self.0.get_mut(place)
    }

    /// The thread with this number, which is new if there was none.
    pub(super) fn or_new(&mut self, number: u16) -> &mut Thread {
        let place = self.place(number).unwrap_or_else(|place| {
            self.0.reserve_exact(1);
            self.0.insert(place, Thread::new(number));
            place
        });
        &mut self.0[place]
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = u16> {
        self.0.iter().map(Thread::number)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Thread> {
        self.0.iter()
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Thread> {
        self.0.iter_mut()
    }
}
