//! The wait-for graph, and who can never go on. A rank is blocked when its open call cannot complete from what was
//! fed; its condition is a tree of AND (Waitall, collectives) and OR (Waitany, wildcards) over other ranks.

mod absent;
mod bridges;
mod buffers;
mod collectives;
mod conditions;
mod epochs;
mod hints;
mod outlook;
mod partitions;
mod unmet;
mod verdict;

use crate::model::Model;
use crate::state::{Origin, Rank, Site, rank_list};
use absent::{Absent, Free};
use conditions::{Outlooks, vertex};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use trace_format::mpi::special::ANY_TAG;
pub(crate) use verdict::{Knot, Verdict};

/// Why a rank waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It must send (tag).
    Send(i32),
    /// It must send one more message than those that are there: these do not go round (tag).
    Another(i32),
    /// It must receive (tag).
    Receive(i32),
    /// It must call the collective.
    Collective,
    /// It must make the partitions of its send ready (tag).
    Partitions(i32),
    /// It must call MPI_Win_post.
    Post,
    /// It must call MPI_Win_complete.
    Complete,
    /// It must release its lock of a window.
    Unlock,
    /// Its library must do something for others, which it does in calls.
    Progress,
    /// It must complete its own generalized request.
    Generalized,
}

/// When a blocked rank can go on.
#[derive(Debug, Clone)]
pub(crate) enum Cond {
    /// It can.
    Free,
    /// When that rank can. Not certain: the call may also return by itself.
    On {
        rank: i32,
        certain: bool,
        why: Why,
    },
    /// When all of these can, as with [`Cond::On`] each.
    OnAll {
        ranks: Absent,
        certain: bool,
        why: Why,
    },
    All(Vec<Cond>),
    Any(Vec<Cond>),
    /// In a collective that is wrong in itself: nobody can tell.
    Bad,
    /// Something that mpivet does not see may help (another thread).
    Perhaps,
}

/// One rank of the graph.
pub(crate) enum Vertex {
    /// Can go on, or nothing says that it cannot.
    Running,
    /// Will do nothing any more.
    Finished,
    Blocked {
        cond: Cond,
        /// The calls it is blocked in, one a thread.
        calls: Vec<Rc<Origin>>,
        /// The condition of each of them.
        of_calls: Vec<Cond>,
        /// Operations that it waits for and that were started elsewhere.
        awaited: Vec<Site>,
    },
}

/// Assumptions when conditions are evaluated.
#[derive(Clone, Copy)]
struct Assume {
    /// Uncertain things help.
    uncertain: bool,
    /// Wrong collectives return.
    bad: bool,
}

/// Facts on a rank from outside of its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// Nothing.
    Unwatched,
    /// Somebody looks, or has looked, what its threads do that are in no MPI call, and whether its calls return by
    /// themselves.
    Watched,
    /// As [`Watch::Unwatched`], while others are watched: whatever may help this rank does.
    Trusted,
    /// It can go on.
    Running,
    /// Its process is no more.
    Gone,
}

pub(crate) struct Graph {
    pub(crate) vertices: Vec<Vertex>,
    /// So many bytes may be under way to who seems to wait for them.
    bytes: u64,
    /// For whom those wait who share a list, in words.
    said: RefCell<FxHashMap<(usize, usize), Rc<str>>>,
}

impl Graph {
    /// `watch`: what is known of each rank.
    pub(crate) fn of(model: &Model, watch: impl Fn(i32) -> Watch) -> Graph {
        Graph::made(model, watch, false)
    }

    /// As [`Graph::of`], if ranks that do nothing but poll wait for what they poll for.
    pub(crate) fn with_polls(model: &Model, watch: impl Fn(i32) -> Watch) -> Graph {
        Graph::made(model, watch, true)
    }

