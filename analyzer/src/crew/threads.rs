//! A crew whose helpers are threads of this process. Turns are packed and unpacked as between processes, so that tests of moments
//! show that this makes no difference.

use super::courier::Command;
use super::helper::read;
use super::{Crew, LastRounds, Turns};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

impl Crew {
    /// So many helpers, each of which is a thread.
    pub fn of_threads(helpers: usize) -> Crew {
        let (commands, orders) = channel();
        let received = Arc::new(AtomicU64::new(0));
        let bytes = Arc::clone(&received);
        let courier = thread::spawn(move || serve(&orders, &bytes));
        let hosts = vec![String::new(); helpers];
        Crew { commands, hosts, courier: RefCell::new(Some(courier)), received }
    }
}

fn serve(commands: &Receiver<Command>, received: &AtomicU64) {
    while let Ok(Command::Read { tasks, sinks, stop, done }) = commands.recv() {
        let result = thread::scope(|scope| {
            let helpers: Vec<_> = tasks
                .iter()
                .zip(sinks)
                .map(|(task, sink)| {
                    let stop = &*stop;
                    scope.spawn(move || {
                        let (mut ours, mut theirs, mut memory) =
                            (LastRounds::default(), LastRounds::default(), Vec::new());
                        read(task, stop, |turns: Turns| {
                            memory = turns.write(&mut ours, std::mem::take(&mut memory));
                            received.fetch_add(memory.len() as u64, Ordering::Relaxed);
                            match Turns::read(task.share.keeps, &mut theirs, &memory) {
                                // A receiver that takes no more does not miss them.
                                Some(turns) => _ = sink.send(turns),
                                None => stop.store(true, Ordering::Relaxed),
                            }
                        })
                    })
                })
                .collect();
            let ends =
                helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|_| Err("it has panicked".into())));
            ends.collect::<Result<Vec<_>, String>>()
        });
        _ = done.send(result.map(|defects| defects.into_iter().flatten().collect()));
    }
}
