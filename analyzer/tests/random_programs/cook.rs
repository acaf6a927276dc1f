//! Random programs.

use crate::program::{
    Coll, Gate, Kind, MOST_OPS, MOST_RANKS, Many, Mode, Op, Operation, Part, Program, Rank, Send, Statement, Wanted,
};

/// The ingredients of a program and its run. They shrink to fewer and simpler parts.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    pub(crate) ranks: usize,
    pub(crate) parts: Vec<[u8; 5]>,
    /// Decides what happens in the run.
    pub(crate) luck: u64,
}

/// A stream of small random numbers.
pub(crate) struct Luck(pub(crate) u64);

impl Luck {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    pub(crate) fn recipe(&mut self) -> Recipe {
        let ranks = 2 + self.below(MOST_RANKS - 1);
        let count = 2 + self.below(9);
        let parts = (0..count).map(|_| std::array::from_fn(|_| self.below(256) as u8)).collect();
        Recipe { ranks, parts, luck: self.below(1 << 30) as u64 }
    }
}

struct Cook {
    program: Program,
    /// By rank: requests that were not waited for, as far as is known.
    open: Vec<Vec<Op>>,
    /// By communicator: collective operations.
    collectives: Vec<usize>,
    /// By communicator: somebody does not call the last one.
    shortened: Vec<bool>,
}

/// The program of a recipe.
pub(crate) fn cook(recipe: &Recipe) -> Program {
    let ranks = recipe.ranks;
    // The second communicator has at least two of the ranks, in another order.
    let mut members: Vec<Rank> = (0..ranks).collect();
    members.rotate_left(recipe.luck as usize % ranks);
    members.truncate(2 + recipe.luck as usize / 7 % (ranks - 1));
    let program = Program {
        ranks: vec![Vec::new(); ranks],
        ops: Vec::new(),
        comms: vec![(0..ranks).collect(), members],
        ..Program::default()
    };
    let mut cook = Cook { program, open: vec![Vec::new(); ranks], collectives: vec![0; 2], shortened: vec![false; 2] };
    for part in &recipe.parts {
        cook.part(*part);
    }
    for rank in 0..ranks {
        let open = std::mem::take(&mut cook.open[rank]);
        if !open.is_empty() {
            cook.wait(rank, Many::All, open);
        }
    }
    cook.done()
}

/// A rank waits for several receives in one call, some of them from anybody or with any tag, and gets about as many
/// messages; a probe may follow.
pub(crate) fn gathering(luck: &mut Luck) -> Program {
    let ranks = 3 + luck.below(MOST_RANKS - 2);
    let comms = vec![(0..ranks).collect()];
    let persistent = luck.below(3) == 0;
    let program = Program { ranks: vec![Vec::new(); ranks], ops: Vec::new(), comms, persistent };
    let mut cook = Cook { program, open: vec![Vec::new(); ranks], collectives: vec![0], shortened: vec![false] };
    let receives = 2 + luck.below(3);
    for _ in 0..receives {
        let from = (luck.below(2) == 0).then(|| 1 + luck.below(ranks - 1));
        let tag = (luck.below(3) > 0).then(|| luck.below(2) as i32);
        cook.recv(0, Wanted::Given { comm: 0, from, tag }, 5);
    }
    for _ in 0..(receives + luck.below(3)).saturating_sub(luck.below(3)) {
        let mode = [Mode::Standard, Mode::Standard, Mode::Synchronous][luck.below(3)];
        let rank = 1 + luck.below(ranks - 1);
        let send = Send { mode, comm: 0, to: 0, tag: luck.below(2) as i32, count: 1 };
        cook.send(rank, send, luck.below(4) == 0);
    }
    let many = [Many::All, Many::All, Many::All, Many::Some, Many::Any][luck.below(5)];
    let mut open = std::mem::take(&mut cook.open[0]);
    // One of them may be waited for later, and takes a message all the same.
    if luck.below(4) == 0 {
        let later = open.remove(luck.below(open.len()));
        cook.open[0].push(later);
    }
    if many != Many::All {
        cook.open[0].extend(&open);
    }
    cook.wait(0, many, open);
    match luck.below(4) {
        0 => cook.recv(0, Wanted::Given { comm: 0, from: Some(1), tag: None }, 7),
        1 => {}
        _ if cook.program.ops.len() + ranks <= MOST_OPS => cook.collective(0, 0, 0, false),
        _ => {}
    }
    for rank in 0..ranks {
        let open = std::mem::take(&mut cook.open[rank]);
        if !open.is_empty() {
            cook.wait(rank, Many::All, open);
        }
    }
    cook.done()
}

