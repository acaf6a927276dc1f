//! Laps that are as those before them are counted, not looked at call by call: whatever a run does, the report is the same.

mod programs;

use analyzer::crew::Crew;
use analyzer::observe::{Ending, Observer};
use programs::*;
use report::Style;
use std::path::Path;
use std::rc::Rc;
use trace_format::definition::COMM_WORLD;
use trace_format::mpi::FnId;
use trace_format::settings::selection::Selection;
use trace_reader::call::{Call, Value};
use trace_reader::synthetic::Stencil;

/// A way to read traces.
#[derive(Clone, Copy)]
enum By {
    /// Call by call.
    One,
    Laps,
    /// So many helpers read, and laps are counted.
    Crew(usize),
}

/// The report, and how many calls were not looked at one by one.
fn report(dir: &Path, selection: Selection, by: By) -> (String, u64) {
    let mut observer = Observer::open(dir, selection).unwrap();
    match by {
        By::One => observer.count(),
        By::Laps => {}
        By::Crew(helpers) => observer.crew = Some(Rc::new(Crew::of_threads(helpers))),
    }
    observer.read_rest(|_| true);
    let leapt = observer.leapt();
    let mut report = observer.report(Ending::Any).unwrap();
    report.take_statistics();
    let json = serde_json::to_value(&report).unwrap();
    (format!("{json:#}\n{}", report.to_text(Style::of_file(true))), leapt)
}

/// The report, which does not depend on who reads the traces, and how many calls were not looked at one by one if laps are counted.
fn report_of_all_ways(dir: &Path, selection: &Selection, helpers: usize) -> (String, u64) {
    let (expected, none) = report(dir, selection.clone(), By::One);
    assert_eq!(none, 0);
    let (got, leapt) = report(dir, selection.clone(), By::Laps);
    assert!(expected == got, "expected\n{expected}\ngot\n{got}");
    let (got, by_crew) = report(dir, selection.clone(), By::Crew(helpers));
    assert!(expected == got, "{helpers} helpers: expected\n{expected}\ngot\n{got}");
    assert_eq!(leapt, by_crew, "calls that were counted, by {helpers} helpers");
    (expected, leapt)
}

/// Compares the reports of runs: how many there are in which laps were counted, with findings, and with both.
fn compare(seeds: impl IntoIterator<Item = u64>, at_least: usize, anew: bool, without: &[&str]) -> [usize; 3] {
    let mut selection = Selection::default();
    without.iter().for_each(|check| selection.choose(&format!("-{check}")).unwrap());
    let [mut some, mut wrong, mut both] = [0; 3];
    for seed in seeds {
        let dir = tempfile::tempdir().unwrap();
        println!("run {seed}");
        make(&mut Die(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed)), dir.path(), at_least, anew);
        let (expected, leapt) = report_of_all_ways(dir.path(), &selection, 1 + seed as usize % 3);
        let is_wrong = !expected.contains("has no errors");
        some += usize::from(leapt > 0);
        wrong += usize::from(is_wrong);
        both += usize::from(leapt > 0 && is_wrong);
    }
    println!("in {some} laps were counted, {wrong} have findings, {both} both");
    [some, wrong, both]
}

/// For these, the first calls of a run are written down.
const OF_OTHER_MATCHINGS: [&str; 4] = ["potential-deadlock", "potential-hang-up", "message-race", "probe-receive-race"];

#[test]
fn reports_do_not_depend_on_whether_each_call_was_looked_at() {
    let times = if std::env::var_os("MPIVET_TEST_FULL").is_some() { 10 } else { 1 };
    let [some, wrong, both] = compare(1..=150 * times, 0, false, &OF_OTHER_MATCHINGS);
    assert!(some > 30 && wrong > 50 && wrong < 140 * times as usize && both > 20, "{some} {wrong} {both}");
}

/// Each lap is another one: stretches between moments at which nothing is under way are counted.
#[test]
fn nor_do_they_where_ranks_decide_anew() {
    let times = if std::env::var_os("MPIVET_TEST_FULL").is_some() { 25 } else { 1 };
    let [some, wrong, both] = compare(5_001..=5_000 + 40 * times, 4_000, true, &OF_OTHER_MATCHINGS);
    assert!(some > 20 && wrong > 15 && wrong < 36 * times as usize && both > 10, "{some} {wrong} {both}");
}

/// Laps are counted when a run is too long for other matchings to be looked at.
#[test]
fn nor_do_they_with_the_replay_of_deadlocks() {
    let [some, wrong, both] = compare([1001, 1002, 1003, 1006, 1012, 1015, 1016], 30_000, false, &[]);
    assert!(some > 2 && wrong > 2 && both > 0, "{some} {wrong} {both}");
    let [some, wrong, both] = compare([1003, 1007, 1009], 30_000, true, &[]);
    assert!(some > 1 && wrong > 1 && both > 0, "{some} {wrong} {both}");
}

