//! Options, read from the environment once when MPI starts.

use recorder::environment;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;
use trace_format::catalogue::{COLLECTIVE_RECV_CHECKSUM, RECV_CHECKSUM, SEND_CHECKSUM};
use trace_format::file::Retention;
use trace_format::run::discovery::FOLLOWER as FOLLOWER_VARIABLE;
use trace_format::run::job::{PRECISE, PRECISE_FROM, PROBE_LIMITS, REPLAY, SYNC_SENDS};
use trace_format::run::jobs::{EACH, Root};
use trace_format::run::nonce::NONCE;
use trace_format::run::stages::STAGE_DIR;
use trace_format::sample::Sampling;
use trace_format::settings::retention::{MAX_TRACE_SIZE, TIME_ERROR};
use trace_format::settings::selection::Selection;
use trace_format::variables::{CVARS, PVARS, STRESS, VARIABLES};

/// Most frames kept of a call stack.
pub(crate) const MAX_STACK_DEPTH: usize = 64;

pub(crate) struct Config {
    /// `MPIVET_DISABLE`: do nothing at all.
    pub(crate) disabled: bool,
    /// `MPIVET_DIR`: where the trace goes.
    pub(crate) dir: Option<PathBuf>,
    /// `MPIVET_EACH`: one command starts several jobs, each of which has a directory in that one.
    pub(crate) each: Option<Root>,
    /// `MPIVET_STACK_DEPTH`: frames kept of a call stack.
    pub(crate) stack_depth: usize,
    /// `MPIVET_RUN`: started by `mpivet run`, which says itself where the trace is.
    pub(crate) under_run: bool,
    /// `MPIVET_NONCE`: the number that `mpivet run` has left in the directory of the traces.
    pub(crate) nonce: Option<String>,
    /// `MPIVET_SYNC_SENDS`: standard sends wait for their receives.
    pub(crate) sync_sends: bool,
    /// `MPIVET_REPLAY`: the witness whose messages the wildcards take.
    pub(crate) replay: Option<PathBuf>,
    /// `MPIVET_QUEUES`: what debuggers are told of pending operations.
    pub(crate) queues: Queues,
    /// `MPIVET_PROBE_LIMITS`: measure when MPI starts up to which size the library buffers messages.
    pub(crate) probe_limits: bool,
    /// `MPIVET_CVARS`: control variables to be set, see `trace_format::variables`.
    pub(crate) cvars: Option<String>,
    /// `MPIVET_STRESS`: the library is to buffer as little as it can.
    pub(crate) stress: bool,
    /// `MPIVET_PVARS`: performance variables to be read while the program runs.
    pub(crate) sampling: Option<Sampling>,
    /// `MPIVET_TIME_ERROR` and `MPIVET_MAX_TRACE_SIZE`: what of times and of the run is kept.
    pub(crate) retention: Retention,
    /// `MPIVET_STAGE_DIR`: where stages are made.
    pub(crate) stage_dir: Option<PathBuf>,
    /// `MPIVET_VARIABLES=off`: the variables of the library are not written down.
    pub(crate) variables: bool,
}

/// Which operations are kept for debuggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queues {
    Off,
    /// Errors of calls that are known anyway.
    Known,
    All,
}

/// `MPIVET_RUN`: the `mpivet run` that this process was started by.
pub(crate) fn follower() -> &'static Option<Root> {
    static FOLLOWER: OnceLock<Option<Root>> = OnceLock::new();
    FOLLOWER.get_or_init(|| text(FOLLOWER_VARIABLE)?.parse().ok())
}

/// `MPIVET_PRECISE`: is memory of pending operations watched, and against loads, too?
pub(crate) fn precise() -> Option<bool> {
    static SAID: OnceLock<Option<bool>> = OnceLock::new();
    *SAID.get_or_init(|| match text(PRECISE)?.as_str() {
        "off" => None,
        "stores" => Some(false),
        "loads" => Some(true),
        _ => {
            recorder::log::line("MPIVET_PRECISE is neither loads nor stores nor off; using loads");
            Some(true)
        }
    })
}

/// `MPIVET_PRECISE_FROM`: the calls that are suspected; nobody has said so: all are.
pub(crate) fn precise_from() -> Option<String> {
    text(PRECISE_FROM)
}

/// `MPIVET_STACK_DEPTH`, as it is known since the beginning.
pub(crate) fn stack_depth() -> usize {
    *STACK_DEPTH.get_or_init(|| 8)
}

static STACK_DEPTH: OnceLock<usize> = OnceLock::new();

/// `MPIVET_QUEUES`
pub(crate) fn queues() -> Queues {
    match environment::var("MPIVET_QUEUES").as_deref() {
        Ok("off") => Queues::Off,
        Ok("on") => Queues::All,
        Ok("") | Err(_) => Queues::Known,
        Ok(_) => {
            recorder::log::line("MPIVET_QUEUES is neither on nor off; keeping what is known anyway");
            Queues::Known
        }
    }
}

/// The buffers whose checksums are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    None,
    /// Buffers of pending sends, at their start and completion.
    PendingSends,
}

pub(crate) struct Checksums {
    pub(crate) which: Which,
    /// All that is sent and received, to compare it between ranks.
    pub(crate) between: bool,
    /// Size in bytes above which only samples of a buffer are looked at.
    pub(crate) sample_over: Option<u64>,
}

