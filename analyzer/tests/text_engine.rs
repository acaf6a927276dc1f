//! Cases beyond the notation: stacks, events out of order, names, pauses, and random programs against their own
//! construction.

use analyzer::testing::{analyze, check_trace, describe};
use engine::{End, Engine, Fate};
use trace_format::definition::{Definition, Module};
use trace_format::file::PROCESS_THREAD;
use trace_format::mpi::{FnId, Status};
use trace_format::run::over::{Death, EndsSeen};
use trace_format::system::{Signal, SystemEvent};
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::reader::RankEvent;
use trace_reader::text::parse;

fn call(name: &str, thread: u16, time: u64, site: u32, ins: &[(&str, i64)]) -> RankEvent {
    let func = FnId::by_name(name).unwrap();
    let mut call = Call::new(func);
    (call.thread, call.t_call, call.site, call.index) = (thread, time, site, time);
    call.outcome = Outcome::Returned(0);
    for (name, value) in ins {
        call.ins[func.row().param(name).unwrap()] = Value::Int(*value);
    }
    RankEvent::Call(call)
}

fn finish(engine: &mut Engine, ranks: i32) -> String {
    for rank in 0..ranks {
        engine.feed(rank, call("MPI_Finalize", 0, 1000, 0, &[]));
        engine.feed(rank, RankEvent::System { thread: 0, time: 1001, event: SystemEvent::Exit { status: 0 } });
    }
    describe(&engine.finish(&End::default()))
}

#[test]
fn collectives_of_threads_that_come_out_of_order_are_not_judged() {
    // Thread 1 called Barrier after thread 0 called Bcast, but its block of the trace was read first.
    let mut engine = Engine::new(2);
    engine.feed(0, call("MPI_Barrier", 1, 50, 1, &[("comm", 1)]));
    engine.feed(0, call("MPI_Bcast", 0, 10, 2, &[("comm", 1), ("root", 0)]));
    engine.feed(1, call("MPI_Bcast", 0, 10, 2, &[("comm", 1), ("root", 0)]));
    engine.feed(1, call("MPI_Barrier", 0, 20, 1, &[("comm", 1)]));
    assert_eq!(finish(&mut engine, 2), "");
}

/// An engine that was fed with a trace in the notation.
fn fed(text: &str) -> Engine {
    let trace = parse(text).unwrap();
    let mut engine = Engine::new(trace.ranks);
    trace.events.into_iter().for_each(|(rank, event)| engine.feed(rank, event));
    engine
}

#[test]
fn who_asks_in_a_loop_until_a_message_is_away_waits_for_it() {
    let asks = [("MPI_Request_get_status(request=r1)", "flag"), ("MPI_Request_get_status_all(requests=[r1])", "flag")];
    for (ask, answer) in asks {
        let of_rank = |rank: i32, other: i32| {
            format!(
                "{rank}: MPI_Isend(dest={other}, request=@0x10) = ok {{request=r1}}\n\
                 {rank}: {ask} = ok {{{answer}=0}} x3\n\
                 {rank}: {ask} = ok {{{answer}=1}}\n\
                 {rank}: MPI_Recv(source={other}) = ok\n\
                 {rank}: MPI_Wait(request=r1@0x10) = ok\n"
            )
        };
        let trace = parse(&(of_rank(0, 1) + &of_rank(1, 0))).unwrap();
        for at_one_place in [true, false] {
            let mut engine = Engine::new(2);
            for (rank, mut event) in trace.events.clone() {
                if let RankEvent::Call(call) = &mut event
                    && at_one_place
                    && call.func.name().starts_with("MPI_Request_get_status")
                {
                    call.site = 77;
                }
                engine.feed(rank, event);
            }
            let found = finish(&mut engine, 2);
            assert_eq!(found.contains("potential-deadlock"), at_one_place, "{ask}: {found}");
        }
    }
}

#[test]
fn ranks_that_may_go_on_do_not_hide_those_that_cannot() {
    let mut engine = fed("0: MPI_Recv(source=1)\n1: MPI_Recv(source=0)\n2: MPI_Barrier()\n3: MPI_Barrier()\n");
    let mut ranks = |running: &[i32]| {
        let stuck = engine.stuck_if(|rank| if running.contains(&rank) { Fate::GoesOn } else { Fate::Waits });
        stuck.map(|s| s.ranks).unwrap_or_default()
    };
    assert_eq!(ranks(&[]), [0, 1, 2, 3]);
    assert_eq!(ranks(&[2]), [0, 1, 3]);
    assert_eq!(ranks(&[2, 3]), [0, 1]);
    assert!(ranks(&[1]).is_empty());
}

