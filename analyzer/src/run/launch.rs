//! Starts the launcher under the interposer, in a process group of its own, and passes signals and the terminal on.

use super::find::Found;
use super::follow::FollowedJob;
use super::launcher::{Job, preloading};
use super::launcher_words::{DeathTold, LauncherWords};
use super::stop::Process;
use super::terminal::Sentinel;
use crate::cli::{Precise, RunPlan};
use crate::exit::Exit;
use agents::hub::Hub;
use analyzer::load::late_file_system;
use anyhow::anyhow;
use nix::errno::Errno;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, killpg, pthread_sigmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgrp, tcgetpgrp, tcsetpgrp};
use report::{Style, When};
use std::cell::Cell;
use std::ffi::{CString, OsString};
use std::io::IsTerminal as _;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};
use trace_format::run::agent::{BANDWIDTH, HUB, IS_LATE, NEEDED, PROGRAM, TOKEN};
use trace_format::run::discovery::FOLLOWER;
use trace_format::run::job::{PRECISE, PRECISE_FROM, PROBE_LIMITS, REPLAY, SYNC_SENDS};
use trace_format::run::jobs::{EACH, Root};
use trace_format::run::nonce::{self, NONCE};
use trace_format::run::over::Over;
use trace_format::run::proc::{self, Stat};
use trace_format::run::stages::STAGE_DIR;
use trace_format::settings::columns::COLUMNS;
use trace_format::settings::retention::{MAX_TRACE_SIZE, TIME_ERROR};
use trace_format::variables::{CVARS, PVARS, STRESS};

/// Signals that are the job's rather than ours.
const FORWARDED: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];

/// The signals that mpivet was started with blocked: the first job that starts changes that.
static FIRST_MASK: OnceLock<SigSet> = OnceLock::new();

pub(super) fn unix_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(0)
}

/// Differences of one run of the job from the plan of all.
pub(crate) struct RunOptions<'a> {
    pub(crate) sync_sends: bool,
    pub(crate) replay: Option<&'a Path>,
    /// It is one of several: it does not get the terminal, so that Ctrl-C ends them all.
    pub(crate) is_explored: bool,
}

