//! The thread of the first process that speaks with the helpers: all of its MPI.

use super::orders::{Answer, Member, Order, Task, Words, order};
use super::{LastRounds, Turns, Way};
use engine::read_ahead::{CountOrder, Positions, Wish, agree};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError};
use std::time::{Duration, Instant};
use team::Pauses;
use trace_reader::reader::{Defects, Keeps};

/// An order of the rest of this process.
pub(super) enum Command {
    /// Each helper has a task, and gets its turns into one of the sinks.
    Read {
        tasks: Vec<Task>,
        sinks: Vec<SyncSender<Turns>>,
        stop: Arc<AtomicBool>,
        wanted: Wanted,
        done: Sender<Result<Vec<Defects>, String>>,
    },
    End,
}

/// Wishes of the engine while others read.
pub(super) struct Wanted {
    pub(super) wished: Receiver<Wish>,
    pub(super) answered: Sender<bool>,
}

/// Where laps are counted.
enum Counting {
    /// By the first process.
    Here,
    /// It was offered to the helpers; the orders for all of them, and how far each has come.
    Offered(Vec<CountOrder>, Vec<Option<Positions>>),
    /// It was offered, and is not to be; by helper. Perhaps other orders are to be offered then.
    Recalled(Vec<Hearing>, Vec<CountOrder>),
    /// By the helpers.
    There,
}

/// Has a helper heard that an offer is recalled?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hearing {
    /// It does not yet wait for the order.
    NotReady,
    Waits,
    Knows,
}

/// A helper that does not answer for so long, when no more is wanted, is taken for gone.
const PATIENCE: Duration = Duration::from_secs(5);
/// After so long it is looked whether the process is still there.
const SOON: Duration = Duration::from_millis(100);