#[test]
fn who_waits_for_a_process_that_is_gone_waits_for_ever() {
    let mut engine =
        fed("0: MPI_Recv(source=2)\n1: MPI_Recv(source=0)\n2: MPI_Comm_rank() = ok\n3: MPI_Recv(source=-1)\n");
    let mut ranks = |gone: i32| {
        let stuck = engine.stuck_if(|rank| if rank == gone { Fate::IsGone } else { Fate::Waits });
        stuck.map(|s| (s.ranks, s.uncertain)).unwrap_or_default()
    };
    // Nobody but the dead one could have begun, and nothing of it is under way.
    assert_eq!(ranks(2), (vec![0, 1, 3], vec![]));
    assert_eq!(ranks(-1), (vec![], vec![]));
    assert_eq!(ranks(3), (vec![], vec![]));
}

#[test]
fn evidence_is_sought_for_every_rank_that_is_stuck() {
    // Threads that have called nothing may be there at every level, and where the level is not known.
    let mut engine = fed("0: MPI_Init() = ok\n0: MPI_Recv(source=1)\n1.3: MPI_Recv(source=0)\n");
    assert_eq!(engine.stuck().unwrap().threads, [(0, vec![0]), (1, vec![3])]);
}

#[test]
fn places_are_the_same_on_ranks_whose_code_lies_elsewhere() {
    let mut engine = Engine::new(3);
    for rank in 0..3 {
        let bias = 0x10_0000 * (rank as u64 + 1);
        let module = Module { start: bias, end: bias + 0x1000, bias, path: "app".into(), build_id: vec![] };
        engine.feed(rank, RankEvent::Definition(Definition::Module(module)));
        let site = 7 + rank as u32;
        engine
            .feed(rank, RankEvent::Definition(Definition::Stack { id: site, frames: vec![bias + 0x20, bias + 0x40] }));
        let ins = [("dest", i64::from((rank + 1) % 3)), ("tag", 0), ("comm", 1), ("count", 1), ("datatype", 35)];
        for time in 0..5 {
            engine.feed(rank, call("MPI_Send", 0, 1 + time, site, &ins));
        }
    }
    let found = finish(&mut engine, 3);
    assert!(found.starts_with("error nonpaired-send x15: "), "{found}");
    assert!(found.contains("[0, 1, 2]") && found.contains("the same on ranks 1,2"), "{found}");
}

#[test]
fn names_that_the_program_gave_are_printed() {
    let mut engine = Engine::new(1);
    let name = Definition::CommName { id: 1, name: "the world".into() };
    let ins = [("dest", 0), ("tag", 0), ("comm", 1), ("count", 1), ("datatype", 35)];
    engine.feed(0, call("MPI_Send", 0, 1, 1, &ins));
    // Named later than used: the text is made at the end.
    engine.feed(0, RankEvent::Definition(name));
    let found = finish(&mut engine, 1);
    assert!(found.contains("comm=the world"), "{found}");
}

#[test]
fn a_pause_of_the_recording_takes_certainty_away() {
    let mut engine = Engine::new(2);
    let send = [("dest", 1), ("tag", 0), ("comm", 1), ("count", 1), ("datatype", 35)];
    let recv = [("source", 0), ("tag", 0), ("comm", 1), ("count", 1), ("datatype", 29)];
    engine.feed(0, RankEvent::System { thread: 0, time: 1, event: SystemEvent::Recording { on: false } });
    engine.feed(0, RankEvent::System { thread: 0, time: 2, event: SystemEvent::Recording { on: true } });
    engine.feed(0, call("MPI_Send", 0, 3, 1, &send));
    engine.feed(0, call("MPI_Bcast", 0, 4, 2, &[("comm", 1), ("root", 0)]));
    engine.feed(1, call("MPI_Recv", 0, 3, 1, &recv));
    engine.feed(1, call("MPI_Recv", 0, 3, 1, &recv));
    engine.feed(1, call("MPI_Barrier", 0, 4, 2, &[("comm", 1)]));
    assert_eq!(finish(&mut engine, 2), "");
}

