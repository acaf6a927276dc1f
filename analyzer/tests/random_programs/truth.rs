//! The plain truth about small programs: all that may happen is looked at, one state after another.

use crate::machine::{Generous, Library, Machine, Move, Outcome, State, Strict};
use crate::program::{Gate, Kind, Many, Op, Program, Rank, Wanted};
use crate::run::Run;
use rustc_hash::FxHashSet;

/// Does any permitted way of the program end in a state where ranks wait for ever?
pub(crate) fn may_hang(machine: &Machine) -> bool {
    search(machine, &mut FxHashSet::default(), machine.start(), &|_, _| true)
}

/// As above, if nobody knows the ranks behind certain points: see [`Known`].
pub(crate) fn may_hang_as_far_as_known(machine: &Machine, run: &Run) -> bool {
    let known = Known::of(machine, run);
    search(machine, &mut FxHashSet::default(), machine.start(), &|state, what| known.allows(state, what))
}

fn search(machine: &Machine, seen: &mut FxHashSet<State>, state: State, allows: &dyn Fn(&State, Move) -> bool) -> bool {
    if !seen.insert(state.clone()) {
        return false;
    }
    if machine.is_stuck(&state) {
        return true;
    }
    machine.moves(&state, &Generous).into_iter().any(|what| {
        let next = machine.after(&state, what);
        allows(&next, what) && search(machine, seen, next, allows)
    })
}

/// Knowledge from the trace of a run: what the ranks do if they get other messages than in the run.
///
/// A rank is taken to go on in the same way whichever message it gets, but
/// - behind a receive of a message with another tag or another size than in the run nobody knows what it does,
/// - behind a receive from anybody that gets another message than in the run, as soon as it would speak with the one that
///   it got its message from in the run: nobody knows whom it speaks with instead,
/// - behind MPI_Waitany and MPI_Waitsome that complete other requests than in the run,
/// - behind a probe that is told of another message than in the run, or that was told in the run of a message which the
///   next receive of the rank did not get.
///
/// A rank that does something unknown may help all others for ever: what follows is never a deadlock.
struct Known<'a> {
    machine: &'a Machine<'a>,
    run: &'a Run,
    /// By operation: the statement that completes it, and the first one behind it that depends on its source.
    completed: Vec<Option<(usize, Option<usize>)>>,
}

