//! Calls and places of a run in words.

use super::Model;
use crate::state::{CommIx, Origin, Site, as_call, outside};
use rustc_hash::FxHashMap;
use trace_format::definition::Id;
use trace_format::finding::CallRef;
use trace_format::mpi::Kind;
use trace_format::names::Names;
use trace_reader::text::format_call;

/// Names that the program gave to its objects.
pub(crate) struct RankNames<'a>(pub(crate) &'a Model, pub(crate) i32);

impl Names for RankNames<'_> {
    fn name(&self, kind: Kind, id: Id) -> Option<String> {
        let names = &self.0.ranks[self.1 as usize].names;
        names.get(&(kind, id)).cloned()
    }
}

impl Model {
    pub(crate) fn place_of_site(&self, site: &Site) -> u64 {
        match &site.call {
            Some(call) => self.place(call),
            None if site.stack != 0 => {
                let rank = self.ranks.get(site.rank as usize);
                rank.and_then(|r| r.places.get(site.stack)).unwrap_or(0)
            }
            None => self.ranks.get(site.rank as usize).map_or(0, |r| match site.pc {
                // Without a place, two ranks are two findings only if something else tells them apart.
                0 => 0,
                pc => r.places.of_frames(&[pc]),
            }),
        }
    }

    pub(crate) fn call_ref(&self, site: &Site) -> CallRef {
        let Some(origin) = &site.call else {
            return CallRef { site: site.stack, ..outside(site.rank, site.pc, &self.names.rename(&site.role)) };
        };
        CallRef {
            rank: origin.rank,
            thread: origin.thread,
            event: origin.event(),
            function: origin.name().to_owned(),
            text: self.words_of(origin),
            site: origin.site,
            pc: site.pc,
            role: self.names.rename(&site.role),
            // A call whose record is gone has no times.
            span: (origin.time != 0).then(|| (origin.time, origin.end())),
        }
    }

    /// A call with its arguments; the name alone where none of them is known, since empty parentheses would say that there
    /// are none.
    fn words_of(&self, origin: &Origin) -> String {
        let text = format_call(&as_call(origin), &RankNames(self, origin.rank));
        match text.strip_suffix("()") {
            Some(name) if !origin.func.row().params.is_empty() => name.to_owned(),
            _ => text,
        }
    }

    /// The names of its communicators in a process.
    pub(crate) fn ids(&self, rank: i32) -> FxHashMap<CommIx, Id> {
        let mut ids = FxHashMap::default();
        for ((kind, id), member) in &self.ranks[rank as usize].objects.members {
            if let (Kind::Comm, Some(member)) = (kind, member) {
                let known = ids.entry(member.ix).or_insert(*id);
                *known = (*known).min(*id);
            }
        }
        ids
    }
}
