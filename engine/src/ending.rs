//! The end of the run: how each rank ended and why, what was left over.

use super::facts::{Origin, rank_list};
use super::p2p::OpId;
use super::queues::Queued;
use super::requests::Request;
use super::wait::{Graph, Verdict, Watch};
use super::{End, Model, Rank, RankEnd};
use std::rc::Rc;
use trace_format::catalogue::NO_PROGRESS;
use trace_format::mpi::Class;

/// A request at the end of a rank that reached MPI_Finalize.
pub(crate) struct Leftover {
    pub(crate) origin: Rc<Origin>,
    pub(crate) start: Option<Rc<Origin>>,
    pub(crate) class: Class,
    pub(crate) persistent: bool,
    pub(crate) active: bool,
    /// Its send or receive has a partner, or needs none.
    pub(crate) paired: bool,
    /// Instance of its collective, and whether all processes started that.
    pub(crate) collective: Option<bool>,
}

/// A send or receive that nobody matched.
pub(crate) struct Alone {
    pub(crate) rank: i32,
    pub(crate) peer: i32,
    pub(crate) tag: i32,
    pub(crate) is_send: bool,
    pub(crate) shown: Rc<Origin>,
    pub(crate) origin: Rc<Origin>,
    /// Operations of the other kind between the same ranks, which differ in tag or communicator.
    pub(crate) near: Option<String>,
}

/// A collective that not all processes started.
pub(crate) struct Incomplete {
    pub(crate) calls: Vec<Rc<Origin>>,
    pub(crate) missing: Vec<i32>,
    /// Later ones on the same communicator.
    pub(crate) more: u64,
}

/// Ranks that did nothing any more but poll for what could not come.
pub(crate) struct InVain {
    /// The wait-for graph, if polling is waiting.
    pub(crate) graph: Graph,
    pub(crate) ranks: Vec<i32>,
    /// Ranks that wait for them or behind them.
    pub(crate) behind: Vec<i32>,
}

/// What the checks at the end look at.
pub(crate) struct Ending {
    pub(crate) ends: Vec<RankEnd>,
    pub(crate) graph: Graph,
    pub(crate) verdict: Verdict,
    pub(crate) in_vain: Option<InVain>,
    pub(crate) stopped: bool,
    /// Ranks that died of their own signal.
    pub(crate) crashed: Vec<i32>,
    /// Ranks that called MPI_Abort.
    pub(crate) aborted: Vec<i32>,
    /// Ranks whose MPI library reported a fatal error.
    pub(crate) failed: Vec<i32>,
    /// Ranks that were initialized and ended by exit without MPI_Finalize, not inside of a call.
    pub(crate) left: Vec<i32>,
    /// Ranks that ended by exit inside of a call.
    pub(crate) left_inside: Vec<i32>,
    /// Ranks that were ended from outside.
    pub(crate) killed: Vec<i32>,
    pub(crate) leftovers: Vec<Leftover>,
    /// Empty if something ended the run before its time: what is missing then says nothing.
    pub(crate) alone: Vec<Alone>,
    /// Empty likewise.
    pub(crate) incomplete: Vec<Incomplete>,
    /// The library could not end, in MPI_Finalize, because of what is `alone`.
    pub(crate) failed_over: bool,
    /// Of those who did not come to their end.
    pub(crate) queues: Vec<Queued>,
}

/// Signals that a program brings upon itself: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS; the others
/// come from outside.
pub fn is_crash(signal: i32) -> bool {
    matches!(signal, 4 | 5 | 6 | 7 | 8 | 11 | 31)
}

impl Ending {
    /// What happened to the others when the run was cut short, for the finding that is the cause.
    pub(crate) fn aftermath(&self) -> Option<String> {
        (!self.killed.is_empty())
            .then(|| format!("{} {} ended by the launcher afterwards", rank_list(&self.killed), was(&self.killed)))
    }

    /// The same where `rank` went down, with those who waited for it.
    pub(crate) fn aftermath_of(&self, rank: i32) -> Option<String> {
        let text = self.aftermath()?;
        let waiting: Vec<i32> = self.graph.needs(&[rank]).into_iter().filter(|r| self.killed.contains(r)).collect();
        let mut calls = waiting.iter().flat_map(|r| self.graph.calls(*r)).map(|c| c.name());
        let Some(first) = calls.next() else { return Some(text) };
        let name = if calls.all(|name| name == first) { format!(" in {first}") } else { String::new() };
        Some(format!("{text}; {} waited for rank {rank}{name}", rank_list(&waiting)))
    }