/// A rank that does not repeat itself is looked at now and then only; when it begins to, that is seen.
#[test]
fn loops_are_found_behind_much_that_is_no_loop() {
    for persistent in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let mut all = [Rank::new(Handles::Rising), Rank::new(Handles::Rising)];
        let send = all[0].start(FnId::MPI_Send_init, message(COMM_WORLD, "dest", 1, 7, 4), 0x9300);
        let recv = all[1].start(FnId::MPI_Recv_init, message(COMM_WORLD, "source", 0, 7, 4), 0x9300);
        for tag in 100..50_000 {
            all[0].send(1, tag);
            all[1].recv(0, true, tag);
            // Tags, counts and buffers may be others in a loop.
            all.iter_mut().filter_map(|rank| rank.calls.last_mut()).for_each(|call| call.site = tag as u32);
        }
        let laps = 80_000;
        for _ in 0..laps {
            for (rank, (slot, handle)) in all.iter_mut().zip([send, recv]) {
                if persistent {
                    rank.call(FnId::MPI_Start, vec![("request", Value::Request { slot, handle })], Vec::new());
                    rank.call(FnId::MPI_Wait, vec![("request", Value::Request { slot, handle })], Vec::new());
                }
            }
            if !persistent {
                all[0].send(1, 7);
                all[1].recv(0, true, 7);
            }
        }
        // Is missing in both reports, or in none.
        all[0].send(1, 5);
        all.into_iter().enumerate().for_each(|(rank, calls)| calls.write(dir.path(), rank as i32, 2));
        let mut selection = Selection::default();
        selection.choose("-potential-deadlock").unwrap();
        let (expected, leapt) = report_of_all_ways(dir.path(), &selection, 2);
        assert!(expected.contains("nonpaired-send"), "{expected}");
        // Awake, asleep, and awake again when the loop has begun. Each call before it is like no other.
        let calls = 50_000 + if persistent { 2 * laps } else { laps };
        let most = 2 * (calls - 50_000);
        assert!(leapt > most / 2 && leapt <= most, "{leapt} calls were counted, {most} may be");
    }
}

/// Their messages are looked at: tags must be the same at both ends, and there must be room for what comes.
#[test]
fn laps_are_counted_whose_counts_and_tags_differ() {
    let mut selection = Selection::default();
    OF_OTHER_MATCHINGS.iter().for_each(|check| selection.choose(&format!("-{check}")).unwrap());
    // To and fro, a window of messages that are waited for together or one by one, MPI_Sendrecv, MPI_Waitany.
    // The message that is sent first and received last has another tag, but for one lap: then the other receive takes it.
    // MPI_Probe and MPI_Get_count, with one tag, and persistent requests beside them.
    for kind in [1, 3, 4, 5, 7, 10, 11] {
        let more = match kind {
            // Too long is the message of a call that repeats one of a lap before it, which is not counted yet when that is seen.
            5 => Some("repeated"),
            10 | 11 => Some("one tag"),
            _ => None,
        };
        // Laps of few calls, and of many.
        let laps = if matches!(kind, 1 | 5) { 10_000 } else { 2_000 };
        let mut of_right_program = 0;
        for mistake in [None, Some("truncat"), Some("tag")].into_iter().chain(more.map(Some)) {
            let dir = tempfile::tempdir().unwrap();
            let mut all = [Rank::new(Handles::Stack), Rank::new(Handles::Rising)];
            let persistent = persistent_of(&mut all);
            for number in 0..laps {
                for rank in &mut all {
                    rank.elements = 1 + number * number % 97;
                    rank.tags = if kind == 11 { 0 } else { 64 * (number * number % 89) };
                    rank.room = number % 3;
                    if mistake == Some("repeated") {
                        rank.elements = if number < laps * 3 / 4 - 4 { 1 + number / 2 % 19 } else { 50 };
                        (rank.tags, rank.room) = (0, 0);
                    }
                }
                let before: Vec<usize> = all.iter().map(|rank| rank.calls.len()).collect();
                lap(kind, &mut all, &[]);
                if kind == 11 {
                    lap(8, &mut all, &persistent);
                }
                if number == laps * 3 / 4 && mistake == Some("one tag") {
                    for (rank, before) in all.iter_mut().zip(before) {
                        // A probe that sees none of the messages.
                        for call in rank.calls[before..].iter_mut().filter(|call| call.func != FnId::MPI_Probe) {
                            call.func
                                .row()
                                .param("tag")
                                .into_iter()
                                .for_each(|tag| call.ins[tag] = Value::Int(1 << 20));
                        }
                    }
                } else if number == laps * 3 / 4 {
                    let receives = usize::from(kind != 11);
                    let calls = before[receives];
                    let is_receive =
                        |call: &&mut Call| call.func != FnId::MPI_Probe && call.func.row().param("source").is_some();
                    let first = all[receives].calls[calls..].iter_mut().find(is_receive);
                    let (call, row) =
                        first.map(|call| (call.func, call)).map(|(func, call)| (call, func.row())).unwrap();
                    let mut set = |names: [&str; 2], value: i64| {
                        let place = names.iter().find_map(|name| row.param(name)).unwrap();
                        call.ins[place] = Value::Int(value);
                    };
                    match mistake {
                        Some("truncat") => set(["recvcount", "count"], 0),
                        Some("repeated") => set(["recvcount", "count"], 20),
                        Some(_) => set(["recvtag", "tag"], 1 << 20),
                        None => {}
                    }
                }
            }
            free(&mut all, &persistent);
            let calls: usize = all.iter().map(|rank| rank.calls.len()).sum();
            all.into_iter().enumerate().for_each(|(rank, calls)| calls.write(dir.path(), rank as i32, 2));
            let (expected, leapt) = report_of_all_ways(dir.path(), &selection, 2);
            let is_wrong = !expected.contains("has no errors");
            // A probe is believed, whatever was sent.
            let is_told = mistake.is_some() && (kind, mistake) != (11, Some("one tag"));
            assert_eq!(is_wrong, is_told, "{kind} {mistake:?}: {expected}");
            println!("{kind} {mistake:?}: {leapt} of {calls} calls");
            if mistake.is_none() {
                of_right_program = leapt;
            }
            assert!(mistake.is_none() || leapt < of_right_program, "{kind} {mistake:?}: the mistake was counted");
            // A message without its partner is under way up to the end, and what takes it is not known for certain; a probe
            // waits for one that never comes.
            let is_cut_off = mistake == Some("tag") || (kind, mistake) == (11, Some("one tag"));
            let most = if is_cut_off { calls * 3 / 4 } else { calls };
            assert!(leapt as usize > most * 3 / 4, "{kind} {mistake:?}: {leapt} of {calls} calls were counted");
        }
    }
}