    fn made(model: &Model, watch: impl Fn(i32) -> Watch, polling: bool) -> Graph {
        let quiet = quiet(model);
        let mut outlooks = Outlooks::new(model, polling, quiet);
        let one = |rank: i32| {
            let watch = watch(rank);
            outlooks.watched = watch != Watch::Unwatched;
            let mut vertex = vertex(model, &mut outlooks, rank, watch == Watch::Watched);
            match (&mut vertex, watch) {
                (Vertex::Blocked { .. }, Watch::Running) => vertex = Vertex::Running,
                (Vertex::Blocked { cond, .. }, Watch::Trusted) => trust(cond),
                (_, Watch::Gone) => vertex = Vertex::Finished,
                _ => {}
            }
            vertex
        };
        let vertices = (0..model.ranks.len() as i32).map(one).collect();
        Graph { vertices, bytes: outlooks.bytes, said: RefCell::default() }
    }

    /// Ranks that can never go on, ascending. `certain`: only those for whom no uncertainty could help.
    pub(crate) fn dead(&self, certain: bool) -> Vec<i32> {
        self.stay(Assume { uncertain: certain, bad: false }, |_| None)
    }

    /// As [`Graph::dead`], without those whom only a wrong collective holds.
    pub(crate) fn dead_apart_from_bad(&self, certain: bool) -> Vec<i32> {
        self.stay(Assume { uncertain: certain, bad: true }, |_| None)
    }

    /// Ranks that stay blocked when the fate of some ranks is given.
    fn stay(&self, assume: Assume, given: impl Fn(i32) -> Option<bool>) -> Vec<i32> {
        let mut free: Vec<bool> = Vec::with_capacity(self.vertices.len());
        for (i, v) in self.vertices.iter().enumerate() {
            free.push(given(i as i32).unwrap_or(matches!(v, Vertex::Running)));
        }
        let mut free = Free::new(free);
        let mut blocked: Vec<usize> = (0..self.vertices.len())
            .filter(|i| given(*i as i32).is_none() && matches!(self.vertices[*i], Vertex::Blocked { .. }))
            .collect();
        loop {
            let before = blocked.len();
            blocked.retain(|i| {
                let Vertex::Blocked { cond, .. } = &self.vertices[*i] else { return false };
                let goes = eval(cond, &free, assume);
                if goes {
                    free.set(*i);
                }
                !goes
            });
            if blocked.len() == before {
                blocked.sort_unstable();
                return blocked.into_iter().map(|i| i as i32).collect();
            }
            // A chain of ranks that wait for each other is gone through once, whichever way it goes.
            blocked.reverse();
        }
    }

    /// The ranks among these that only poll.
    pub(crate) fn pollers(&self, model: &Model, ranks: &[i32]) -> Vec<i32> {
        let polls = |r: &Rank| r.threads.iter().any(|t| !conditions::poll_loop(r, t).is_empty());
        ranks.iter().copied().filter(|r| polls(&model.ranks[*r as usize])).collect()
    }

    /// The dead ranks whose call may return by itself.
    pub(crate) fn may_return(&self, dead: &[i32]) -> Vec<i32> {
        let mut free: Vec<bool> = self.vertices.iter().map(|v| !matches!(v, Vertex::Finished)).collect();
        dead.iter().for_each(|r| free[*r as usize] = false);
        let free = Free::new(free);
        let assume = Assume { uncertain: true, bad: true };
        dead.iter().copied().filter(|r| self.cond(*r).is_none_or(|c| eval(c, &free, assume))).collect()
    }

    /// How long it takes to see that nothing is under way any more to those who may be waiting for it.
    pub(crate) fn patience(&self) -> Duration {
        let time = if self.bytes == 0 { 0 } else { conditions::time_for(self.bytes) - conditions::time_for(0) };
        Duration::from_nanos(time)
    }

    /// Ranks that cannot go on without these, whatever all others do.
    pub(crate) fn needs(&self, ranks: &[i32]) -> Vec<i32> {
        let mut free = vec![true; self.vertices.len()];
        ranks.iter().for_each(|r| free[*r as usize] = false);
        let free = Free::new(free);
        let assume = Assume { uncertain: true, bad: true };
        let all = 0..self.vertices.len() as i32;
        all.filter(|r| self.cond(*r).is_some_and(|c| !eval(c, &free, assume))).collect()
    }