/// Findings without a gap, and those of them that hold behind one: a message of the wrong type and one that nobody
/// receives, a request that is left, collectives that do not fit, ranks that wait for each other; and an error, which
/// is certain by itself.
#[test]
fn behind_missing_calls_only_what_a_call_says_by_itself_is_judged() {
    let run = "0: MPI_Init() = ok
               0: MPI_Send(dest=1, datatype=MPI_INT) = ok
               0: MPI_Isend(dest=1, tag=9, request=@0x10) = ok {request=r1}
               0: MPI_Bcast(root=0) = ok
               0: MPI_Barrier()
               1: MPI_Init() = ok
               1: MPI_Recv(source=0, datatype=MPI_DOUBLE) = ok
               1: MPI_Bcast(root=1) = ok
               1: mpi-error MPI_ERR_RANK fatal \"wrong\"
               1: MPI_Recv(source=0, tag=5)";
    let trace = parse(run).unwrap();
    let found = |gap: Option<(i32, u16)>| {
        let mut engine = Engine::new(trace.ranks);
        if let Some((rank, thread)) = gap {
            engine.feed(rank, RankEvent::System { thread, time: 0, event: SystemEvent::Gap { calls: 7 } });
        }
        trace.events.iter().for_each(|(rank, event)| engine.feed(*rank, event.clone()));
        let analysis = engine.finish(&End::default());
        (analysis.findings.iter().map(|f| f.check.name).collect::<Vec<_>>(), engine.in_flight())
    };
    assert!(found(None).0.len() > 1, "{:?}", found(None));
    for gap in [(0, 0), (1, 0), (0, PROCESS_THREAD)] {
        assert_eq!(found(Some(gap)), (vec!["mpi-error"], 0), "of rank and thread {gap:?}");
    }
    // Earlier findings stay.
    let mut engine = Engine::new(2);
    let events = "0: MPI_Send(dest=1, datatype=MPI_INT) = ok
                  1: MPI_Recv(source=0, datatype=MPI_DOUBLE) = ok";
    parse(events).unwrap().events.into_iter().for_each(|(rank, event)| engine.feed(rank, event));
    engine.feed(0, RankEvent::System { thread: 0, time: 5, event: SystemEvent::Gap { calls: 0 } });
    engine.feed(0, call("MPI_Barrier", 0, 6, 2, &[("comm", 1)]));
    assert!(finish(&mut engine, 2).starts_with("error wrong-data-type"), "it is certain");
}

#[test]
fn summaries_count_what_the_ranks_did() {
    let analysis = analyze(
        "0: MPI_Init() = ok
         0: MPI_Isend(dest=1, request=@0x10) = ok {request=r1}
         0: MPI_Barrier() = ok
         1: MPI_Init() = ok
         1: MPI_Recv(source=0) = ok
         1: MPI_Barrier()",
    );
    let ranks = &analysis.ranks;
    assert_eq!((ranks[0].calls, ranks[0].sends, ranks[0].recvs, ranks[0].collectives), (4, 1, 0, 1));
    assert_eq!((ranks[1].calls, ranks[1].sends, ranks[1].recvs, ranks[1].collectives), (3, 0, 1, 1));
    assert_eq!(ranks[0].unfinished, 1);
    assert_eq!(ranks[0].exit_status, Some(0));
    let current = ranks[1].current.as_ref().unwrap();
    assert_eq!(current.function, "MPI_Barrier");
}

#[test]
fn what_is_matched_and_completed_is_forgotten() {
    let text = "0: MPI_Isend(dest=1, request=@0x10) = ok {request=r1}
                0: MPI_Wait(request=r1@0x10) = ok
                1: MPI_Recv(source=0) = ok";
    let mut engine = Engine::new(2);
    for (rank, event) in parse(text).unwrap().events {
        engine.feed(rank, event);
    }
    assert_eq!(engine.in_flight(), 0);
}

