//! The system's own account of processes (`/proc`), for all who ask for it: the process under test, the command, and the
//! reader of queues.

use std::fs;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The directory of a process.
pub fn dir(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

/// The name of this host, as traces have it; empty if the system does not tell.
pub fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").map(|name| name.trim().to_owned()).unwrap_or_default()
}

/// Fields of `/proc/PID/stat`, or of that of a thread (proc(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// The name of the program, at most 15 bytes of it.
    pub name: String,
    /// One letter: `R` runs, `S` sleeps, `Z` has ended, and so on.
    pub state: char,
    /// The process that started it, or that took it over.
    pub parent: u32,
    /// Number of its threads.
    pub threads: u32,
    /// When it started, in clock ticks since boot: it tells a process from a later one with the same number.
    pub start: u64,
    /// User and system time, in clock ticks.
    pub ticks: u64,
}

impl Stat {
    /// Reads it of a process, also of one that has ended and that nobody has waited for.
    pub fn of(pid: u32) -> Option<Stat> {
        Stat::read(&dir(pid))
    }

    /// Reads it in the directory of a process or a thread.
    pub fn read(dir: &Path) -> Option<Stat> {
        // It has some 400 bytes, and the system gives them at once.
        let mut text = [0; 2048];
        let length = fs::File::open(dir.join("stat")).ok()?.read(&mut text).ok()?;
        Stat::parse(&String::from_utf8_lossy(text.get(..length)?))
    }

    /// The name in brackets may hold anything, also blanks and brackets: the fields are counted from its end.
    fn parse(text: &str) -> Option<Stat> {
        let (head, tail) = text.rsplit_once(')')?;
        let fields: Vec<&str> = tail.split_whitespace().collect();
        // By their numbers in proc(5), which begin with 1 and count the name and what is before it.
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Stat {
            name: head.split_once('(')?.1.to_owned(),
            state: fields.first()?.chars().next()?,
            parent: u32::try_from(field(4)?).ok()?,
            threads: u32::try_from(field(20)?).ok()?,
            start: field(22)?,
            ticks: field(14)?.saturating_add(field(15)?),
        })
    }

    /// Is it over, and does only its entry remain? A first thread that ended before the others looks the same.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X') && self.threads <= 1
    }
}

/// The start of a process that lives, in clock ticks since boot.
pub fn start(pid: u32) -> Option<u64> {
    Stat::of(pid).filter(|stat| !stat.has_ended()).map(|stat| stat.start)
}

/// Does the process live that had this number and start?
pub fn lives(pid: u32, start_then: u64) -> bool {
    start(pid) == Some(start_then)
}

/// How far a process is on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leaving {
    /// It runs, and nobody has told it to end.
    No,
    /// A signal is on its way that ends processes.
    Told,
    /// Its files are closed, which others may have seen, or it is over.
    Closed,
}

/// How far the process is on its way out.
pub fn leaving(pid: u32) -> Leaving {
    fs::read_to_string(dir(pid).join("status")).map_or(Leaving::Closed, |status| leaving_by(&status))
}

fn leaving_by(status: &str) -> Leaving {
    // By their numbers on every architecture of Linux: hang-up, interrupt, quit, kill, terminate.
    const ENDING: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 14;
    let fields = status.lines().filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim()));
    let of_field = |(name, value): (&str, &str)| match name {
        "State" if value.starts_with(['Z', 'X']) => Leaving::Closed,
        // The system closes the files of a process before it says that it is over.
        "FDSize" if value == "0" => Leaving::Closed,
        "SigPnd" | "ShdPnd" if u64::from_str_radix(value, 16).is_ok_and(|all| all & ENDING != 0) => Leaving::Told,
        _ => Leaving::No,
    };
    fields.map(of_field).max().unwrap_or(Leaving::No)
}

/// The variables that a process was started with: `NAME=VALUE` and a zero byte each. Empty if they may not be read.
pub fn environment(pid: u32) -> Vec<u8> {
    fs::read(dir(pid).join("environ")).unwrap_or_default()
}

/// The value of a variable in such a block.
pub fn variable<'a>(environment: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let value = |entry: &'a [u8]| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=");
    environment.split(|b| *b == 0).find_map(value)
}

