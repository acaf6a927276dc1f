//! Findings that the process itself makes, printed at once on standard error: what several processes find at one place by one.

use crate::call::python::Source;
use crate::call::sites;
use crate::job::{config, follower};
use crate::mpi::origin::{self, Origin};
use crate::watch::symbolizer;
use recorder::modules::{self, Loaded};
use recorder::{clock, file_limit, log, trace};
use std::cmp;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use trace_format::catalogue::{self, CheckInfo};
use trace_format::definition::Module;
use trace_format::finding::Severity;
use trace_format::location::Location;
use trace_format::mpi::FnId;
use trace_format::mpi::predefined::error_class_name;
use trace_format::run::discovery::{self, Discovery, Frame, Shown};
use trace_format::system::Place;

/// An MPI call reported an error that ends the program: the call made at `site`, or the one that is being made.
pub(crate) fn mpi_error(function: &str, class: u16, text: &str, site: Option<u32>) {
    let message = format!("{function} failed: {}: {}", error_class_name(class), essence(text));
    let frames = site.map_or_else(callers, sites::frames);
    finding(&catalogue::MPI_ERROR, &message, &frames, trace::get().map(|trace| trace.dir.as_path()));
}

/// A thread made a call that the level of thread support forbids.
pub(crate) fn thread_level(message: &str) {
    finding(&catalogue::THREAD_LEVEL, message, &callers(), trace::get().map(|trace| trace.dir.as_path()));
}

/// The most telling line of an error text: libraries that print a stack of errors have it last, behind the name of
/// the internal function.
pub(crate) fn essence(text: &str) -> &str {
    let last = text.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("");
    match last.split_once(": ") {
        Some((place, what)) if place.contains('(') && !place.contains(' ') => what,
        _ => last,
    }
}

/// Return addresses of the frames that are the program's, innermost first.
fn callers() -> Vec<u64> {
    let programs = origin::modules(Origin::Program);
    let is_program = |address: &u64| programs.iter().any(|m| (m.start..m.end).contains(address));
    sites::here().into_iter().filter(is_program).collect()
}

/// The line that an interpreter is at.
fn interpreted() -> Option<Location> {
    let Source { file, function, line } = crate::call::python::here()?;
    Some(Location { file, function, line, ..Location::default() })
}

/// The calls that will return to these addresses.
fn calls(modules: &[Module], addresses: &[u64]) -> Vec<Frame> {
    let call = |address: &u64| {
        let at = address.saturating_sub(1);
        Frame::at(modules.iter().find(|m| (m.start..m.end).contains(&at)), at)
    };
    addresses.iter().map(call).collect()
}

/// A check found something: the first of the places is the call that is being made.
pub(crate) fn found(check: &CheckInfo, message: &str, places: &[Place], notes: &[String]) {
    let own = check
        .severity_at(places.iter().filter_map(|p| Some((FnId::from_index(usize::from(p.func))?, p.role.as_str()))));
    let Some(mut telling) = Telling::new(check, own, message) else { return };
    for (i, place) in places.iter().enumerate() {
        let role = if places.len() > 1 { place.role.as_str() } else { "" };
        let frames = match sites::frames(place.site) {
            // The line of a Python program: the call is the one that is being made.
            none if none.is_empty() && i == 0 => callers(),
            frames => frames,
        };
        telling.at(&frames, role);
    }
    telling.discovery.notes = notes.to_vec();
    telling.tell(trace::get().map(|trace| trace.dir.as_path()));
}

/// A check found something while there is no trace, which will be in `dir`: the call that is being made, with what called it,
/// and the line that an interpreter is at.
pub(crate) fn before_trace(check: &CheckInfo, message: &str, dir: &Path) -> (Vec<Frame>, Option<Location>) {
    let callers = callers();
    finding(check, message, &callers, Some(dir));
    (calls(&modules(), &callers), interpreted())
}

/// Tells a finding with the line of the program that is being run. Not for signal handlers.
fn finding(check: &CheckInfo, message: &str, callers: &[u64], dir: Option<&Path>) {
    let Some(mut telling) = Telling::new(check, check.severity, message) else { return };
    telling.at(callers, "");
    telling.tell(dir);
}

/// The function and the line of the program that a call will return to, for a note; `None`: there is no debug information.
pub(crate) fn line(address: u64) -> Option<String> {
    let mut all = modules();
    all.retain(|module| (module.start..module.end).contains(&address));
    let places = vec![discovery::Place { stack: calls(&all, &[address]), role: String::new() }];
    let shown = symbolizer::show(&Discovery { places, ..Discovery::default() })?.into_iter().next()??;
    let Location { function, file, line, .. } = shown.place;
    let name = file.rsplit('/').next().unwrap_or_default();
    (line > 0 && !function.is_empty()).then(|| format!("{function} ({name}:{line})"))
}

fn modules() -> Vec<Module> {
    modules::loaded().iter().map(Loaded::definition).collect()
}

/// Findings that this process has printed, and those that it would have printed if no other one had.
static PRINTED: AtomicU64 = AtomicU64::new(0);
static TRIED: AtomicU64 = AtomicU64::new(0);
/// To look up a place takes time: so many are looked up for each one that is printed.
const TRIES: u64 = 8;

