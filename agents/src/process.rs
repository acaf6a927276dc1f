//! The state of a process, as the system of its node knows it.

use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::time::Duration;
use trace_format::run::proc::{self, Stat};

/// The activity of a process when it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// A thread runs or could run.
    Runs,
    /// All threads sleep and could be woken.
    Sleeps,
    /// Stopped by a signal or a debugger, or waiting for a device: it cannot go on whatever the others do.
    Held,
    /// It has ended.
    Gone,
}

/// A reading of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Its activity.
    pub activity: Activity,
    /// Processor time of all threads so far.
    pub cpu: Duration,
}

impl Reading {
    /// It has ended.
    pub const GONE: Reading = Reading { activity: Activity::Gone, cpu: Duration::ZERO };
}

/// Looks at the process, all its threads together.
pub fn read_process(pid: u32, start: u64) -> Reading {
    let dir = proc::dir(pid);
    if !proc::lives(pid, start) {
        return Reading::GONE;
    }
    let Ok(threads) = fs::read_dir(dir.join("task")) else { return Reading::GONE };
    let (mut runs, mut held, mut cpu) = (false, false, Duration::ZERO);
    for thread in threads.flatten() {
        let thread = thread.path();
        // A thread may end between the listing and the look.
        let Some(stat) = Stat::read(&thread) else { continue };
        match stat.state {
            'T' | 't' | 'D' => held = true,
            'S' | 'I' => {}
            _ => runs = true,
        }
        cpu += cpu_time(&thread).unwrap_or(Duration::from_millis(10 * stat.ticks));
    }
    let activity = if held {
        Activity::Held
    } else if runs {
        Activity::Runs
    } else {
        Activity::Sleeps
    };
    Reading { activity, cpu }
}

/// Do all threads of the process but the `accounted` ones, and `unnamed` more that are in MPI calls, wait for another
/// thread of it, without a limit of time? Such threads can neither call MPI nor help the others before one of these
/// does something. False if the system does not tell.
pub fn others_wait_for_ever(pid: u32, accounted: &[u32], unnamed: usize) -> bool {
    let Ok(tasks) = fs::read_dir(proc::dir(pid).join("task")) else { return false };
    let tasks: Vec<u32> = tasks.flatten().filter_map(|t| t.file_name().to_str()?.parse().ok()).collect();
    let others: Vec<u32> = tasks.iter().copied().filter(|t| !accounted.contains(t)).collect();
    // Only those in the calls are left.
    others.len() <= unnamed
        || others.iter().all(|task| {
            let place = proc::dir(pid).join("task").join(task.to_string());
            match fs::read_to_string(place.join("syscall")) {
                Ok(text) => is_endless_wait(&text, &tasks),
                // It has ended meanwhile.
                Err(_) => !place.exists(),
            }
        })
}

/// Is the system call, in the form of `/proc/PID/syscall`, an endless futex wait for another thread of the process, of
/// which these are all?
fn is_endless_wait(call: &str, threads: &[u32]) -> bool {
    const FUTEX: &str = if cfg!(target_arch = "x86_64") { "202" } else { "98" };
    /// FUTEX_WAIT and FUTEX_WAIT_BITSET
    const WAITS: [u64; 2] = [0, 9];
    const PRIVATE: u64 = 128;
    let mut words = call.split_whitespace();
    if words.next() != Some(FUTEX) {
        return false;
    }
    let args: Vec<u64> =
        words.map_while(|w| u64::from_str_radix(w.strip_prefix("0x").unwrap_or(w), 16).ok()).take(4).collect();
    let [_, operation, value, timeout] = args[..] else { return false };
    // Other processes may wake those who wait in memory that they share; pthread_join waits there as well, for the
    // place that holds the number of the thread to vanish.
    let joins = threads.iter().any(|t| u64::from(*t) == value & 0xffff_ffff);
    WAITS.contains(&(operation & 0x7f)) && timeout == 0 && (operation & PRIVATE != 0 || joins)
}

/// Nanosecond-exact, where the kernel counts it; clock ticks are 10 ms.
fn cpu_time(thread: &Path) -> Option<Duration> {
    let text = fs::read_to_string(thread.join("schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn endless_waits_are_told_from_others() {
        let threads = [42, 43];
        let endless = |call: &str| is_endless_wait(call, &threads);
        let futex = if cfg!(target_arch = "x86_64") { "202" } else { "98" };
        // A condition variable, the same with a limit, a join, a futex in shared memory, sleep, on a processor.
        assert!(endless(&format!("{futex} 0x7f01 0x189 0x0 0x0 0x0 0xffffffff 0x7ffc 0x7f02")));
        assert!(!endless(&format!("{futex} 0x7f01 0x189 0x0 0x7ffd 0x0 0xffffffff 0x7ffc 0x7f02")));
        assert!(endless(&format!("{futex} 0x7f01 0x109 0x2b 0x0 0x0 0xffffffff 0x7ffc 0x7f02")));
        assert!(!endless(&format!("{futex} 0x7f01 0x109 0x1 0x0 0x0 0xffffffff 0x7ffc 0x7f02")));
        assert!(!endless("230 0x0 0x0 0x7ffd 0x0 0x0 0x0 0x7ffc 0x7f02"));
        assert!(!endless("running"));
    }

    #[test]
    fn a_thread_that_joins_another_waits_for_ever() {
        let (tell, told) = std::sync::mpsc::channel();
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let joiner = std::thread::spawn(move || {
            let joined = std::thread::spawn(move || stopped.recv());
            tell.send(rustix::thread::gettid().as_raw_nonzero().get() as u32).unwrap();
            joined.join()
        });
        let joiner_id = told.recv().unwrap();
        let all = || fs::read_dir("/proc/self/task").unwrap().flatten();
        let others = || -> Vec<u32> {
            let ids = all().filter_map(|t| t.file_name().to_str()?.parse().ok());
            ids.filter(|t| *t != joiner_id).collect()
        };
        let until = Instant::now() + Duration::from_secs(10);
        while !others_wait_for_ever(std::process::id(), &others(), 0) {
            assert!(Instant::now() < until);
        }
        // This thread is not waiting.
        assert!(!others_wait_for_ever(std::process::id(), &[joiner_id], 0));
        // Nobody knows which thread is in the call, but there are more than one.
        assert!(!others_wait_for_ever(std::process::id(), &[], 1));
        stop.send(()).unwrap();
        _ = joiner.join();
    }

    #[test]
    fn this_process_lives() {
        let pid = std::process::id();
        let start = proc::start(pid).unwrap();
        assert!(proc::lives(pid, start) && !proc::lives(pid, start + 1));
        assert_ne!(read_process(pid, start).activity, Activity::Gone);
        assert!(read_process(pid, start).cpu > Duration::ZERO);
        assert_eq!(read_process(pid, start + 1).activity, Activity::Gone);
    }
}
