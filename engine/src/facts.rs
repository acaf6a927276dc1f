//! What the engine hands to the checks, and what checks hand back: findings in the making, merged by their places.

use super::Model;
use super::indexed::At;
use super::interpret::{Target, int};
use super::shape::{NONE, Shape, shape};
use super::types::Amount;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;
use trace_format::catalogue::CheckInfo;
use trace_format::definition::Id;
use trace_format::finding::{CallRef, Finding, Rerun, Severity, Waiting};
use trace_format::mpi::FnId;
use trace_format::ranks::Ranks;
use trace_reader::args::Args;
use trace_reader::call::{Call, call_event};
use trace_reader::reader::{Field, Own, own_fields, with_own};

/// A call as long as something may have to be said about it.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) rank: i32,
    /// In ticks of the rank.
    pub(crate) time: u64,
    /// When the call returned; `u64::MAX` while it has not.
    pub(crate) end: Cell<u64>,
    pub(crate) thread: u16,
    pub(crate) index: u64,
    /// What it does not have in common with others, by [`Pattern::fields`].
    pub(crate) own: Own,
    /// What it has in common with others.
    pub(crate) pattern: Rc<Pattern>,
}

/// What calls have in common that a thread makes again and again.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) func: FnId,
    /// Of the function.
    pub(crate) shape: &'static Shape,
    pub(crate) site: Id,
    pub(crate) ins: Args,
    /// What those returned that had returned when they were read.
    pub(crate) outs: Args,
    /// How many more times the same poll was made in each.
    pub(crate) polls: u32,
    /// Values above that are those of one of the calls; of the others see [`Origin::own`].
    pub(crate) fields: &'static [Field],
    /// Which of these is where the variable of a new request is, and what was written to it.
    slot: Option<u8>,
    written: Option<u8>,
    /// Which are the place and the handle of the request that the call is given.
    given: Option<(u8, u8)>,
    /// What was found out of the last of them, and mostly is so again.
    pub(super) found: Found,
}

/// See [`Pattern::found`].
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(super) send: Cell<Option<End>>,
    pub(super) recv: Cell<Option<End>>,
    /// Mailbox and lane of the message that was sent, and of the one that was received.
    pub(super) sent: Cell<(At, At)>,
    pub(super) received: Cell<(At, At)>,
}

/// One half of a message, by the arguments of its call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(super) target: Target,
    pub(super) amount: Amount,
    /// What it says holds as long as this is [`Model::epoch`].
    pub(super) epoch: u32,
}

impl Pattern {
    #[inline(always)]
    pub(super) fn new(func: FnId, site: Id, ins: Args, outs: Args, polls: u32) -> Pattern {
        let (shape, fields) = (shape(func), own_fields(func));
        let (place, own) = (usize::from(shape.request), shape.own);
        let is_given = ins.slot(place).is_some();
        let slot = (!is_given && own.variable != NONE && ins.int(place).is_some()).then_some(own.variable);
        let given = (is_given && own.slot != NONE && own.handle != NONE).then_some((own.slot, own.handle));
        let written = (own.written != NONE).then_some(own.written);
        let found = Found::default();
        Pattern { func, shape, site, ins, outs, polls, fields, slot, written, given, found }
    }
}

impl Deref for Origin {
    type Target = Pattern;

    fn deref(&self) -> &Pattern {
        &self.pattern
    }
}

impl Origin {
    pub(crate) fn event(&self) -> u64 {
        call_event(self.index)
    }

    /// Handles of the requests that it is given, with the address of the first.
    #[inline]
    pub(crate) fn requests(&self) -> (u64, &[i64]) {
        match (self.given, self.shape.request) {
            (Some((slot, handle)), _) => {
                (self.own[usize::from(slot)] as u64, std::slice::from_ref(&self.own[usize::from(handle)]))
            }
            (None, NONE) => (0, &[]),
            (None, place) => self.ins.requests(place.into()),
        }
    }

    /// The variable of the request that it made, and the handle, as it returned these values.
    #[inline]
    pub(super) fn new_request(&self, outs: &Args) -> (u64, i64) {
        let own = |field: Option<u8>| field.map(|field| self.own[usize::from(field)]);
        let slot = own(self.slot).or_else(|| int(&self.ins, self.shape.request)).unwrap_or(0);
        let written = own(self.written.filter(|_| std::ptr::eq(outs, &self.outs)));
        (slot as u64, written.or_else(|| int(outs, self.shape.request)).unwrap_or(0))
    }

    /// When the call returned; `u64::MAX` while it has not.
    pub(crate) fn end(&self) -> u64 {
        self.end.get()
    }

    pub(crate) fn name(&self) -> &'static str {
        self.func.name()
    }
}

/// A call that a finding speaks of.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) rank: i32,
    /// `None`: a place outside of MPI.
    pub(crate) call: Option<Rc<Origin>>,
    pub(crate) pc: u64,
    pub(crate) role: String,
}