/// Pseudo-random numbers, always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// A correct program, made message by message: who sends what to whom is decided first, then each side gets its
/// calls, blocking or not, with wildcards whose status tells the truth.
fn correct_program(random: &mut Random, ranks: usize, steps: usize) -> String {
    let mut lines: Vec<Vec<String>> = vec![Vec::new(); ranks];
    let mut open: Vec<Vec<(String, String)>> = vec![Vec::new(); ranks];
    let mut next = vec![0usize; ranks];
    let flush = |lines: &mut Vec<String>, open: &mut Vec<(String, String)>, all: bool| {
        if all && open.len() > 1 {
            let handles: Vec<&str> = open.iter().map(|o| o.0.as_str()).collect();
            let statuses: Vec<&str> = open.iter().map(|o| o.1.as_str()).collect();
            lines.push(format!(
                "MPI_Waitall(requests=[{}]) = ok {{statuses=[{}]}}",
                handles.join(","),
                statuses.join(",")
            ));
        } else {
            for (handle, status) in open.iter() {
                lines.push(format!("MPI_Wait(request={handle}) = ok {{status={status}}}"));
            }
        }
        open.clear();
    };
    for _ in 0..steps {
        match random.below(8) {
            0 => {
                let kind = random.below(3);
                for r in 0..ranks {
                    let all = random.below(2) == 0;
                    flush(&mut lines[r], &mut open[r], all);
                    lines[r].push(match kind {
                        0 => "MPI_Barrier() = ok".into(),
                        1 => "MPI_Allreduce(count=3) = ok".into(),
                        _ => "MPI_Bcast(count=2, root=1) = ok".into(),
                    });
                }
            }
            _ => {
                let (from, to) = (random.below(ranks), random.below(ranks));
                let (tag, count) = (random.below(3), 1 + random.below(4));
                let mut handle = |r: usize| {
                    next[r] += 1;
                    format!("r{}", next[r])
                };
                if random.below(2) == 0 || from == to {
                    let h = handle(from);
                    lines[from].push(format!("MPI_Isend(dest={to}, tag={tag}, count={count}) = ok {{request={h}}}"));
                    open[from].push((h, "0/0/0".into()));
                } else {
                    lines[from].push(format!("MPI_Send(dest={to}, tag={tag}, count={count}) = ok"));
                }
                // A wildcard behind open receives could have got their messages: those are completed first.
                let wild = random.below(3) == 0;
                if wild || random.below(3) == 0 {
                    flush(&mut lines[to], &mut open[to], true);
                }
                let source = if wild { "ANY".to_string() } else { from.to_string() };
                let status = format!("{from}/{tag}/{}", 4 * count);
                if random.below(2) == 0 {
                    let h = handle(to);
                    lines[to]
                        .push(format!("MPI_Irecv(source={source}, tag={tag}, count={count}) = ok {{request={h}}}"));
                    open[to].push((h, status));
                    if wild {
                        flush(&mut lines[to], &mut open[to], true);
                    }
                } else {
                    lines[to]
                        .push(format!("MPI_Recv(source={source}, tag={tag}, count={count}) = ok {{status={status}}}"));
                }
            }
        }
    }
    // These programs rely on buffers.
    let mut text = format!("//! check -MV407,-MV408,-MV602,-MV604\nranks {ranks}\n");
    for r in 0..ranks {
        flush(&mut lines[r], &mut open[r], true);
        for line in &lines[r] {
            text.push_str(&format!("{r}: {line}\n"));
        }
    }
    text
}

#[test]
fn random_correct_programs_are_silent() {
    let mut random = Random(1);
    for round in 0..300 {
        let ranks = 2 + random.below(4);
        let text = correct_program(&mut random, ranks, 5 + round % 60);
        check_trace(&text);
    }
}

#[test]
fn a_random_mistake_is_found() {
    let mut random = Random(2);
    for round in 0..200 {
        let ranks = 2 + random.below(3);
        let text = correct_program(&mut random, ranks, 5 + round % 40);
        // There is one message more than receives.
        let (from, to) = (random.below(ranks), random.below(ranks));
        let text = format!("{text}{from}: MPI_Send(dest={to}, tag=99) = ok    //~ nonpaired-send\n");
        check_trace(&text);
    }
}

