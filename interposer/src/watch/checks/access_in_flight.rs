//! `access-in-flight`: see `trace_format::catalogue::ACCESS_IN_FLIGHT`.

use super::{Finding, Spot};
use crate::call::info::{Role, Watched as Which};
use crate::call::sites;
use crate::job::config;
use crate::precise::accesses::{self, Touched, Watched};
use crate::precise::{self, give_up, windows};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use recorder::in_flight::{Counts, How, lacks};
use recorder::{log, trace};
use trace_format::catalogue::ACCESS_IN_FLIGHT;
use trace_format::mpi::{Class, Coll, FnId};

/// A call has returned: tells which accesses were noted since the last one.
#[cold]
pub(crate) fn tell(thread: &mut Thread, call: &Call) {
    if exposes(call) {
        give_up("the program has made a window of memory of its own, which other processes may reach");
    }
    if call.info.watched == Which::Finalize && trace::get().is_some_and(|trace| trace.rank == 0) {
        precise::counts().into_iter().for_each(|counts| log::line(&summary(&counts)));
    }
    for touched in accesses::up_to_now() {
        finding(thread, call, &touched).tell(thread);
    }
}

/// Does the call let other processes access memory of the program, without its own doing?
fn exposes(call: &Call) -> bool {
    let row = call.info.row;
    matches!(row.class, Class::Collective(Coll::WinCreate | Coll::WinCreateDynamic, _))
        || row.id == FnId::MPI_Win_attach
}

fn finding(thread: &mut Thread, call: &Call, touched: &Touched) -> Finding {
    let Touched { watched, how, bytes, .. } = touched;
    let name = watched.started.func.name();
    // A watchpoint does not say which of its bytes were accessed.
    let most = if matches!(how, How::Store | How::Any) { *bytes } else { 1 };
    let byte = byte(watched, touched.address, most);
    let message = match how {
        How::Store => format!("the program writes {byte} while {name} is pending"),
        How::Any => format!("the program reads or writes {byte}, which {name} is about to write"),
        How::Load => format!("the program reads {byte}, which {name} is about to write"),
        How::KernelStore => {
            format!("the program has the system write {bytes} bytes from {byte} on while {name} is pending")
        }
        How::KernelLoad => {
            format!("the program has the system read {bytes} bytes from {byte} on, which {name} is about to write")
        }
        How::Release => format!("the program gives the memory of {byte} back while {name} is pending"),
    };
    let frames = touched.frames.get(..config::stack_depth()).unwrap_or(&touched.frames);
    let mut finding = Finding::new(&ACCESS_IN_FLIGHT, message)
        .outside(thread.number(), sites::intern(frames), "touches the buffer")
        .at(watched.started, "starts the operation");
    let completes = matches!(call.info.role, Role::Completes | Role::Peeks);
    if touched.is_over && completes {
        finding = finding.at(Spot::of(thread, call), "completes it");
    }
    match precise::counts().as_ref().and_then(left_out) {
        Some(note) => finding.note(note),
        None => finding,
    }
}

fn byte(watched: &Watched, address: u64, most: u64) -> String {
    let name = watched.func.row().params.get(usize::from(watched.param)).map_or("the buffer", |p| p.name);
    // A buffer at MPI_BOTTOM has no beginning.
    if watched.base == 0 || address < watched.base {
        return format!("address {address:#x} of {name}");
    }
    let first = address - watched.base;
    match most {
        0 | 1 => format!("byte {first} of {name}"),
        _ => format!("some of bytes {first} to {} of {name}", first + most - 1),
    }
}

/// How much was watched, in one line.
fn summary(counts: &Counts) -> String {
    let all = counts.watched + counts.small + counts.place + counts.full;
    let given_up = match (counts.is_over, counts.pages) {
        (0, 0) => String::new(),
        (0, pages) => format!("; {pages} pages were given up after 64 accesses each"),
        _ => "; given up before the end, because the accesses took too much time".to_owned(),
    };
    let left_out = left_out(counts).map(|words| format!("; {words}")).unwrap_or_default();
    let windows = match windows::counts() {
        (_, 0) => String::new(),
        (watched, seen) => format!(" and {watched} of {seen} windows"),
    };
    let of = |bit: u64, words: &'static str| if counts.lacks & bit == 0 { "" } else { words };
    let refused = [
        of(lacks::CALLS, "; the kernel does not hand system calls over: those by unusual ways fail on watched memory"),
        of(lacks::WATCHPOINTS, "; there are no watchpoints (perf_event_open): stacks are not watched"),
    ]
    .concat();
    format!(
        "--precise: rank 0 watched {} of {all} buffers{windows} and looked at {} accesses{given_up}{left_out}{refused}",
        counts.watched, counts.traps
    )
}

/// Buffers that were not watched, in words.
fn left_out(counts: &Counts) -> Option<String> {
    let parts = [
        (counts.small, "share their pages with other data"),
        (counts.place, "are on a stack, for which no watchpoint was left, or shared"),
        (counts.full, "were too many at a time"),
    ];
    let words: Vec<_> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
    (!words.is_empty()).then(|| format!("buffers that --precise does not watch: {}", words.join(", ")))
}