/// One rank goes through its round several times in a lap.
#[test]
fn what_is_as_a_round_before_need_not_be_as_a_lap_before() {
    const LAPS: usize = 10_000;
    let mut selection = Selection::default();
    OF_OTHER_MATCHINGS.iter().for_each(|check| selection.choose(&format!("-{check}")).unwrap());
    let dir = tempfile::tempdir().unwrap();
    let mut all = [Rank::new(Handles::Rising), Rank::new(Handles::Rising)];
    for number in 0..LAPS {
        for nth in 0..2 {
            // From the second message of a lap on, until some laps later.
            all[0].elements = if (10_001..10_400).contains(&(2 * number + nth)) { 7 } else { 5 };
            all[0].send(1, 3);
            all[1].elements = if nth == 0 { 5 } else { 7 };
            all[1].recv(0, true, 3);
            all[1].calls.last_mut().unwrap().site = 100 + nth as u32;
        }
    }
    all.into_iter().enumerate().for_each(|(rank, calls)| calls.write(dir.path(), rank as i32, 2));
    let (expected, leapt) = report_of_all_ways(dir.path(), &selection, 2);
    assert!(expected.contains("wrong-send-size") && expected.contains("199 times"), "{expected}");
    assert!(leapt as usize > 2 * LAPS, "{leapt}");
}

/// Helpers send hardly more than a sum for each lap; the report is the same.
#[test]
fn laps_are_counted_where_they_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let run = Stencil { ranks: 16, varied: true, ..Stencil::default() }.with_events(1_000_000);
    run.write(dir.path(), 2).unwrap();
    let (expected, leapt) = report(dir.path(), Selection::default(), By::Laps);
    assert!(leapt > 300_000, "{leapt}");
    for helpers in [1, 3] {
        let crew = Rc::new(Crew::of_threads(helpers));
        let mut observer = Observer::open(dir.path(), Selection::default()).unwrap();
        observer.crew = Some(Rc::clone(&crew));
        observer.read_rest(|_| true);
        assert_eq!(observer.leapt(), leapt, "{helpers} helpers");
        let mut report = observer.report(Ending::Any).unwrap();
        report.take_statistics();
        assert!(expected.contains(&report.to_text(Style::of_file(true))), "{helpers} helpers");
        // Some come before laps are counted; with several helpers these are so many more as they read ahead. All would be 13 MB.
        println!("{helpers} helpers have sent {} bytes", crew.received());
        assert!(helpers > 1 || crew.received() < 7 * run.events(), "{} bytes", crew.received());
    }
}