impl<'a> Known<'a> {
    fn of(machine: &'a Machine<'a>, run: &'a Run) -> Known<'a> {
        let mut known = Known { machine, run, completed: vec![None; machine.program.ops.len()] };
        for op in machine.ops() {
            let rank = machine.program.ops[op].rank;
            let Some(completed) = known.completed_at(op) else { continue };
            let speaks = run.end.met(op).and_then(|got| {
                let from = machine.program.ops[got].rank;
                let all = 0..machine.program.ranks[rank].len();
                all.skip(completed + 1).find(|at| known.speaks_with(rank, *at, from))
            });
            known.completed[op] = Some((completed, speaks.filter(|_| known.is_from_anybody(op))));
        }
        known
    }

    fn is_from_anybody(&self, op: Op) -> bool {
        matches!(self.machine.program.ops[op].kind, Kind::Recv(Wanted::Given { from: None, .. }))
    }

    fn completed_at(&self, op: Op) -> Option<usize> {
        let o = &self.machine.program.ops[op];
        let statements = &self.machine.program.ranks[o.rank];
        if statements[o.at].gate == Gate::Own {
            return Some(o.at);
        }
        self.run.outcomes[o.rank].iter().position(|out| matches!(out, Outcome::Completed(ops) if ops & (1 << op) != 0))
    }

    fn speaks_with(&self, rank: Rank, at: usize, other: Rank) -> bool {
        let statement = &self.machine.program.ranks[rank][at];
        let asks = |w: Wanted| match w {
            Wanted::Given { from, .. } => from == Some(other),
            // As in the run, with the message that the last probe before reported.
            Wanted::Told { .. } => {
                let told = self.run.outcomes[rank][..at].iter().rev().find_map(|o| match o {
                    Outcome::Told(send) => Some(self.machine.program.ops[*send].rank),
                    _ => None,
                });
                told == Some(other)
            }
        };
        let starts = statement.starts.iter().any(|op| match self.machine.program.ops[*op].kind {
            Kind::Send(s) => s.to == other,
            Kind::Recv(w) => asks(w),
            Kind::Part(_) => false,
        });
        starts || matches!(statement.gate, Gate::Probe(w) if asks(w))
    }

    /// Is it known what all ranks do in this state, that `what` has led to?
    fn allows(&self, state: &State, what: Move) -> bool {
        if let Move::Pass(rank, outcome) = what {
            // The statement that was passed: those behind it that wait for nothing were passed as well.
            let statements = &self.machine.program.ranks[rank];
            let passed =
                (0..usize::from(state.at[rank])).rfind(|at| !matches!(statements[*at].gate, Gate::Open | Gate::Mrecv));
            let Some(at) = passed else { return true };
            if self.run.outcomes[rank][at] != outcome {
                return false;
            }
            if let (Gate::Probe(_), Outcome::Told(send)) = (&statements[at].gate, outcome)
                && self.next_received(rank, at) != Some(send)
            {
                return false;
            }
        }
        self.machine.ops().all(|op| self.is_indifferent(state, op))
    }

    /// The message of the rank's next receive, in the run.
    fn next_received(&self, rank: Rank, at: usize) -> Option<Op> {
        let starts = self.machine.program.ranks[rank][at..].iter().flat_map(|s| &s.starts);
        let recv = starts.copied().find(|op| matches!(self.machine.program.ops[*op].kind, Kind::Recv(_)))?;
        self.run.end.met(recv)
    }

    fn is_indifferent(&self, state: &State, op: Op) -> bool {
        let o = &self.machine.program.ops[op];
        let (Kind::Recv(_), Some(send), Some(got)) = (o.kind, state.met(op), self.run.end.met(op)) else { return true };
        let Some((completed, speaks)) = self.completed[op].filter(|_| send != got) else { return true };
        let at = usize::from(state.at[o.rank]);
        let looks = |op: Op| self.machine.send(op).map(|s| (s.tag, s.count));
        if looks(send) != looks(got) { at <= completed } else { speaks.is_none_or(|k| at < k) }
    }
}

/// Ranks that cannot go on, whatever has happened inside of the library that the trace does not show: a message may have
/// gone to one receive or to another that is still open. `watched`: ranks of which it was seen that their calls do not
/// return. And whether there is only one possibility.
pub(crate) fn certainly_stuck(machine: &Machine, run: &Run, watched: &[Rank]) -> (Vec<Rank>, bool) {
    let mut same = Vec::new();
    as_observed(machine, run, &mut FxHashSet::default(), machine.start(), &mut same);
    let mut goes_on = vec![false; machine.program.ranks.len()];
    let mut seen = FxHashSet::default();
    for state in same {
        further(machine, &run.end, watched, &mut seen, state, &mut goes_on);
    }
    let stuck = (0..goes_on.len()).filter(|r| !goes_on[*r] && !machine.has_ended(&run.end, *r)).collect();
    (stuck, seen.iter().all(|state| !machine.is_stuck(state) || *state == run.end))
}

/// Is it plain which messages went to the receives that are open in the trace? Each has messages of one rank to choose
/// from at most, not counting those that went to other receives by their sources and tags.
pub(crate) fn is_plain(machine: &Machine, run: &Run) -> bool {
    let posted: Vec<Op> = machine.ops().filter(|op| machine.is_posted(&run.end, *op)).collect();
    let came: Vec<Op> =
        posted.iter().filter(|op| is_complete_in_trace(machine, run, **op)).filter_map(|op| run.end.met(*op)).collect();
    // Communicator, source, destination, tag.
    let lane = |op: Op| machine.send(op).map(|s| (s.comm, machine.program.ops[op].rank, s.to, s.tag));
    let is_spare = |send: Op| {
        let count = |ops: &[Op]| ops.iter().filter(|op| lane(**op) == lane(send)).count();
        count(&posted) > count(&came)
    };
    posted.iter().filter(|op| !is_complete_in_trace(machine, run, **op)).all(|recv| {
        let fits = posted.iter().filter(|send| machine.pairs(&run.end, **send, *recv) && is_spare(**send));
        let mut sources: Vec<Rank> = fits.map(|send| machine.program.ops[*send].rank).collect();
        sources.sort_unstable();
        sources.dedup();
        sources.len() < 2
    })
}

/// Has an open receive from anybody got a message, as far as the trace tells? Another rank could still be first with one:
/// whoever waits for that message waits for all.
pub(crate) fn is_fickle(machine: &Machine, run: &Run) -> bool {
    machine.ops().any(|op| {
        let open = matches!(machine.program.ops[op].kind, Kind::Recv(Wanted::Given { from: None, .. }));
        open && run.end.met(op).is_some() && !is_complete_in_trace(machine, run, op)
    })
}

/// Is it a receive whose status is in the trace?
fn is_complete_in_trace(machine: &Machine, run: &Run, op: Op) -> bool {
    let o = &machine.program.ops[op];
    let own = machine.program.ranks[o.rank][o.at].gate == Gate::Own && usize::from(run.end.at[o.rank]) > o.at;
    matches!(o.kind, Kind::Recv(_)) && (own || run.end.gone & (1 << op) != 0)
}

/// All states in which the ranks have come as far as at the end of the run, in the same way as far as they can tell.
fn as_observed(machine: &Machine, run: &Run, seen: &mut FxHashSet<State>, state: State, found: &mut Vec<State>) {
    if !seen.insert(state.clone()) {
        return;
    }
    if state.at == run.end.at {
        found.push(state.clone());
    }
    for what in machine.moves(&state, &Generous) {
        if let Move::Pass(rank, outcome) = what {
            let at = usize::from(state.at[rank]);
            let same = at < run.outcomes[rank].len()
                && looks(machine, outcome) == looks(machine, run.outcomes[rank][at])
                && received(machine, &state, rank, at, outcome) == received(machine, &run.end, rank, at, outcome);
            if !same {
                continue;
            }
        }
        as_observed(machine, run, seen, machine.after(&state, what), found);
    }
}

/// The part of an outcome that a rank sees: source, tag and size of messages.
fn looks(machine: &Machine, outcome: Outcome) -> (u32, String) {
    match outcome {
        Outcome::Plain => (0, String::new()),
        Outcome::Completed(ops) => (ops, String::new()),
        Outcome::Told(send) => (0, machine.program.status(send)),
    }
}

/// The statuses of the receives that a statement completes.
fn received(machine: &Machine, state: &State, rank: Rank, at: usize, outcome: Outcome) -> Vec<Option<String>> {
    let statement = &machine.program.ranks[rank][at];
    let ops: Vec<Op> = match outcome {
        Outcome::Completed(ops) => machine.ops().filter(|op| ops & (1 << op) != 0).collect(),
        _ => statement.starts.clone(),
    };
    let recvs = ops.into_iter().filter(|op| matches!(machine.program.ops[*op].kind, Kind::Recv(_)));
    recvs.map(|op| state.met(op).map(|send| machine.program.status(send))).collect()
}

/// Marks the ranks that may come further than at the `end`, in a library that does no more than it must.
fn further(
    machine: &Machine,
    end: &State,
    watched: &[Rank],
    seen: &mut FxHashSet<State>,
    state: State,
    goes_on: &mut [bool],
) {
    if !seen.insert(state.clone()) {
        return;
    }
    (0..goes_on.len()).for_each(|r| goes_on[r] |= state.at[r] > end.at[r]);
    for what in machine.moves(&state, &Strict) {
        if !matches!(what, Move::Pass(rank, _) if watched.contains(&rank)) {
            further(machine, end, watched, seen, machine.after(&state, what), goes_on);
        }
    }
}

/// The ranks that are stuck, by their kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Some wait for each other.
    pub(crate) deadlock: bool,
    /// These wait for what only ranks could do that have finished.
    pub(crate) hung: Vec<Rank>,
}

