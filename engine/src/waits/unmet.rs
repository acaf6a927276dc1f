//! Operations near the collective operation or the receive that a rank waits for: one on another communicator, or one that was
//! made ready and never started.

use super::{Graph, Why};
use crate::collective::{What, what};
use crate::model::{Model, RankNames};
use crate::state::{CommIx, Origin, Request, Site, rank_list};
use std::rc::Rc;
use trace_format::definition::{Id, UNKNOWN_ID};
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};
use trace_format::mpi::{Class, Kind, Start};
use trace_format::names::format_int;

impl Graph {
    /// Somebody whom the rank waits for in a collective operation takes part in the same one on another communicator.
    pub(super) fn collective_elsewhere(&self, model: &Model, rank: i32) -> Option<String> {
        let mine = under_way(model, rank);
        self.missing_in_collectives(rank).find_map(|other| {
            let theirs = under_way(model, other);
            let is_near = |a: &&Part, b: &&Part| a.comm != b.comm && a.kind == b.kind;
            let (a, b) = mine.iter().find_map(|a| Some((a, theirs.iter().find(|b| is_near(&a, b))?)))?;
            let mut both = [(rank, a), (other, b)];
            // So that both say the same.
            both.sort_by_key(|(rank, _)| *rank);
            let [first, second] = both.map(|(rank, part)| {
                let comm = comm_name(model, rank, part.comm);
                format!("{} called {} on {comm}", rank_list(&[rank]), part.call.name())
            });
            Some(format!("{first}, {second}"))
        })
    }

    /// A persistent operation of what the rank waits for that nobody has started.
    pub(super) fn unstarted(&self, model: &Model, rank: i32) -> Option<Site> {
        let role = |what: &str| format!("made the {what} that is waited for, and nobody started it");
        let collective = || {
            let mine = under_way(model, rank);
            self.missing_in_collectives(rank).find_map(|other| {
                let is_it = |request: &&Request| {
                    place(model, request).is_some_and(|place| mine.iter().any(|part| (part.comm, part.kind) == place))
                };
                Some(Site::new(&idle(model, other).find(is_it)?.origin, role("operation")))
            })
        };
        let receive = || {
            let waits = self.waits_for(rank).into_iter();
            let mut receives =
                waits.filter_map(|(to, why)| if let Why::Receive(tag) = why { Some((to, tag)) } else { None });
            receives.find_map(|(to, tag)| {
                let found = idle(model, to).find(|request| would_receive(model, request, rank, tag))?;
                Some(Site::new(&found.origin, role("receive")))
            })
        };
        collective().or_else(receive)
    }

    /// Whom the rank waits for in collective operations.
    fn missing_in_collectives(&self, rank: i32) -> impl Iterator<Item = i32> {
        self.waits_for(rank).into_iter().filter(|(_, why)| *why == Why::Collective).map(|(other, _)| other)
    }
}

/// The part of a rank in a collective operation.
struct Part {
    comm: CommIx,
    kind: What,
    call: Rc<Origin>,
}

/// The collective operations that the rank takes part in and does not know to be over.
fn under_way(model: &Model, rank: i32) -> Vec<Part> {
    let of = |comm: CommIx| {
        let c = &model.comms.list[comm];
        let position = c.position(rank)? as usize;
        let mut parts = c.space.open().filter_map(|(_, instance)| instance.parts.get(position)?.as_ref());
        let part = parts.find(|part| !part.done)?;
        Some(Part { comm, kind: what(part.call.func), call: part.start.as_ref().unwrap_or(&part.call).clone() })
    };
    let comms = model.comms.list.iter().filter(|(_, c)| !c.is_foreign());
    comms.filter_map(|(comm, _)| of(comm)).collect()
}

/// Persistent requests of the rank that were never started.
fn idle(model: &Model, rank: i32) -> impl Iterator<Item = &Request> {
    let requests = usize::try_from(rank).ok().and_then(|rank| model.ranks.get(rank)).map(|rank| rank.requests.iter());
    requests.into_iter().flatten().filter(|r| r.persistent && !r.active && r.start.is_none())
}

/// The communicator and the operation of a collective request.
fn place(model: &Model, request: &Request) -> Option<(CommIx, What)> {
    let is_collective = matches!(request.class, Class::Collective(..));
    is_collective.then(|| comm_of(model, request)).flatten().map(|comm| (comm, what(request.origin.func)))
}

fn comm_of(model: &Model, request: &Request) -> Option<CommIx> {
    let (call, s) = (&request.origin, request.origin.arg_places);
    let id = call.int(s.comm)? as Id;
    let members = &model.ranks[call.rank as usize].objects.members;
    members.get(&(Kind::Comm, id))?.as_ref().map(|member| member.ix)
}

/// Is it a receive that takes the message of `from` with this tag, which is there?
fn would_receive(model: &Model, request: &Request, from: i32, tag: i32) -> bool {
    if !matches!(request.class, Class::Recv(Start::Persistent)) {
        return false;
    }
    let (call, s) = (&request.origin, request.origin.arg_places);
    let fits = || {
        let comm = comm_of(model, request)?;
        let c = model.comms.list.get(comm)?;
        let (source, wanted) = (call.int(s.peer)? as i32, call.int(s.tag)? as i32);
        let is_from = source == ANY_SOURCE || c.peers(c.position(call.rank)?).get(source) == Some(from);
        let is_tag = wanted == ANY_TAG || wanted == tag;
        Some(is_from && is_tag && c.boxes.get(call.rank)?.candidates(from).any(|t| t == tag))
    };
    fits().unwrap_or(false)
}

/// The rank's name of a communicator.
pub(super) fn comm_name(model: &Model, rank: i32, comm: CommIx) -> String {
    let id = model.ids(rank).get(&comm).copied().unwrap_or(UNKNOWN_ID);
    format_int(Kind::Comm, i64::from(id), &RankNames(model, rank))
}