impl Site {
    pub(crate) fn new(call: &Rc<Origin>, role: impl Into<String>) -> Site {
        Site { rank: call.rank, call: Some(call.clone()), pc: 0, role: role.into() }
    }

    fn order(&self) -> (i32, u16, u64) {
        self.call.as_ref().map_or((self.rank, 0, 0), |c| (c.rank, c.thread, c.event()))
    }
}

/// A finding in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) check: &'static CheckInfo,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) calls: Vec<Site>,
    /// Ranks concerned; those of the calls if empty.
    pub(crate) ranks: Vec<i32>,
    pub(crate) notes: Vec<String>,
    /// How often it happened.
    pub(crate) count: u64,
    /// How to make it happen.
    pub(crate) rerun: Option<Rerun>,
    /// The part of the wait-for graph that it is about.
    pub(crate) waits: Vec<Waiting>,
    /// Ranks whose part is missing.
    pub(crate) missed: Vec<i32>,
}

impl Draft {
    pub(crate) fn new(check: &'static CheckInfo, message: impl Into<String>, calls: Vec<Site>) -> Draft {
        let (severity, message) = (check.severity, message.into());
        Draft {
            check,
            severity,
            message,
            calls,
            ranks: Vec::new(),
            notes: Vec::new(),
            count: 1,
            rerun: None,
            waits: Vec::new(),
            missed: Vec::new(),
        }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Draft {
        self.notes.push(note.into());
        self
    }

    /// A call waits for these ranks; `any`: one of them is enough.
    pub(crate) fn waits(&mut self, call: &Origin, mut ranks: Vec<i32>, any: bool) {
        ranks.sort_unstable();
        ranks.dedup();
        self.waits.push(Waiting {
            rank: call.rank,
            thread: call.thread,
            event: call.event(),
            function: call.name().to_owned(),
            site: call.site,
            any: any && ranks.len() > 1,
            waits_for: ranks,
        });
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Draft {
        self.severity = severity;
        self
    }

    pub(crate) fn ranks(mut self, ranks: impl IntoIterator<Item = i32>) -> Draft {
        self.ranks = ranks.into_iter().collect();
        self
    }
}

/// A finding with how often it happened, and on which ranks.
pub(crate) struct Kept {
    pub(crate) draft: Draft,
    order: Vec<(i32, u16, u64)>,
    pub(crate) count: u64,
    pub(crate) ranks: Vec<i32>,
}

/// Collects findings of the checks that are on; the same finding at the same places is one with a count.
#[derive(Default)]
pub(crate) struct Findings {
    kept: FxHashMap<(&'static str, u8, Vec<u64>), Kept>,
    /// How often anything was kept.
    times: u64,
}

impl Findings {
    /// A finding of `check` at the places of `calls`: `make` is called only for the first one in the order of ranks
    /// and events, or what may become it.
    pub(crate) fn add_lazy(
        &mut self,
        model: &Model,
        check: &'static CheckInfo,
        calls: &[&Rc<Origin>],
        count: u64,
        make: impl FnOnce() -> Draft,
    ) {
        if !model.selection.is_on(check) {
            return;
        }
        let places = calls.iter().map(|c| model.place(c)).collect();
        let order: Vec<_> = calls.iter().map(|c| (c.rank, c.thread, c.event())).collect();
        let ranks: Vec<i32> = calls.iter().map(|c| c.rank).collect();
        self.keep((check.code, 0, places), order, &ranks, count, make);
    }

    /// Adds a finding.
    pub(crate) fn add(&mut self, model: &Model, draft: Draft) {
        if !model.selection.is_on(draft.check) {
            return;
        }
        let mut places: Vec<u64> = draft.calls.iter().map(|s| model.place_of_site(s)).collect();
        places.sort_unstable();
        places.dedup();
        let order: Vec<_> = draft.calls.iter().map(Site::order).collect();
        let ranks =
            if draft.ranks.is_empty() { draft.calls.iter().map(|s| s.rank).collect() } else { draft.ranks.clone() };
        self.keep((draft.check.code, 1 + draft.severity as u8, places), order, &ranks, draft.count, || draft);
    }

    fn keep(
        &mut self,
        key: (&'static str, u8, Vec<u64>),
        order: Vec<(i32, u16, u64)>,
        ranks: &[i32],
        count: u64,
        make: impl FnOnce() -> Draft,
    ) {
        self.times += 1;
        match self.kept.entry(key) {
            std::collections::hash_map::Entry::Vacant(e) => {
                let draft = make();
                let ranks = if draft.ranks.is_empty() { ranks.to_vec() } else { draft.ranks.clone() };
                e.insert(Kept { draft, order, count, ranks });
            }
            std::collections::hash_map::Entry::Occupied(mut e) => {
                let kept = e.get_mut();
                kept.count = kept.count.saturating_add(count);
                for r in ranks {
                    if !kept.ranks.contains(r) {
                        kept.ranks.push(*r);
                    }
                }
                if order < kept.order {
                    kept.order = order;
                    kept.draft = make();
                    for r in kept.draft.ranks.iter() {
                        if !kept.ranks.contains(r) {
                            kept.ranks.push(*r);
                        }
                    }
                }
            }
        }
    }

    /// Changes with every finding, also with one that was there before.
    pub(super) fn kept_so_far(&self) -> u64 {
        self.times
    }

    /// Adds what another one has collected.
    pub(crate) fn merge(&mut self, other: Findings) {
        for (key, kept) in other.kept {
            let Kept { draft, order, count, ranks } = kept;
            self.keep(key, order, &ranks, count, || draft);
        }
    }

    /// The calls that findings speak of.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.kept.values().flat_map(|k| &k.draft.calls).filter_map(|site| site.call.as_ref())
    }

    /// Is there a finding of one of these checks that concerns the rank?
    pub(crate) fn concerns(&self, checks: &[&CheckInfo], rank: i32) -> bool {
        self.kept.iter().any(|(k, v)| v.ranks.contains(&rank) && checks.iter().any(|c| c.code == k.0))
    }

    /// Is there a finding of one of these checks about calls of the same function? In a collective operation the
    /// library may stumble on a rank that only passes on what others got wrong.
    pub(crate) fn concerns_calls_of(&self, checks: &[&CheckInfo], call: &Origin) -> bool {
        let same = |s: &Site| s.call.as_ref().is_some_and(|c| c.func == call.func);
        self.kept.iter().any(|(k, v)| checks.iter().any(|c| c.code == k.0) && v.draft.calls.iter().any(same))
    }

    /// The findings, sorted by severity, code, ranks and events.
    pub(crate) fn finish(self, model: &Model) -> Vec<Finding> {
        let mut all: Vec<Kept> = self.kept.into_values().collect();
        for k in &mut all {
            k.ranks.sort_unstable();
            k.ranks.dedup();
            let wanted = model.selection.severity(k.draft.check, k.draft.severity);
            k.draft.severity = wanted.unwrap_or(k.draft.severity);
        }
        let by_severity = |a: &Kept, b: &Kept| {
            let key = |k: &Kept| (k.draft.severity, k.draft.check.code);
            key(a)
                .cmp(&key(b))
                .then_with(|| a.ranks.cmp(&b.ranks))
                .then_with(|| a.order.cmp(&b.order))
                .then_with(|| a.draft.message.cmp(&b.draft.message))
        };
        all.sort_by(by_severity);
        crate::checks::relate(&mut all, model);
        all.sort_by(by_severity);
        all.into_iter()
            .map(|k| {
                let mut notes = k.draft.notes;
                let described: Vec<i32> = if k.draft.ranks.is_empty() {
                    k.draft.calls.iter().map(|c| c.rank).collect()
                } else {
                    k.draft.ranks
                };
                let others: Vec<i32> = k.ranks.iter().copied().filter(|r| !described.contains(r)).collect();
                if !others.is_empty() {
                    notes.push(format!("the same on {}", rank_list(&others)));
                }
                Finding {
                    check: k.draft.check,
                    severity: k.draft.severity,
                    message: model.names.rename(&k.draft.message),
                    ranks: k.ranks,
                    calls: k.draft.calls.iter().map(|s| model.call_ref(s)).collect(),
                    notes: notes.iter().map(|n| model.names.rename(n)).collect(),
                    count: k.count,
                    paths: Vec::new(),
                    more_paths: (0, 0),
                    rerun: k.draft.rerun,
                    waits: k.draft.waits,
                }
            })
            .collect()
    }
}

/// `rank 3`, `ranks 0-3,7`.
pub(crate) fn rank_list(ranks: &[i32]) -> String {
    let mut ranks = ranks.to_vec();
    ranks.sort_unstable();
    ranks.dedup();
    let list: Ranks = ranks.iter().copied().collect();
    if ranks.len() == 1 { format!("rank {list}") } else { format!("ranks {list}") }
}

/// `rank 3`, `any rank`.
pub(crate) fn outside_rank(rank: i32) -> String {
    if rank < 0 { "any rank".into() } else { format!("rank {rank}") }
}

/// `1 message`, `3 messages`.
pub(crate) fn plural(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A call of `origin` as the readable notation needs it.
pub(crate) fn as_call(origin: &Origin) -> Call {
    let mut call = Call::new(origin.func);
    call.thread = origin.thread;
    call.index = origin.index;
    call.site = origin.site;
    call.ins = with_own(origin.fields, &origin.own, &origin.ins);
    call
}

/// An empty reference, for a rank that was in no call.
pub fn outside(rank: i32, pc: u64, role: &str) -> CallRef {
    CallRef {
        rank,
        thread: 0,
        event: 0,
        function: String::new(),
        text: String::new(),
        site: 0,
        pc,
        role: role.to_owned(),
        span: None,
    }
}
