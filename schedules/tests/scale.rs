//! Large programs are decided, or given up, in little time.

#[expect(dead_code, reason = "only its random numbers are needed")]
mod common;

use schedules::{
    Act, Answer, Budget, Call, Collective, DeadlockReplay, Kind, Mode, OpIx, Program, Semantics, explore, has_choices,
};
use std::time::{Duration, Instant};

fn send(from: u32, to: u32, tag: i32) -> Kind {
    Kind::Send { mode: Mode::Standard, comm: 0, from, to, tag, bytes: 8 }
}

fn recv(at: u32, source: Option<u32>, tag: i32, got: OpIx, steers: Option<u32>) -> Kind {
    Kind::Recv { comm: 0, at, source, tag: Some(tag), got: Some(got), steers }
}

fn blocking(p: &mut Program, thread: u32, kind: Kind) -> OpIx {
    let op = p.start(thread, kind);
    p.wait_all(thread, vec![op]);
    op
}

/// A master gives work to each worker that asks; `answers`: it does not only collect.
fn master_and_workers(ranks: u32, requests: u32, answers: bool) -> Program {
    let mut p = Program { threads: vec![Vec::new(); ranks as usize], ..Program::default() };
    for i in 0..requests {
        let worker = 1 + i % (ranks - 1);
        let ask = blocking(&mut p, worker, send(worker, 0, 1));
        let behind = p.threads[0].len() as u32 + 2;
        blocking(&mut p, 0, recv(0, None, 1, ask, answers.then_some(behind)));
        if answers {
            let answer = blocking(&mut p, 0, send(0, worker, 2));
            blocking(&mut p, worker, recv(worker, Some(0), 2, answer, None));
        }
    }
    p
}

/// Processor time of this thread: other programs may be running.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// Returns the answer of `explore` and checks that it does not take long.
fn decide(p: &Program, limit: Duration) -> Answer {
    let (start, busy) = (Instant::now(), cpu_time());
    let choices = has_choices(p, Budget::default());
    let answer = if choices { explore(p, Semantics::STRICT, &[], Budget::default()) } else { Answer::Safe };
    let said = match &answer {
        Answer::Deadlock(_) => "a deadlock",
        Answer::Safe => "safe",
        Answer::Undecided => "undecided",
    };
    // Elapsed time is exact, processor time does not depend on other programs.
    let took = start.elapsed().min((cpu_time() - busy).max(Duration::from_millis(10)));
    println!("{} operations: {said} after {took:?}", p.ops.len());
    assert!(took < limit, "{took:?}");
    answer
}

#[test]
fn a_master_that_answers_64_ranks_a_thousand_times_is_safe() {
    assert_eq!(decide(&master_and_workers(64, 1000, true), Duration::from_secs(20)), Answer::Safe);
}

#[test]
fn a_master_that_collects_is_safe() {
    assert_eq!(decide(&master_and_workers(4, 9, false), Duration::from_secs(20)), Answer::Safe);
    assert_eq!(decide(&master_and_workers(8, 56, false), Duration::from_secs(20)), Answer::Safe);
    assert_eq!(decide(&master_and_workers(64, 20_000, false), Duration::from_secs(20)), Answer::Safe);
}

/// A master that collects, and tells one of the workers its progress after every round.
fn collected_in_rounds(ranks: u32, rounds: u32) -> Program {
    let mut p = Program { threads: vec![Vec::new(); ranks as usize], ..Program::default() };
    for _ in 0..rounds {
        for worker in 1..ranks {
            let part = blocking(&mut p, worker, send(worker, 0, 1));
            blocking(&mut p, 0, recv(0, None, 1, part, None));
        }
        let told = Kind::Send { mode: Mode::Buffered, comm: 0, from: 0, to: 1, tag: 2, bytes: 8 };
        let done = blocking(&mut p, 0, told);
        blocking(&mut p, 1, recv(1, Some(0), 2, done, None));
    }
    p
}

#[test]
fn too_many_possibilities_are_given_up_soon() {
    assert!(decide(&collected_in_rounds(8, 8), Duration::from_secs(20)) == Answer::Undecided);
    assert!(decide(&collected_in_rounds(64, 300), Duration::from_secs(20)) == Answer::Undecided);
}

/// A master that collects, and tells all workers to go on, round after round.
#[test]
fn rounds_that_the_order_of_things_keeps_apart_are_safe() {
    let ranks = 64;
    let mut p = Program { threads: vec![Vec::new(); ranks as usize], ..Program::default() };
    for _ in 0..100 {
        for worker in 1..ranks {
            let part = blocking(&mut p, worker, send(worker, 0, 1));
            blocking(&mut p, 0, recv(0, None, 1, part, None));
        }
        // From rank 0 to all.
        let needs = (0..ranks).map(|r| vec![0, r]).collect();
        let collective = p.collectives.len() as u32;
        p.collectives.push(Collective { parts: vec![None; ranks as usize], needs });
        for r in 0..ranks {
            blocking(&mut p, r, Kind::Part { collective, position: r });
        }
    }
    assert!(decide(&p, Duration::from_secs(20)) == Answer::Safe);
}