/// The words of the command that a process executes; none if they may not be read.
pub fn command_line(pid: u32) -> Vec<String> {
    let line = fs::read(dir(pid).join("cmdline")).unwrap_or_default();
    let Some(words) = line.strip_suffix(&[0]) else { return Vec::new() };
    words.split(|b| *b == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// A line of `/proc/PID/maps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped<'a> {
    /// Its addresses.
    pub range: Range<u64>,
    /// Four letters: `rwxp`, or `-` in the place of what may not be done; `s` if it is shared.
    pub rights: &'a str,
    /// The file, or the system's name for memory that has none; empty without either. A name may have blanks.
    pub path: &'a str,
}

/// The lines of `/proc/PID/maps`, by rising addresses.
pub fn mapped(maps: &str) -> impl Iterator<Item = Mapped<'_>> {
    maps.lines().filter_map(|line| {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        let rights = fields.next()?;
        Some(Mapped { range: number(start)?..number(end)?, rights, path: fields.nth(3).unwrap_or("").trim_start() })
    })
}

/// The memory of this process, in the form that [`mapped`] takes; empty if the system does not tell.
pub fn own_maps() -> String {
    fs::read_to_string("/proc/self/maps").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(state: &str, threads: u32) -> String {
        format!("42 (a ) b) {state} 7 42 42 0 -1 4194304 1 0 0 0 30 12 0 0 20 0 {threads} 0 777 1 1")
    }

    #[test]
    fn the_name_may_hold_anything() {
        let stat = Stat::parse(&line("S", 1)).unwrap();
        assert_eq!((stat.name.as_str(), stat.state, stat.parent, stat.start, stat.ticks), ("a ) b", 'S', 7, 777, 42));
        assert_eq!(Stat::parse("42 (x) S"), None);
        assert_eq!(Stat::parse("42 (a"), None);
    }

    #[test]
    fn what_nobody_has_waited_for_has_ended() {
        let has_ended = |state, threads| Stat::parse(&line(state, threads)).unwrap().has_ended();
        assert!(has_ended("Z", 1) && has_ended("X", 0));
        assert!(!has_ended("S", 1) && !has_ended("Z", 3));
    }

    #[test]
    fn a_process_that_is_told_to_end_is_known() {
        let running = "State:\tR (running)\nFDSize:\t64\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000010000\n";
        assert_eq!(leaving_by(&format!("{running}SigBlk:\tffffffffffffffff")), Leaving::No);
        assert_eq!(leaving_by(&running.replace("SigPnd:\t00000000000000", "SigPnd:\t00000000000001")), Leaving::Told);
        assert_eq!(leaving_by(&running.replace("ShdPnd:\t000000000001", "ShdPnd:\t000000000000")), Leaving::No);
        assert_eq!(leaving_by("State:\tS (sleeping)\nShdPnd:\t0000000000004000\n"), Leaving::Told);
        assert_eq!(leaving_by("State:\tZ (zombie)\nSigPnd:\t0000000000000100\n"), Leaving::Closed);
        // It still runs in the system, which gives back its memory.
        assert_eq!(leaving_by(&running.replace("FDSize:\t64", "FDSize:\t0")), Leaving::Closed);
        assert_eq!((leaving(std::process::id()), leaving(u32::MAX)), (Leaving::No, Leaving::Closed));
    }

    #[test]
    fn this_process_is_found() {
        let (me, own) = (std::process::id(), start(std::process::id()).unwrap());
        assert!(lives(me, own) && !lives(me, own + 1));
        assert!(!command_line(me).is_empty());
        assert_eq!(variable(b"AB=1\0A=x=y\0", "A"), Some(&b"x=y"[..]));
        assert_eq!(variable(&environment(me), "NO SUCH VARIABLE"), None);
    }

    #[test]
    fn mappings_have_addresses_rights_and_paths() {
        let text = "55d0-55e0 r-xp 0000 fd:00 12    /a b/c\n7f00-7f10 rw-p 0000 00:00 0 \nbad\n7fff-8000 rw-p 0 0:0 0  [stack]\n";
        let all: Vec<_> = mapped(text).map(|m| (m.range.start, m.rights, m.path)).collect();
        assert_eq!(all, [(0x55d0, "r-xp", "/a b/c"), (0x7f00, "rw-p", ""), (0x7fff, "rw-p", "[stack]")]);
        let here = &raw const text as u64;
        assert!(mapped(&own_maps()).any(|m| m.range.contains(&here)));
    }
}
