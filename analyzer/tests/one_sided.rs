//! Random one-sided programs against an oracle that knows the order of all events: what is found is a conflict, and where there
//! is one, something is found.

use analyzer::testing::{Random, analyze};
use std::fmt::Write as _;

const RANKS: usize = 3;
const CELLS: i64 = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Put,
    Get,
    Sum,
    Max,
    NoOp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Fence,
    Post,
    Lock,
    /// A lock, too.
    Exclusive,
}

/// One access with the numbers of its events in the order of its rank, and of the event of which rank that completes it.
#[derive(Debug, Clone, Copy)]
struct Access {
    rank: usize,
    target: usize,
    from: i64,
    to: i64,
    deed: Deed,
    at: usize,
    completed: Option<(usize, usize)>,
    mode: Mode,
    exclusive: bool,
}

/// A program: the calls of each rank, its accesses, and which events come before which of other ranks.
#[derive(Default)]
struct Program {
    calls: [Vec<String>; RANKS],
    accesses: Vec<Access>,
    edges: Vec<((usize, usize), (usize, usize))>,
    /// Requests so far.
    requests: usize,
    /// Calls that may tell of anything that has happened.
    vague: Vec<(usize, usize)>,
}

impl Program {
    /// Adds a call of a rank, and returns its number.
    fn call(&mut self, rank: usize, text: impl Into<String>) -> usize {
        self.calls[rank].push(text.into());
        self.calls[rank].len() - 1
    }

    /// A request that nobody else has.
    fn request(&mut self) -> String {
        self.requests += 1;
        format!("r{}", self.requests)
    }

    /// Ranks that end a call each know what all did before they began theirs.
    fn meet(&mut self, began: &[(usize, usize)], ended: &[(usize, usize)]) {
        for ((from, at), (to, end)) in began.iter().flat_map(|a| ended.iter().map(move |b| (a, b))) {
            self.edges.push(((*from, *at), (*to, end + 1)));
        }
    }

    /// A call of all ranks, which none passes before all have come.
    fn all(&mut self, text: &str) {
        let at: Vec<(usize, usize)> = (0..RANKS).map(|rank| (rank, self.call(rank, text))).collect();
        self.meet(&at, &at);
    }

    /// A barrier of two ranks.
    fn pair(&mut self) {
        let at: Vec<(usize, usize)> = (0..2).map(|rank| (rank, self.call(rank, "MPI_Barrier(comm=c1) = ok"))).collect();
        self.meet(&at, &at);
    }

    fn access(&mut self, die: &mut Random, rank: usize, target: usize, mode: Mode, luck: usize) {
        let deed =
            [Deed::Put, Deed::Get, Deed::Get, Deed::Sum, Deed::Sum, Deed::Sum, Deed::Max, Deed::NoOp][die.below(8)];
        let from = die.below(CELLS as usize) as i64;
        let count = 1 + die.below(luck.min((CELLS - from) as usize)) as i64;
        let (function, op) = match deed {
            Deed::Put => ("MPI_Put", ""),
            Deed::Get => ("MPI_Get", ""),
            Deed::Sum => ("MPI_Accumulate", ", op=MPI_SUM"),
            Deed::Max => ("MPI_Accumulate", ", op=MPI_MAX"),
            Deed::NoOp => ("MPI_Accumulate", ", op=MPI_NO_OP"),
        };
        let text = format!(
            "{function}(origin_count={count}, target_rank={target}, target_disp={from}, target_count={count}{op}, win=w1) = ok"
        );
        let at = self.call(rank, text);
        let exclusive = mode == Mode::Exclusive;
        let mode = if exclusive { Mode::Lock } else { mode };
        self.accesses.push(Access { rank, target, from, to: from + count, deed, at, completed: None, mode, exclusive });
        if deed == Deed::Get {
            self.vague.push((rank, at));
        }
    }

    /// The event completes the accesses of a rank (to one target) that are not complete yet.
    fn complete(&mut self, rank: usize, target: Option<usize>, by: (usize, usize)) {
        let mine = |a: &&mut Access| a.rank == rank && target.is_none_or(|t| t == a.target) && a.completed.is_none();
        self.accesses.iter_mut().filter(mine).for_each(|access| access.completed = Some(by));
    }

    /// The events that come behind an event, by rank: from which number on.
    fn behind(&self, of: (usize, usize)) -> [usize; RANKS] {
        let mut first = [usize::MAX; RANKS];
        first[of.0] = of.1;
        loop {
            let mut changed = false;
            for ((from, at), (to, then)) in &self.edges {
                if first[*from] <= *at && *then < first[*to] {
                    first[*to] = *then;
                    changed = true;
                }
            }
            if !changed {
                return first;
            }
        }
    }

