//! Findings that the process itself makes, printed at once on standard error: what several processes find at one place by one.

use crate::call::python::Source;
use crate::call::sites;
use crate::job::{config, told};
use crate::mpi::origin::{self, Origin};
use crate::watch::symbols;
use ::symbols::Sources;
use recorder::{log, trace};
use std::cmp;
use std::sync::atomic::{AtomicU64, Ordering};
use trace_format::catalogue::{self, CheckInfo};
use trace_format::finding::Severity;
use trace_format::location::Location;
use trace_format::mpi::FnId;
use trace_format::mpi::predefined::error_class_name;
use trace_format::system::Place;

/// An MPI call reported an error that ends the program: the call made at `site`, or the one that is being made.
pub(crate) fn mpi_error(function: &str, class: u16, text: &str, site: Option<u32>) {
    let message = format!("{function} failed: {}: {}", error_class_name(class), essence(text));
    let frames = site.map_or_else(callers, sites::frames);
    finding(&catalogue::MPI_ERROR, &message, &frames);
}

/// A thread made a call that the level of thread support forbids.
pub(crate) fn thread_level(message: &str) {
    finding(&catalogue::THREAD_LEVEL, message, &callers());
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
    let programs: Vec<_> = origin::modules(Origin::Program).collect();
    let is_program = |address: &u64| programs.iter().any(|m| (m.start..m.end).contains(address));
    crate::call::sites::here().into_iter().filter(is_program).collect()
}

/// The line of the Python program that called this function, or the function itself if there is none.
fn python(function: Location) -> Location {
    match crate::call::python::here() {
        Some(Source { file, function: name, line }) => Location { file, function: name, line, ..function },
        None => function,
    }
}

/// A check found something: the first of the places is the call that is being made.
pub(crate) fn found(check: &CheckInfo, message: &str, places: &[Place], notes: &[String]) {
    let own = check
        .severity_at(places.iter().filter_map(|p| Some((FnId::from_index(usize::from(p.func))?, p.role.as_str()))));
    let Some(mut printed) = Printed::new(check, own, message) else { return };
    for (i, place) in places.iter().enumerate() {
        let role = if places.len() > 1 { format!(" ({})", place.role) } else { String::new() };
        let frames = match sites::frames(place.site) {
            // The line of a Python program: the call is the one that is being made.
            none if none.is_empty() && i == 0 => callers(),
            frames => frames,
        };
        printed.line(&frames, &role);
    }
    notes.iter().for_each(|note| printed.say(&format!("= {note}")));
    printed.print();
}

/// A check found something while there is no trace: the line of the program that is being run, and what called it.
pub(crate) fn before_trace(check: &CheckInfo, message: &str) -> Vec<Location> {
    let callers = callers();
    finding(check, message, &callers);
    let mut frames: Vec<Location> = symbols::with(|symbols| {
        callers
            .iter()
            .flat_map(|address| symbols.call_site(*address))
            .filter(|place| !place.is_inlined_binding())
            .collect()
    });
    if let Some(first) = frames.first_mut().filter(|first| first.file.is_empty()) {
        *first = python(std::mem::take(first));
    }
    frames
}

/// Prints a finding with the line of the program that is being run. Not for signal handlers.
fn finding(check: &CheckInfo, message: &str, callers: &[u64]) {
    let Some(mut printed) = Printed::new(check, check.severity, message) else { return };
    printed.line(callers, "");
    printed.print();
}

/// Findings that this process has printed, and those that it would have printed if no other one had.
static PRINTED: AtomicU64 = AtomicU64::new(0);
static TRIED: AtomicU64 = AtomicU64::new(0);
/// To look up a place takes time: so many are looked up for each one that is printed.
const TRIES: u64 = 8;

/// A finding as it is printed, in one piece, so that those of several ranks do not mix.
struct Printed {
    /// "rank 3", or the process if it has no rank yet.
    who: String,
    text: String,
    /// What it is about: check and places, or the message where no place is known. Of those that are about the same in all
    /// processes one is printed.
    subject: String,
    has_place: bool,
}

/// How many findings this process may print.
fn most() -> u64 {
    config::selection().max_findings().unwrap_or(u64::MAX)
}

/// What each line of it begins with.
fn prefix(who: &str) -> String {
    format!("mpivet: {who}: ")
}

impl Printed {
    /// `None` if the user does not want to read it.
    fn new(check: &CheckInfo, own: Severity, message: &str) -> Option<Printed> {
        let who = match trace::get() {
            Some(trace) => format!("rank {}", trace.rank),
            None => format!("process {}", std::process::id()),
        };
        let severity = config::selection().severity(check, own)?;
        let tried = TRIED.fetch_add(1, Ordering::Relaxed);
        if PRINTED.load(Ordering::Relaxed) > most() || tried >= most().saturating_mul(TRIES) {
            return None;
        }
        let subject = format!("{} {}", check.code, essence(message));
        let title = format!("{}[{}] {}: {message}", severity.name(), check.code, check.name);
        let text = log::lines(&prefix(&who), &title);
        Some(Printed { who, text, subject, has_place: false })
    }

    fn say(&mut self, what: &str) {
        self.text.push_str(&log::lines(&prefix(&self.who), &format!("  {what}")));
    }

    /// The source line that these return addresses lead to, innermost first.
    fn line(&mut self, frames: &[u64], role: &str) {
        let place = symbols::with(|symbols| {
            frames.iter().flat_map(|a| symbols.call_site(*a)).find(|place| !place.is_inlined_binding())
        });
        let place = place.map(|place| if place.file.is_empty() { python(place) } else { place });
        let Some(place) = place else { return };
        self.is_at(&place);
        self.say(&format!("at {place}{role}"));
        if let Some(line) = Sources::default().line(&place.file, place.line) {
            self.say(&format!("| {}", line.trim()));
        }
    }

    /// It is about this place, whatever its message says of the rank. Where the program lies in memory differs.
    fn is_at(&mut self, place: &Location) {
        let code = self.subject.split(' ').next().unwrap_or_default();
        let before = if self.has_place { self.subject.as_str() } else { code };
        self.subject = format!("{before}\n{place}");
        self.has_place = true;
    }

    /// Prints it, if no other process of the job has.
    fn print(self) {
        if !told::is_first(&self.subject) {
            return;
        }
        match PRINTED.fetch_add(1, Ordering::Relaxed).cmp(&most()) {
            cmp::Ordering::Less => log::raw(self.text.as_bytes()),
            cmp::Ordering::Equal => {
                let (who, most) = (&self.who, most());
                log::line(&format!("{who}: further findings are only in the report; --max-findings {most}"));
            }
            cmp::Ordering::Greater => {}
        }
    }
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