impl<'a> RunOptions<'a> {
    pub(crate) fn of(plan: &'a RunPlan) -> RunOptions<'a> {
        RunOptions { sync_sends: plan.sync_sends, replay: plan.replay.as_deref(), is_explored: false }
    }
}

/// A started launcher.
pub(crate) struct Launched {
    pid: Pid,
    signals: SignalFd,
    /// The user wants the job to end: the signal that was passed on.
    interrupted: Cell<Option<Signal>>,
    /// The last time at which the user had not said so, in nanoseconds since 1970.
    undisturbed: Cell<u64>,
    /// Tells what came from the terminal, which the job has.
    sentinel: Option<Sentinel>,
    /// The job has the terminal; it is ours again afterwards.
    terminal: bool,
    ended: Option<i32>,
    /// The agents on other nodes.
    hub: Option<Arc<Hub>>,
    words: LauncherWords,
}

/// The libraries for LD_PRELOAD, with the one that traps accesses, which lies beside the interposer.
fn with_precise(found: &Found) -> PathBuf {
    let mut list = found.preloaded().into_os_string();
    list.push(":");
    list.push(found.library.with_file_name("libmpivet_precise.so"));
    list.into()
}

/// The command and the environment of the job.
fn job(plan: &RunPlan, run_options: &RunOptions, found: &Found, dir: &Path, hub: Option<&Hub>) -> Job {
    let library = match plan.precise {
        None | Some(Precise::Off) => found.preloaded(),
        Some(_) => with_precise(found),
    };
    let pid = std::process::id();
    let here = Root { pid, start: proc::start(pid).unwrap_or(0), host: proc::host() }.to_string();
    let mut ours: Vec<(OsString, OsString)> = vec![
        ("LD_PRELOAD".into(), preloading(&library)),
        ("MPIVET_DIR".into(), dir.into()),
        // The ranks need not say where the trace is: the report does. What they find is printed here.
        (FOLLOWER.into(), here.clone().into()),
    ];
    ours.extend(late_file_system(dir).map(|_| (IS_LATE.into(), "1".into())));
    // An earlier job may have had the directory. Without the number, nobody can tell that nodes do not share it.
    Over::forget(dir);
    ours.extend(nonce::leave(dir).ok().map(|number| (NONCE.into(), number.into())));
    ours.extend(hub.into_iter().flat_map(Hub::variables).map(|(name, value)| (name.into(), value.into())));
    ours.extend(hub.and(std::env::current_exe().ok()).map(|program| (PROGRAM.into(), program.into())));
    // Without it, visitors do not find their way.
    _ = hub.map(Hub::tell);
    // The findings that ranks print at once obey the same choice.
    let choice = plan.report.selection.environment();
    ours.extend(choice.into_iter().map(|(name, value)| (name.into(), value.into())));
    ours.extend(plan.checksums.map(|c| ("MPIVET_CHECKSUMS".into(), c.name().into())));
    ours.extend(plan.sample_over.map(|n| ("MPIVET_SAMPLE_OVER".into(), n.to_string().into())));
    ours.extend(plan.stack_depth.map(|n| ("MPIVET_STACK_DEPTH".into(), n.to_string().into())));
    ours.extend(plan.time_error.map(|ns| (TIME_ERROR.into(), format!("{ns}ns").into())));
    ours.extend(plan.max_trace_size.map(|n| (MAX_TRACE_SIZE.into(), n.to_string().into())));
    ours.extend(
        plan.stage_dir.as_ref().map(|dir| (STAGE_DIR.into(), std::path::absolute(dir).unwrap_or(dir.clone()).into())),
    );
    ours.extend(run_options.sync_sends.then(|| (SYNC_SENDS.into(), "1".into())));
    ours.extend(run_options.replay.map(|path| (REPLAY.into(), path.into())));
    ours.extend((!plan.cvars.is_empty()).then(|| (CVARS.into(), plan.cvars.join(";").into())));
    ours.extend(plan.stress.then(|| (STRESS.into(), "1".into())));
    ours.extend(plan.precise.map(|which| (PRECISE.into(), which.name().into())));
    ours.extend(plan.suspects.iter().map(|suspects| (PRECISE_FROM.into(), suspects.text().into())));
    ours.extend(plan.pvars.as_ref().map(|pvars| (PVARS.into(), pvars.into())));
    // Output of ranks passes through the launcher to the same terminal as our messages.
    let columns = Style::of_stderr(When::Never, false).width;
    ours.extend(columns.map(|n| (COLUMNS.into(), n.to_string().into())));
    if plan.each {
        ours.push((EACH.into(), here.into()));
    }
    ours.extend(plan.probe_limits.then(|| (PROBE_LIMITS.into(), "1".into())));
    // It has no option, and is to reach other nodes all the same.
    ours.extend(std::env::var_os("MPIVET_QUEUES").map(|value| ("MPIVET_QUEUES".into(), value)));
    // The variables of settings are in the plan already. A `mpivet run` around this one has directories of its own.
    let others = [EACH, REPLAY, PRECISE_FROM, HUB, TOKEN, PROGRAM, IS_LATE];
    let is_ours = |name: &OsString| ours.iter().any(|(o, _)| o == name) || others.iter().any(|o| name == o);
    let is_decided = |name: &OsString| is_ours(name) || crate::settings::is_variable(&name.to_string_lossy());
    let mut all: Vec<_> = std::env::vars_os().filter(|(name, _)| !is_decided(name)).collect();
    ours.extend(plan.agent_bandwidth.map(|megabytes| (BANDWIDTH.into(), megabytes.to_string().into())));
    if let (Some(hub), Ok(program)) = (hub, std::env::current_exe()) {
        let needed = ours.iter().filter(|(name, _)| NEEDED.iter().any(|needed| name == needed));
        hub.set_agents(needed.cloned().collect(), program);
    }
    let names: Vec<String> = ours.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    all.append(&mut ours);
    Job { command: plan.command.clone(), environment: all }.forward(&found.launcher, &library, &names)
}

fn c_string(text: OsString) -> Result<CString, Exit> {
    CString::new(text.into_vec()).map_err(|_| Exit::Usage("an argument holds a NUL character".into()))
}

impl Launched {
    pub(crate) fn start(plan: &RunPlan, run_options: &RunOptions, found: &Found, dir: &Path) -> Result<Launched, Exit> {
        Launched::spawn(plan, run_options, found, dir).map_err(|e| match e {
            SpawnError::Exit(exit) => exit,
            SpawnError::Exec(errno) => {
                Exit::Usage(format!("cannot run {}: {}", found.launcher.display(), errno.desc()))
            }
            SpawnError::Other(errno) => Exit::cannot(anyhow!(errno).context("cannot set up signals for the job")),
        })
    }

