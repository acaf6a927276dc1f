//! Messages near the one that a rank waits for: one on another communicator or with another tag, one that was made
//! ready and never sent.

use super::{Graph, Why};
use crate::arg_places::arg_places;
use crate::model::{Model, RankNames};
use crate::state::{CommIx, Pending, Request, Site, rank_list};
use trace_format::definition::{Id, UNKNOWN_ID};
use trace_format::mpi::special::ANY_TAG;
use trace_format::mpi::{Class, Kind, Start};
use trace_format::names::format_int;

impl Graph {
    /// The hints for the first few of these ranks, each once.
    pub(crate) fn hints(&self, model: &Model, ranks: &[i32]) -> Vec<String> {
        let mut all = Vec::new();
        for hint in ranks.iter().take(4).filter_map(|rank| self.hint(model, *rank)) {
            if !all.contains(&hint) {
                all.push(hint);
            }
        }
        all
    }

    /// The hint for a rank: a message or an operation on another communicator, a message with another tag.
    fn hint(&self, model: &Model, rank: i32) -> Option<String> {
        let waits = self.messages(rank);
        let elsewhere = || waits.iter().find_map(|(from, tag)| self.on_another(model, rank, *from, *tag));
        let otherwise = || waits.iter().find_map(|(from, tag)| with_another_tag(model, rank, *from, *tag));
        let shared = || {
            let too_few = self.waits_for(rank).iter().any(|(_, why)| matches!(why, Why::Another(_)));
            let what =
                "got fewer messages than its receives need: one that takes a message from several sources or tags";
            too_few.then(|| format!("{} {what} took what another receive needs", rank_list(&[rank])))
        };
        let collective = || self.collective_elsewhere(model, rank);
        elsewhere().or_else(otherwise).or_else(shared).or_else(collective)
    }

    /// A persistent operation of what the rank waits for that nobody has started.
    pub(crate) fn never_started(&self, model: &Model, rank: i32) -> Option<Site> {
        let send = self.messages(rank).into_iter().find_map(|(from, tag)| {
            let comms = self.wanted_on(model, rank, from, tag);
            let requests = model.ranks.get(usize::try_from(from).ok()?)?.requests.iter();
            let mut idle = requests.filter(|r| r.persistent && !r.active && r.start.is_none());
            let found = idle.find(|r| is_for(model, r, rank, tag, &comms))?;
            Some(Site::new(&found.origin, "made the message that is waited for, and nobody started it"))
        });
        send.or_else(|| self.unstarted(model, rank))
    }

    /// The senders whose messages the rank waits for, with their tags.
    fn messages(&self, rank: i32) -> Vec<(i32, i32)> {
        let tag = |why| if let Why::Send(tag) = why { Some(tag) } else { None };
        self.waits_for(rank).into_iter().filter_map(|(from, why)| Some((from, tag(why)?))).collect()
    }

    /// The communicators on which the rank waits for such a message.
    fn wanted_on(&self, model: &Model, rank: i32, from: i32, tag: i32) -> Vec<CommIx> {
        let waits = |p: &Pending| (tag == ANY_TAG || p.tag == ANY_TAG || p.tag == tag) && p.takes(from, p.tag);
        let all = model.comms.list.iter();
        let posted = all.filter(|(_, c)| c.boxes.get(rank).is_some_and(|b| b.pending.iter().any(waits)));
        let mut comms: Vec<CommIx> = posted.map(|(comm, _)| comm).collect();
        // A probe is no receive.
        let members = &model.ranks[rank as usize].objects.members;
        let probes =
            self.calls(rank).iter().filter(|c| matches!(arg_places(c.func).class, Class::Probe(_) | Class::Mprobe(_)));
        let ids = probes.filter_map(|c| c.int(arg_places(c.func).comm));
        comms.extend(ids.filter_map(|id| Some(members.get(&(Kind::Comm, id as Id))?.as_ref()?.ix)));
        comms
    }

    /// A message with the right source and tag on a communicator on which the rank does not wait for it.
    fn on_another(&self, model: &Model, rank: i32, from: i32, tag: i32) -> Option<String> {
        let wanted = self.wanted_on(model, rank, from, tag);
        let first = *wanted.first()?;
        // The rank need not have used it yet.
        let name = |comm: CommIx| {
            let of = |r: i32| Some((r, *model.ids(r).get(&comm)?));
            let (rank, id) = of(rank).or_else(|| of(from)).unwrap_or((rank, UNKNOWN_ID));
            format_int(Kind::Comm, i64::from(id), &RankNames(model, rank))
        };
        let others = model.comms.list.iter().filter(|(comm, _)| !wanted.contains(comm));
        let mut tags = others.filter_map(|(comm, c)| {
            let near = c.boxes.get(rank)?.candidates(from);
            Some((comm, near.filter(|t| tag == ANY_TAG || *t == tag).min()?))
        });
        let (comm, tag) = tags.next()?;
        let (from, other, here) = (rank_list(&[from]), name(comm), name(first));
        Some(format!("a message of {from} with tag {tag} on {other} (not {here}) was not received"))
    }
}

fn with_another_tag(model: &Model, rank: i32, from: i32, tag: i32) -> Option<String> {
    if tag == ANY_TAG {
        return None;
    }
    for (_, comm) in model.comms.list.iter() {
        let Some(mailbox) = comm.boxes.get(rank) else { continue };
        if let Some(other) = mailbox.candidates(from).filter(|t| *t != tag).min() {
            let from = rank_list(&[from]);
            return Some(format!("a message of {from} with tag {other} (not {tag}) was not received"));
        }
    }
    None
}

/// Is it a send to the rank with this tag, on one of these communicators?
fn is_for(model: &Model, request: &Request, rank: i32, tag: i32, comms: &[CommIx]) -> bool {
    if !matches!(request.class, Class::Send(_, Start::Persistent)) {
        return false;
    }
    let (call, s) = (&request.origin, request.origin.arg_places);
    let place = || {
        let id = call.int(s.comm)? as Id;
        let member = model.ranks[call.rank as usize].objects.members.get(&(Kind::Comm, id))?.as_ref()?;
        let comm = model.comms.list.get(member.ix)?;
        let to = comm.peers(member.position).get(call.int(s.peer)? as i32)?;
        Some((member.ix, to, call.int(s.tag)? as i32))
    };
    place().is_some_and(|(comm, to, t)| to == rank && (tag == ANY_TAG || t == tag) && comms.contains(&comm))
}