/// Fifty thousand messages in order, and one wildcard elsewhere.
#[test]
fn messages_without_a_choice_cost_little() {
    let mut p = Program { threads: vec![Vec::new(); 4], ..Program::default() };
    for i in 0..25_000 {
        let (a, b) = (i % 2, (i + 1) % 2);
        let ball = blocking(&mut p, a, send(a, b, 0));
        blocking(&mut p, b, recv(b, Some(a), 0, ball, None));
    }
    let first = blocking(&mut p, 0, send(0, 2, 7));
    let second = blocking(&mut p, 3, send(3, 2, 7));
    blocking(&mut p, 2, recv(2, None, 7, first, None));
    blocking(&mut p, 2, recv(2, Some(3), 7, second, None));
    p.collectives.push(Collective::default());
    assert!(matches!(decide(&p, Duration::from_secs(20)), Answer::Deadlock(_)));
}

/// Messages between any of the ranks, each received from anybody with its tag; all sends are waited for in the end.
fn random_traffic(ranks: u32, messages: u32) -> Program {
    let mut p = Program { threads: vec![Vec::new(); ranks as usize], ..Program::default() };
    let mut luck = common::Luck(7);
    let mut open = vec![Vec::new(); ranks as usize];
    for _ in 0..messages {
        let from = luck.below(ranks as usize) as u32;
        let to = (from + 1 + luck.below(ranks as usize - 1) as u32) % ranks;
        let tag = luck.below(4) as i32;
        let message = p.start(from, send(from, to, tag));
        open[from as usize].push(message);
        blocking(&mut p, to, recv(to, None, tag, message, None));
    }
    for (thread, sends) in open.into_iter().enumerate() {
        p.wait_all(thread as u32, sends);
    }
    p
}

/// Measures how long decisions take: `cargo test --release -p mpivet-schedules --test scale -- --nocapture` prints the
/// table.
#[test]
fn gathers_and_masters_are_decided_whatever_the_number_of_wildcards() {
    for wildcards in [8, 16, 32, 64, 125, 250, 500, 1000] {
        let ranks = (wildcards + 1).min(64);
        let ask = |name: &str, program: Program| {
            print!("{wildcards:4} wildcards, {name}: ");
            decide(&program, Duration::from_secs(20))
        };
        assert!(ask("gather", master_and_workers(ranks, wildcards, false)) == Answer::Safe);
        assert!(ask("master and workers", master_and_workers(ranks, wildcards, true)) == Answer::Safe);
        // Every message has its receive, with the same tag.
        let answer = ask("random, 16 ranks", random_traffic(16, wildcards));
        assert!(!matches!(answer, Answer::Deadlock(_)));
        assert!(wildcards > 125 || answer == Answer::Safe);
    }
}

/// Two threads that send to each other before they receive, again and again, when nothing was looked at before the
/// end: each time is a knot, and the time for one must not grow with their number.
#[test]
fn knots_take_as_long_as_there_are_many_not_as_their_square() {
    let laps = 30_000;
    let mut replay: DeadlockReplay = DeadlockReplay::default();
    let threads = [replay.thread(0), replay.thread(1 << 16)];
    let mut names = 0..;
    let mut start_and_wait = |replay: &mut DeadlockReplay, thread: u32, act: Act| {
        let (op, name) = (names.next().unwrap(), names.next().unwrap());
        replay.start(op, thread, act);
        replay.wait(thread, &Call { ops: &[op], any: None, patient: true, returned: true, probe: None, name });
        op
    };
    for lap in 0..laps {
        // In the first lap a receive from anybody.
        let source = |from: u32| Some(from).filter(|_| lap > 0);
        let sends = [0, 1].map(|at: u32| {
            let act = Act::Send { mode: Mode::Standard, comm: 0, from: at, to: 1 - at, tag: 0, bytes: 8 };
            start_and_wait(&mut replay, threads[at as usize], act)
        });
        let recvs = [0, 1].map(|at: u32| {
            let act = Act::Recv { comm: 0, at, source: source(1 - at), tag: Some(0) };
            start_and_wait(&mut replay, threads[at as usize], act)
        });
        for at in 0..2 {
            replay.pair(sends[at], recvs[1 - at]);
        }
        sends.into_iter().chain(recvs).for_each(|op| replay.forget(op));
    }
    let (start, busy) = (Instant::now(), cpu_time());
    let knots = replay.knots(true);
    let took = start.elapsed().min((cpu_time() - busy).max(Duration::from_millis(10)));
    println!("{} knots: {took:?}", knots.len());
    assert_eq!((knots.len(), replay.kept()), (laps as usize, 0));
    assert!(took < Duration::from_secs(3), "{took:?}");
}
