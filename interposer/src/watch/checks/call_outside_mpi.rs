//! `call-outside-mpi`: see `trace_format::catalogue::CALL_OUTSIDE_MPI`.

use super::{Finding, Spot};
use crate::job::config::{Config, selection};
use crate::mpi::library;
use crate::mpi::sessions;
use crate::state::recording::Call;
use crate::state::slow_path::OUTSIDE_MPI;
use crate::state::thread::Thread;
use crate::watch::{early, report};
use recorder::slow_path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use trace_format::catalogue::CALL_OUTSIDE_MPI;
use trace_format::mpi::{Class, FnId, Function, Kind};
use trace_format::run::early::EarlyFinding;

/// How far the world model (MPI 4.1, 11.2) has come.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    Before = 0,
    Under = 1,
    Over = 2,
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::Before as u8);
/// The calls that began and ended the world model.
static BEGUN: Mutex<Option<Spot>> = Mutex::new(None);
static ENDED: Mutex<Option<Spot>> = Mutex::new(None);
/// The functions that were called too early, to be recorded when there is a trace.
static TOO_EARLY: Mutex<Vec<FnId>> = Mutex::new(Vec::new());
static HAS_TOO_EARLY: AtomicBool = AtomicBool::new(false);

fn phase() -> Phase {
    match PHASE.load(Ordering::Relaxed) {
        0 => Phase::Before,
        1 => Phase::Under,
        _ => Phase::Over,
    }
}

/// Every call must look here while there is something to look at.
fn say_unusual() {
    slow_path::set(OUTSIDE_MPI, is_over() || HAS_TOO_EARLY.load(Ordering::Relaxed));
}

/// MPI_Init has returned.
pub(crate) fn begun(spot: Spot) {
    *BEGUN.lock().unwrap_or_else(|e| e.into_inner()) = Some(spot);
    PHASE.store(Phase::Under as u8, Ordering::Relaxed);
    say_unusual();
}

/// MPI_Finalize has returned.
pub(crate) fn ended(spot: Spot) {
    *ENDED.lock().unwrap_or_else(|e| e.into_inner()) = Some(spot);
    PHASE.store(Phase::Over as u8, Ordering::Relaxed);
    say_unusual();
}

/// Is MPI to be left alone, because MPI_Finalize has returned?
#[inline(always)]
pub(crate) fn is_over() -> bool {
    PHASE.load(Ordering::Relaxed) == Phase::Over as u8
}

/// A call begins. True if the standard forbids it now.
#[inline(always)]
pub(crate) fn check(thread: &mut Thread, call: &Call) -> bool {
    let starts = call.info.row.class == Class::Init;
    let noted = HAS_TOO_EARLY.load(Ordering::Relaxed);
    (starts || noted || is_over()) && look(thread, call)
}

#[cold]
fn look(thread: &mut Thread, call: &Call) -> bool {
    tell_too_early(thread);
    let row = call.info.row;
    let (begins, ends) = (row.class == Class::Init, row.class == Class::Finalize);
    let function = row.name;
    let (message, other, role) = match phase() {
        Phase::Under if begins => {
            let first = BEGUN.lock().unwrap_or_else(|e| e.into_inner());
            (format!("{function} is called, but MPI was already initialized"), *first, "initialized MPI")
        }
        Phase::Over if begins || ends || call.info.rules.inside && !sessions::any_open() => {
            let end = ENDED.lock().unwrap_or_else(|e| e.into_inner());
            let why = if begins { "; MPI cannot be started again" } else { "" };
            (format!("{function} is called after MPI_Finalize{why}"), *end, "ended MPI")
        }
        _ => return false,
    };
    let mut finding = Finding::new(&CALL_OUTSIDE_MPI, message).at(Spot::of(thread, call), "is made outside");
    if let Some(other) = other {
        finding = finding.at(other, role);
    }
    finding.tell(thread);
    true
}

/// Calls that were made before there was a trace.
fn tell_too_early(thread: &mut Thread) {
    if !HAS_TOO_EARLY.swap(false, Ordering::Relaxed) {
        return;
    }
    say_unusual();
    for function in std::mem::take(&mut *TOO_EARLY.lock().unwrap_or_else(|e| e.into_inner())) {
        Finding::new(&CALL_OUTSIDE_MPI, too_early(function.row())).record(thread);
    }
}

fn too_early(row: &Function) -> String {
    format!("{} is called before MPI_Init", row.name)
}

/// A call while nothing is recorded yet. The library usually ends the program over it: what is found is kept before.
#[cold]
pub(crate) fn before_init(row: &'static Function) {
    let starts = matches!(row.class, Class::Init | Class::SessionInit);
    if starts || row.id.is_always_available() || row.ret != Kind::Code || row.is_extension() {
        return;
    }
    let config = Config::from_environment();
    if config.disabled {
        return;
    }
    let (mut begun, mut ended) = (1i32, 1i32);
    let asked = library::call(FnId::MPI_Initialized, &[&raw mut begun as u64]) == Some(0)
        && library::call(FnId::MPI_Finalized, &[&raw mut ended as u64]) == Some(0);
    if !asked || begun != 0 || ended != 0 {
        return;
    }
    let mut noted = TOO_EARLY.lock().unwrap_or_else(|e| e.into_inner());
    if noted.contains(&row.id) {
        return;
    }
    noted.push(row.id);
    HAS_TOO_EARLY.store(true, Ordering::Relaxed);
    say_unusual();
    drop(noted);
    if selection().is_on(&CALL_OUTSIDE_MPI) {
        let (message, dir) = (too_early(row), early::directory(&config));
        let (frames, interpreted) = report::before_trace(&CALL_OUTSIDE_MPI, &message, &dir);
        let (check, function) = (CALL_OUTSIDE_MPI.name.to_owned(), row.name.to_owned());
        early::keep(&config, dir, EarlyFinding { check, message, function, frames, interpreted });
    }
}
