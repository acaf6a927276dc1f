//! Failures are told once, and the trace stays whole up to them.

mod common;

use common::{alone, are_calls, begin, begin_in, blocks, call, records, write};
use recorder::stage::Stage;
use recorder::stop::{self, Reason};
use recorder::trace;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use trace_format::file::{PROCESS_THREAD, Retention, trace_path};
use trace_format::record::{State, SystemKind};
use trace_format::system::SystemEvent;
use trace_format::writer::encode_system;

const VALUES: usize = 20;

/// Writes calls until there is no room for one. How many.
fn fill(stage: &mut Stage) -> u64 {
    (0..).find(|number| !write(stage, &call(*number, VALUES))).unwrap()
}

/// The thread's last record, when nothing more can be recorded.
fn mark(stage: &mut Stage) {
    let mut bytes = Vec::new();
    encode_system(&SystemEvent::Lost { reason: trace::loss() }, 1, &mut bytes);
    stage.append_last(&bytes);
}

/// How often it was said that recording stops for this reason, and nothing else was.
fn says_once(said: Option<String>, why: &str) {
    let Some(said) = said else { return };
    let lines: Vec<_> = said.lines().filter(|line| line.contains("mpivet:")).collect();
    assert!(lines.len() == 1 && lines[0].contains("recording stops here") && lines[0].contains(why), "{said}");
}

#[test]
fn a_full_disk_ends_the_recording() {
    let said = alone("a_full_disk_ends_the_recording", |dir| {
        static HEARD: AtomicU32 = AtomicU32::new(0);
        trace::when_lost(|| _ = HEARD.fetch_add(1, Ordering::SeqCst));
        let file = OpenOptions::new().append(true).open("/dev/full").unwrap();
        // Its stage was made while there was room.
        let trace = begin_in(file, dir, Retention::default());
        let mut stage = Stage::create(trace, 0).unwrap();
        let calls = fill(&mut stage);
        assert!(calls > 1000 && trace::is_lost() && trace::loss().contains("No space left"), "{}", trace::loss());
        assert_eq!((stage.lap(), stage.calls()), (0, calls), "the stage keeps what could not be written");
        // Nobody tries again.
        assert!(!stage.empty() && !write(&mut stage, &call(0, VALUES)));
        let mut more = Stage::create(trace, 1).unwrap();
        fill(&mut more);
        assert_eq!(HEARD.load(Ordering::SeqCst), 1);
        mark(&mut stage);
        let bytes = std::fs::read(trace_format::file::stage_path_of(dir, common::STEM, 0)).unwrap();
        let mut found = records(&bytes[trace_format::file::STAGE_HEADER_BYTES..], 0);
        let last = found.pop().unwrap().0;
        assert_eq!((last.func, last.state), (SystemKind::Lost as u16, State::System as u8));
        assert_eq!(are_calls(&found, 0, VALUES), calls);
    });
    says_once(said, "No space left on device");
}

/// The largest file that this process may write.
fn limit_files(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the limit is a valid one.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
}

#[test]
fn the_limit_on_file_sizes_ends_the_recording_and_not_the_program() {
    let said = alone("the_limit_on_file_sizes_ends_the_recording_and_not_the_program", |dir| {
        let trace = begin(dir, Retention::default());
        let mut stage = Stage::create(trace, 0).unwrap();
        const MOST: u64 = 1 << 20;
        limit_files(MOST);
        let calls = fill(&mut stage);
        assert!(trace::is_lost() && trace::loss().contains("ulimit -f"), "{}", trace::loss());
        let size = std::fs::metadata(trace_path(dir, common::STEM)).unwrap().len();
        assert!((MOST / 2..=MOST).contains(&size), "{size}");
        let mut number = 0;
        for (block, lap) in blocks(dir).iter().zip(0..) {
            number += are_calls(&records(&block.payload, lap), number, VALUES);
        }
        assert!(number > 1000 && number < calls);
        // A handler of a signal writes no more either: that would be SIGXFSZ.
        trace::process_event(&[0; 24]);
        assert_eq!(std::fs::metadata(trace_path(dir, common::STEM)).unwrap().len(), size);
    });
    says_once(said, "limit on file sizes");
}

#[test]
fn no_stage_is_made_beyond_the_limit_on_file_sizes() {
    let said = alone("no_stage_is_made_beyond_the_limit_on_file_sizes", |dir| {
        let trace = begin(dir, Retention::default());
        limit_files(100_000);
        let error = Stage::create(trace, 0).err().unwrap();
        assert!(error.to_string().contains("ulimit -f"), "{error}");
        assert!(!trace_format::file::stage_path_of(dir, common::STEM, 0).exists());
    });
    assert!(said.is_none_or(|said| !said.contains("mpivet:")));
}

/// A program closes all descriptors that it has not opened, and opens files of its own until they have all their numbers.
fn take_all(dir: &Path) -> Vec<File> {
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    let own = File::create(dir.join("own")).unwrap();
    for fd in &open {
        // SAFETY: what the number stood for is not used by its number any more, but by this library.
        unsafe { libc::dup2(own.as_raw_fd(), *fd) };
    }
    vec![own]
}

