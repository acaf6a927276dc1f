//! The messages that wildcards took in a run, and how another run could be made to take others: for a program whose ranks go on
//! in another way then, only that other run shows what they do.
//!
//! A wildcard call is told apart from those of other runs by what its thread had called before, whichever messages it had
//! got: a process that goes on in the same way is in the same place. So is a message, by what its sender had called. A
//! matching is such a call with such a message; it has the same number in all runs.

use super::RecordedProgram;
use super::part::{Part, Window};
use super::places::Places;
use super::takes::message;
use crate::state::{Comms, Origin};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use schedules::{Budget, Choice, Event, Kind, OpIx, Place, Program, Reached, Step, reach};
use std::collections::BTreeMap;
use std::hash::Hash as _;
use std::hash::Hasher as _;
use std::ops::Range;
use trace_format::definition::Id;
use trace_format::run::witness::{Take, Witness};

/// Alternatives of one run that are looked for.
const MOST_ALTERNATIVES: usize = 200;

/// How often what is too large is cut in half.
const MOST_HALVES: usize = 16;

/// The answers of a run about its wildcards.
#[derive(Debug, Clone, Default)]
pub struct Ways {
    /// The matchings that took place.
    pub taken: Vec<u64>,
    /// The message that each wildcard took, as far as it can be named.
    pub path: Vec<Take>,
    /// The call sites of these wildcards, and where they are, once that was looked up.
    pub sites: Vec<Id>,
    pub places: Vec<String>,
    /// Matchings that could have taken place instead, apart from those that are known.
    pub alternatives: Vec<Alternative>,
    /// Why there may be more of them.
    pub unknown: Option<&'static str>,
    /// A message was overtaken by a later one of its sender: a run that was made to do what no library may.
    pub forbidden: bool,
}

/// A matching that did not take place, and how to make it happen.
#[derive(Debug, Clone)]
pub struct Alternative {
    pub matching: u64,
    /// A number that calls at the same places in the program share.
    pub place: u64,
    /// The messages that the wildcards take on the way to it, and its own; without the name of the program.
    pub witness: Witness,
}

/// The model's names of calls and communicators.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) comms: &'a Comms,
    /// A number for the place that a call was made from, equal on all ranks that run the same code.
    pub(crate) place: &'a dyn Fn(&Origin) -> u64,
}

impl RecordedProgram {
    /// The answers of the run about its wildcards. `known`: matchings that are of no interest any more.
    pub(crate) fn ways(&mut self, threads: &[(i32, u16)], known: &FxHashSet<u64>, run: Named) -> Ways {
        let mut ways = Ways { unknown: self.unknown, ..Ways::default() };
        if self.wildcards == 0 || self.unknown.is_some() {
            return ways;
        }
        self.resolve_probes();
        self.find_steering();
        let places = Places::new(self, threads);
        for thread in 0..self.wild.len() {
            for (number, wild) in self.wild[thread].iter().enumerate() {
                let Some(send) = self.took(thread, wild) else { continue };
                ways.taken.push(places.matching(&self.program, (thread, wild.step as usize), send));
                if let Some((take, site)) =
                    self.taken(thread, number, send).and_then(|t| Some((t.named(run.comms)?, t.call.site)))
                {
                    ways.path.push(take);
                    ways.sites.push(site);
                }
            }
        }
        ways.forbidden = self.overtakes();
        let mut seen: FxHashSet<u64> = known.iter().chain(&ways.taken).copied().collect();
        let mut order: Vec<usize> = (0..threads.len()).collect();
        order.sort_by_key(|l| threads[*l]);
        for window in self.windows(&order) {
            if ways.alternatives.len() >= MOST_ALTERNATIVES {
                ways.unknown.get_or_insert("there are too many possibilities");
                break;
            }
            let mut window = window;
            for _ in 0..MOST_HALVES {
                if self.alternatives(&window, &places, &mut seen, run, &mut ways).is_some() {
                    break;
                }
                ways.unknown.get_or_insert("there are too many possibilities");
                window = self.beginning(&window);
            }
        }
        ways
    }

