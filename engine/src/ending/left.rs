//! Operations and objects that are left over at the end of a run.

use super::{Alone, Incomplete, Leftover};
use crate::model::Model;
use crate::state::{OpId, Origin, Rank, Request};
use std::rc::Rc;
use trace_format::mpi::Class;

pub(crate) fn leftovers(model: &Model) -> Vec<Leftover> {
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
        |call: &&Rc<Origin>| matches!(call.arg_places.class, Class::Wait(_) | Class::Test(_)) && call.end() == u64::MAX;
    let calls = r.errors.iter().filter(|error| !error.fatal).filter_map(|error| error.call.as_ref()).filter(is_left);
    let requests = calls.flat_map(|call| {
        let (base, handles) = call.requests();
        (0..handles.len()).filter_map(move |i| r.requests.get(r.requests.find_in(handles, base, i)?))
    });
    requests.collect()
}

pub(crate) fn alone(model: &Model) -> Vec<Alone> {
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

pub(crate) fn incomplete(model: &Model) -> Vec<Incomplete> {
    let mut all = Vec::new();
    for (_, comm) in model.comms.list.iter() {
        if comm.is_foreign() || comm.spoiled || comm.space.tangled || comm.members().any(|r| model.is_dim(r)) {
            continue;
        }
        let mut open = comm.space.open().filter(|(_, i)| i.arrived != 0 && (i.arrived as usize) < i.parts.len());
        // Making a persistent operation is collective as well.
        let made = || comm.space.persistents.as_ref()?.made_by_some();
        let first = open.next().map(|(_, first)| first);
        let Some(parts) = first.map(|first| &first.parts).or_else(made) else { continue };
        if first.is_some_and(|first| first.bad) {
            continue;
        }
        let calls = parts.iter().flatten().map(|p| p.shown().clone()).collect();
        let absent = parts.iter().enumerate().filter(|(_, p)| p.is_none());
        let missing = absent.map(|(i, _)| comm.member(i as u32)).collect();
        all.push(Incomplete { calls, missing, more: open.count() as u64 });
    }
    all
}
