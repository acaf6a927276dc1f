//! The possible next events of a program, by the rules of the standard (MPI 4.1): the order of messages (3.5), when
//! sends are complete (3.4), probes (3.8.1), and the processes that collective operations wait for (6.1).

use crate::program::{Gate, Kind, MOST_OPS, MOST_RANKS, Many, Mode, Op, Program, Rank, Send, Wanted};

/// A set of operations.
pub(crate) type Ops = u32;

const NOBODY: u8 = u8::MAX;

/// The progress of the ranks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// By rank: the statement that it is in; it has called it.
    pub(crate) at: [u8; MOST_RANKS],
    /// By operation: its partner.
    met: [u8; MOST_OPS],
    /// Operations whose requests the program has got back.
    pub(crate) gone: Ops,
    /// By rank: the send of the message that its last probe was told of.
    told: [u8; MOST_RANKS],
}

impl State {
    pub(crate) fn met(&self, op: Op) -> Option<Op> {
        (self.met[op] != NOBODY).then(|| usize::from(self.met[op]))
    }

    pub(crate) fn told(&self, rank: Rank) -> Option<Op> {
        (self.told[rank] != NOBODY).then(|| usize::from(self.told[rank]))
    }
}

/// The end of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Plain,
    /// These requests are complete.
    Completed(Ops),
    /// The probe finds the message of this send.
    Told(Op),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Move {
    /// The message goes to the receive.
    Meet(Op, Op),
    Pass(Rank, Outcome),
}

/// The operations that the library completes although it need not.
pub(crate) trait Library {
    fn helps(&self, op: Op) -> bool;
}

/// A library that does all that the standard permits.
pub(crate) struct Generous;

impl Library for Generous {
    fn helps(&self, _: Op) -> bool {
        true
    }
}

/// No more than the standard demands.
pub(crate) struct Strict;

impl Library for Strict {
    fn helps(&self, _: Op) -> bool {
        false
    }
}

/// A program in execution.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
}

