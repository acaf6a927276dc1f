//! Which memory the process may read and write: from `/proc/self/maps`, remembered, and read again before anything is
//! said of an address.

use crate::{memory, modules};
use std::io::Read;
use std::ops::Range;
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};
use trace_format::run::proc::{self, Mapped};

/// Adjacent mappings that may be used alike.
#[derive(Debug, Clone, Default)]
struct Mapping {
    start: u64,
    end: u64,
    read: bool,
    write: bool,
    /// Memory of a device, or whatever a driver makes of it.
    device: bool,
    /// The file behind it; empty for anonymous memory.
    path: String,
}

/// The memory that a thread has seen lately.
pub struct Cache {
    recent: [Span; RECENT],
    next: usize,
}

#[derive(Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
    write: bool,
}

const RECENT: usize = 8;

impl Default for Cache {
    fn default() -> Cache {
        Cache::new()
    }
}

impl Cache {
    /// Nothing was seen yet.
    pub const fn new() -> Cache {
        Cache { recent: [Span { start: 0, end: 0, write: false }; RECENT], next: 0 }
    }

    /// Is the range known to be usable?
    #[inline(always)]
    pub fn holds(&self, start: u64, end: u64, writes: bool) -> bool {
        self.recent.iter().any(|s| s.start <= start && end <= s.end && (s.write || !writes))
    }

    fn add(&mut self, mapping: &Mapping) {
        self.next = (self.next + 1) % RECENT;
        if let Some(place) = self.recent.get_mut(self.next) {
            *place = Span { start: mapping.start, end: mapping.end, write: mapping.write };
        }
    }
}

/// Why a range is not usable.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no memory at this address.
    Unmapped(u64),
    /// The memory at this address, which comes from a file, may only be read.
    ReadOnly(u64, String),
}

static MAPPINGS: RwLock<Vec<Mapping>> = RwLock::new(Vec::new());

/// The time that reading the list has cost so far, so that a program whose buffers keep moving is not held up.
struct Budget {
    since: Option<Instant>,
    spent: Duration,
}

static BUDGET: Mutex<Budget> = Mutex::new(Budget { since: None, spent: Duration::ZERO });
/// Reading may take this much, and one part in [`SHARE`] of the time that has passed.
const FREE: Duration = Duration::from_millis(50);
const SHARE: u32 = 100;

/// Looks at a range that [`Cache::holds`] knows nothing of. `None` unless it is certainly not usable.
#[cold]
pub fn fault(cache: &mut Cache, start: u64, end: u64, writes: bool) -> Option<Fault> {
    {
        let mappings = MAPPINGS.read().unwrap_or_else(|e| e.into_inner());
        if find(&mappings, cache, start, end, writes).is_ok() {
            return None;
        }
    }
    // Memory that is not in the list may have come since it was read.
    if !read_again() {
        return None;
    }
    let fault = {
        let mappings = MAPPINGS.read().unwrap_or_else(|e| e.into_inner());
        find(&mappings, cache, start, end, writes).err()??
    };
    match fault {
        // Memory that was moved while the list was read may be missing in it.
        Fault::Unmapped(at) if !memory::is_certainly_unreadable(at) => None,
        // Accelerators have memory of their own, at addresses that mean nothing to the processor.
        Fault::Unmapped(_) if has_accelerator() => None,
        fault => Some(fault),
    }
}

/// Walks over the mappings that hold a range. `Err(None)`: not usable, and better left alone.
fn find(all: &[Mapping], cache: &mut Cache, start: u64, end: u64, writes: bool) -> Result<(), Option<Fault>> {
    let mut at = start;
    let mut place = all.partition_point(|m| m.end <= start);
    while at < end {
        let Some(mapping) = all.get(place).filter(|m| m.start <= at) else { return Err(Some(Fault::Unmapped(at))) };
        if mapping.device {
            return Err(None);
        }
        if !mapping.read || writes && !mapping.write {
            // A program may protect memory of its own and catch the access.
            let named = mapping.read && !mapping.path.is_empty();
            return Err(named.then(|| Fault::ReadOnly(at, mapping.path.clone())));
        }
        if mapping.start <= start && end <= mapping.end {
            cache.add(mapping);
        }
        at = mapping.end;
        place += 1;
    }
    Ok(())
}