    /// A beginning of a window: half of what the thread with the most wildcards did there, and what the others had done by
    /// then. What is received in it was sent in it, or before.
    fn beginning(&self, window: &Window) -> Vec<(usize, Range<usize>)> {
        let wildcards = |(thread, range): &&(usize, Range<usize>)| {
            self.wild[*thread].iter().filter(|w| range.contains(&(w.step as usize))).count()
        };
        let mut ends = vec![0; self.program.threads.len()];
        window.iter().for_each(|(thread, range)| ends[*thread] = range.start);
        let mut looked_at = ends.clone();
        let busiest = window.iter().max_by_key(wildcards);
        if let Some((thread, range)) = busiest {
            ends[*thread] = range.start + range.len() / 2;
        }
        // Steps that are needed for it, and then steps that need nothing else.
        while let Some(thread) = (0..ends.len()).find(|l| looked_at[*l] < ends[*l]) {
            for step in looked_at[thread]..ends[thread] {
                if let Some(from) = self.received(thread, step).map(|send| &self.program.ops[send as usize]) {
                    let end = &mut ends[from.thread as usize];
                    *end = (*end).max(from.step as usize + 1);
                }
            }
            looked_at[thread] = ends[thread].max(looked_at[thread]);
        }
        for (thread, range) in window.iter().filter(|w| busiest.is_none_or(|b| b.0 != w.0)) {
            let sent = |step: &usize| {
                let from = self.received(*thread, *step).map(|send| &self.program.ops[send as usize]);
                from.is_none_or(|from| (from.step as usize) < ends[from.thread as usize])
            };
            ends[*thread] = (ends[*thread]..range.end).find(|step| !sent(step)).unwrap_or(range.end);
        }
        window
            .iter()
            .map(|(thread, range)| (*thread, range.start..ends[*thread].clamp(range.start, range.end)))
            .collect()
    }

    /// Did a receive get a message although an earlier one of the same thread would have fitted and was not received by
    /// an earlier receive?
    fn overtakes(&self) -> bool {
        let program = &self.program;
        let mut streams: FxHashMap<(u32, u32, u32), Vec<OpIx>> = FxHashMap::default();
        let mut received: FxHashMap<OpIx, OpIx> = FxHashMap::default();
        for (i, op) in program.ops.iter().enumerate() {
            match op.kind {
                Kind::Send { comm, to, .. } => streams.entry((op.thread, comm, to)).or_default().push(i as OpIx),
                Kind::Recv { got: Some(send), .. } => _ = received.insert(send, i as OpIx),
                _ => {}
            }
        }
        let later = |send: &OpIx, recv: OpIx| {
            let (other, recv) = (received.get(send).map(|r| &program.ops[*r as usize]), &program.ops[recv as usize]);
            other.is_none_or(|other| other.thread == recv.thread && other.step > recv.step)
        };
        received.iter().any(|(send, recv)| {
            let Kind::Recv { comm, at, tag: None, .. } = program.ops[*recv as usize].kind else { return false };
            let stream = streams.get(&(program.ops[*send as usize].thread, comm, at));
            let mut before = stream.into_iter().flatten().take_while(|s| *s < send);
            before.any(|s| program.pairs(*s, *recv) && later(s, *recv))
        })
    }

