//! One run of a program under a scheduler and a library that choose at random, and the trace that it leaves.

use crate::cook::Luck;
use crate::machine::{Library, Machine, Move, Ops, Outcome, State};
use crate::program::{Gate, Kind, Many, Op, Program, Rank};
use std::fmt::Write as _;

/// The choices of this library for each operation.
struct Whims(Ops);

impl Library for Whims {
    fn helps(&self, op: Op) -> bool {
        self.0 & (1 << op) != 0
    }
}

/// A run that is over.
pub(crate) struct Run {
    /// The state in which nothing happened any more.
    pub(crate) end: State,
    /// By rank and statement: how it came to its end.
    pub(crate) outcomes: Vec<Vec<Outcome>>,
    pub(crate) trace: String,
}

impl Run {
    pub(crate) fn got_through(&self, machine: &Machine) -> bool {
        (0..machine.program.ranks.len()).all(|r| machine.has_ended(&self.end, r))
    }
}

/// Writes the trace while a program runs.
struct Writer<'a> {
    machine: &'a Machine<'a>,
    trace: String,
    /// By rank: the call that it is in is in the trace already.
    open: Vec<bool>,
    outcomes: Vec<Vec<Outcome>>,
}

impl Writer<'_> {
    fn call(&self, state: &State, rank: Rank, at: usize) -> String {
        let program = self.machine.program;
        program.call(rank, at, self.told_pattern(state, rank, at), &|op| state.gone & (1 << op) != 0)
    }

    /// Source (world rank) and tag, where the call asks for what a probe was told of.
    fn told_pattern(&self, state: &State, rank: Rank, at: usize) -> Option<(Rank, i32)> {
        let statement = &self.machine.program.ranks[rank][at];
        statement.starts.iter().find_map(|op| match self.machine.program.ops[*op].kind {
            Kind::Recv(wanted) => {
                let (_, from, tag) = self.machine.pattern(state, rank, wanted);
                Some((from?, tag?))
            }
            _ => None,
        })
    }

    /// The rank calls its next one and is in it.
    fn enter(&mut self, state: &State, rank: Rank) {
        let call = self.call(state, rank, usize::from(state.at[rank]));
        let _ = writeln!(self.trace, "{rank}: {call}");
        self.open[rank] = true;
    }

    fn returns(&mut self, state: &State, rank: Rank, at: usize, outcome: Outcome) {
        let outs = self.results(state, rank, at, outcome);
        let _ = match std::mem::take(&mut self.open[rank]) {
            true => writeln!(self.trace, "{rank}: return = ok{outs}"),
            false => writeln!(self.trace, "{rank}: {} = ok{outs}", self.call(state, rank, at)),
        };
        let statement = &self.machine.program.ranks[rank][at];
        if let (true, Gate::Open, [op]) = (self.machine.program.persistent, &statement.gate, &statement.starts[..])
            && matches!(self.machine.program.ops[*op].kind, Kind::Recv(_))
        {
            let _ = writeln!(self.trace, "{rank}: MPI_Start(request=r{}) = ok", op + 1);
        }
        self.outcomes[rank].push(outcome);
    }

    /// The results of a call.
    fn results(&self, state: &State, rank: Rank, at: usize, outcome: Outcome) -> String {
        let program = self.machine.program;
        let statement = &program.ranks[rank][at];
        let status = |op: Op| match (program.ops[op].kind, state.met(op)) {
            (Kind::Recv(_), Some(send)) => program.status(send),
            _ => "ANY/ANY/0".into(),
        };
        let of_own = || {
            let recv = statement.starts.iter().find(|op| matches!(program.ops[**op].kind, Kind::Recv(_)));
            recv.map(|op| status(*op))
        };
        match (&statement.gate, outcome) {
            (Gate::Open, _) => statement.starts.first().map_or(String::new(), |op| format!(" {{request=r{}}}", op + 1)),
            (Gate::Own, _) => match of_own() {
                Some(status) if statement.matched_probe => format!(" {{message=m1, status={status}}}"),
                Some(status) => format!(" {{status={status}}}"),
                None => String::new(),
            },
            (Gate::Mrecv, _) => {
                let probe = &program.ranks[rank][at - 1].starts[0];
                format!(" {{status={}}}", status(*probe))
            }
            (Gate::Probe(_), Outcome::Told(send)) => format!(" {{status={}}}", program.status(send)),
            (Gate::Requests(many, ops), Outcome::Completed(done)) => {
                let completed: Vec<usize> = (0..ops.len()).filter(|i| done & (1 << ops[*i]) != 0).collect();
                let statuses = |at: &[usize]| {
                    let all: Vec<String> = at.iter().map(|i| status(ops[*i])).collect();
                    all.join(",")
                };
                match (many, &completed[..]) {
                    (Many::One, _) => {
                        format!(" {{status={}}}", if done == 0 { "ANY/ANY/0".into() } else { status(ops[0]) })
                    }
                    (Many::All, _) => {
                        let all: Vec<String> = (0..ops.len())
                            .map(|i| if completed.contains(&i) { status(ops[i]) } else { "ANY/ANY/0".into() })
                            .collect();
                        format!(" {{statuses=[{}]}}", all.join(","))
                    }
                    (Many::Any, [one, ..]) => format!(" {{index={one}, status={}}}", status(ops[*one])),
                    (Many::Any, []) => " {index=MPI_UNDEFINED, status=ANY/ANY/0}".into(),
                    (Many::Some, []) => " {outcount=MPI_UNDEFINED}".into(),
                    (Many::Some, all) => {
                        let indices: Vec<String> = all.iter().map(usize::to_string).collect();
                        let indices = indices.join(",");
                        format!(" {{outcount={}, indices=[{indices}], statuses=[{}]}}", all.len(), statuses(all))
                    }
                }
            }
            other => unreachable!("{other:?}"),
        }
    }

    /// The calls of a rank from `from` on that wait for nothing.
    fn settled(&mut self, state: &State, rank: Rank, from: usize) {
        for at in from..usize::from(state.at[rank]) {
            self.returns(state, rank, at, Outcome::Plain);
        }
    }
}

