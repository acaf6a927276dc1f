//! A discovery, what a process finds by itself, on its way to the terminal. What several processes of a job find at the same
//! place is printed once: the first makes an empty file in the directory `discoveries` of the trace, which only one can. It
//! prints it by itself, or leaves it there for the process that follows the job: that one looks up the source lines, once for
//! all ranks. On another node that has a directory of its own, another process is the first; so it is where no file can be made.

use crate::definition::Module;
use crate::file::checksum;
use crate::location::Location;
use crate::settings::columns::lines;
use crate::{codec, owner_only, untrusted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

const DIRECTORY: &str = "discoveries";
/// The end of the name of a discovery that was left for others.
const LEFT: &str = "left";
/// No discovery is larger.
const MAX_BYTES: u64 = 1 << 20;

/// The process that follows a job, `PID.START@HOST`: what `MPIVET_RUN` says.
pub const FOLLOWER: &str = "MPIVET_RUN";

/// A discovery of one process, with all that is needed to print it elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Discovery {
    /// The processes of a job have it in common, and no job before it had it.
    pub job: u64,
    /// Time of the discovery, in nanoseconds since 1970.
    pub unix_ns: u64,
    /// `rank 3`, or `process 77` as long as it has no rank.
    pub who: String,
    /// The line that it begins with.
    pub title: String,
    /// Its subject where no place is known: the check and the part of the message that all ranks have in common.
    pub subject: String,
    /// Calls that it names, the one that was being made first.
    pub places: Vec<Place>,
    /// Further lines, printed behind the places.
    pub notes: Vec<String>,
    /// The line that an interpreter is at: the place of what has no source itself.
    pub interpreted: Option<Location>,
    /// Where names of files begin.
    pub cwd: PathBuf,
}

/// A call that a discovery names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Innermost first.
    pub stack: Vec<Frame>,
    /// Its role in the discovery; empty: there is no other.
    pub role: String,
}

/// An instruction, wherever the module lies in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// Path of the executable or library; empty: the address is in none.
    pub module: String,
    /// GNU build-id of the module; empty if it has none.
    pub build_id: Vec<u8>,
    /// As the module's file has it.
    pub offset: u64,
}

impl Frame {
    /// The instruction at `address`, in the module that holds it.
    pub fn at(module: Option<&Module>, address: u64) -> Frame {
        match module {
            Some(m) => {
                Frame { module: m.path.clone(), build_id: m.build_id.clone(), offset: address.wrapping_sub(m.bias) }
            }
            None => Frame { offset: address, ..Frame::default() },
        }
    }

    /// The place as it is known without debug information.
    pub fn bare(&self) -> Location {
        Location { module: self.module.clone(), offset: self.offset, ..Location::default() }
    }
}

/// A place of a discovery as users see it, with the text of the line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The place by function and line.
    pub place: Location,
    /// Text of the source line; `None` if the source is not there.
    pub text: Option<String>,
}

impl Discovery {
    /// A number of its subject, by the stacks of its places: it is known before any source is looked up.
    pub fn by_stacks(&self) -> u64 {
        let stacks: Vec<&[Frame]> = self.places.iter().map(|place| &place.stack[..]).collect();
        let about = if stacks.iter().all(|stack| stack.is_empty()) { &self.subject } else { self.check() };
        number(&(0u8, self.job, about, stacks, &self.interpreted))
    }

    /// A number of its subject, by the lines that are shown: several callers lead to one.
    pub fn by_lines(&self, shown: &[Option<Shown>]) -> u64 {
        let places: Vec<String> = shown.iter().flatten().map(|shown| shown.place.to_string()).collect();
        let about = if places.is_empty() { &self.subject } else { self.check() };
        number(&(1u8, self.job, about, places))
    }

    fn check(&self) -> &str {
        self.subject.split(' ').next().unwrap_or_default()
    }

    /// The text to print, in lines that fit `columns`.
    pub fn text(&self, shown: &[Option<Shown>], columns: Option<usize>) -> String {
        let who = format!("mpivet: {}: ", self.who);
        let mut text = lines(&who, &self.title, columns);
        let mut say = |what: String| text.push_str(&lines(&who, &what, columns));
        for (place, shown) in self.places.iter().zip(shown) {
            let Some(Shown { place: at, text }) = shown else { continue };
            say(if place.role.is_empty() { format!("  at {at}") } else { format!("  at {at} ({})", place.role) });
            text.iter().for_each(|line| say(format!("  | {line}")));
        }
        self.notes.iter().for_each(|note| say(format!("  = {note}")));
        text
    }

    /// The line in the place of the first that is too many.
    pub fn no_more(&self, most: u64) -> String {
        format!("{}: further findings are only in the report; --max-findings {most}", self.who)
    }

