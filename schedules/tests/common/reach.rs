//! Messages that wildcards could have got, against every schedule of small random programs.

use super::common::{Luck, Schedules, cook, random_recipe};
use schedules::{Budget, Choice, Kind, OpIx, Place, Program, Reached, Step, reach};

/// All messages that receives and probes could get as far as their arguments allow.
fn choices(program: &Program) -> Vec<Choice> {
    let ops = || 0..program.ops.len() as OpIx;
    let mut all = Vec::new();
    for recv in ops() {
        let sends = ops().filter(|s| program.pairs(*s, recv));
        all.extend(sends.map(|send| Choice { place: Place::Recv(recv), send }));
    }
    for (thread, steps) in program.threads.iter().enumerate() {
        for (step, what) in steps.iter().enumerate() {
            if let Step::Probe { comm, at, source, tag, .. } = what {
                let place = Place::Probe { thread: thread as u32, step: step as u32 };
                let sends = ops().filter(|s| program.fits(*s, *comm, *at, *source, *tag));
                all.extend(sends.map(|send| Choice { place, send }));
            }
        }
    }
    all
}

/// The answers to all choices of a program.
fn answers(program: &Program, choices: &[Choice]) -> Vec<Reached> {
    let mut next = choices.iter();
    let mut answers = Vec::new();
    let asked = reach(program, Budget::default(), |answer| {
        answers.extend(answer);
        next.next().copied()
    });
    assert!(asked.is_some());
    answers
}

#[test]
fn what_can_be_got_is_what_some_schedule_gets() {
    let mut luck = Luck(7);
    let (mut ways, mut never) = (0, 0);
    while ways < 20_000 {
        let Some(program) = cook(&random_recipe(&mut luck)).filter(|p| p.ops.len() <= 12) else { continue };
        let choices = choices(&program);
        for (choice, answer) in choices.iter().zip(answers(&program, &choices)) {
            let truth = Schedules::may_get(&program, *choice);
            assert_ne!(answer, Reached::Undecided);
            assert_eq!(truth, answer != Reached::Never, "{choice:?} {program:#?} {answer:?}");
            if truth { ways += 1 } else { never += 1 }
        }
    }
    assert!(never > 1_000, "{never}");
}

/// Two messages from different senders: the second needs no more than itself.
#[test]
fn a_way_holds_what_is_needed_and_nothing_else() {
    let mut p = Program { threads: vec![Vec::new(); 4], ..Program::default() };
    let recv = |at| Kind::Recv { comm: 0, at, source: None, tag: None, got: None, steers: None };
    let send = |from, to| Kind::Send { mode: schedules::Mode::Standard, comm: 0, from, to, tag: 1, bytes: 4 };
    let receives: Vec<OpIx> = (0..2).map(|_| p.start(0, recv(0))).collect();
    p.wait_all(0, receives.clone());
    // An operation that has nothing to do with it.
    let other = p.start(3, recv(3));
    let sends = [p.start(1, send(1, 0)), p.start(2, send(2, 0)), p.start(1, send(1, 3))];
    for (recv, got) in [(receives[0], sends[0]), (receives[1], sends[1]), (other, sends[2])] {
        if let Kind::Recv { got: known, .. } = &mut p.ops[recv as usize].kind {
            *known = Some(got);
        }
    }
    let choice = Choice { place: Place::Recv(receives[0]), send: sends[1] };
    let meet = schedules::Event::Match { send: sends[1], recv: receives[0] };
    assert_eq!(answers(&p, &[choice]), [Reached::Events(vec![meet])]);
}