impl Cook {
    /// Operations know their ranks and places when the program is complete.
    fn done(mut self) -> Program {
        for (rank, statements) in self.program.ranks.iter().enumerate() {
            for (at, statement) in statements.iter().enumerate() {
                for op in &statement.starts {
                    let op = &mut self.program.ops[*op];
                    (op.rank, op.at) = (rank, at);
                }
            }
        }
        self.program
    }

    fn part(&mut self, [what, who, a, b, c]: [u8; 5]) {
        let n = |v: u8| usize::from(v);
        let comm = usize::from(b % 5 == 4);
        let members = self.program.comms[comm].clone();
        let rank = members[n(who) % members.len()];
        // Seldom to itself.
        let step = 1 + n(a) % (members.len() - 1);
        let other = if a == 255 { rank } else { members[(n(who) + step) % members.len()] };
        let mode = [Mode::Standard, Mode::Standard, Mode::Synchronous, Mode::Buffered][n(a) / 3 % 4];
        let tag = i32::from(c % 2);
        let send = |to: Rank| Send { mode, comm, to, tag, count: 1 + u64::from(c % 11 == 10) };
        let wanted =
            |from: Rank| Wanted::Given { comm, from: (b % 3 != 0).then_some(from), tag: (c % 7 < 5).then_some(tag) };
        let room = MOST_OPS - self.program.ops.len();
        match what % 20 {
            0..=8 if room >= 2 => {
                self.send(rank, send(other), what % 20 >= 7);
                self.recv(other, wanted(rank), n(b) / 15 % 9);
            }
            9 if room >= 4 && rank != other => {
                self.sendrecv(rank, send(other), wanted(other));
                self.sendrecv(other, send(rank), wanted(rank));
            }
            10 if room >= 1 => self.send(rank, send(other), c % 3 == 0),
            11 if room >= 1 => self.recv(rank, wanted(other), n(b) / 15 % 9),
            12..=13 => self.wait_for_some(rank, a, b),
            14..=16 if room >= members.len() && !self.shortened[comm] => {
                self.collective(comm, members[n(a) % members.len()], c, b % 4 == 3)
            }
            17 => self.shorten(rank),
            _ => self.swap(rank),
        }
    }

    fn start(&mut self, kind: Kind) -> Op {
        // Rank and place are known when the program is complete.
        self.program.ops.push(Operation { kind, rank: 0, at: 0 });
        self.program.ops.len() - 1
    }

    fn add(&mut self, rank: Rank, starts: Vec<Op>, gate: Gate) {
        self.program.ranks[rank].push(Statement { starts, gate, matched_probe: false });
    }

    fn call(&mut self, rank: Rank, kind: Kind, nonblocking: bool) {
        let op = self.start(kind);
        if nonblocking {
            self.open[rank].push(op);
        }
        self.add(rank, vec![op], if nonblocking { Gate::Open } else { Gate::Own });
    }

    fn send(&mut self, rank: Rank, send: Send, nonblocking: bool) {
        self.call(rank, Kind::Send(send), nonblocking);
    }