    /// Leaves it for the process that follows the job, whole or not at all. `limit`: the largest file that this process may
    /// write, beyond which the system would end it.
    pub fn leave(&self, dir: &Path, limit: u64) -> io::Result<()> {
        let mut bytes = Vec::new();
        codec::append(self, &mut bytes).map_err(io::Error::other)?;
        if bytes.len() as u64 > limit.min(MAX_BYTES) {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let place = claim(dir, self.by_stacks());
        let new = place.with_extension("new");
        owner_only::write(&new, &bytes)?;
        std::fs::rename(&new, place.with_extension(LEFT))
    }
}

fn number(about: &impl Serialize) -> u64 {
    let mut bytes = Vec::new();
    // A discovery that cannot be encoded is longer than anybody reads.
    _ = codec::append(about, &mut bytes);
    checksum(&bytes)
}

fn claim(dir: &Path, number: u64) -> PathBuf {
    dir.join(DIRECTORY).join(format!("{number:016x}"))
}

/// Is this process the first one that asks this?
pub fn is_first(dir: &Path, number: u64) -> bool {
    let path = claim(dir, number);
    let make = || owner_only::create_new(&path, OpenOptions::new().write(true));
    let made = match make() {
        Err(e) if e.kind() == ErrorKind::NotFound => owner_only::make_dir(&dir.join(DIRECTORY)).and_then(|()| make()),
        made => made,
    };
    !made.is_err_and(|e| e.kind() == ErrorKind::AlreadyExists)
}

/// Discoveries that processes of a running job leave in the directory of its trace.
pub struct Left {
    dir: PathBuf,
    seen: BTreeSet<OsString>,
}

impl Left {
    /// Begins with all discoveries in `dir`, the directory of a trace, unseen.
    pub fn new(dir: &Path) -> Left {
        Left { dir: dir.join(DIRECTORY), seen: BTreeSet::new() }
    }

    /// The discoveries that were left since the last time, in the order of time.
    pub fn news(&mut self) -> Vec<Discovery> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut news = Vec::new();
        for entry in entries {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == LEFT) && self.seen.insert(entry.file_name()) {
                let bytes = untrusted::read(&path, MAX_BYTES).unwrap_or_default();
                news.extend(codec::take::<Discovery>(&mut &bytes[..]).and_then(Result::ok));
            }
        }
        news.sort_by_key(|discovery| discovery.unix_ns);
        news
    }
}

/// Removes the discoveries of a job that is over: nobody misses them, nor are they in anybody's way if they stay.
pub fn remove(dir: &Path) {
    _ = std::fs::remove_dir_all(dir.join(DIRECTORY));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discovery(offset: u64, message: &str) -> Discovery {
        let frame = Frame { module: "/bin/a".into(), build_id: vec![1], offset };
        Discovery {
            who: "rank 1".into(),
            title: format!("error[MV104] overlapping: {message}"),
            subject: format!("MV104 {message}"),
            places: vec![Place { stack: vec![frame], role: String::new() }],
            ..Discovery::default()
        }
    }

    #[test]
    fn the_first_one_says_it_and_who_follows_reads_it_once() {
        let dir = std::env::temp_dir().join(format!("mpivet-discovery-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&dir);
        let (one, other) = (discovery(7, "byte 0"), discovery(8, "byte 0"));
        let mut left = Left::new(&dir);
        assert!(left.news().is_empty());
        // Ranks differ in their messages.
        assert!(is_first(&dir, one.by_stacks()) && !is_first(&dir, discovery(7, "byte 9").by_stacks()));
        assert!(is_first(&dir, other.by_stacks()));
        assert!(one.leave(&dir, 10).is_err() && left.news().is_empty());
        one.leave(&dir, u64::MAX).unwrap();
        assert_eq!(left.news(), std::slice::from_ref(&one));
        assert!(left.news().is_empty());
        // Two ways to one line.
        let shown =
            [Some(Shown { place: Location { file: "a.c".into(), line: 3, ..Location::default() }, text: None })];
        assert!(is_first(&dir, one.by_lines(&shown)) && !is_first(&dir, other.by_lines(&shown)));
        // A later job in the same directory.
        assert!(is_first(&dir, Discovery { job: 5, ..one.clone() }.by_stacks()));
        remove(&dir);
        assert!(is_first(&dir, one.by_stacks()));
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(is_first(Path::new("/proc/nobody"), 1) && is_first(Path::new("/proc/nobody"), 1));
    }

    #[test]
    fn without_a_place_the_message_tells_what_is_the_same() {
        let bare = |message: &str| Discovery { places: Vec::new(), ..discovery(0, message) };
        assert_eq!(bare("a").by_stacks(), bare("a").by_stacks());
        assert_ne!(bare("a").by_stacks(), bare("b").by_stacks());
        assert_ne!(bare("a").by_lines(&[]), bare("b").by_lines(&[None]));
    }

    #[test]
    fn its_lines_name_the_rank_each() {
        let place = Location { function: "main".into(), file: "a.c".into(), line: 3, ..Location::default() };
        let mut told = discovery(7, "byte 0");
        told.notes.push("in the region x".into());
        told.places[0].role = "writes".into();
        let text = told.text(&[Some(Shown { place, text: Some("f();".into()) })], None);
        let expected = "\
            mpivet: rank 1: error[MV104] overlapping: byte 0\n\
            mpivet: rank 1:   at main (a.c:3) (writes)\n\
            mpivet: rank 1:   | f();\n\
            mpivet: rank 1:   = in the region x\n";
        assert_eq!(text, expected);
        let short = told.text(&[Some(Shown { place: told.places[0].stack[0].bare(), text: None })], None);
        assert!(short.contains("mpivet: rank 1:   at ? (a+0x7) (writes)\n"), "{short}");
    }
}