    pub(crate) fn cond(&self, rank: i32) -> Option<&Cond> {
        match &self.vertices[rank as usize] {
            Vertex::Blocked { cond, .. } => Some(cond),
            _ => None,
        }
    }

    pub(crate) fn calls(&self, rank: i32) -> &[Rc<Origin>] {
        match &self.vertices[rank as usize] {
            Vertex::Blocked { calls, .. } => calls,
            _ => &[],
        }
    }

    pub(crate) fn awaited(&self, rank: i32) -> &[Site] {
        match &self.vertices[rank as usize] {
            Vertex::Blocked { awaited, .. } => awaited,
            _ => &[],
        }
    }

    /// Ranks that `rank` waits for, ascending, with the reason.
    pub(crate) fn waits_for(&self, rank: i32) -> Vec<(i32, Why)> {
        self.cond(rank).map_or(Vec::new(), |cond| self.ranks_in(cond))
    }

    fn ranks_in(&self, cond: &Cond) -> Vec<(i32, Why)> {
        let mut all = Vec::new();
        leaves(cond, &mut all);
        // Processes outside the world are nobody's business.
        all.retain(|l| usize::try_from(l.0).is_ok_and(|r| r < self.vertices.len()));
        all.sort_by_key(|l| l.0);
        all.dedup_by_key(|l| l.0);
        all
    }

    /// The calls that `rank` is blocked in, each with the ranks that it waits for, and whether one of them is enough.
    pub(crate) fn waits(&self, rank: i32) -> impl Iterator<Item = (&Rc<Origin>, Vec<i32>, bool)> {
        let (calls, conds): (&[_], &[_]) = match &self.vertices[rank as usize] {
            Vertex::Blocked { calls, of_calls, .. } => (calls, of_calls),
            _ => (&[], &[]),
        };
        let ranks = |cond| self.ranks_in(cond).into_iter().map(|w| w.0).collect();
        calls.iter().zip(conds).map(move |(call, cond)| (call, ranks(cond), matches!(cond, Cond::Any(_))))
    }

    /// So many pairs of `rank` and one that it waits for are in [`Graph::waits`] at most.
    pub(crate) fn edges(&self, rank: i32) -> usize {
        fn count(cond: &Cond) -> usize {
            match cond {
                Cond::On { .. } => 1,
                Cond::OnAll { ranks, .. } => ranks.ranks().len(),
                Cond::All(all) | Cond::Any(all) => all.iter().map(count).sum(),
                Cond::Free | Cond::Bad | Cond::Perhaps => 0,
            }
        }
        match &self.vertices[rank as usize] {
            Vertex::Blocked { of_calls, .. } => of_calls.iter().map(count).sum(),
            _ => 0,
        }
    }

    /// The calls that `rank` is blocked in, each with what it waits for, in words.
    pub(crate) fn roles(&self, rank: i32) -> impl Iterator<Item = (&Rc<Origin>, String)> {
        let (calls, conds): (&[_], &[_]) = match &self.vertices[rank as usize] {
            Vertex::Blocked { calls, of_calls, .. } => (calls, of_calls),
            _ => (&[], &[]),
        };
        calls.iter().zip(conds).map(|(call, cond)| (call, self.words(cond)))
    }

    /// Does the rank wait for a reason of this kind?
    pub(crate) fn waits_as(&self, rank: i32, is_it: impl Fn(Why) -> bool) -> bool {
        fn any(cond: &Cond, is_it: &dyn Fn(Why) -> bool) -> bool {
            match cond {
                Cond::On { why, .. } | Cond::OnAll { why, .. } => is_it(*why),
                Cond::All(all) | Cond::Any(all) => all.iter().any(|cond| any(cond, is_it)),
                Cond::Free | Cond::Bad | Cond::Perhaps => false,
            }
        }
        self.cond(rank).is_some_and(|cond| any(cond, &is_it))
    }

    /// The reason why `rank` waits, in words.
    pub(crate) fn role(&self, rank: i32) -> String {
        self.words(self.cond(rank).unwrap_or(&Cond::Free))
    }