/// Deadlock or hang-up? Of a state in which all that have not ended are stuck.
pub(crate) fn wrong(machine: &Machine, end: &State) -> Wrong {
    let ranks = 0..machine.program.ranks.len();
    let stuck: Vec<Rank> = ranks.clone().filter(|r| !machine.has_ended(end, *r)).collect();
    let finished: Vec<Rank> = ranks.filter(|r| machine.has_ended(end, *r)).collect();
    // The smallest sets that hold themselves, whatever all others do.
    let knots = |candidates: &[Rank], helpers: &[Rank]| -> Vec<Rank> {
        let mut found: Vec<Vec<Rank>> = Vec::new();
        let mut sets: Vec<u32> = (1..1 << candidates.len()).collect();
        sets.sort_by_key(|s| s.count_ones());
        for set in sets {
            let inside = |r: &Rank| candidates.iter().position(|c| c == r).is_some_and(|i| set & (1 << i) != 0);
            let knot: Vec<Rank> = candidates.iter().copied().filter(inside).collect();
            let mut free: Vec<Rank> = helpers.to_vec();
            free.extend(stuck.iter().filter(|r| !inside(r)));
            let holds = knot.iter().all(|r| !could_go_on(machine, end, *r, &free));
            if holds && !found.iter().any(|f| f.iter().all(inside)) {
                found.push(knot);
            }
        }
        found.concat()
    };
    let knotted = knots(&stuck, &finished);
    let needs_finished = |r: &Rank| !could_go_on(machine, end, *r, &stuck);
    let (hung, others): (Vec<Rank>, Vec<Rank>) =
        stuck.iter().copied().filter(|r| !knotted.contains(r)).partition(needs_finished);
    // Ranks of whom a finished one could help one or the other, but will not.
    let deadlock = !knotted.is_empty() || !knots(&others, &[]).is_empty();
    Wrong { deadlock, hung }
}