/// `MPIVET_CHECKSUMS` and `MPIVET_SAMPLE_OVER`.
pub(crate) fn checksums() -> &'static Checksums {
    static CHECKSUMS: OnceLock<Checksums> = OnceLock::new();
    CHECKSUMS.get_or_init(|| {
        let (which, between) = match environment::var("MPIVET_CHECKSUMS").as_deref() {
            Ok("off") => (Which::None, false),
            Ok("" | "sends") | Err(_) => (Which::PendingSends, false),
            Ok("all") => (Which::PendingSends, true),
            Ok(_) => {
                recorder::log::line("MPIVET_CHECKSUMS is neither off nor sends nor all; using sends");
                (Which::PendingSends, false)
            }
        };
        let sample_over = environment::var("MPIVET_SAMPLE_OVER").ok().filter(|v| !v.is_empty()).and_then(|v| {
            let bytes = v.parse().ok();
            if bytes.is_none() {
                recorder::log::line("MPIVET_SAMPLE_OVER is no number of bytes; all data are looked at");
            }
            bytes
        });
        let which = if selection().is_on(&SEND_CHECKSUM) { which } else { Which::None };
        let is_on = |check| selection().is_on(check);
        let between = between && (is_on(&RECV_CHECKSUM) || is_on(&COLLECTIVE_RECV_CHECKSUM));
        Checksums { which, between, sample_over }
    })
}

/// Is it on? The words that mean no are those of `mpivet.toml` and of `mpivet run`.
fn set(name: &str) -> bool {
    let is_no = |v: &std::ffi::OsStr| ["", "0", "false", "no", "off"].iter().any(|no| v.eq_ignore_ascii_case(no));
    environment::var_os(name).is_some_and(|v| !is_no(&v))
}

fn sampling() -> Option<Sampling> {
    match Sampling::parse(&text(PVARS)?) {
        Ok(sampling) => Some(sampling),
        Err(e) => {
            recorder::log::line(&format!("{PVARS}: {e}; nothing is read"));
            None
        }
    }
}

fn retention() -> Retention {
    let (retention, errors) = Retention::from_environment(text);
    errors.iter().for_each(|e| recorder::log::line(e));
    retention
}

fn text(name: &str) -> Option<String> {
    environment::var(name).ok().filter(|v| !v.is_empty())
}

fn path(name: &str) -> Option<PathBuf> {
    environment::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from)
}

/// Which findings this process makes: `MPIVET_CHECKS`, `MPIVET_SEVERITY` and `MPIVET_MAX_FINDINGS`, read at the first use.
/// Words that mean nothing are passed over, and that is said once.
pub(crate) fn selection() -> &'static Selection {
    static SELECTION: OnceLock<Selection> = OnceLock::new();
    SELECTION.get_or_init(|| {
        let (selection, errors) = Selection::from_environment(|name| environment::var(name).ok());
        errors.iter().for_each(|e| recorder::log::line(&e.to_string()));
        selection
    })
}

impl Config {
    /// The options in force, by the names of their variables.
    pub(crate) fn named(&self) -> BTreeMap<String, String> {
        let mut named = BTreeMap::from([("MPIVET_STACK_DEPTH", self.stack_depth.to_string())]);
        let flags = [(SYNC_SENDS, self.sync_sends), (PROBE_LIMITS, self.probe_limits), (STRESS, self.stress)];
        named.extend(flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| (name, "1".to_owned())));
        let Retention { time_error_ns, max_bytes } = self.retention;
        named.extend((time_error_ns > 0).then(|| (TIME_ERROR, format!("{time_error_ns}ns"))));
        named.extend((max_bytes > 0).then(|| (MAX_TRACE_SIZE, (max_bytes >> 20).to_string())));
        named.extend(text(PRECISE).map(|which| (PRECISE, which)));
        named.extend(self.replay.as_ref().map(|path| (REPLAY, path.display().to_string())));
        named.extend(self.cvars.clone().map(|pairs| (CVARS, pairs)));
        named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    pub(crate) fn from_environment() -> Config {
        let disabled = set("MPIVET_DISABLE");
        if !disabled {
            // Wrong words are told now rather than at the first finding.
            selection();
        }
        let depth = environment::var("MPIVET_STACK_DEPTH").ok().filter(|d| !d.is_empty());
        let stack_depth = match depth.as_deref().map(str::parse::<usize>) {
            None => 8,
            Some(Ok(n)) => n.clamp(1, MAX_STACK_DEPTH),
            Some(Err(_)) => {
                recorder::log::line("MPIVET_STACK_DEPTH is not a number; using 8");
                8
            }
        };
        _ = STACK_DEPTH.set(stack_depth);
        Config {
            disabled,
            dir: path("MPIVET_DIR"),
            each: text(EACH).and_then(|root| root.parse().ok()),
            stack_depth,
            under_run: set(FOLLOWER_VARIABLE),
            nonce: text(NONCE),
            sync_sends: set(SYNC_SENDS),
            replay: path(REPLAY),
            probe_limits: set(PROBE_LIMITS),
            queues: queues(),
            cvars: text(CVARS),
            stress: set(STRESS),
            sampling: sampling(),
            retention: retention(),
            stage_dir: path(STAGE_DIR),
            variables: environment::var(VARIABLES).as_deref() != Ok("off"),
        }
    }
}