    fn is_before(&self, a: &Access, b: &Access) -> bool {
        a.completed.is_some_and(|done| self.behind(done)[b.rank] <= b.at)
    }

    /// May `a` be over before `b`, for all that the trace says?
    fn may_be_before(&self, a: &Access, b: &Access) -> bool {
        let Some(done) = a.completed else { return false };
        let tells = |(rank, at): &(usize, usize)| {
            let behind = self.behind((*rank, at + 1));
            behind[b.rank] <= b.at && behind[done.0] > done.1
        };
        self.is_before(a, b) || self.vague.iter().any(tells)
    }

    /// The pairs that must not be, by the standard's table; and which of them must be found.
    fn conflicts(&self) -> Vec<([(usize, usize); 2], bool)> {
        let mut all = Vec::new();
        for (i, a) in self.accesses.iter().enumerate() {
            for b in &self.accesses[..i] {
                let accumulates = |x: &Access| !matches!(x.deed, Deed::Put | Deed::Get);
                let goes = match (a.deed, b.deed) {
                    (Deed::Get, Deed::Get) => true,
                    _ if accumulates(a) && accumulates(b) => {
                        a.rank == b.rank || a.deed == b.deed || a.deed == Deed::NoOp || b.deed == Deed::NoOp
                    }
                    _ => false,
                };
                let meets = a.target == b.target && a.from < b.to && b.from < a.to;
                let is_of_one = a.rank == b.rank;
                let is_excluded = a.mode == Mode::Lock && !is_of_one && (a.exclusive || b.exclusive);
                // Epochs of two kinds are not compared.
                let is_wrong = meets && !goes && a.mode == b.mode && !is_excluded;
                if is_wrong && !self.is_before(a, b) && !self.is_before(b, a) {
                    let is_certain = !self.may_be_before(a, b) && !self.may_be_before(b, a);
                    let is_found = is_of_one || a.mode != Mode::Lock || is_certain;
                    all.push(([(a.rank, a.at), (b.rank, b.at)], is_found));
                }
            }
        }
        all
    }
}

fn fences(p: &mut Program, die: &mut Random, luck: usize) {
    p.all("MPI_Win_fence(win=w1) = ok");
    for _ in 0..die.below(5) {
        let (rank, target) = (die.below(RANKS), die.below(RANKS));
        p.access(die, rank, target, Mode::Fence, luck);
    }
    p.all("MPI_Win_fence(win=w1) = ok");
    for rank in 0..RANKS {
        let last = p.calls[rank].len();
        // Behind the fence, all that all ranks did before it is complete.
        p.complete(rank, None, (rank, last - 1));
    }
}

