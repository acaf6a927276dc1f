//! Ctrl-C or SIGTERM while traces are read ends the reading, and the report is of what was read. The second one ends
//! mpivet at once.

use analyzer::observe::Brake;
use nix::sys::signal::{SigSet, Signal};
use std::io::IsTerminal as _;

const ENDING: [Signal; 2] = [Signal::SIGINT, Signal::SIGTERM];

/// From now on these signals end the reading of all who have this brake, or a clone of it. To be said before other threads
/// are started, which would get the signals, or where they are blocked in all of them.
pub(crate) fn listen(brake: &Brake) {
    let ignored = ignored();
    let signals: SigSet = ENDING.into_iter().filter(|signal| !ignored.contains(signal)).collect();
    if signals != SigSet::empty() && signals.thread_block().is_ok() {
        let brake = brake.clone();
        std::thread::spawn(move || wait(&signals, &brake));
    }
}

/// From now on these signals do nothing in this process, which another one ends. To be said before other threads are started.
pub(crate) fn leave_to_another() {
    _ = ENDING.into_iter().collect::<SigSet>().thread_block();
}

/// Waits for the first signal, and lets the system have the others.
fn wait(signals: &SigSet, brake: &Brake) {
    let Ok(signal) = signals.wait() else { return };
    _ = signals.thread_unblock();
    let what = match brake.pull(signal as i32) {
        true => "reading ends here, and the report is of what was read",
        false => "everything is read, and the report is on its way",
    };
    // The terminal has put ^C behind the bar.
    let line_end = if std::io::stderr().is_terminal() { "\n" } else { "" };
    eprintln!("{line_end}mpivet: {signal}: {what}; the next signal ends mpivet at once");
    loop {
        std::thread::park();
    }
}

/// The signals that mpivet was told to ignore: a shell does so with commands in the background.
fn ignored() -> Vec<Signal> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    let mask = mask.unwrap_or(0);
    Signal::iterator().filter(|signal| (mask >> (*signal as i32 - 1)) & 1 == 1).collect()
}