impl Machine<'_> {
    pub(crate) fn start(&self) -> State {
        let mut state = State { at: [0; MOST_RANKS], met: [NOBODY; MOST_OPS], gone: 0, told: [NOBODY; MOST_RANKS] };
        (0..self.program.ranks.len()).for_each(|rank| self.settle(&mut state, rank));
        state
    }

    /// Goes past the calls that wait for nothing.
    fn settle(&self, state: &mut State, rank: Rank) {
        let waits = |at: u8| {
            self.program.ranks[rank].get(usize::from(at)).is_none_or(|s| !matches!(s.gate, Gate::Open | Gate::Mrecv))
        };
        while !waits(state.at[rank]) {
            state.at[rank] += 1;
        }
    }

    pub(crate) fn has_ended(&self, state: &State, rank: Rank) -> bool {
        usize::from(state.at[rank]) >= self.program.ranks[rank].len()
    }

    pub(crate) fn ops(&self) -> std::ops::Range<Op> {
        0..self.program.ops.len()
    }

    pub(crate) fn is_posted(&self, state: &State, op: Op) -> bool {
        let o = &self.program.ops[op];
        usize::from(state.at[o.rank]) >= o.at
    }

    fn is_alone(&self, state: &State, op: Op) -> bool {
        state.met(op).is_none() && self.is_posted(state, op)
    }

    pub(crate) fn send(&self, op: Op) -> Option<Send> {
        match self.program.ops[op].kind {
            Kind::Send(send) => Some(send),
            _ => None,
        }
    }

    /// Communicator, source and tag that a rank asks for.
    pub(crate) fn pattern(&self, state: &State, rank: Rank, wanted: Wanted) -> (usize, Option<Rank>, Option<i32>) {
        match wanted {
            Wanted::Given { comm, from, tag } => (comm, from, tag),
            Wanted::Told { comm } => {
                let told = state.told(rank).expect("a probe before");
                (comm, Some(self.program.ops[told].rank), self.send(told).map(|s| s.tag))
            }
        }
    }

    fn fits(&self, state: &State, send: Op, rank: Rank, wanted: Wanted) -> bool {
        let (comm, from, tag) = self.pattern(state, rank, wanted);
        self.send(send).is_some_and(|s| {
            s.comm == comm
                && s.to == rank
                && from.is_none_or(|f| f == self.program.ops[send].rank)
                && tag.is_none_or(|t| t == s.tag)
        })
    }

    /// Is the posted receive one that the message could go to, as far as arguments go?
    pub(crate) fn pairs(&self, state: &State, send: Op, recv: Op) -> bool {
        let o = &self.program.ops[recv];
        matches!(o.kind, Kind::Recv(wanted) if self.fits(state, send, o.rank, wanted))
    }

    /// Could a receive that asks for this, and that is posted behind `before`, get the message now?
    fn arrives(&self, state: &State, send: Op, rank: Rank, wanted: Wanted, before: (usize, Op)) -> bool {
        let place = |op: Op| (self.program.ops[op].at, op);
        let sender = self.program.ops[send].rank;
        self.is_alone(state, send)
            && self.fits(state, send, rank, wanted)
            && !self.ops().any(|other| {
                let o = &self.program.ops[other];
                let overtaken = o.rank == sender && place(other) < place(send) && self.fits(state, other, rank, wanted);
                let taken = o.rank == rank
                    && place(other) < before
                    && self.is_alone(state, other)
                    && self.pairs(state, send, other);
                (overtaken && self.is_alone(state, other)) || taken
            })
    }

    fn may_meet(&self, state: &State, send: Op, recv: Op) -> bool {
        let o = &self.program.ops[recv];
        let Kind::Recv(wanted) = o.kind else { return false };
        self.is_alone(state, recv) && self.arrives(state, send, o.rank, wanted, (o.at, recv))
    }

    /// Messages that a probe may be told of.
    fn waiting(&self, state: &State, rank: Rank, wanted: Wanted) -> Vec<Op> {
        let now = (usize::from(state.at[rank]), Op::MAX);
        self.ops().filter(|send| self.arrives(state, *send, rank, wanted, now)).collect()
    }

    /// Is the operation complete, in this library?
    pub(crate) fn is_complete(&self, state: &State, op: Op, library: &dyn Library) -> bool {
        let o = &self.program.ops[op];
        match o.kind {
            Kind::Send(Send { mode: Mode::Buffered, .. }) => true,
            Kind::Send(Send { mode: Mode::Standard, .. }) if library.helps(op) => true,
            Kind::Send(_) | Kind::Recv(_) => state.met(op).is_some(),
            Kind::Part(part) => {
                let partners = self.program.partners(o.rank, part, !library.helps(op));
                partners
                    .into_iter()
                    .all(|rank| self.program.part_of(rank, part).is_some_and(|op| self.is_posted(state, op)))
            }
        }
    }

    /// The possible ends of the statement that the rank is in.
    pub(crate) fn outcomes(&self, state: &State, rank: Rank, library: &dyn Library) -> Vec<Outcome> {
        let Some(statement) = self.program.ranks[rank].get(usize::from(state.at[rank])) else { return Vec::new() };
        let done = |op: &Op| self.is_complete(state, *op, library);
        let plain = |all: bool| if all { vec![Outcome::Plain] } else { Vec::new() };
        match &statement.gate {
            Gate::Open | Gate::Mrecv => vec![Outcome::Plain],
            Gate::Own => plain(statement.starts.iter().all(done)),
            Gate::Probe(wanted) => self.waiting(state, rank, *wanted).into_iter().map(Outcome::Told).collect(),
            Gate::Requests(many, ops) => {
                let left: Vec<Op> = ops.iter().copied().filter(|op| state.gone & (1 << op) == 0).collect();
                let bits = |ops: &[Op]| ops.iter().fold(0, |set, op| set | 1 << op);
                if left.is_empty() {
                    return vec![Outcome::Completed(0)];
                }
                let complete: Vec<Op> = left.iter().copied().filter(|op| done(op)).collect();
                match many {
                    Many::One | Many::All if complete.len() == left.len() => vec![Outcome::Completed(bits(&left))],
                    Many::One | Many::All => Vec::new(),
                    Many::Any => complete.iter().map(|op| Outcome::Completed(1 << op)).collect(),
                    Many::Some => {
                        let all = bits(&complete);
                        (1..=all).filter(|set| set & !all == 0).map(Outcome::Completed).collect()
                    }
                }
            }
        }
    }

    /// The possible next events in this library.
    pub(crate) fn moves(&self, state: &State, library: &dyn Library) -> Vec<Move> {
        let mut moves = self.meetings(state);
        for rank in 0..self.program.ranks.len() {
            moves.extend(self.outcomes(state, rank, library).into_iter().map(|o| Move::Pass(rank, o)));
        }
        moves
    }

    fn meetings(&self, state: &State) -> Vec<Move> {
        let mut moves = Vec::new();
        for send in self.ops().filter(|s| self.send(*s).is_some()) {
            moves.extend(self.ops().filter(|r| self.may_meet(state, send, *r)).map(|r| Move::Meet(send, r)));
        }
        moves
    }

    /// Has nothing to happen any more, although somebody has not come to the end?
    pub(crate) fn is_stuck(&self, state: &State) -> bool {
        let ranks = 0..self.program.ranks.len();
        !ranks.clone().all(|r| self.has_ended(state, r)) && self.moves(state, &Strict).is_empty()
    }

    pub(crate) fn after(&self, state: &State, what: Move) -> State {
        let mut state = state.clone();
        match what {
            Move::Meet(send, recv) => {
                state.met[send] = recv as u8;
                state.met[recv] = send as u8;
            }
            Move::Pass(rank, outcome) => {
                match outcome {
                    Outcome::Plain => {}
                    Outcome::Completed(ops) => state.gone |= ops,
                    Outcome::Told(send) => state.told[rank] = send as u8,
                }
                state.at[rank] += 1;
                self.settle(&mut state, rank);
            }
        }
        state
    }
}