    /// Ranks that wait for one that left without MPI_Finalize, with all that they need of those that are gone.
    pub(crate) fn waiting_for_left(&self) -> Vec<&(i32, Vec<i32>)> {
        self.verdict.hang_ups.iter().filter(|(_, needed)| needed.iter().any(|n| self.left.contains(n))).collect()
    }

    /// Is there a reason inside the run for ranks to have been ended from outside?
    pub(crate) fn has_cause(&self) -> bool {
        self.stopped
            || !self.crashed.is_empty()
            || !self.aborted.is_empty()
            || !self.failed.is_empty()
            || !self.left.is_empty()
            || !self.left_inside.is_empty()
            || !self.verdict.dead.is_empty()
            || self.in_vain.is_some()
    }
}

/// The verb for what happened to ranks.
pub(crate) fn was(ranks: &[i32]) -> &'static str {
    if ranks.len() == 1 { "was" } else { "were" }
}

/// Draws the conclusions.
pub(crate) fn conclude(model: &mut Model, end: &End) -> Ending {
    for r in &end.missing {
        if let Some(r) = model.rank_mut(*r) {
            r.missing = true;
        }
    }
    if model.blind {
        model.lose_sight();
    }
    model.look_for_half_known();
    check_partial_collectives(model);
    model.decide_misuse(true);
    for (_, comm) in model.comms.list.iter_mut() {
        let found = std::mem::take(&mut comm.findings);
        if !comm.space.tangled {
            model.findings.merge(found);
        }
    }
    let n = model.ranks.len() as i32;
    let select = |test: &dyn Fn(&super::Rank) -> bool| -> Vec<i32> {
        (0..n).filter(|i| test(&model.ranks[*i as usize])).collect()
    };
    let aborted = select(&|r| r.abort.is_some());
    let failed = select(&|r| r.errors.iter().any(|e| e.fatal));
    // SIGABRT after MPI_Abort or a fatal error is how libraries end the process.
    let crashed = select(&|r| {
        let own = r.abort.is_none() && !r.errors.iter().any(|e| e.fatal);
        r.signal.as_ref().is_some_and(|s| is_crash(s.signal) && (own || s.signal != 6))
    });
    let trouble = !aborted.is_empty() || !failed.is_empty() || !crashed.is_empty();
    let own_end = |r: &super::Rank| {
        let quiet = r.abort.is_none() && !r.errors.iter().any(|e| e.fatal) && r.signal.is_none();
        // A library that loses its partner may end the process by exit.
        r.exit.is_some_and(|status| quiet && (status == 0 || !trouble))
    };
    // A call that the program's error handler has jumped out of (longjmp) stays open, and the program goes on.
    let left_inside = select(&|r| own_end(r) && !r.finalized && r.open_calls().any(|o| !is_abort(&o.origin)));
    let left = select(&|r| own_end(r) && r.is_left_open() && r.open_calls().next().is_none());
    let ended = |i: &i32| {
        let r = &model.ranks[*i as usize];
        r.exit.is_some() || r.finalized && r.sessions == 0 || r.missing || r.lost || r.holed
    };
    let killed: Vec<i32> =
        (0..n).filter(|i| !ended(i) && !crashed.contains(i) && !aborted.contains(i) && !failed.contains(i)).collect();
    // Elsewhere something went wrong: only what is certain is a finding of its own.
    let certain = (trouble || !left.is_empty() || !left_inside.is_empty()) && !end.stopped;
    // The evidence is about some ranks only: another may have been about to go on.
    let watch = |r: i32| match end.stopped {
        true if end.proven.contains(&r) => Watch::Watched,
        true => Watch::Trusted,
        false => Watch::Unwatched,
    };
    let graph = Graph::of(model, watch);
    let verdict = graph.verdict(certain);
    // Where something else held or ended the run, polling is a consequence.
    let unexplained = !certain && !end.stopped && verdict.dead.is_empty() && model.selection.is_on(&NO_PROGRESS);
    let in_vain = if unexplained { polls_in_vain(model, &killed) } else { None };
    let ends: Vec<RankEnd> = (0..n)
        .map(|i| {
            let r = &model.ranks[i as usize];
            if r.missing {
                RankEnd::Unknown
            } else if crashed.contains(&i) {
                RankEnd::Abend
            } else if aborted.contains(&i) || failed.contains(&i) {
                RankEnd::Abort
            } else if r.exit.is_some() || r.finalized && r.sessions == 0 {
                RankEnd::Normal
            } else if r.lost || r.holed {
                RankEnd::Unknown
            } else if end.stopped {
                RankEnd::Stopped
            } else {
                RankEnd::Abort
            }
        })
        .collect();
    let cut = trouble
        || end.stopped
        || end.lost
        || model.blind
        || !killed.is_empty()
        || !left.is_empty()
        || !left_inside.is_empty()
        || !verdict.dead.is_empty();
    let queues = model.queues(&ends);
    // What is paired from here on is not certain.
    model.ranks.iter_mut().for_each(|r| r.sums = false);
    if !model.blind {
        pair_leftovers(model);
    }
    model.judge_messages();
    model.judge_damage();
    let leftovers = if model.blind { Vec::new() } else { leftovers(model) };
    // In MPI_Finalize nobody starts anything any more. Libraries may fail there over a message that nobody receives.
    let over = |r: &super::Rank| r.finalize.is_some() && r.sessions == 0 && !r.lost && !r.holed && !r.missing;
    let quiet = crashed.is_empty() && aborted.is_empty();
    let over = quiet && !end.lost && !end.stopped && model.ranks.iter().all(over);
    let (alone, incomplete) = if cut && !over { (Vec::new(), Vec::new()) } else { (alone(model), incomplete(model)) };
    model.conclude_replay(!cut && ends.iter().all(|e| *e == RankEnd::Normal));
    let failed_over = cut && over && !alone.is_empty();
    let (left_inside, killed) = if failed_over { (Vec::new(), Vec::new()) } else { (left_inside, killed) };
    // The library ends ranks from outside, and a handler of the program may leave by exit or MPI_Abort.
    let before = |rank: &i32, since: u64| {
        let r = &model.ranks[*rank as usize];
        r.clock.unix_ns(r.heard) < since
    };
    let of_its_own = |ranks: Vec<i32>| match end.interrupted {
        Some(since) => ranks.into_iter().filter(|rank| before(rank, since)).collect(),
        None => ranks,
    };
    let [left, left_inside, aborted] = [left, left_inside, aborted].map(of_its_own);
    let killed = if end.interrupted.is_some() { Vec::new() } else { killed };
    Ending {
        ends,
        graph,
        verdict,
        in_vain,
        stopped: end.stopped,
        crashed,
        aborted,
        failed,
        left,
        left_inside,
        killed: if end.stopped { Vec::new() } else { killed },
        leftovers,
        alone,
        incomplete,
        failed_over,
        queues,
    }
}