/// The helpers.
pub(super) fn members(team: &impl Way) -> Vec<Member> {
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
pub(super) fn serve(team: &impl Way, members: &[Member], commands: &Receiver<Command>, received: &AtomicU64) -> bool {
    while let Ok(Command::Read { tasks, sinks, stop, wanted, done }) = commands.recv() {
        let helpers = tasks.into_iter().zip(sinks).enumerate();
        let helpers = helpers
            .map(|(place, (task, sink))| Helper::begin(team, (place + 1, &members[place]), task, sink))
            .collect();
        let result = read(team, helpers, &stop, &wanted, received);
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
    /// They have come and wait for room: one bundle, unless more is to be heard soon.
    waiting: VecDeque<Turns>,
    state: State,
    /// How far it has come, if it waits to be told more.
    ready: Option<Positions>,
    /// The last that was heard of it.
    heard: Instant,
}

enum State {
    Reads,
    Done(Vec<Defects>),
    Failed(String),
}

impl<'a> Helper<'a> {
    fn begin(team: &impl Way, (rank, member): (usize, &'a Member), task: Task, sink: SyncSender<Turns>) -> Helper<'a> {
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
            waiting: VecDeque::new(),
            state,
            ready: None,
            heard: Instant::now(),
        }
    }

    /// Goes on as far as that is possible now. False if it is not. `is_awaited`: others wait for what it says behind its turns, so
    /// that these may not keep it.
    fn go_on(&mut self, team: &impl Way, memory: &mut Vec<u8>, is_awaited: bool, received: &AtomicU64) -> bool {
        if let Some(turns) = self.waiting.pop_front() {
            match self.sink.as_ref().map(|sink| sink.try_send(turns)) {
                Some(Err(TrySendError::Full(turns))) => {
                    self.waiting.push_front(turns);
                    if !is_awaited {
                        return false;
                    }
                }
                // Nobody wants them, or they are on their way.
                _ => {
                    self.close();
                    return true;
                }
            }
        }
        if !matches!(self.state, State::Reads) || !team.has_message(self.rank) {
            return false;
        }
        self.heard = Instant::now();
        team.receive(self.rank, memory);
        received.fetch_add(memory.len() as u64, Ordering::Relaxed);
        match Answer::of(memory, self.keeps, &mut self.last) {
            Some(Answer::Turns(turns)) => self.waiting.push_back(turns),
            Some(Answer::Words(Words::Done(defects))) => self.state = State::Done(defects),
            Some(Answer::Words(Words::Failed(why))) => self.state = State::Failed(why),
            Some(Answer::Words(Words::Ready(positions))) => self.ready = Some(positions),
            Some(Answer::Words(Words::Is(_))) => {}
            None => self.state = State::Failed("what it has sent was damaged on the way".to_owned()),
        }
        self.close();
        true
    }

    /// The channel ends behind turns that wait.
    fn close(&mut self) {
        if !self.reads() && self.waiting.is_empty() {
            self.sink = None;
        }
    }

    fn reads(&self) -> bool {
        matches!(self.state, State::Reads)
    }
}

impl Counting {
    /// Goes on as far as that is possible now. True: something has happened.
    fn go_on(&mut self, team: &impl Way, helpers: &mut [Helper], wanted: &Wanted, is_stopped: bool) -> bool {
        let wish = wanted.wished.try_recv().ok();
        let any = wish.is_some();
        let tell = |helpers: &[Helper], what: &dyn Fn() -> Order| {
            helpers.iter().filter(|helper| helper.reads()).for_each(|helper| _ = order(team, helper.rank, &what()));
        };
        match wish {
            Some(Wish::Count(orders)) if !is_stopped => match self {
                Counting::Recalled(_, next) => *next = orders,
                Counting::Here => self.offer(team, helpers, orders),
                Counting::Offered(..) | Counting::There => {}
            },
            Some(Wish::Counted(helper, laps)) if matches!(self, Counting::There) => {
                let helper = helpers.get(helper..).unwrap_or(&[]);
                tell(helper.get(..1).unwrap_or(&[]), &|| Order::Counted(laps));
            }
            Some(Wish::BringBack) => {
                let is_there = matches!(self, Counting::There);
                if is_there {
                    tell(helpers, &|| Order::BringBack);
                    *self = Counting::Here;
                }
                self.recall();
                _ = wanted.answered.send(is_there);
            }
            _ => {}
        }
        any | self.hear(team, helpers)
    }

    /// Offers the orders to those whose ranks go round, if all of these read.
    fn offer(&mut self, team: &impl Way, helpers: &[Helper], mut orders: Vec<CountOrder>) {
        orders.resize_with(helpers.len(), CountOrder::default);
        let wanted = || helpers.iter().zip(&orders).filter(|(_, order)| !order.is_empty()).map(|(helper, _)| helper);
        if wanted().all(Helper::reads) {
            wanted().for_each(|helper| _ = order(team, helper.rank, &Order::Offer));
            let ready = orders.iter().map(|order| order.is_empty().then(Vec::new)).collect();
            *self = Counting::Offered(orders, ready);
        }
    }

    /// It is not to be, if it was only offered.
    fn recall(&mut self) {
        match self {
            Counting::Offered(orders, ready) => {
                let hearing = |(order, ready): (&CountOrder, &Option<_>)| match ready {
                    _ if order.is_empty() => Hearing::Knows,
                    Some(_) => Hearing::Waits,
                    None => Hearing::NotReady,
                };
                *self = Counting::Recalled(orders.iter().zip(&*ready).map(hearing).collect(), Vec::new());
            }
            Counting::Recalled(_, next) => next.clear(),
            Counting::Here | Counting::There => {}
        }
    }

    /// Some helpers may have said that they are ready, or may have ended before.
    fn hear(&mut self, team: &impl Way, helpers: &mut [Helper]) -> bool {
        match self {
            Counting::Here | Counting::There => return false,
            Counting::Offered(orders, ready) => {
                helpers
                    .iter_mut()
                    .zip(&mut *ready)
                    .for_each(|(helper, ready)| *ready = helper.ready.take().or(ready.take()));
                let wanted = helpers.iter().zip(&*orders).filter(|(_, order)| !order.is_empty());
                if !wanted.map(|(helper, _)| helper).all(Helper::reads) {
                    self.recall();
                    return true;
                }
                if !ready.iter().all(Option::is_some) {
                    return false;
                }
                let positions: Vec<Positions> = ready.drain(..).flatten().collect();
                agree(orders, &positions);
                let counts = helpers.iter().zip(std::mem::take(orders)).filter(|(_, count)| !count.is_empty());
                for (helper, count) in counts {
                    _ = order(team, helper.rank, &Order::Count(Some(count)));
                }
                *self = Counting::There;
            }
            Counting::Recalled(hearings, next) => {
                for (helper, hearing) in helpers.iter_mut().zip(&mut *hearings) {
                    if helper.ready.take().is_some() {
                        *hearing = Hearing::Waits;
                    }
                    if *hearing == Hearing::Waits && helper.reads() {
                        _ = order(team, helper.rank, &Order::Count(None));
                    }
                    if *hearing == Hearing::Waits || !helper.reads() {
                        *hearing = Hearing::Knows;
                    }
                }
                if hearings.iter().any(|hearing| *hearing != Hearing::Knows) {
                    return false;
                }
                let next = std::mem::take(next);
                *self = Counting::Here;
                if !next.is_empty() {
                    self.offer(team, helpers, next);
                }
            }
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
    team: &impl Way,
    mut helpers: Vec<Helper>,
    stop: &AtomicBool,
    wanted: &Wanted,
    received: &AtomicU64,
) -> Result<Vec<Defects>, Failure> {
    let (mut is_stopped, mut counting) = (false, Counting::Here);
    let (mut pauses, mut memory) = (Pauses::default(), Vec::new());
    while helpers.iter().any(|helper| matches!(helper.state, State::Reads) || !helper.waiting.is_empty()) {
        if stop.load(Ordering::Relaxed) && !is_stopped {
            is_stopped = true;
            let reads = |helper: &&mut Helper| matches!(helper.state, State::Reads);
            for helper in helpers.iter_mut().filter(reads) {
                _ = order(team, helper.rank, &Order::Stop);
                helper.heard = Instant::now();
            }
            // A helper that is told to stop waits no more for a long order.
            counting.recall();
        }
        if helpers.iter().any(|helper| matches!(helper.state, State::Failed(_))) {
            stop.store(true, Ordering::Relaxed);
        }
        let mut any = counting.go_on(team, &mut helpers, wanted, is_stopped);
        let is_awaited = matches!(counting, Counting::Offered(..) | Counting::Recalled(..));
        helpers.iter_mut().for_each(|helper| any |= helper.go_on(team, &mut memory, is_awaited, received));
        if any {
            pauses = Pauses::default();
            continue;
        }
        let waits_for = |h: &&Helper| matches!(h.state, State::Reads) && h.waiting.is_empty();
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
