//! Forgets the objects that the program has freed (communicators, windows, files, groups, datatypes), so that memory
//! grows with what the program holds and with what is in flight, not with how long it runs.
//!
//! Freed objects may still be spoken of: by operations that are under way, by collectives that other ranks have not
//! reached in their traces, by findings that name it. So freed objects are collected, and when there are many, all that
//! speaks of objects is gone through once, and what was not met is dropped. The next time comes after so many more that
//! the way through costs little for each. Numbers of objects are never given out again by a rank: one that is forgotten
//! is not met later.

use crate::arg_places::{ArgPlaces, is_forgotten};
use crate::collective::is_free;
use crate::model::Model;
use crate::state::{CommIx, CommKey, Origin, SWEEP_AT, ids};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Class, Dir, Kind};
use trace_reader::args::Args;

const PER_RANK: usize = 16;

/// The freed objects of all ranks, and whether something still speaks of each.
struct Candidates(Vec<FxHashMap<(Kind, Id), bool>>);

impl Candidates {
    fn spoken_of(&mut self, call: &Origin) {
        let Some(freed) = self.0.get_mut(call.rank as usize).filter(|f| !f.is_empty()) else { return };
        for (p, value) in
            call.func.row().params.iter().zip(call.common_ins().iter()).filter(|(p, _)| is_forgotten(p.kind))
        {
            for id in ids(value) {
                freed.entry((p.kind, id)).and_modify(|met| *met = true);
            }
        }
    }
}

/// The object that a call frees.
fn freed_by(origin: &Origin, s: &ArgPlaces) -> Option<(Kind, Id)> {
    let (kind, place) = match s.class {
        Class::Collective(coll, _) if is_free(coll) => s.ordering_object(),
        Class::Free => (origin.func.row().params.first()?.kind, 0),
        _ => return None,
    };
    let id = ids(origin.arg(place.into())).next()?;
    is_forgotten(kind).then_some((kind, id))
}

impl Model {
    /// A call has returned without an error: the program may hold objects that it gave, and has not any more what it
    /// freed.
    pub(crate) fn note_handles(&mut self, origin: &Origin, s: &ArgPlaces, outs: &Args) {
        let r = &mut self.ranks[origin.rank as usize];
        if r.holed {
            // Nobody counts what was handed out in calls that were not recorded.
            return;
        }
        if s.hands_out {
            let params = origin.func.row().params.iter().zip(outs.iter());
            for (p, value) in params.filter(|(p, _)| p.dir == Dir::Out && is_forgotten(p.kind)) {
                ids(value).for_each(|id| *r.handles.held.entry((p.kind, id)).or_default() += 1);
            }
        }
        let Some(key) = freed_by(origin, s) else { return };
        // An object that was handed out where mpivet did not look may be held more often than it knows.
        let Some(held) = r.handles.held.get_mut(&key).filter(|held| **held > 0) else { return };
        *held -= 1;
        if *held == 0 {
            r.handles.freed.push_back(key);
            self.sweeps.waiting += 1;
            if self.sweeps.waiting >= self.sweeps.at || self.sweeps.always {
                self.sweep();
            }
        }
    }

    /// Forgets the freed objects that nothing speaks of.
    fn sweep(&mut self) {
        self.settle_replay();
        self.epoch = self.epoch.wrapping_add(1);
        self.notify_communicators();
        let mut candidates = Candidates(self.ranks.iter_mut().map(|r| r.take_freed(self.sweeps.always)).collect());
        let mut met = 0;
        self.each_call(|call| {
            met += 1;
            candidates.spoken_of(call);
        });
        for (r, freed) in self.ranks.iter_mut().zip(candidates.0) {
            for (key, spoken_of) in freed {
                match spoken_of {
                    true => r.handles.freed.push_front(key),
                    false => r.forget(key),
                }
            }
        }
        self.sweep_comms();
        let left: usize = self.ranks.iter().map(|r| r.handles.freed.len()).sum();
        let more = SWEEP_AT.max(PER_RANK * self.ranks.len()).max(left).max(met);
        (self.sweeps.waiting, self.sweeps.at) = (left, left + more);
    }

