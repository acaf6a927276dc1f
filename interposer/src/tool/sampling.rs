//! `--pvars`: reads performance variables while the program runs, in a session of mpivet's own (MPI 4.1, 15.3.7). Who reads:
//! the thread that has started MPI, between two calls, when the interval has passed; and where the library lets several
//! threads use the tool interface at once, a thread of ours, so that a rank which stays in a call is read, too.

use super::interface::Interface;
use super::probe::Probe;
use super::value::Datatypes;
use crate::call::mode;
use crate::mpi::library::MpiLibrary;
use crate::state::slow_path::SAMPLING;
use crate::state::thread::Thread;
use recorder::slow_path;
use recorder::trace::Lap;
use recorder::{clock, log, owner, trace};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};
use trace_format::file::{NOT_COUNTED, PROCESS_THREAD};
use trace_format::sample::{Sample, Sampling};
use trace_format::system::SystemEvent;
use trace_format::variables::fits;
use trace_format::writer::encode_system;

/// Variables are read.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Nanoseconds since [`START`] at which they are to be read next, by the program's thread.
static DUE: AtomicU64 = AtomicU64::new(0);
static START: OnceLock<Instant> = OnceLock::new();
static SAMPLER: Mutex<Option<Sampler>> = Mutex::new(None);

struct Sampler {
    probes: Vec<Probe>,
    session: u64,
    interface: Interface,
    interval: Duration,
    read: Instant,
}

/// Most variables that are read.
const MOST: usize = 64;

fn sampler() -> MutexGuard<'static, Option<Sampler>> {
    SAMPLER.lock().unwrap_or_else(|e| e.into_inner())
}

/// MPI has started, and threads that are made now are known as the library's.
pub(crate) fn begin(library: &'static MpiLibrary, sampling: &Sampling, rank: i32) {
    let Some(interface) = Interface::open(library, true) else {
        return log::line(&format!("rank {rank}: the library has no tool interface; no performance variable is read"));
    };
    let mut session = 0u64;
    if interface.call("PMPI_T_pvar_session_create", &[&raw mut session as u64]) != 0 {
        return log::line(&format!("rank {rank}: the library gives no session; no performance variable is read"));
    }
    let datatypes = Datatypes::of(library);
    let mut probes: Vec<Probe> = Vec::new();
    for index in 0..interface.number("PMPI_T_pvar_get_num") {
        let wanted = |name: &str| sampling.names.iter().any(|pattern| fits(pattern, name));
        if probes.len() < MOST {
            probes.extend(Probe::new(library, &interface, session, index, &datatypes, wanted));
        }
    }
    if probes.is_empty() {
        if rank == 0 {
            log::line(&format!("the library has no performance variable {}", sampling.names.join(", ")));
        }
        interface.call("PMPI_T_pvar_session_free", &[&raw mut session as u64]);
        return;
    }
    let (interval, is_threaded) = (sampling.interval, interface.is_threaded);
    *sampler() = Some(Sampler { probes, session, interface, interval, read: Instant::now() });
    START.get_or_init(Instant::now);
    IS_ON.store(true, Ordering::SeqCst);
    slow_path::set(SAMPLING, true);
    if is_threaded && !start_watching(interval) && rank == 0 {
        log::line("no thread can be made that reads performance variables inside of calls");
    }
}

/// Has the interval passed? Cheap while nothing is read.
#[inline(always)]
pub(crate) fn are_due() -> bool {
    IS_ON.load(Ordering::Relaxed) && has_passed()
}

#[inline(never)]
fn has_passed() -> bool {
    START.get().is_some_and(|start| start.elapsed().as_nanos() as u64 >= DUE.load(Ordering::Relaxed))
}

/// The thread is in no call.
#[cold]
#[inline(never)]
pub(crate) fn between_calls(thread: &mut Thread) {
    if !thread.is_main() || thread.depth > 0 {
        return;
    }
    let samples = sampler().as_mut().map(Sampler::read).unwrap_or_default();
    samples.into_iter().for_each(|sample| thread.system(&SystemEvent::Sample(sample)));
}

/// MPI is about to end: the last readings, then everything is given back.
pub(crate) fn end() {
    if !IS_ON.swap(false, Ordering::SeqCst) {
        return;
    }
    slow_path::set(SAMPLING, false);
    let Some(mut sampler) = sampler().take() else { return };
    write(sampler.read());
    let Sampler { probes, mut session, interface, .. } = sampler;
    probes.into_iter().for_each(|probe| probe.free(&interface, session));
    interface.call("PMPI_T_pvar_session_free", &[&raw mut session as u64]);
}

/// Starts the thread that reads while the program is in a call. It takes no signals of the program.
fn start_watching(interval: Duration) -> bool {
    // SAFETY: the sets are valid places, and the mask of this thread is put back.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let made =
            std::thread::Builder::new().name("mpivet".into()).stack_size(256 << 10).spawn(move || watch(interval));
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        made.is_ok()
    }
}

fn watch(interval: Duration) {
    loop {
        std::thread::sleep(interval);
        if !IS_ON.load(Ordering::SeqCst) {
            return;
        }
        let done = mode::guarded(|| {
            let mut sampler = sampler();
            let late = sampler.as_mut().filter(|s| mode::is_recording() && s.read.elapsed() >= s.interval);
            let samples = late.map(Sampler::read).unwrap_or_default();
            drop(sampler);
            write(samples);
        });
        if done.is_none() {
            return;
        }
    }
}

/// Writes samples that no thread of the program has taken.
fn write(samples: Vec<Sample>) {
    static SERIAL: AtomicU64 = AtomicU64::new(1 << 40);
    let Some(trace) = trace::get().filter(|_| owner::is_this()) else { return };
    for sample in samples {
        let mut record = Vec::new();
        encode_system(&SystemEvent::Sample(sample), clock::now(), &mut record);
        let lap = SERIAL.fetch_add(1, Ordering::Relaxed);
        trace.events_apart(Lap { thread: PROCESS_THREAD, lap, calls: NOT_COUNTED, records: &record });
    }
}

impl Sampler {
    /// Readings that differ from the ones before.
    fn read(&mut self) -> Vec<Sample> {
        self.read = Instant::now();
        if let Some(start) = START.get() {
            DUE.store((start.elapsed() + self.interval).as_nanos() as u64, Ordering::Relaxed);
        }
        let (interface, session) = (&self.interface, self.session);
        self.probes.iter_mut().flat_map(|probe| probe.read(interface, session)).collect()
    }
}
