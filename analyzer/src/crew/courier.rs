//! The thread of the first process that speaks with the helpers: all of its MPI.

use super::orders::{Answer, Member, Order, Task, Words, order};
use super::{LastRounds, Turns};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError};
use std::time::{Duration, Instant};
use team::{Pauses, Team};
use trace_reader::reader::{Defects, Keeps};

/// An order of the rest of this process.
pub(super) enum Command {
    /// Each helper has a task, and gets its turns into one of the sinks.
    Read {
        tasks: Vec<Task>,
        sinks: Vec<SyncSender<Turns>>,
        stop: Arc<AtomicBool>,
        done: Sender<Result<Vec<Defects>, String>>,
    },
    End,
}

/// A helper that does not answer for so long, when no more is wanted, is taken for gone.
const PATIENCE: Duration = Duration::from_secs(5);
/// After so long it is looked whether the process is still there.
const SOON: Duration = Duration::from_millis(100);

/// The helpers.
pub(super) fn members(team: &Team) -> Vec<Member> {
    let mut bytes = Vec::new();
    let member = |helper| {
        team.receive(helper, &mut bytes);
        match Answer::of(&bytes, Keeps::Nothing, &mut LastRounds::default()) {
            Some(Answer::Words(Words::Is(member))) => member,
            _ => Member::default(),
        }
    };
    (1..team.size()).map(member).collect()
}

/// Does what it is told, to the end. False if a helper does not answer, so that MPI cannot be ended.
/// `received` gets the bytes that helpers have sent.
pub(super) fn serve(team: &Team, members: &[Member], commands: &Receiver<Command>, received: &AtomicU64) -> bool {
    while let Ok(Command::Read { tasks, sinks, stop, done }) = commands.recv() {
        let helpers = tasks.into_iter().zip(sinks).enumerate();
        let helpers = helpers
            .map(|(place, (task, sink))| Helper::begin(team, (place + 1, &members[place]), task, sink))
            .collect();
        let result = read(team, helpers, &stop, received);
        let is_lost = matches!(result, Err(Failure::Silent(_)));
        _ = done.send(result.map_err(|failure| match failure {
            Failure::Told(why) | Failure::Silent(why) => why,
        }));
        if is_lost {
            return false;
        }
    }
    (1..team.size()).all(|helper| order(team, helper, &Order::End).is_ok())
}

/// A helper that reads.
struct Helper<'a> {
    rank: usize,
    member: &'a Member,
    keeps: Keeps,
    last: LastRounds,
    sink: Option<SyncSender<Turns>>,
    /// They have come and wait for room.
    waiting: Option<Turns>,
    state: State,
    /// The last that was heard of it.
    heard: Instant,
}

enum State {
    Reads,
    Done(Vec<Defects>),
    Failed(String),
}

impl<'a> Helper<'a> {
    fn begin(team: &Team, (rank, member): (usize, &'a Member), task: Task, sink: SyncSender<Turns>) -> Helper<'a> {
        let keeps = task.share.keeps;
        let state = match order(team, rank, &Order::Read(task)) {
            Ok(()) => State::Reads,
            Err(e) => State::Failed(e.to_string()),
        };
        Helper {
            rank,
            member,
            keeps,
            last: LastRounds::default(),
            sink: Some(sink),
            waiting: None,
            state,
            heard: Instant::now(),
        }
    }

    /// Goes on as far as that is possible now. False if it is not.
    fn go_on(&mut self, team: &Team, memory: &mut Vec<u8>, received: &AtomicU64) -> bool {
        if let Some(turns) = self.waiting.take() {
            match self.sink.as_ref().map(|sink| sink.try_send(turns)) {
                Some(Err(TrySendError::Full(turns))) => {
                    self.waiting = Some(turns);
                    return false;
                }
                // Nobody wants them, or they are on their way.
                _ => return true,
            }
        }
        if !matches!(self.state, State::Reads) || !team.has_message(self.rank) {
            return false;
        }
        self.heard = Instant::now();
        team.receive(self.rank, memory);
        received.fetch_add(memory.len() as u64, Ordering::Relaxed);
        match Answer::of(memory, self.keeps, &mut self.last) {
            Some(Answer::Turns(turns)) => self.waiting = Some(turns),
            Some(Answer::Words(Words::Done(defects))) => self.state = State::Done(defects),
            Some(Answer::Words(Words::Failed(why))) => self.state = State::Failed(why),
            Some(Answer::Words(Words::Is(_))) => {}
            None => self.state = State::Failed("what it has sent was damaged on the way".to_owned()),
        }
        // The channel ends behind turns that wait.
        if !matches!(self.state, State::Reads) && self.waiting.is_none() {
            self.sink = None;
        }
        true
    }
}

enum Failure {
    /// A helper says why it cannot read.
    Told(String),
    /// A helper does not answer.
    Silent(String),
}

fn read(
    team: &Team,
    mut helpers: Vec<Helper>,
    stop: &AtomicBool,
    received: &AtomicU64,
) -> Result<Vec<Defects>, Failure> {
    let mut is_stopped = false;
    let (mut pauses, mut memory) = (Pauses::default(), Vec::new());
    while helpers.iter().any(|helper| matches!(helper.state, State::Reads) || helper.waiting.is_some()) {
        if stop.load(Ordering::Relaxed) && !is_stopped {
            is_stopped = true;
            let reads = |helper: &&mut Helper| matches!(helper.state, State::Reads);
            for helper in helpers.iter_mut().filter(reads) {
                _ = order(team, helper.rank, &Order::Stop);
                helper.heard = Instant::now();
            }
        }
        if helpers.iter().any(|helper| matches!(helper.state, State::Failed(_))) {
            stop.store(true, Ordering::Relaxed);
        }
        let mut any = false;
        helpers.iter_mut().for_each(|helper| any |= helper.go_on(team, &mut memory, received));
        if any {
            pauses = Pauses::default();
            continue;
        }
        let waits_for = |h: &&Helper| matches!(h.state, State::Reads) && h.waiting.is_none();
        let is_silent = |h: &&Helper| waits_for(h) && h.heard.elapsed() > PATIENCE;
        if is_stopped && let Some(silent) = helpers.iter().find(is_silent) {
            return Err(Failure::Silent(format!("process {} of {} does not answer", silent.rank, team.size())));
        }
        let has_ended = |h: &&Helper| waits_for(h) && h.heard.elapsed() > SOON && h.member.has_ended();
        if let Some(gone) = helpers.iter().find(has_ended) {
            return Err(Failure::Silent(format!("process {} of {} has ended", gone.rank, team.size())));
        }
        pauses.rest();
    }
    let mut all = Vec::new();
    for helper in helpers {
        match helper.state {
            State::Done(defects) => all.extend(defects),
            State::Failed(why) => {
                let what = format!("process {} of {} cannot read its share: {why}", helper.rank, team.size());
                return Err(Failure::Told(what));
            }
            State::Reads => {}
        }
    }
    Ok(all)
}