#[test]
fn a_descriptor_that_the_program_has_taken_is_left_to_it() {
    let said = alone("a_descriptor_that_the_program_has_taken_is_left_to_it", |dir| {
        let trace = begin(dir, Retention::default());
        let mut stage = Stage::create(trace, 0).unwrap();
        assert!(write(&mut stage, &call(0, VALUES)) && stage.empty());
        let own = take_all(dir);
        assert!(write(&mut stage, &call(1, VALUES)) && stage.empty());
        trace::process_event(&[0; 24]);
        let again = take_all(dir);
        trace::process_event(&[0; 24]);
        assert!(write(&mut stage, &call(2, VALUES)) && stage.empty());
        assert!(own.iter().chain(&again).all(|own| own.metadata().unwrap().len() == 0), "the program's file");
        let all = blocks(dir);
        let laps: Vec<_> = all.iter().filter(|block| block.is_of(0)).collect();
        for (block, lap) in laps.iter().zip(0..) {
            assert_eq!(are_calls(&records(&block.payload, lap), lap, VALUES), 1);
        }
        let serials: Vec<_> = all.iter().filter(|b| b.is_of(PROCESS_THREAD)).map(|b| b.header.lap).collect();
        assert_eq!((laps.len(), serials), (3, vec![0, 1]));
        assert!(!trace::is_lost());
    });
    assert!(said.is_none_or(|said| !said.contains("mpivet:")));
}

#[test]
fn a_trace_that_cannot_be_opened_again_is_lost() {
    let said = alone("a_trace_that_cannot_be_opened_again_is_lost", |dir| {
        let trace = begin(dir, Retention::default());
        let mut stage = Stage::create(trace, 0).unwrap();
        let own = take_all(dir);
        // Another file by its name is not the trace.
        std::fs::write(dir.join("other"), "another").unwrap();
        std::fs::rename(dir.join("other"), trace_path(dir, common::STEM)).unwrap();
        assert!(write(&mut stage, &call(0, VALUES)) && !stage.empty());
        assert!(trace::is_lost() && trace::loss().contains("the program has closed the trace"), "{}", trace::loss());
        trace::process_event(&[0; 24]);
        assert_eq!(own[0].metadata().unwrap().len(), 0);
        assert_eq!(std::fs::read(trace_path(dir, common::STEM)).unwrap(), b"another");
    });
    says_once(said, "the program has closed the trace");
}

#[test]
fn a_stop_is_written_down_with_its_reason() {
    const WHY: Reason = Reason::new("the test has come to its end");
    let said = alone("a_stop_is_written_down_with_its_reason", |dir| {
        begin(dir, Retention::default());
        stop::prepare(&[WHY]);
        stop::stop(WHY);
        stop::stop(Reason::JUMPED_OUT);
        assert!(trace::is_lost() && trace::loss().contains("come to its end"));
        let all = blocks(dir);
        assert_eq!(all.len(), 1, "the first one counts");
        let [(commit, bytes)] = &records(&all[0].payload, 0)[..] else { panic!("one record") };
        assert_eq!((commit.func, all[0].header.thread), (SystemKind::Lost as u16, PROCESS_THREAD));
        assert!(String::from_utf8_lossy(bytes).contains("the test has come to its end"));
        assert_ne!(bytes[..8], [0; 8], "when it was");
    });
    says_once(said, "the test has come to its end");
}

#[test]
fn a_forked_child_writes_nothing() {
    alone("a_forked_child_writes_nothing", |dir| {
        let trace = begin(dir, Retention::default());
        let mut stage = Stage::create(trace, 0).unwrap();
        assert!(write(&mut stage, &call(0, VALUES)));
        let before = std::fs::read(trace_path(dir, common::STEM)).unwrap();
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        // SAFETY: the child does what a forked child may do, writes a byte and ends.
        if unsafe { libc::fork() } == 0 {
            trace::detach();
            trace::process_event(&[0; 24]);
            let is_silent = !stage.empty() && trace::is_lost() && !recorder::owner::is_this();
            _ = writer.write_all(&[u8::from(is_silent)]);
            // SAFETY: nothing of the parent is to be cleaned up.
            unsafe { libc::_exit(0) };
        }
        drop(writer);
        let mut answer = Vec::new();
        reader.read_to_end(&mut answer).unwrap();
        assert_eq!((answer, std::fs::read(trace_path(dir, common::STEM)).unwrap()), (vec![1], before));
        assert!(!trace::is_lost() && recorder::owner::is_this() && stage.empty(), "the parent goes on");
    });
}

/// A child that the C library is not told of has another number, too.
#[test]
fn a_child_by_a_system_call_is_another_process() {
    alone("a_child_by_a_system_call_is_another_process", |dir| {
        begin(dir, Retention::default());
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        // SAFETY: as in the test above.
        if unsafe { libc::syscall(libc::SYS_fork) } == 0 {
            let is_own = recorder::owner::pid() as u32 == std::process::id() && !recorder::owner::is_this();
            _ = writer.write_all(&[u8::from(is_own)]);
            // SAFETY: as above.
            unsafe { libc::_exit(0) };
        }
        drop(writer);
        let mut answer = Vec::new();
        reader.read_to_end(&mut answer).unwrap();
        assert_eq!(answer, [1]);
        assert_eq!(recorder::owner::pid() as u32, std::process::id());
    });
}