    fn recv(&mut self, rank: Rank, wanted: Wanted, how: usize) {
        match how {
            0..=4 => self.call(rank, Kind::Recv(wanted), false),
            5 | 6 => self.call(rank, Kind::Recv(wanted), true),
            7 => {
                self.add(rank, Vec::new(), Gate::Probe(wanted));
                let told = matches!(wanted, Wanted::Given { from: None, tag: Some(_), .. });
                let wanted = if told { Wanted::Told { comm: wanted.comm() } } else { wanted };
                self.call(rank, Kind::Recv(wanted), false);
            }
            _ => {
                self.call(rank, Kind::Recv(wanted), false);
                self.program.ranks[rank].last_mut().expect("a statement").matched_probe = true;
                self.add(rank, Vec::new(), Gate::Mrecv);
            }
        }
    }

    fn sendrecv(&mut self, rank: Rank, send: Send, wanted: Wanted) {
        let send = Send { mode: Mode::Standard, ..send };
        let starts = vec![self.start(Kind::Send(send)), self.start(Kind::Recv(wanted))];
        self.add(rank, starts, Gate::Own);
    }

    fn wait(&mut self, rank: Rank, many: Many, ops: Vec<Op>) {
        self.add(rank, Vec::new(), Gate::Requests(many, ops));
    }

    fn wait_for_some(&mut self, rank: Rank, a: u8, b: u8) {
        if self.open[rank].is_empty() {
            return;
        }
        match a % 4 {
            0 => {
                let at = usize::from(b) % self.open[rank].len();
                let op = self.open[rank].remove(at);
                self.wait(rank, Many::One, vec![op]);
            }
            1 => {
                let ops = std::mem::take(&mut self.open[rank]);
                self.wait(rank, Many::All, ops);
            }
            // The rest is waited for later.
            2 => self.wait(rank, Many::Any, self.open[rank].clone()),
            _ => self.wait(rank, Many::Some, self.open[rank].clone()),
        }
    }

    fn collective(&mut self, comm: usize, root: Rank, c: u8, nonblocking: bool) {
        let coll = [Coll::Barrier, Coll::Bcast, Coll::Reduce, Coll::Allreduce, Coll::Scan][usize::from(c) % 5];
        let nth = self.collectives[comm];
        self.collectives[comm] += 1;
        for rank in self.program.comms[comm].clone() {
            self.call(rank, Kind::Part(Part { coll, comm, nth, root }), nonblocking);
        }
    }

    fn is_collective(&self, statement: &Statement) -> bool {
        statement.starts.iter().any(|op| matches!(self.program.ops[*op].kind, Kind::Part(_)))
    }

    /// The rank's last call comes to nothing, if that is simple: mostly, its part of a collective operation.
    fn shorten(&mut self, rank: Rank) {
        let Some(last) = self.program.ranks[rank].last() else { return };
        let [op] = last.starts[..] else { return };
        // Operations keep their numbers: only the last one can go.
        if self.is_collective(last) && last.gate == Gate::Own && op + 1 == self.program.ops.len() {
            let Kind::Part(part) = self.program.ops[op].kind else { return };
            self.shortened[part.comm] = true;
            self.program.ranks[rank].pop();
            self.program.ops.pop();
        }
    }

    /// The rank's last two calls the other way round, if that is another legal program.
    fn swap(&mut self, rank: Rank) {
        let statements = &self.program.ranks[rank];
        let [.., one, two] = &statements[..] else { return };
        let simple = |s: &Statement| {
            let told = s.starts.iter().any(|op| matches!(self.program.ops[*op].kind, Kind::Recv(Wanted::Told { .. })));
            matches!(s.gate, Gate::Open | Gate::Own) && !s.matched_probe && !told
        };
        if simple(one) && simple(two) && !(self.is_collective(one) && self.is_collective(two)) {
            let last = statements.len() - 1;
            self.program.ranks[rank].swap(last - 1, last);
        }
    }
}