    fn spawn(plan: &RunPlan, run_options: &RunOptions, found: &Found, dir: &Path) -> Result<Launched, SpawnError> {
        // From here on these signals wait in the descriptor; the job starts with the mask that mpivet was started with. A thread
        // that was there before would get them, and end mpivet.
        let mut ours: SigSet = FORWARDED.into_iter().collect();
        ours.add(Signal::SIGCHLD);
        let signals = SignalFd::with_flags(&ours, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        // Taking the terminal back from the background needs SIGTTOU out of the way.
        ours.add(Signal::SIGTTOU);
        let mut before = SigSet::empty();
        pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&ours), Some(&mut before))?;

        let hub = plan.agents.then(|| Hub::start(dir, plan.ports.clone()).map(Arc::new)).transpose().unwrap_or_else(|e| {
            eprintln!(
                "mpivet: cannot listen for agents on other nodes: {e}; what happens there is seen by files alone (choose a port \
                 that is free: mpivet run --port PORT)"
            );
            None
        });
        let job = job(plan, run_options, found, dir, hub.as_deref());
        let args: Vec<CString> = job.command.into_iter().map(c_string).collect::<Result<_, _>>()?;
        let pair = |(mut name, value): (OsString, OsString)| {
            name.push("=");
            name.push(value);
            c_string(name)
        };
        let env: Vec<CString> = job.environment.into_iter().map(pair).collect::<Result<_, _>>()?;

        let mut attributes = PosixSpawnAttr::init()?;
        attributes.set_flags(
            PosixSpawnFlags::POSIX_SPAWN_SETPGROUP
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF,
        )?;
        attributes.set_pgroup(Pid::from_raw(0))?;
        attributes.set_sigmask(FIRST_MASK.get_or_init(|| before))?;
        // Rust ignores SIGPIPE from the start; programs expect it.
        attributes.set_sigdefault(&SigSet::from_iter([Signal::SIGPIPE]))?;
        let stdin = std::io::stdin();
        let terminal = !run_options.is_explored && tcgetpgrp(stdin.as_fd()) == Ok(getpgrp());
        let mut actions = PosixSpawnFileActions::init()?;
        let nothing = std::fs::File::open("/dev/null").ok();
        if let Some(nothing) = nothing.as_ref().filter(|_| run_options.is_explored && stdin.is_terminal()) {
            actions.add_dup2(nothing.as_raw_fd(), stdin.as_raw_fd())?;
        }
        let words = LauncherWords::begin();
        let pid =
            posix_spawn(found.launcher.as_path(), &actions, &attributes, &args, &env).map_err(SpawnError::Exec)?;
        let sentinel = if terminal { Sentinel::start(pid, FIRST_MASK.get_or_init(|| before)) } else { None };
        let interrupted = Cell::new(None);
        let job = Launched {
            pid,
            signals,
            interrupted,
            undisturbed: Cell::new(unix_ns()),
            sentinel,
            terminal,
            ended: None,
            hub,
            words,
        };
        job.give_terminal();
        Ok(job)
    }

    fn give_terminal(&self) {
        if self.terminal {
            _ = tcsetpgrp(std::io::stdin().as_fd(), self.pid);
            // It may have asked for input before it had the terminal, and was stopped for that.
            self.signal(Signal::SIGCONT);
        }
    }