    /// All calls that may still have to be looked at or named.
    fn each_call(&self, mut see: impl FnMut(&Rc<Origin>)) {
        for r in &self.ranks {
            r.each_call(&mut see);
        }
        for (_, op) in self.ops.iter() {
            op.calls().for_each(&mut see);
        }
        for (_, comm) in self.comms.list.iter() {
            comm.space.calls().for_each(&mut see);
            comm.window.iter().flat_map(|window| window.calls()).for_each(&mut see);
            comm.file.iter().flat_map(|file| file.calls()).for_each(&mut see);
            comm.findings.calls().for_each(&mut see);
            comm.partitioned.calls().for_each(&mut see);
            let lanes = comm.boxes.values().flat_map(|b| b.lanes.values());
            lanes.flat_map(|l| &l.cluster).flat_map(|pair| pair.calls()).for_each(&mut see);
        }
        self.undecided.iter().flat_map(|m| m.calls()).for_each(&mut see);
        self.locks.calls().for_each(&mut see);
        self.suspects.values().flat_map(|m| [&m.send, &m.recv]).for_each(&mut see);
        self.damaged.values().flat_map(|d| [&d.send, &d.recv, &d.by]).for_each(&mut see);
        self.findings.calls().for_each(&mut see);
        self.deadlock_replay.calls().for_each(&mut see);
    }

    /// Forgets the communicators, windows and files that no rank knows any more and on which nothing is under way.
    fn sweep_comms(&mut self) {
        let mut live: FxHashMap<CommIx, bool> =
            self.comms.list.iter().map(|(ix, c)| (ix, !c.space.is_idle())).collect();
        let mut keep = |ix: CommIx| _ = live.insert(ix, true);
        for r in &self.ranks {
            r.objects.members.values().flatten().for_each(|m| keep(m.ix));
            r.frees.comms().for_each(&mut keep);
            r.requests.objects().for_each(&mut keep);
            r.buffers.comms().for_each(&mut keep);
            for open in r.open_calls() {
                open.entered.collective.iter().for_each(|c| keep(c.0));
                open.entered.target.iter().for_each(|t| keep(t.comm));
                open.entered.window.iter().for_each(|w| keep(*w));
            }
            for poll in r.threads.iter().flat_map(|t| t.polls.all()) {
                poll.target.iter().map(|t| t.comm).chain(poll.window).for_each(&mut keep);
            }
        }
        self.ops.iter().for_each(|(_, op)| keep(op.comm));
        self.damaged.keys().for_each(|(lane, ..)| keep(lane.0));
        self.undecided.iter().filter_map(|m| m.what.object()).for_each(&mut keep);
        // An object that some of its ranks have not come to yet is found by its key, and that by its parent.
        for (key, ix) in self.comms.keys.iter().filter(|(key, _)| !key.is_of_group()) {
            keep(*ix);
            key.parent().into_iter().for_each(&mut keep);
        }
        // The calls of a group have no end but that of the communicator that they are made on.
        for (key, ix) in self.comms.keys.iter().filter(|(key, _)| key.is_of_group()) {
            if live.get(ix) == Some(&true) {
                key.parent().into_iter().for_each(|parent| _ = live.insert(parent, true));
            }
        }
        let is_live = |live: &FxHashMap<CommIx, bool>, ix: CommIx| live.get(&ix) == Some(&true);
        for (key, ix) in self.comms.keys.iter().filter(|(key, _)| key.is_of_group()) {
            if key.parent().is_none_or(|parent| is_live(&live, parent)) {
                live.insert(*ix, true);
            }
        }
        let dead: Vec<CommIx> = live.iter().filter(|(_, live)| !**live).map(|(ix, _)| *ix).collect();
        if dead.is_empty() {
            return;
        }
        self.judge_comms(|comm| !is_live(&live, comm));
        dead.iter().for_each(|ix| self.judge_open_accesses(*ix));
        self.windows.retain(|window| !dead.contains(window));
        dead.iter().for_each(|ix| self.judge_open_file(*ix));
        for ix in dead {
            let Some(comm) = self.comms.list.remove(ix) else { continue };
            self.comms.keys.remove(&comm.key);
            if !comm.space.tangled {
                self.findings.merge(comm.findings);
            }
        }
        for (_, comm) in self.comms.list.iter_mut() {
            if let CommKey::Child { parent, .. } | CommKey::Object { parent, .. } = &mut comm.key
                && !is_live(&live, *parent)
            {
                *parent = CommKey::NOBODY;
            }
        }
    }
}
