//! Ranks, calls and objects in words.

use super::Model;
use super::call::{Origin, as_call};
use super::comms::CommIx;
use super::site::{Site, outside};
use rustc_hash::FxHashMap;
use trace_format::definition::{FIRST_USER_ID, Id, NULL_ID};
use trace_format::finding::CallRef;
use trace_format::mpi::{Kind, predefined};
use trace_format::names::Names;
use trace_format::ranks::Ranks;
use trace_reader::text::format_call;

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

/// Name of a reduction operation.
pub(crate) fn op_name(id: Id) -> String {
    match predefined::OPS.get((id as usize).wrapping_sub(1)) {
        Some(name) => (*name).to_owned(),
        None if id == NULL_ID => "MPI_OP_NULL".to_owned(),
        None => format!("operation {} of the program", id.wrapping_sub(FIRST_USER_ID)),
    }
}

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
            None => self.ranks.get(site.rank as usize).map_or(0, |r| match site.pc {
                // Without a place, two ranks are two findings only if something else tells them apart.
                0 => 0,
                pc => r.place_of_frames(&[pc]),
            }),
        }
    }

    pub(crate) fn call_ref(&self, site: &Site) -> CallRef {
        let Some(origin) = &site.call else {
            return outside(site.rank, site.pc, &self.names.rename(&site.role));
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

    /// What a process calls its communicators.
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