/// A value of the right form or of a wrong one.
fn noise(random: &mut Random) -> Value {
    let int = |random: &mut Random| match random.below(10) {
        0 => -1,
        1 => -2,
        2 => i64::from(i32::MAX),
        3 => i64::MIN,
        4 => 256 + random.below(4) as i64,
        5 => 1 << 40,
        _ => random.below(6) as i64,
    };
    let list = |random: &mut Random| (0..random.below(5)).map(|_| int(random)).collect::<Vec<_>>();
    let status = |random: &mut Random| Status {
        source: int(random) as i32,
        tag: int(random) as i32,
        bytes: (random.below(2) == 0).then(|| random.below(100) as u64),
        cancelled: random.below(4) == 0,
    };
    match random.below(12) {
        0 => Value::None,
        1 => Value::Ints(list(random)),
        2 => Value::Request { slot: 8 * random.below(4) as u64, handle: random.below(4) as i64 },
        3 => Value::Requests { base: 8 * random.below(3) as u64, handles: list(random) },
        4 => Value::Status(status(random)),
        5 => Value::Statuses((0..random.below(4)).map(|_| status(random)).collect()),
        6 => Value::Str("x".into()),
        _ => Value::Int(int(random)),
    }
}

#[test]
fn noise_never_breaks_the_engine() {
    use trace_format::definition::{Combiner, Neighbors};
    use trace_format::mpi::{Class, FUNCTIONS, Kind};
    let mut random = Random(3);
    let interesting: Vec<_> = FUNCTIONS.iter().filter(|f| !matches!(f.class, Class::Local)).collect();
    for round in 0..1500 {
        let ranks = 1 + random.below(4) as i32;
        let mut engine = Engine::new(ranks);
        let mut index = [0u64; 8];
        // Some rounds are wholly wild, others keep the forms of the arguments.
        let wild = 1 + round % 20;
        for _ in 0..random.below(80) {
            let rank = random.below(ranks as usize + 1) as i32;
            let thread = random.below(8).saturating_sub(6) as u16;
            let place = (rank as usize * 2 + thread as usize) % 8;
            let event = match random.below(12) {
                0 => {
                    let ranks =
                        |random: &mut Random| (0..random.below(4)).map(|_| random.below(5) as i32 - 1).collect();
                    let id = 254 + random.below(6) as u32;
                    RankEvent::Definition(match random.below(4) {
                        0 => Definition::Comm {
                            id,
                            local: ranks(&mut random),
                            remote: (random.below(3) == 0).then(|| ranks(&mut random)),
                            neighbors: (random.below(3) == 0).then(|| Neighbors {
                                sources: vec![random.below(4) as i32 - 2],
                                destinations: vec![random.below(4) as i32 - 2],
                            }),
                        },
                        1 => Definition::Group { id, ranks: ranks(&mut random) },
                        2 => Definition::Comm {
                            id,
                            local: trace_format::ranks::Ranks::first_n(u32::MAX),
                            remote: None,
                            neighbors: None,
                        },
                        _ => Definition::Datatype {
                            id,
                            combiner: [Combiner::Struct, Combiner::Vector, Combiner::Subarray, Combiner::Indexed]
                                [random.below(4)],
                            ints: (0..random.below(6))
                                .map(|_| if random.below(5) == 0 { i64::MAX } else { random.below(5) as i64 })
                                .collect(),
                            types: (0..random.below(3)).map(|_| random.below(300) as u32).collect(),
                            size: random.below(9) as u64,
                            lb: 0,
                            extent: 0,
                        },
                    })
                }
                1 => RankEvent::System {
                    thread,
                    time: 0,
                    event: match random.below(6) {
                        0 => SystemEvent::Exit { status: 0 },
                        1 => {
                            SystemEvent::Signal(Signal { signal: random.below(20) as i32, pc: 5, ..Signal::default() })
                        }
                        2 => SystemEvent::MpiError { call: 0, class: 7, fatal: random.below(2) == 0, text: "x".into() },
                        3 => SystemEvent::Lost { reason: String::new() },
                        4 if random.below(20) == 0 => SystemEvent::Gap { calls: random.below(3) as u64 },
                        _ => SystemEvent::Recording { on: false },
                    },
                },
                2 => RankEvent::Return {
                    thread,
                    index: random.below(1 + index[place] as usize) as u64,
                    time: 0,
                    class: random.below(2) as u16,
                    polls: 0,
                    outs: (0..random.below(9)).map(|_| noise(&mut random)).collect(),
                },
                _ => {
                    let func = interesting[random.below(interesting.len())].id;
                    let mut call = Call::new(func);
                    (call.thread, call.index, call.site) = (thread, index[place], random.below(20) as u32);
                    index[place] += 1;
                    for (i, p) in func.row().params.iter().enumerate() {
                        let tame = Value::Int(match p.kind {
                            Kind::Comm => 1 + random.below(2) as i64,
                            Kind::Datatype => 35,
                            Kind::Rank | Kind::Root => random.below(ranks as usize) as i64,
                            _ => random.below(3) as i64,
                        });
                        call.ins[i] = if random.below(wild) == 0 { tame.clone() } else { noise(&mut random) };
                        call.outs[i] = if random.below(wild) == 0 { tame } else { noise(&mut random) };
                    }
                    if random.below(3) != 0 {
                        call.outcome = Outcome::Returned(random.below(8) as u16 / 7);
                    }
                    RankEvent::Call(call)
                }
            };
            engine.feed(rank - random.below(2) as i32, event);
        }
        _ = engine.stuck();
        _ = describe(&engine.finish(&End {
            stopped: random.below(2) == 0,
            proven: vec![0, 1],
            gone: vec![1],
            seen: EndsSeen {
                deaths: vec![
                    Death { rank: 1, after_ns: 5, ..Death::default() },
                    Death { rank: 9, after_ns: 7, ..Death::default() },
                ],
                ..EndsSeen::default()
            },
            missing: vec![7],
            lost: false,
            cut: false,
            interrupted: (random.below(2) == 0).then(|| random.below(9) as u64),
        }));
    }
}