/// Ranks expose their memory to others, one epoch each.
fn posts(p: &mut Program, die: &mut Random, luck: usize) {
    let target = die.below(RANKS);
    let origins: Vec<usize> = (0..RANKS).filter(|r| *r != target && die.below(4) != 0).collect();
    let Some(group) =
        (!origins.is_empty()).then(|| origins.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
    else {
        return;
    };
    let number = p.calls.iter().map(Vec::len).sum::<usize>() + 1;
    p.call(target, format!("def group g{number} {{{group}}}"));
    let post = p.call(target, format!("MPI_Win_post(group=g{number}, win=w1) = ok"));
    let mut ends = Vec::new();
    for origin in &origins {
        p.call(*origin, format!("def group g{number} {{{target}}}"));
        let start = p.call(*origin, format!("MPI_Win_start(group=g{number}, win=w1) = ok"));
        p.edges.push(((target, post), (*origin, start + 1)));
        for _ in 0..die.below(3) {
            p.access(die, *origin, target, Mode::Post, luck);
        }
        ends.push((*origin, p.call(*origin, "MPI_Win_complete(win=w1) = ok")));
    }
    let wait = p.call(target, "MPI_Win_wait(win=w1) = ok");
    for (origin, end) in ends {
        p.edges.push(((origin, end), (target, wait + 1)));
        p.complete(origin, None, (target, wait + 1));
    }
}

/// A message, which is received at once, or of which the receive is begun here and ended by a call that is given back.
fn message(p: &mut Program, die: &mut Random) -> Option<Later> {
    let (from, to) = (die.below(RANKS), die.below(RANKS));
    if from == to {
        return None;
    }
    let send = p.call(from, format!("MPI_Send(dest={to}) = ok"));
    if die.below(3) != 0 {
        let recv = p.call(to, format!("MPI_Recv(source={from}) = ok"));
        p.meet(&[(from, send)], &[(to, recv)]);
        return None;
    }
    let request = p.request();
    p.call(to, format!("MPI_Irecv(source={from}, request=@0x10) = ok {{request={request}}}"));
    Some(Later { began: vec![(from, send)], waits: vec![(to, format!("MPI_Wait(request={request}@0x10) = ok"))] })
}

/// A barrier that each rank ends later.
fn begin_barrier(p: &mut Program) -> Later {
    let requests: Vec<String> = (0..RANKS).map(|_| p.request()).collect();
    let begin = |(rank, request): (usize, &String)| {
        (rank, p.call(rank, format!("MPI_Ibarrier(request=@0x20) = ok {{request={request}}}")))
    };
    let began = requests.iter().enumerate().map(begin).collect();
    let wait = |(rank, request)| (rank, format!("MPI_Wait(request={request}@0x20) = ok"));
    Later { began, waits: requests.into_iter().enumerate().map(wait).collect() }
}

/// Calls that end something, when their time has come.
struct Later {
    began: Vec<(usize, usize)>,
    waits: Vec<(usize, String)>,
}

impl Later {
    fn end(self, p: &mut Program) {
        let ended: Vec<(usize, usize)> = self.waits.iter().map(|(rank, call)| (*rank, p.call(*rank, call))).collect();
        p.meet(&self.began, &ended);
    }
}

fn locks(p: &mut Program, die: &mut Random, luck: usize) {
    let rank = die.below(RANKS);
    let all = die.below(2) == 0;
    let target = die.below(RANKS);
    let exclusive = !all && die.below(3) == 0;
    let mode = if exclusive { Mode::Exclusive } else { Mode::Lock };
    let text = match all {
        true => "MPI_Win_lock_all(win=w1) = ok".to_owned(),
        false => format!("MPI_Win_lock(lock_type={}, rank={target}, win=w1) = ok", if exclusive { 301 } else { 302 }),
    };
    p.call(rank, text);
    for _ in 0..1 + die.below(4) {
        match die.below(4) {
            0 => {
                let at = p.call(rank, format!("MPI_Win_flush(rank={target}, win=w1) = ok"));
                p.complete(rank, Some(target), (rank, at));
            }
            1 if all => {
                let at = p.call(rank, "MPI_Win_flush_all(win=w1) = ok");
                p.complete(rank, None, (rank, at));
            }
            _ => {
                let to = if all { die.below(RANKS) } else { target };
                p.access(die, rank, to, mode, luck);
            }
        }
    }
    let text = match all {
        true => "MPI_Win_unlock_all(win=w1) = ok".to_owned(),
        false => format!("MPI_Win_unlock(rank={target}, win=w1) = ok"),
    };
    let at = p.call(rank, text);
    p.complete(rank, None, (rank, at));
}

/// All lock the memory of all, and what orders their accesses are flushes, messages and barriers.
fn long_locks(p: &mut Program, die: &mut Random, luck: usize) {
    (0..RANKS).for_each(|rank| _ = p.call(rank, "MPI_Win_lock_all(win=w1) = ok"));
    let mut later: Vec<Later> = Vec::new();
    for _ in 0..3 + die.below(12) {
        let (rank, target) = (die.below(RANKS), die.below(RANKS));
        if die.below(3) == 0 && !later.is_empty() {
            later.remove(0).end(p);
        }
        match die.below(9) {
            0 => p.all("MPI_Barrier() = ok"),
            1 | 2 => later.extend(message(p, die)),
            8 if later.is_empty() => later.push(begin_barrier(p)),
            8 => p.pair(),
            3 => {
                let at = p.call(rank, format!("MPI_Win_flush(rank={target}, win=w1) = ok"));
                p.complete(rank, Some(target), (rank, at));
            }
            4 => {
                let at = p.call(rank, "MPI_Win_flush_all(win=w1) = ok");
                p.complete(rank, None, (rank, at));
            }
            _ => p.access(die, rank, target, Mode::Lock, luck),
        }
    }
    later.into_iter().for_each(|later| later.end(p));
    for rank in 0..RANKS {
        let at = p.call(rank, "MPI_Win_unlock_all(win=w1) = ok");
        p.complete(rank, None, (rank, at));
    }
}

fn program(die: &mut Random) -> Program {
    let mut p = Program::default();
    // Small accesses seldom meet, large ones often.
    let luck = 1 + die.below(CELLS as usize);
    for rank in 0..RANKS {
        let members = if rank < 2 { "0,1" } else { "2" };
        p.call(rank, format!("MPI_Comm_split(color={}) = ok {{newcomm=c1{{{members}}}}}", rank / 2));
        p.call(rank, format!("MPI_Win_allocate(size={}, disp_unit=4) = ok {{win=w1}}", CELLS * 4));
    }
    for _ in 0..1 + die.below(6) {
        match die.below(6) {
            5 => long_locks(&mut p, die, luck),
            0 => fences(&mut p, die, luck),
            1 => posts(&mut p, die, luck),
            2 => message(&mut p, die).into_iter().for_each(|later| later.end(&mut p)),
            _ => locks(&mut p, die, luck),
        }
        if die.below(2) == 0 {
            p.all("MPI_Barrier() = ok");
        }
    }
    // Whatever is still open is not complete, and the window goes in the end.
    p.all("MPI_Win_fence(win=w1) = ok");
    p.all("MPI_Win_free(win=w1) = ok");
    p
}

/// The lines of a program in some order of the ranks, and where each call stands.
fn text(p: &Program, die: &mut Random) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut lines, mut next) = (String::new(), Vec::new(), [0; RANKS]);
    let patience = 1 + die.below(30);
    while let Some(rank) = (0..RANKS).map(|_| die.below(RANKS)).chain(0..RANKS).find(|r| next[*r] < p.calls[*r].len()) {
        for _ in 0..1 + die.below(patience) {
            let Some(call) = p.calls[rank].get(next[rank]) else { break };
            writeln!(text, "{rank}: {call}").unwrap();
            lines.push((rank, next[rank]));
            next[rank] += 1;
        }
    }
    (text, lines)
}

