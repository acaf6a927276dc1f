//! `access-in-flight`: see `trace_format::catalogue::ACCESS_IN_FLIGHT`.

use super::{Finding, Spot};
use crate::call::info::{OnWindow, Role};
use crate::call::sites;
use crate::job::config;
use crate::precise;
use crate::precise::accesses::{self, Touched, Watched};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use recorder::in_flight::How;
use trace_format::catalogue::ACCESS_IN_FLIGHT;
use trace_format::system::SystemEvent;

/// A call has returned: tells which accesses were noted since the last one.
#[cold]
pub(crate) fn tell(thread: &mut Thread, call: &Call) {
    for touched in accesses::up_to_now() {
        finding(thread, call, &touched).tell(thread);
    }
}

/// MPI is about to be over: the report says how much was watched.
#[cold]
pub(crate) fn conclude(thread: &mut Thread) {
    precise::watched().into_iter().for_each(|watched| thread.system(&SystemEvent::Watched(watched)));
}

fn finding(thread: &mut Thread, call: &Call, touched: &Touched) -> Finding {
    let Touched { watched, how, bytes, .. } = touched;
    let name = watched.started.func.name();
    // Accesses of the kernel are said by their length. A watchpoint does not say which of its bytes were accessed.
    let most = if matches!(how, How::KernelLoad | How::KernelStore | How::Release) { 1 } else { *bytes };
    let some = if matches!(how, How::SomeStore | How::Any) { "some of " } else { "" };
    let byte = byte(watched, touched.address, (some, most));
    let message = match how {
        How::Store | How::SomeStore => format!("the program writes {byte} while {name} is pending"),
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
    let completes =
        matches!(call.info.role, Role::Completes | Role::Peeks) || call.info.on_window == OnWindow::Synchronizes;
    if touched.is_over && completes {
        finding = finding.at(Spot::of(thread, call), "completes it");
    }
    finding
}

fn byte(watched: &Watched, address: u64, (some, most): (&str, u64)) -> String {
    let name = watched.func.row().params.get(usize::from(watched.param)).map_or("the buffer", |p| p.name);
    // A buffer at MPI_BOTTOM has no beginning.
    if watched.base == 0 || address < watched.base {
        return format!("address {address:#x} of {name}");
    }
    let first = address - watched.base;
    match most {
        0 | 1 => format!("byte {first} of {name}"),
        _ => format!("{some}bytes {first} to {} of {name}", first + most - 1),
    }
}
