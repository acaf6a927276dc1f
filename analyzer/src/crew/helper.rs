//! The work of a helper.

use super::orders::{Answer, Member, Order, Task, Words, has_order, next_order};
use super::{LastRounds, Turns};
use engine::read_ahead::read_for_another;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use team::Team;
use trace_reader::reader::{Defects, RankReader};

/// Does what the first process wants, until it wants no more.
pub(super) fn help(team: &Team) {
    _ = Answer::words(team, &Words::Is(Member::this()));
    loop {
        match next_order(team) {
            Some(Order::Read(task)) => {
                let done = catch_unwind(AssertUnwindSafe(|| read_and_send(team, &task)));
                let answer = match done {
                    Ok(Ok(defects)) => Words::Done(defects),
                    Ok(Err(why)) => Words::Failed(why),
                    Err(_) => Words::Failed("it has panicked; its words are on standard error".to_owned()),
                };
                if let Err(e) = Answer::words(team, &answer) {
                    _ = Answer::words(team, &Words::Failed(e.to_string()));
                }
            }
            // It came when all was read.
            Some(Order::Stop) => {}
            Some(Order::End) | None => return,
        }
    }
}

fn read_and_send(team: &Team, task: &Task) -> Result<Vec<Defects>, String> {
    let (stop, mut last, mut memory) = (AtomicBool::new(false), LastRounds::default(), Vec::new());
    read(task, &stop, |turns: Turns| {
        // Nothing but a stop comes while it reads.
        if has_order(team) && next_order(team).is_some() {
            stop.store(true, Ordering::Relaxed);
        }
        Answer::turns(team, &turns, (&mut last, &mut memory));
    })
}

/// Reads what the task says, until `stop` is set. `send` is given the turns.
pub(super) fn read(task: &Task, stop: &AtomicBool, send: impl FnMut(Turns)) -> Result<Vec<Defects>, String> {
    let Task { dir, share, traces, piece, stay_closed } = task;
    let open = |stem: &str, process: i32| {
        let mut reader = RankReader::open_stem(dir, stem).map_err(|e| e.to_string())?;
        reader.renumber(process);
        reader.writer_is_gone();
        piece.iter().for_each(|piece| reader.read_in_pieces(*piece));
        if *stay_closed {
            reader.stay_closed();
        }
        Ok::<_, String>(reader)
    };
    let mut readers = Vec::with_capacity(traces.len());
    for trace in traces {
        readers.push(open(&trace.stem, trace.process)?);
    }
    read_for_another(share, readers.iter_mut().collect(), stop, send);
    Ok(readers.into_iter().map(|mut reader| std::mem::take(&mut reader.defects)).collect())
}