/// How many findings this process may print.
fn most() -> u64 {
    config::selection().max_findings().unwrap_or(u64::MAX)
}

/// A finding that is to be told.
struct Telling {
    discovery: Discovery,
    modules: Vec<Module>,
    /// The return addresses of its places.
    addresses: Vec<Vec<u64>>,
}

impl Telling {
    /// `None` if the user does not want to read it.
    fn new(check: &CheckInfo, own: Severity, message: &str) -> Option<Telling> {
        let severity = config::selection().severity(check, own)?;
        let tried = TRIED.fetch_add(1, Ordering::Relaxed);
        if PRINTED.load(Ordering::Relaxed) > most() || tried >= most().saturating_mul(TRIES) {
            return None;
        }
        let who = match trace::get() {
            Some(trace) => format!("rank {}", trace.rank),
            None => format!("process {}", std::process::id()),
        };
        let discovery = Discovery {
            job: follower::job(),
            unix_ns: clock::unix_ns(),
            who,
            title: format!("{}[{}] {}: {message}", severity.name(), check.code, check.name),
            subject: format!("{} {}", check.code, essence(message)),
            interpreted: interpreted(),
            cwd: std::env::current_dir().unwrap_or_default(),
            ..Discovery::default()
        };
        Some(Telling { discovery, modules: modules(), addresses: Vec::new() })
    }

    /// One of its places: the call that will return to the first of these addresses, innermost first.
    fn at(&mut self, addresses: &[u64], role: &str) {
        let stack = calls(&self.modules, addresses);
        self.discovery.places.push(discovery::Place { stack, role: role.to_owned() });
        self.addresses.push(addresses.to_vec());
    }

    /// Leaves it to who follows the job, or prints it, if no other process of the job has. `dir`: that of the trace.
    fn tell(self, dir: Option<&Path>) {
        let discovery = &self.discovery;
        let is_first = |number: u64| dir.is_none_or(|dir| discovery::is_first(dir, number));
        if !is_first(discovery.by_stacks()) {
            return;
        }
        if let Some(dir) = dir.filter(|_| follower::is_followed())
            && discovery.leave(dir, file_limit::size_limit()).is_ok()
        {
            return;
        }
        let shown = symbolizer::show(discovery).unwrap_or_else(|| self.bare());
        if !is_first(discovery.by_lines(&shown)) {
            return;
        }
        match PRINTED.fetch_add(1, Ordering::Relaxed).cmp(&most()) {
            cmp::Ordering::Less => log::raw(discovery.text(&shown, log::columns()).as_bytes()),
            cmp::Ordering::Equal => log::line(&discovery.no_more(most())),
            cmp::Ordering::Greater => {}
        }
    }

    /// Its places without debug information.
    fn bare(&self) -> Vec<Option<Shown>> {
        let Discovery { places, interpreted, .. } = &self.discovery;
        let one = |(place, addresses): (&discovery::Place, &Vec<u64>)| {
            let (frame, address) = (place.stack.first()?, addresses.first()?);
            let place = Location { function: function_at(address.saturating_sub(1)), ..frame.bare() };
            Some(Shown { place: place.or_interpreted(interpreted.as_ref()), text: None })
        };
        places.iter().zip(&self.addresses).map(one).collect()
    }
}

/// The function that an instruction is in, if the loader knows its name.
fn function_at(address: u64) -> String {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; all of the answer may be zero.
    let info = unsafe {
        libc::dladdr(address as *const c_void, info.as_mut_ptr());
        info.assume_init()
    };
    if info.dli_sname.is_null() {
        return String::new();
    }
    // SAFETY: the loader's name is a C string of a module that is there.
    unsafe { CStr::from_ptr(info.dli_sname) }.to_string_lossy().into_owned()
}

/// A signal is about to end the process. Async-signal-safe: numbers only, the report has the source line.
pub(crate) fn signal(name: &str, pc: u64) {
    let mut text = [0u8; 256];
    let mut at = 0;
    let mut add = |bytes: &[u8]| {
        for b in bytes {
            if let Some(place) = text.get_mut(at) {
                *place = *b;
                at += 1;
            }
        }
    };
    add(b"mpivet: rank ");
    let mut digits = [0u8; 20];
    add(decimal(trace::get().map_or(0, |t| t.rank.max(0) as u64), &mut digits));
    add(b": error[MV001] abend: the process dies of ");
    add(name.as_bytes());
    add(b" at instruction 0x");
    for shift in (0..16).rev() {
        let digit = (pc >> (shift * 4) & 15) as usize;
        if pc >> (shift * 4) != 0 || shift == 0 {
            add(b"0123456789abcdef".get(digit..=digit).unwrap_or(b"?"));
        }
    }
    add(b"; the report names the line\n");
    log::raw(text.get(..at).unwrap_or(&[]));
}

fn decimal(mut value: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut start = digits.len();
    loop {
        start -= 1;
        if let Some(d) = digits.get_mut(start) {
            *d = b'0' + (value % 10) as u8;
        }
        value /= 10;
        if value == 0 {
            return digits.get(start..).unwrap_or(&[]);
        }
    }
}