/// The ranks among these that poll for what cannot come. Of the others only what is certain counts: nobody has looked
/// whether their calls return.
pub(super) fn polls_in_vain(model: &Model, among: &[i32]) -> Option<InVain> {
    let graph = Graph::with_polls(model, |_| Watch::Unwatched);
    let dead = graph.dead(true);
    let ranks: Vec<i32> = graph.pollers(model, &dead).into_iter().filter(|r| among.contains(r)).collect();
    let behind = dead.into_iter().filter(|r| !ranks.contains(r)).collect();
    (!ranks.is_empty()).then_some(InVain { graph, ranks, behind })
}

fn is_abort(origin: &Origin) -> bool {
    super::shape::shape(origin.func).class == Class::Abort
}

/// Collectives that not all started are checked with those who did, if only with what one sends to itself.
fn check_partial_collectives(model: &mut Model) {
    for comm in model.comms.list.keys() {
        let space = &model.comms.list[comm].space;
        let open: Vec<u64> = space
            .open()
            .filter(|(_, i)| i.arrived > 0 && (i.arrived as usize) < i.parts.len())
            .map(|(index, _)| index)
            .collect();
        for index in open {
            model.check_collective(comm, index);
        }
    }
}

/// Messages that are certainly or possibly paired although their receives were never completed.
fn pair_leftovers(model: &mut Model) {
    for comm in model.comms.list.keys() {
        let boxes = &model.comms.list[comm].boxes;
        let mut dests: Vec<i32> = boxes.keys().collect();
        dests.sort_unstable();
        for dest in dests {
            let pairs = model.comms.list[comm].boxes.get(dest).map(|mailbox| mailbox.leftovers()).unwrap_or_default();
            for (recv, send, sole) in pairs {
                if sole {
                    model.compare_pair(send, recv);
                }
                model.tell_pair(send, recv, sole);
                for op in [send, recv] {
                    if let Some(o) = model.ops.get_mut(op) {
                        o.matched = true;
                    }
                }
            }
        }
    }
}