/// Rank 0 sends so many messages to rank 1, which receives them, each with a tag of its own.
fn tags_that_come_once(from: i32, messages: i32) -> String {
    let message = |tag| {
        format!("0: MPI_Send(dest=1, tag={tag}) = ok\n1: MPI_Recv(source=0, tag={tag}) = ok {{status=0/{tag}/4}}\n")
    };
    (from..from + messages).map(message).collect()
}

#[test]
fn mistakes_are_found_among_tags_that_come_once() {
    for level in 0..4 {
        for between in [0, 10, 400, 3_000] {
            let text = format!(
                "0: MPI_Init_thread(required={level}) = ok {{provided={level}}}\n\
                 1: MPI_Init_thread(required={level}) = ok {{provided={level}}}\n\
                 {}\
                 0: MPI_Send(dest=1, tag=7) = ok\n\
                 1: MPI_Mprobe(source=0, tag=7) = ok {{message=7, status=0/7/4}}\n\
                 0: MPI_Send(dest=1, tag=8) = ok\n\
                 {}\
                 1: MPI_Recv(source=0, tag=8, datatype=MPI_FLOAT) = ok {{status=0/8/4}}\n\
                 {}\
                 1{}: MPI_Mrecv(message=7, datatype=MPI_FLOAT) = ok {{status=0/7/4}}\n",
                tags_that_come_once(20_000, between),
                tags_that_come_once(100, between),
                tags_that_come_once(10_000, between),
                if level < 2 { "" } else { ".1" },
            );
            let found = describe(&fed(&text).finish(&End::default()));
            let mistakes = found.matches("error wrong-data-type x1").count();
            assert_eq!(mistakes, 2, "level {level}, {between} messages between: {found}");
        }
    }
}

#[test]
fn names_of_freed_objects_stay_as_long_as_a_finding_speaks_of_them() {
    let mut engine = fed("ranks 1\n0: MPI_Comm_dup() = ok {newcomm=c7{0}}\n");
    engine.forget_always();
    let (id, kept) = (trace_format::definition::FIRST_USER_ID + 7, engine.kept_objects());
    engine.feed(0, RankEvent::Definition(Definition::CommName { id, name: "the copy".into() }));
    let comm = ("comm", i64::from(id));
    engine.feed(0, call("MPI_Send", 0, 2, 1, &[("dest", 0), ("tag", 0), comm, ("count", 1), ("datatype", 35)]));
    engine.feed(0, call("MPI_Comm_free", 0, 3, 2, &[comm]));
    assert!(engine.kept_objects() > kept, "a message on it was not received");
    let found = finish(&mut engine, 1);
    assert!(found.contains("comm=the copy"), "{found}");
}
