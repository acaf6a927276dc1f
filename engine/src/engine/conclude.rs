//! The end of a run: draws the conclusions.

use super::End;
use crate::ending::{self, Alone, Ending, Incomplete, RankEnd, leftovers, polls_in_vain};
use crate::model::Model;
use crate::state::{Origin, is_crash};
use crate::waits::{Graph, Watch};
use trace_format::catalogue::NO_PROGRESS;
use trace_format::mpi::Class;

/// Draws the conclusions.
pub(crate) fn conclude(model: &mut Model, end: &End) -> Ending {
    for r in &end.missing {
        model.make_dim(*r, |r| r.missing = true);
    }
    if model.blind {
        model.lose_sight();
    }
    model.look_for_half_known();
    check_partial_collectives(model);
    model.judge_all_accesses();
    model.judge_all_files();
    model.decide_misuse(true);
    for (_, comm) in model.comms.list.iter_mut() {
        let found = std::mem::take(&mut comm.findings);
        if !comm.space.tangled {
            model.findings.merge(found);
        }
    }
    let n = model.ranks.len() as i32;
    let select = |test: &dyn Fn(&crate::state::Rank) -> bool| -> Vec<i32> {
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
    let own_end = |r: &crate::state::Rank| {
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
            } else if end.stopped && !end.gone.contains(&i) {
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
    // Pairs are not certain from here on.
    model.ranks.iter_mut().for_each(|r| r.sums = false);
    if !model.blind {
        pair_leftovers(model);
    }
    model.judge_messages();
    model.judge_damage();
    let leftovers = if model.blind { Vec::new() } else { leftovers(model) };
    let (alone, incomplete) = if !cut {
        (ending::alone(model), ending::incomplete(model))
    } else if crashed.is_empty() && aborted.is_empty() && !end.lost && !end.stopped {
        left_in_finalize(model, &[&failed[..], &left_inside].concat())
    } else {
        (Vec::new(), Vec::new())
    };
    model.conclude_replay(!cut && ends.iter().all(|e| *e == RankEnd::Normal));
    let failed_over = cut && !alone.is_empty();
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
    // Why they were ended may stand where nobody has read.
    let killed = if end.interrupted.is_some() || end.cut { Vec::new() } else { killed };
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
        seen: end.seen.clone(),
        killed: killed.into_iter().filter(|rank| !end.stopped || end.gone.contains(rank)).collect(),
        leftovers,
        alone,
        incomplete,
        failed_over,
        queues,
    }
}

/// Sends, receives and collectives without partners in a run that was cut short in MPI_Finalize, by the end of the ranks
/// `enders`: nobody starts anything there any more, and libraries may fail over a message that nobody receives.
fn left_in_finalize(model: &Model, enders: &[i32]) -> (Vec<Alone>, Vec<Incomplete>) {
    let is_over = |rank: i32| model.ranks.get(rank as usize).is_some_and(|r| r.finalize.is_some() && r.sessions == 0);
    if model.ranks.iter().any(|r| r.lost || r.holed || r.missing) {
        return (Vec::new(), Vec::new());
    }
    if (0..model.ranks.len() as i32).all(is_over) {
        return (ending::alone(model), ending::incomplete(model));
    }
    if enders.is_empty() || !enders.iter().all(|rank| is_over(*rank)) {
        return (Vec::new(), Vec::new());
    }
    // The others were ended on their way there: only what they have sent to who is there is certain.
    let mut alone = ending::alone(model);
    alone.retain(|a| a.is_send && is_over(a.peer));
    (alone, Vec::new())
}

fn is_abort(origin: &Origin) -> bool {
    crate::arg_places::arg_places(origin.func).class == Class::Abort
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
                model.notify_pair(send, recv, sole);
                for op in [send, recv] {
                    if let Some(o) = model.ops.get_mut(op) {
                        o.matched = true;
                    }
                }
            }
        }
    }
}