    fn take_terminal(&self) {
        if self.terminal {
            _ = tcsetpgrp(std::io::stdin().as_fd(), getpgrp());
        }
    }

    /// The user pressed Ctrl-Z: the shell must see us stop too, and `fg` must wake the job again.
    fn suspend(&self) {
        self.take_terminal();
        _ = kill(Pid::from_raw(0), Signal::SIGSTOP);
        self.give_terminal();
        self.signal(Signal::SIGCONT);
    }

    /// The agents on other nodes, for those who follow jobs of this command.
    pub(crate) fn agents(&self) -> Option<Arc<Hub>> {
        self.hub.clone()
    }

    /// Has Slurm said that it was told to end the step?
    pub(crate) fn is_step_cancelled(&self) -> bool {
        self.words.is_step_cancelled()
    }

    /// The signal by which the user wanted the job to end, if so.
    pub(crate) fn interruption(&self) -> Option<Signal> {
        self.interrupted.get().or_else(|| self.sentinel.as_ref()?.signal())
    }

    /// The user had not interrupted the job by then, in nanoseconds since 1970.
    pub(crate) fn undisturbed_until(&self) -> u64 {
        self.undisturbed.get()
    }

    /// Exit code of the launcher, or 128 and the signal that ended it.
    pub(crate) fn exit_code(&self) -> u8 {
        self.ended.unwrap_or(0).clamp(0, 255) as u8
    }
}

impl FollowedJob for Launched {
    fn hub(&self) -> Option<&Hub> {
        self.hub.as_deref()
    }

    fn deaths_told(&self) -> Vec<DeathTold> {
        self.words.deaths()
    }

    fn launcher(&self) -> Option<Process> {
        // Until it is waited for, the number is its own.
        let pid = self.pid.as_raw() as u32;
        Stat::of(pid).map(|stat| stat.start).filter(|_| self.ended.is_none()).map(|start| Process { pid, start })
    }

    /// Sends a signal to the launcher's process group.
    fn signal(&self, signal: Signal) {
        // Once the launcher was waited for, its number may be somebody else's.
        if self.ended.is_none() {
            _ = killpg(self.pid, signal);
        }
    }

    /// Waits for a signal, at most `limit`; passes on what is the job's.
    fn rest(&self, limit: Duration) {
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        let mut fds = [PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        _ = poll(&mut fds, PollTimeout::try_from(limit).unwrap_or(PollTimeout::ZERO));
        let now = unix_ns();
        while let Ok(Some(info)) = self.signals.read_signal() {
            match Signal::try_from(info.ssi_signo as i32) {
                Ok(signal) if FORWARDED.contains(&signal) => {
                    self.interrupted.set(Some(signal));
                    self.signal(signal);
                }
                _ => {}
            }
        }
        if self.interruption().is_none() {
            self.undisturbed.set(now);
        }
    }

    /// Has the launcher ended? Then [`Launched::exit_code`] knows how.
    fn has_ended(&mut self) -> bool {
        while self.ended.is_none() {
            self.ended = match waitpid(self.pid, Some(WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED)) {
                Ok(WaitStatus::Exited(_, code)) => Some(code),
                Ok(WaitStatus::Signaled(_, signal, _)) => Some(128 + signal as i32),
                Ok(WaitStatus::Stopped(_, signal)) if self.terminal && signal != Signal::SIGSTOP => {
                    self.suspend();
                    continue;
                }
                Ok(_) => return false,
                Err(Errno::EINTR) => continue,
                // Somebody else waited for it (SIGCHLD is ignored): its exit code is lost.
                Err(_) => Some(0),
            };
            if self.ended.is_some() {
                self.take_terminal();
            }
        }
        true
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        self.take_terminal();
    }
}

enum SpawnError {
    Exit(Exit),
    Exec(Errno),
    Other(Errno),
}

impl From<Exit> for SpawnError {
    fn from(exit: Exit) -> SpawnError {
        SpawnError::Exit(exit)
    }
}

impl From<Errno> for SpawnError {
    fn from(errno: Errno) -> SpawnError {
        SpawnError::Other(errno)
    }
}