fn leftovers(model: &Model) -> Vec<Leftover> {
    let mut all = Vec::new();
    for r in model.ranks.iter().filter(|r| r.finalize.is_some() && r.sessions == 0) {
        let lost = lost_in_handlers(r);
        let mut of_rank: Vec<Leftover> = r
            .requests
            .iter()
            .filter(|q| !q.perhaps_gone && !lost.iter().any(|lost| std::ptr::eq(*lost, *q)))
            .map(|q| {
                let paired = |op: Option<OpId>| op.and_then(|op| model.ops.get(op)).is_none_or(|o| o.matched);
                Leftover {
                    origin: q.origin.clone(),
                    start: q.start.clone(),
                    class: q.class,
                    persistent: q.persistent,
                    active: q.active,
                    paired: paired(q.send) && paired(q.recv),
                    collective: q.collective.map(|(comm, index, _)| {
                        let space = &model.comms.list[comm].space;
                        space.get(index).is_none_or(|i| i.arrived as usize == i.parts.len())
                    }),
                }
            })
            .collect();
        of_rank.sort_by_key(|l| (l.origin.thread, l.origin.index));
        all.append(&mut of_rank);
    }
    all
}

/// Requests of calls that failed to complete them, and that the program's error handler has left by a jump: what became of
/// these requests the program cannot know.
fn lost_in_handlers(r: &Rank) -> Vec<&Request> {
    let is_left =
        |call: &&Rc<Origin>| matches!(call.shape.class, Class::Wait(_) | Class::Test(_)) && call.end() == u64::MAX;
    let calls = r.errors.iter().filter(|error| !error.fatal).filter_map(|error| error.call.as_ref()).filter(is_left);
    let requests = calls.flat_map(|call| {
        let (base, handles) = call.requests();
        (0..handles.len()).filter_map(move |i| r.requests.get(r.requests.find_in(handles, base, i)?))
    });
    requests.collect()
}

fn alone(model: &Model) -> Vec<Alone> {
    let mut ops: Vec<OpId> = Vec::new();
    for (_, comm) in model.comms.list.iter() {
        if comm.is_foreign() || comm.made_wrongly || comm.members().any(|r| model.is_dim(r)) {
            continue;
        }
        ops.extend(comm.boxes.values().flat_map(|b| b.alone()));
    }
    ops.retain(|op| model.ops.get(*op).is_some_and(|o| !o.matched && !o.dim));
    ops.sort_by_key(|op| {
        let o = &model.ops[*op];
        (o.rank, o.shown().thread, o.shown().index, o.is_send())
    });
    let describe = |op: OpId| {
        let o = &model.ops[op];
        // A message or a receive that misses its partner by a tag or a communicator says what the mistake is.
        let near = ops
            .iter()
            .map(|other| &model.ops[*other])
            .find(|other| other.is_send() != o.is_send() && other.rank == o.peer && other.peer == o.rank);
        let near = near.map(|n| {
            let what = if n.is_send() { "message" } else { "receive" };
            let how = if n.comm != o.comm {
                "is on another communicator".to_owned()
            } else {
                format!("has tag {}, not {}", n.tag, o.tag)
            };
            format!("a {what} of rank {} ({}) {how}", n.rank, n.shown().name())
        });
        Alone {
            rank: o.rank,
            peer: o.peer,
            tag: o.tag,
            is_send: o.is_send(),
            shown: o.shown().clone(),
            origin: o.origin.clone(),
            near,
        }
    };
    // The near-miss search is quadratic: not for floods.
    let listed = ops.len().min(4096);
    ops[..listed].iter().map(|op| describe(*op)).collect()
}

fn incomplete(model: &Model) -> Vec<Incomplete> {
    let mut all = Vec::new();
    for (_, comm) in model.comms.list.iter() {
        if comm.is_foreign() || comm.spoiled || comm.space.tangled || comm.members().any(|r| model.is_dim(r)) {
            continue;
        }
        let mut open = comm.space.open().filter(|(_, i)| i.arrived != 0 && (i.arrived as usize) < i.parts.len());
        let Some((_, first)) = open.next() else { continue };
        if first.bad {
            continue;
        }
        let calls = first.parts.iter().flatten().map(|p| p.shown().clone()).collect();
        let absent = first.parts.iter().enumerate().filter(|(_, p)| p.is_none());
        let missing = absent.map(|(i, _)| comm.member(i as u32)).collect();
        all.push(Incomplete { calls, missing, more: open.count() as u64 });
    }
    all
}