/// Runs the program once.
pub(crate) fn run(program: &Program, luck: &mut Luck) -> Run {
    let machine = Machine { program };
    // A library that buffers all, or nothing, or what it likes.
    let helps = match luck.below(8) {
        0..=4 => Ops::MAX,
        5 => 0,
        _ => (0..program.ops.len()).fold(0, |set, op| set | ((luck.below(4) > 0) as Ops) << op),
    };
    let library = Whims(helps);
    let mut state = machine.start();
    let ranks = program.ranks.len();
    let mut writer =
        Writer { machine: &machine, trace: String::new(), open: vec![false; ranks], outcomes: vec![Vec::new(); ranks] };
    let _ = writeln!(writer.trace, "ranks {ranks}");
    for (comm, members) in program.comms.iter().enumerate().skip(1) {
        let list: Vec<String> = members.iter().map(Rank::to_string).collect();
        for rank in members {
            let _ = writeln!(writer.trace, "{rank}: def comm {} {{{}}}", Program::comm_name(comm), list.join(","));
        }
    }
    (0..ranks).for_each(|rank| writer.settled(&state, rank, 0));
    loop {
        let moves = machine.moves(&state, &library);
        if moves.is_empty() {
            break;
        }
        let rank = luck.below(ranks);
        if !writer.open[rank] && !machine.has_ended(&state, rank) && luck.below(4) == 0 {
            writer.enter(&state, rank);
        }
        let what = moves[luck.below(moves.len())];
        let before = state;
        state = machine.after(&before, what);
        if let Move::Pass(rank, outcome) = what {
            let at = usize::from(before.at[rank]);
            writer.returns(&before, rank, at, outcome);
            writer.settled(&state, rank, at + 1);
        }
    }
    for rank in 0..ranks {
        if !machine.has_ended(&state, rank) && !writer.open[rank] {
            writer.enter(&state, rank);
        }
    }
    // If a rank hangs, a library may let the others wait for it in MPI_Finalize.
    let through = (0..ranks).all(|r| machine.has_ended(&state, r));
    for rank in (0..ranks).filter(|r| machine.has_ended(&state, *r)) {
        let end = match through || luck.below(2) == 0 {
            true => format!("{rank}: MPI_Finalize() = ok\n{rank}: exit 0\n"),
            false => format!("{rank}: MPI_Finalize()\n"),
        };
        writer.trace.push_str(&end);
    }
    Run { end: state, outcomes: writer.outcomes, trace: writer.trace }
}