    fn words(&self, cond: &Cond) -> String {
        let Cond::OnAll { ranks, .. } = cond else { return self.words_of(cond) };
        let key = (ranks.list(), ranks.ranks().len());
        let mut said = self.said.borrow_mut();
        said.entry(key).or_insert_with(|| self.words_of(cond).into()).to_string()
    }

    fn words_of(&self, cond: &Cond) -> String {
        let mut waits = self.ranks_in(cond);
        // The process whose memory is locked is not who is waited for.
        let helpers = waits.iter().any(|w| w.1 == Why::Progress);
        waits.retain(|w| w.1 != Why::Progress);
        let ranks: Vec<i32> = waits.iter().map(|w| w.0).collect();
        if ranks.is_empty() {
            return "the waiting call".into();
        }
        let any = matches!(cond, Cond::Any(_)) && ranks.len() > 1 && !helpers;
        let who = if any { format!("any of {}", rank_list(&ranks)) } else { rank_list(&ranks) };
        let same = waits.iter().all(|w| w.1 == waits[0].1);
        let tag = |t: i32| if t == ANY_TAG { String::new() } else { format!(" with tag {t}") };
        match waits[0].1 {
            _ if !same => format!("waits for {who}"),
            Why::Send(t) => format!("waits for {who} to send a message{}", tag(t)),
            Why::Another(t) => format!("waits for {who} to send another message{}", tag(t)),
            Why::Receive(t) => format!("waits for {who} to receive the message{}", tag(t)),
            Why::Collective | Why::Progress => format!("waits for {who} to call it too"),
            Why::Partitions(t) => format!("waits for {who} to make all partitions of its message{} ready", tag(t)),
            Why::Post => format!("waits for {who} to call MPI_Win_post"),
            Why::Complete => format!("waits for {who} to call MPI_Win_complete"),
            Why::Generalized => format!("waits for {who} itself to call MPI_Grequest_complete"),
            Why::Unlock => format!("waits for {who} to unlock the window"),
        }
    }

    /// Does the verdict on these ranks rest on a call that may also return by itself?
    pub(crate) fn is_uncertain(&self, ranks: &[i32]) -> bool {
        !self.may_return(ranks).is_empty()
    }
}

/// For how long no rank had done anything new when the last thing was heard of one, in nanoseconds.
fn quiet(model: &Model) -> u64 {
    let (last, now) = model.ranks.iter().map(Rank::idle).fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    now.saturating_sub(last)
}

fn eval(cond: &Cond, free: &Free, assume: Assume) -> bool {
    match cond {
        Cond::Free => true,
        Cond::On { rank, certain, .. } => !certain && assume.uncertain || free.has(*rank),
        Cond::OnAll { ranks, certain, .. } => !certain && assume.uncertain || free.has_all(ranks),
        Cond::All(all) => all.iter().all(|c| eval(c, free, assume)),
        Cond::Any(any) => any.iter().any(|c| eval(c, free, assume)),
        Cond::Bad => assume.bad,
        Cond::Perhaps => assume.uncertain,
    }
}

/// Takes what may help for what does.
fn trust(cond: &mut Cond) {
    match cond {
        Cond::On { certain: false, .. } | Cond::OnAll { certain: false, .. } | Cond::Perhaps => *cond = Cond::Free,
        Cond::All(all) | Cond::Any(all) => all.iter_mut().for_each(trust),
        Cond::On { .. } | Cond::OnAll { .. } | Cond::Free | Cond::Bad => {}
    }
}

fn leaves(cond: &Cond, out: &mut Vec<(i32, Why)>) {
    match cond {
        Cond::On { rank, why, .. } => out.push((*rank, *why)),
        Cond::OnAll { ranks, why, .. } => out.extend(ranks.ranks().iter().map(|rank| (*rank, *why))),
        Cond::All(all) | Cond::Any(all) => all.iter().for_each(|c| leaves(c, out)),
        Cond::Free | Cond::Bad | Cond::Perhaps => {}
    }
}
