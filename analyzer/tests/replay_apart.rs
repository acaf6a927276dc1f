//! The deadlock replay in a thread of its own finds what it finds in the thread of the engine, in the same order, wherever its
//! commands are cut into batches.

mod traces;

use analyzer::testing::describe;
use engine::{End, Engine};
use std::fmt::Write as _;
use std::process::{Command, Output};
use trace_format::file::PROCESS_THREAD;
use trace_format::system::SystemEvent;
use trace_reader::reader::RankEvent;
use trace_reader::text::parse;
use traces::write_text;

const RANKS: i32 = 4;

/// Ranks 0 and 1, and 2 and 3, send to each other before they receive, which gets through where messages are buffered. The
/// replay lags behind by each of these calls until it is looked at.
fn head_to_head(rounds: usize) -> String {
    let mut text = format!("ranks {RANKS}\n");
    for round in 0..rounds {
        for (rank, other) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
            let tag = round % 1000;
            writeln!(text, "{rank}: MPI_Send(dest={other}, tag={tag}) = ok").unwrap();
        }
        for (rank, other) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
            let tag = round % 1000;
            writeln!(text, "{rank}: MPI_Recv(source={other}, tag={tag}) = ok {{status={other}/{tag}/4}}").unwrap();
        }
    }
    (0..RANKS).for_each(|rank| writeln!(text, "{rank}: MPI_Finalize() = ok").unwrap());
    text
}

/// Its events: all rounds make the same calls, each pair of ranks at places of its own.
fn events(rounds: usize) -> Vec<(i32, RankEvent)> {
    let mut events = parse(&head_to_head(rounds)).unwrap().events;
    for (rank, event) in &mut events {
        if let RankEvent::Call(call) = event {
            call.site = 1_000 * (*rank as u32 / 2) + call.func as u32;
        }
    }
    events
}

/// The findings if the recording of rank 3 is switched off after so many events. `batches`: how the replay is told of them.
fn found(events: &[(i32, RankEvent)], off: usize, batches: Option<(usize, bool)>) -> String {
    let mut engine = Engine::new(RANKS);
    if let Some((of, apart)) = batches {
        engine.replay_in_batches(of, apart);
    }
    for (place, (rank, event)) in events.iter().enumerate() {
        if place == off {
            let event = SystemEvent::Recording { on: false };
            engine.feed(3, RankEvent::System { thread: PROCESS_THREAD, time: 0, event });
        }
        engine.feed(*rank, event.clone());
    }
    let ends = (0..RANKS).map(|rank| (rank, SystemEvent::Exit { status: 0 }));
    ends.for_each(|(rank, event)| engine.feed(rank, RankEvent::System { thread: PROCESS_THREAD, time: 0, event }));
    describe(&engine.finish(&End::default()))
}

/// From then on nothing is told of rank 3. Of what was found before, each time counts.
#[test]
fn what_was_found_before_a_rank_goes_dark_stands() {
    const ROUNDS: usize = 6_000;
    let events = events(ROUNDS);
    let calls = events.len();
    let mut counts = Vec::new();
    for off in [calls / 3, calls / 2, calls - 1] {
        let expected = found(&events, off, None);
        let of = |ranks: &str| {
            let line = expected.lines().find(|line| line.contains("potential-deadlock") && line.contains(ranks));
            let count = line.and_then(|line| line.split_once(" x")?.1.split_once(':'));
            count.unwrap_or_else(|| panic!("{ranks}: {expected}")).0.parse::<usize>().unwrap()
        };
        assert_eq!(of("[0, 1]"), ROUNDS, "{expected}");
        counts.push(of("[2, 3]"));
        let all = [(7, true), (1, false), (1, true), (100, true), (1 << 10, true), (1 << 20, true)];
        for batches in all.iter().copied().take(if off == calls / 2 { all.len() } else { 1 }) {
            let got = found(&events, off, Some(batches));
            assert!(expected == got, "{batches:?}, {off}:\n{expected}--- got:\n{got}");
        }
    }
    // The replay is looked at when it lags far enough behind: these are in one of two, three or five steps.
    assert!(counts.is_sorted() && counts[0] > 0 && counts[0] < counts[2] && counts[2] < ROUNDS, "{counts:?}");
}

/// `mpivet analyze`, on all processors or on one of them.
fn analyze(dir: &std::path::Path, on_one: bool) -> Output {
    let mpivet = std::env::var_os("MPIVET").unwrap_or_else(|| env!("CARGO_BIN_EXE_mpivet").into());
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let first = allowed.split([',', '-']).next().unwrap();
    let mut command = Command::new("taskset");
    command.args(["-c", if on_one { first } else { allowed }]).arg(mpivet);
    command.args(["analyze", "--format", "json"]).arg(dir).env_remove("MPIVET_MAX_FINDINGS").output().unwrap()
}

#[test]
fn a_report_is_the_same_with_one_processor_and_with_all() {
    let dir = tempfile::tempdir().unwrap();
    write_text(dir.path(), RANKS, &head_to_head(8_000));
    let bytes: u64 = std::fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    // Else the replay has no thread of its own.
    assert!(bytes > 1 << 18, "{bytes}");
    let [one, all] = [true, false].map(|on_one| analyze(dir.path(), on_one));
    let report = String::from_utf8_lossy(&one.stdout);
    assert!(report.contains("potential-deadlock"), "{report}{}", String::from_utf8_lossy(&one.stderr));
    assert!(one.stdout == all.stdout, "{report}--- with all:\n{}", String::from_utf8_lossy(&all.stdout));
}