/// Could the rank go on if these did what it waits for?
fn could_go_on(machine: &Machine, end: &State, rank: Rank, free: &[Rank]) -> bool {
    let statement = &machine.program.ranks[rank][usize::from(end.at[rank])];
    let comes = |w: Wanted| {
        let (comm, from, _) = machine.pattern(end, rank, w);
        let anybody = || machine.program.comms[comm].iter().any(|m| *m != rank && free.contains(m));
        from.map_or_else(anybody, |f| free.contains(&f))
    };
    let done = |op: &Op| {
        let strict: &dyn Library = &Strict;
        machine.is_complete(end, *op, strict)
            || match machine.program.ops[*op].kind {
                Kind::Send(s) => free.contains(&s.to),
                Kind::Recv(w) => comes(w),
                Kind::Part(part) => {
                    let missing = |strict: bool| {
                        let mut all = machine.program.partners(rank, part, strict);
                        all.retain(|m| {
                            let part = machine.program.part_of(*m, part);
                            !part.is_some_and(|op| machine.is_posted(end, op))
                        });
                        all
                    };
                    // It waits for those whose data it needs, if some of them are missing; else for all.
                    let needed = Some(missing(false)).filter(|m| !m.is_empty()).unwrap_or_else(|| missing(true));
                    needed.iter().all(|m| free.contains(m))
                }
            }
    };
    match &statement.gate {
        Gate::Open | Gate::Mrecv => true,
        Gate::Own => statement.starts.iter().all(done),
        Gate::Probe(w) => comes(*w),
        Gate::Requests(many, ops) => {
            let mut left = ops.iter().filter(|op| end.gone & (1 << *op) == 0);
            match many {
                Many::One | Many::All => left.all(done),
                _ => left.any(done),
            }
        }
    }
}

/// A program and the trace of its run, for messages.
pub(crate) fn show(program: &Program, run: &Run) -> String {
    format!("--- program:\n{program}--- trace:\n{}", run.trace)
}