    /// Looks for what wildcards of a window could have taken instead. `None`: the window is too large.
    fn alternatives(
        &self,
        window: &Window,
        places: &Places,
        seen: &mut FxHashSet<u64>,
        run: Named,
        ways: &mut Ways,
    ) -> Option<()> {
        let part = Part::new(&self.program, window);
        let of = |op: OpIx| {
            let op = &part.program.ops[op as usize];
            (window[op.thread as usize].0, window[op.thread as usize].1.start + op.step as usize)
        };
        let mut wanted = Vec::new();
        for (thread, (old, range)) in window.iter().enumerate() {
            for (number, wild) in self.wild[*old].iter().enumerate() {
                if !range.contains(&(wild.step as usize)) || wild.persistent {
                    continue;
                }
                let step = (wild.step as usize - range.start) as u32;
                let took = self.took(*old, wild).and_then(|send| message(&self.program, send));
                for sends in others(&part.program, thread as u32, step, took) {
                    wanted.push((thread, number, step, sends));
                }
            }
        }
        if wanted.is_empty() {
            return Some(());
        }
        // One after the other; of the messages from one source with one tag the first that can be got.
        let mut queue = wanted.into_iter().flat_map(|(thread, number, step, sends)| {
            sends.into_iter().map(move |(group, send)| (thread, number, step, group, send))
        });
        let mut asked: Option<(usize, usize, u64, OpIx)> = None;
        let mut done: FxHashSet<(usize, usize, (i32, i32))> = FxHashSet::default();
        reach(&part.program, Budget::default(), |answer| {
            if let (Some((thread, number, matching, send)), Some(answer)) = (asked.take(), answer) {
                match answer {
                    Reached::Events(events) => {
                        let goal = (thread, number, self.in_run(&part, window, send));
                        let takes = self.takes_on(&part, window, &events, goal, run.comms);
                        let recv = &self.calls[window[thread].0][self.wild[window[thread].0][number].step as usize];
                        let sent = self.calls[of(send).0].get(of(send).1);
                        if let (Some(takes), Some(sent)) = (takes, sent) {
                            let place = ((run.place)(recv), (run.place)(sent));
                            let mut h = FxHasher::default();
                            place.hash(&mut h);
                            seen.insert(matching);
                            done.extend(message(&part.program, send).map(|m| (thread, number, m)));
                            let witness = Witness { takes, ..Witness::default() };
                            ways.alternatives.push(Alternative { matching, place: h.finish(), witness });
                        }
                    }
                    Reached::Undecided => {
                        ways.unknown.get_or_insert("there are too many possibilities");
                    }
                    Reached::Never => {}
                }
            }
            if ways.alternatives.len() >= MOST_ALTERNATIVES {
                ways.unknown.get_or_insert("there are too many possibilities");
                return None;
            }
            loop {
                let (thread, number, step, group, send) = queue.next()?;
                let (old, range) = &window[thread];
                let Some(sent) = self.in_run(&part, window, send) else { continue };
                let matching = places.matching(&self.program, (*old, range.start + step as usize), sent);
                if seen.contains(&matching) || done.contains(&(thread, number, group)) {
                    continue;
                }
                asked = Some((thread, number, matching, send));
                let place = match part.program.threads[thread][step as usize] {
                    Step::Start(op) => Place::Recv(op),
                    _ => Place::Probe { thread: thread as u32, step },
                };
                return Some(Choice { place, send });
            }
        })
    }

    /// The messages that wildcards take on a way: those before the window as in the run, those on the way as there, and `goal`
    /// (thread of the window, number of the wildcard, message) at its end. `None`: one of them cannot be named.
    fn takes_on(
        &self,
        part: &Part,
        window: &Window,
        events: &[Event],
        (goal_lane, goal, goal_send): (usize, usize, Option<OpIx>),
        comms: &Comms,
    ) -> Option<Vec<Take>> {
        let mut met: FxHashMap<OpIx, OpIx> = FxHashMap::default();
        let mut passed: FxHashSet<(u32, u32)> = FxHashSet::default();
        for event in events {
            match event {
                Event::Match { send, recv } => _ = met.insert(*recv, *send),
                Event::Pass { thread, step } => _ = passed.insert((*thread, *step)),
            }
        }
        let takes = self.takes(window, |thread, number, wild| {
            let (old, range) = &window[thread];
            if (thread, number) == (goal_lane, goal) {
                return goal_send;
            }
            let Some(step) = (wild.step as usize).checked_sub(range.start) else { return self.took(*old, wild) };
            match &part.program.threads[thread][step] {
                Step::Start(op) => met.get(op).and_then(|send| self.in_run(part, window, *send)),
                _ if passed.contains(&(thread as u32, step as u32)) => self.took(*old, wild),
                _ => None,
            }
        });
        takes?.iter().map(|take| take.named(comms)).collect()
    }
}

/// Messages with the same source and tag, which they are given with.
pub(crate) type Group = Vec<((i32, i32), OpIx)>;

/// Messages that a wildcard could have got as far as its arguments go, by source and tag, without those like the one that
/// it got.
fn others(program: &Program, thread: u32, step: u32, took: Option<(i32, i32)>) -> impl Iterator<Item = Group> + use<> {
    let (comm, at, source, tag) = match &program.threads[thread as usize][step as usize] {
        Step::Start(op) => match program.ops[*op as usize].kind {
            Kind::Recv { comm, at, source, tag, .. } => (comm, at, source, tag),
            _ => return BTreeMap::new().into_values(),
        },
        Step::Probe { comm, at, source, tag, .. } => (*comm, *at, *source, *tag),
        Step::Wait(_) => return BTreeMap::new().into_values(),
    };
    let mut groups: BTreeMap<(i32, i32), Group> = BTreeMap::new();
    for send in (0..program.ops.len() as OpIx).filter(|s| program.fits(*s, comm, at, source, tag)) {
        if let Some(group) = message(program, send).filter(|m| Some(*m) != took) {
            groups.entry(group).or_default().push((group, send));
        }
    }
    groups.into_values()
}