#[test]
fn what_is_found_is_what_nothing_orders() {
    let programs = if std::env::var("MPIVET_TEST_FULL").is_ok_and(|full| full == "1") { 100_000 } else { 4_000 };
    let mut wrong = 0;
    for seed in 1..=programs {
        let mut die = Random(seed);
        let program = program(&mut die);
        let conflicts = program.conflicts();
        let must = conflicts.iter().any(|(_, is_found)| *is_found);
        wrong += usize::from(must);
        let (text, lines) = text(&program, &mut die);
        let analysis = analyze(&text);
        let found: Vec<_> = analysis.findings.iter().filter(|f| f.check.name == "rma-conflict").collect();
        assert!(
            analysis.findings.iter().all(|f| f.check.name == "rma-conflict" || f.check.name.starts_with("potential")),
            "seed {seed}: {:?}\n{text}",
            analysis.findings.iter().map(|f| &f.message).collect::<Vec<_>>()
        );
        assert_eq!(found.is_empty(), !must, "seed {seed}: {conflicts:?}\n{text}");
        for finding in found {
            let at: Vec<(usize, usize)> = finding.calls.iter().map(|call| lines[call.site as usize - 1]).collect();
            let is_one = conflicts.iter().any(|(pair, _)| pair.iter().all(|call| at.contains(call)));
            assert!(is_one, "seed {seed}: {} {at:?} of {conflicts:?}\n{text}", finding.message);
        }
    }
    println!("{programs} programs, {wrong} of them with conflicts");
    assert!(wrong > programs as usize / 10 && wrong < programs as usize * 9 / 10, "{wrong} of {programs}");
}

/// However much comes behind it in the same epoch of fences, the order of two accesses is known.
#[test]
fn a_long_epoch_keeps_the_order_of_its_accesses() {
    let mut text = String::new();
    let mut all = |call: &str| (0..RANKS).for_each(|rank| writeln!(text, "{rank}: {call}").unwrap());
    all("MPI_Win_allocate(size=64, disp_unit=1) = ok {win=w1, baseptr=0x70000}");
    all("MPI_Win_fence(win=w1) = ok");
    text.push_str("2: MPI_Send(buf=0x70004, count=1, datatype=MPI_INT, dest=0) = ok\n0: MPI_Recv(source=2) = ok\n");
    text.push_str("0: MPI_Put(target_rank=2, target_disp=4, target_count=1, target_datatype=MPI_INT, win=w1) = ok\n");
    for (from, to) in (0..2800).map(|n| if n % 2 == 0 { (0, 1) } else { (1, 2) }) {
        writeln!(text, "{from}: MPI_Send(dest={to}) = ok\n{to}: MPI_Recv(source={from}) = ok").unwrap();
    }
    for call in ["MPI_Barrier() = ok", "MPI_Barrier() = ok", "MPI_Win_fence(win=w1) = ok", "MPI_Win_free(win=w1) = ok"]
    {
        (0..RANKS).for_each(|rank| writeln!(text, "{rank}: {call}").unwrap());
    }
    let found = analyze(&text).findings;
    assert!(found.iter().all(|f| f.check.name != "rma-conflict"), "{:?}", found.first().map(|f| &f.message));
}