fn read_again() -> bool {
    let mut budget = BUDGET.lock().unwrap_or_else(|e| e.into_inner());
    let now = Instant::now();
    let since = *budget.since.get_or_insert(now);
    if budget.spent > FREE + now.duration_since(since) / SHARE {
        return false;
    }
    let mut text = String::new();
    let read = std::fs::File::open("/proc/self/maps").and_then(|mut f| f.read_to_string(&mut text));
    if read.is_ok() {
        *MAPPINGS.write().unwrap_or_else(|e| e.into_inner()) = parse(&text, stack_limit());
    }
    budget.spent += now.elapsed();
    read.is_ok()
}

/// How far the stack of the first thread may still grow, in bytes.
fn stack_limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for the answer.
    match unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) } {
        0 => limit.rlim_cur,
        _ => u64::MAX,
    }
}

fn parse(text: &str, stack_limit: u64) -> Vec<Mapping> {
    let mut all: Vec<Mapping> = Vec::new();
    for Mapped { range: Range { start, end }, rights, path } in proc::mapped(text) {
        let device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/") && path != "/dev/zero"
            || path.starts_with("anon_inode:");
        let mut mapping = Mapping {
            start,
            end,
            read: rights.starts_with('r'),
            write: rights.get(1..2) == Some("w"),
            device,
            path: if path.starts_with('/') { path.to_owned() } else { String::new() },
        };
        if path == "[stack]" {
            // It grows when it is touched; below it there may be mappings all the same.
            let lowest = all.last().map_or(0, |m| m.end);
            mapping.start = end.saturating_sub(stack_limit).max(lowest).min(start);
        }
        match all.last_mut() {
            Some(last) if last.end == mapping.start && alike(last, &mapping) => last.end = mapping.end,
            _ => all.push(mapping),
        }
    }
    all
}

fn alike(a: &Mapping, b: &Mapping) -> bool {
    let rights = a.read == b.read && a.write == b.write && a.device == b.device;
    rights && (a.read && a.write || a.path == b.path)
}

/// Is the runtime library of an accelerator loaded?
fn has_accelerator() -> bool {
    const RUNTIMES: [&str; 5] = ["libcuda.so", "libcudart", "libamdhip64", "libhsa-runtime64", "libze_loader"];
    modules::loaded().iter().any(|m| RUNTIMES.iter().any(|name| m.path.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
00400000-00401000 r--p 00000000 08:01 100 /bin/program
00401000-00403000 rw-p 00001000 08:01 100 /bin/program
00403000-00405000 rw-p 00000000 00:00 0 [heap]
00600000-00601000 rw-s 00000000 00:05 7 /dev/nvidia0
7ffe00000000-7ffe00010000 rw-p 00000000 00:00 0 [stack]
";

    fn look(start: u64, end: u64, writes: bool) -> Result<(), Option<Fault>> {
        find(&parse(MAPS, 0x10_0000), &mut Cache::new(), start, end, writes)
    }

    #[test]
    fn ranges_are_looked_up() {
        assert_eq!(look(0x401800, 0x404800, true), Ok(()), "over two mappings");
        assert_eq!(look(0x400800, 0x402000, false), Ok(()), "over a border of rights");
        let read_only = Fault::ReadOnly(0x400800, "/bin/program".into());
        assert_eq!(look(0x400800, 0x402000, true), Err(Some(read_only)));
        assert_eq!(look(0x404000, 0x406000, false), Err(Some(Fault::Unmapped(0x405000))));
        assert_eq!(look(0x600000, 0x600010, true), Err(None), "memory of a device");
        assert_eq!(look(0x7ffd_fff8_0000, 0x7ffd_fff9_0000, true), Ok(()), "where the stack will grow");
        assert!(look(0x7ffd_0000_0000, 0x7ffd_0000_1000, true).is_err(), "beyond the limit of the stack");
    }

    #[test]
    fn own_memory_is_usable() {
        let (mut cache, mut value) = (Cache::new(), [0u64; 64]);
        let start = value.as_mut_ptr() as u64;
        assert_eq!(fault(&mut cache, start, start + 512, true), None);
        assert!(cache.holds(start, start + 512, true));
        assert!(!memory::is_certainly_unreadable(start) && memory::is_certainly_unreadable(16));
    }
}
