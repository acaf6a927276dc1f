//! A crew whose helpers are threads of this process, for tests: messages go from thread to thread, and no MPI is needed.

use super::{Crew, Way, courier, helper};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

/// So many orders may be under way to a helper; a helper waits until what it sends is taken.
const ORDERS: usize = 64;

type BothWays = (SyncSender<Vec<u8>>, Receiver<Vec<u8>>);

/// One end of the way between one and others.
#[derive(Default)]
struct Desk {
    size: usize,
    /// By the other one; `None`: there is no way.
    ways: Vec<Option<BothWays>>,
    /// A message that was looked for.
    found: RefCell<Vec<Option<Vec<u8>>>>,
}

impl Desk {
    fn new(size: usize) -> Desk {
        Desk { size, ways: (0..size).map(|_| None).collect(), found: RefCell::new(vec![None; size]) }
    }
}

impl Way for Desk {
    fn size(&self) -> usize {
        self.size
    }

    fn send(&self, to: usize, message: &[u8]) {
        if let Some((way, _)) = &self.ways[to] {
            _ = way.send(message.to_vec());
        }
    }

    fn has_message(&self, from: usize) -> bool {
        let found = &mut self.found.borrow_mut()[from];
        if found.is_none() {
            *found = self.ways[from].as_ref().and_then(|(_, way)| way.try_recv().ok());
        }
        found.is_some()
    }

    fn receive(&self, from: usize, message: &mut Vec<u8>) {
        let found = self.found.borrow_mut()[from].take();
        let next = || self.ways[from].as_ref().and_then(|(_, way)| way.recv().ok());
        *message = found.or_else(next).unwrap_or_default();
    }
}

impl Crew {
    /// So many helpers, each of which is a thread.
    pub fn of_threads(helpers: usize) -> Crew {
        let size = helpers + 1;
        let mut first = Desk::new(size);
        for rank in 1..size {
            let (orders, answers) = (sync_channel(ORDERS), sync_channel(0));
            let mut desk = Desk::new(size);
            desk.ways[0] = Some((answers.0, orders.1));
            first.ways[rank] = Some((orders.0, answers.1));
            thread::spawn(move || helper::help(&desk));
        }
        let (commands, orders) = channel();
        let received = Arc::new(AtomicU64::new(0));
        let bytes = Arc::clone(&received);
        let courier = thread::spawn(move || {
            let members = courier::members(&first);
            courier::serve(&first, &members, &orders, &bytes);
        });
        Crew { commands, hosts: vec![String::new(); helpers], courier: RefCell::new(Some(courier)), received }
    }
}
