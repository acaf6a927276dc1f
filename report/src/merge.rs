//! One mistake, one finding: findings of a check whose calls are at the same lines of the program are merged, whatever
//! the callers of the functions with these lines. The first is shown in full, the others are further call paths to it
//! ([`Path`]). Two calls of one line by the same callers stay two.

use crate::symbols::{Symbols, is_user};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::finding::{CallRef, Finding, Path, Severity};
use trace_format::location::Location;

/// Limit of call paths that are kept of a finding.
const MAX_PATHS: usize = 1000;

/// The place of a call: the innermost frame that is not of MPI or its bindings, by its line if that is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum CallPlace {
    Line(String, u32),
    Address(String, u64),
    /// Only its number is known: it equals no other.
    Site(Id, u64),
}

/// Is the frame neither of MPI nor of its bindings?
fn is_program(frame: &Location) -> bool {
    is_user(frame) && !frame.module.is_empty()
}

impl CallPlace {
    fn of(frames: &[Location], call: &CallRef) -> CallPlace {
        let known = frames.iter().find(|f| is_program(f));
        match known {
            Some(f) if !f.file.is_empty() && f.line > 0 => CallPlace::Line(f.file.clone(), f.line),
            Some(f) => CallPlace::Address(f.module.clone(), f.offset),
            None => CallPlace::Site(call.site, call.pc),
        }
    }
}

/// The key of a finding, which merged findings share: places, and functions called there.
type Places = Vec<(Rc<CallPlace>, String)>;
/// The lines of whole call stacks.
type CallPath = Vec<Rc<[Line]>>;
type Line = (String, String, u32, u64);

/// The instruction of each call.
type Instructions = Vec<Rc<(String, u64)>>;

/// A call site with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ResolvedSite {
    place: Rc<CallPlace>,
    path: Rc<[Line]>,
    instruction: Rc<(String, u64)>,
}

/// A finding that others are folded into.
#[derive(Default)]
struct Group {
    /// Its place among the findings.
    at: usize,
    paths: FxHashMap<CallPath, (usize, Instructions)>,
}

impl Group {
    /// The number of the call path; `None`: that path leads to another call of the same lines.
    fn path(&mut self, path: &CallPath, instructions: &Instructions) -> Option<usize> {
        let next = self.paths.len();
        let (number, known) = self.paths.entry(path.clone()).or_insert_with(|| (next, instructions.clone()));
        (known == instructions).then_some(*number)
    }
}

struct Folding<'a> {
    symbols: &'a mut Symbols,
    known: FxHashMap<(i32, Id, u64), ResolvedSite>,
}

impl Folding<'_> {
    fn known(&mut self, call: &CallRef) -> ResolvedSite {
        let Folding { symbols, known } = self;
        let entry = known.entry((call.rank, call.site, call.pc));
        let known = entry.or_insert_with(|| {
            let frames = symbols.frames(call.rank, call.site, call.pc);
            let line = |f: &Location| {
                // The address counts only where the line is unknown.
                let offset = if f.line > 0 { 0 } else { f.offset };
                (f.module.clone(), f.file.clone(), f.line, offset)
            };
            // The instructions of one line that access memory are one mistake; two calls on one line are two.
            let is_call = !call.function.is_empty() || call.pc != 0;
            let innermost = frames.iter().find(|f| is_call && is_program(f));
            let instruction = innermost.map(|f| (f.module.clone(), f.offset)).unwrap_or_default();
            let (place, path) = (CallPlace::of(&frames, call), frames.iter().map(line).collect());
            ResolvedSite { place: Rc::new(place), path, instruction: Rc::new(instruction) }
        });
        known.clone()
    }

    /// The places of a finding, its call path and its instructions. Two calls keep their order: one sends and the other
    /// receives. More calls are those of several ranks, and are sorted.
    fn places(&mut self, finding: &Finding) -> (Places, CallPath, Instructions) {
        let mut all: Vec<(ResolvedSite, &str)> =
            finding.calls.iter().map(|call| (self.known(call), call.function.as_str())).collect();
        let are_many = all.len() > 2;
        if are_many {
            all.sort_by_cached_key(|entry| format!("{entry:?}"));
            all.dedup();
        }
        let path = all.iter().map(|(known, _)| Rc::clone(&known.path)).collect();
        let instructions = all.iter().map(|(known, _)| Rc::clone(&known.instruction)).collect();
        let mut places: Places = all.into_iter().map(|(known, function)| (known.place, function.to_owned())).collect();
        if are_many {
            places.dedup();
        }
        (places, path, instructions)
    }
}

/// See the module. The findings are in the order of the report: the first of several that are alike stands for all.
pub fn merge(findings: Vec<Finding>, symbols: &mut Symbols) -> Vec<Finding> {
    let mut folding = Folding { symbols, known: FxHashMap::default() };
    let mut groups: FxHashMap<(&'static str, Severity, Places), Vec<Group>> = FxHashMap::default();
    let mut all: Vec<Finding> = Vec::new();
    for finding in findings {
        if finding.calls.is_empty() {
            all.push(finding);
            continue;
        }
        let (places, path, instructions) = folding.places(&finding);
        let alike = groups.entry((finding.check.code, finding.severity, places)).or_default();
        let known = alike.iter_mut().find_map(|first| Some((first.at, first.path(&path, &instructions)?)));
        match known.and_then(|(at, which)| Some((all.get_mut(at)?, which))) {
            Some((first, which)) => join(first, finding, which),
            None => {
                let mut first = Group { at: all.len(), ..Group::default() };
                first.path(&path, &instructions);
                alike.push(first);
                all.push(finding);
            }
        }
    }
    all
}

/// Adds a finding to one that is like it; `which`: the number of its call path, 0 for the path of the first finding.
fn join(first: &mut Finding, other: Finding, which: usize) {
    first.count = first.count.saturating_add(other.count);
    unite(&mut first.ranks, &other.ranks);
    match which {
        0 => {}
        known if known <= first.paths.len() => {
            let path = &mut first.paths[known - 1];
            path.count = path.count.saturating_add(other.count);
            unite(&mut path.ranks, &other.ranks);
        }
        _ if first.paths.len() < MAX_PATHS => {
            let Finding { message, ranks, calls, count, .. } = other;
            first.paths.push(Path { message, ranks, calls, count });
        }
        new => {
            let (paths, times) = &mut first.more_paths;
            *paths = (*paths).max((new - MAX_PATHS) as u64);
            *times = times.saturating_add(other.count);
        }
    }
}

fn unite(ranks: &mut Vec<i32>, others: &[i32]) {
    ranks.extend_from_slice(others);
    ranks.sort_unstable();
    ranks.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::outside;
    use trace_format::catalogue::{INVALID_RANK, INVALID_TAG, WRONG_RECV_SIZE};

    fn frame(function: &str, line: u32) -> Location {
        let (module, file) = ("/home/me/app".to_owned(), "a.c".to_owned());
        Location { module, file, line, function: function.into(), offset: u64::from(line) * 16 }
    }

    fn call(site: Id, function: &str) -> CallRef {
        CallRef { site, event: 1, function: function.into(), ..outside(0, 0, "") }
    }

    /// Stacks of a wrapper that is called from lines 20 and 21, of which 21 is two instructions, and of another line
    /// of it.
    fn symbols() -> Symbols {
        let mut symbols = Symbols::default();
        let other_copy = |line| Location { offset: 7, ..frame("main", line) };
        let binding = Location { module: "/usr/lib/libmpi_mpifh.so.40".into(), ..frame("mpi_send_", 1) };
        symbols.set_frames(0, 1, vec![binding, frame("send", 5), frame("main", 20)]);
        symbols.set_frames(0, 2, vec![frame("send", 5), frame("main", 21)]);
        symbols.set_frames(0, 3, vec![frame("send", 5), other_copy(21)]);
        symbols.set_frames(0, 4, vec![frame("send", 6), frame("main", 20)]);
        let bare = |offset| Location { line: 0, file: String::new(), offset, ..frame("", 0) };
        symbols.set_frames(0, 5, vec![bare(0x10), bare(0x90)]);
        symbols.set_frames(0, 6, vec![bare(0x10), bare(0xa0)]);
        symbols.set_frames(0, 7, vec![bare(0x18), bare(0xa0)]);
        symbols
    }

    fn told(findings: Vec<Finding>) -> Vec<(u64, Vec<u64>)> {
        let all = merge(findings, &mut symbols());
        all.iter().map(|f| (f.count, f.paths.iter().map(|p| p.count).collect())).collect()
    }

    #[test]
    fn other_callers_of_a_line_are_other_ways_to_one_finding() {
        let at = |site| Finding::new(&INVALID_RANK, format!("{site}"), vec![call(site, "MPI_Send")]);
        assert_eq!(told(vec![at(1), at(2), at(3), at(4)]), [(3, vec![2]), (1, vec![])]);
        // Without lines the address is the place.
        assert_eq!(told(vec![at(5), at(6), at(7)]), [(2, vec![1]), (1, vec![])]);
        // The sites are unknown.
        assert_eq!(told(vec![at(98), at(99)]), [(1, vec![]), (1, vec![])]);
    }

    #[test]
    fn two_calls_of_a_line_are_two() {
        let mut symbols = Symbols::default();
        let second = |line| Location { offset: 0x999, ..frame("send", line) };
        symbols.set_frames(0, 1, vec![frame("send", 5), frame("main", 20)]);
        symbols.set_frames(0, 2, vec![second(5), frame("main", 20)]);
        symbols.set_frames(0, 3, vec![frame("send", 5), frame("main", 21)]);
        symbols.set_frames(0, 4, vec![second(5), frame("main", 21)]);
        let at = |site| Finding::new(&INVALID_RANK, "", vec![call(site, "MPI_Send")]);
        let all = merge([1, 2, 3, 4].map(at).to_vec(), &mut symbols);
        assert_eq!(all.iter().map(|f| (f.count, f.paths.len())).collect::<Vec<_>>(), [(2, 1), (2, 1)]);
    }

    #[test]
    fn another_check_severity_function_or_order_is_another_mistake() {
        let of = |check, function| Finding::new(check, "", vec![call(1, function)]);
        let note = Finding { severity: Severity::Note, ..of(&INVALID_RANK, "MPI_Send") };
        let all = [of(&INVALID_RANK, "MPI_Send"), of(&INVALID_TAG, "MPI_Send"), of(&INVALID_RANK, "MPI_Recv"), note];
        assert_eq!(told(all.into()).len(), 4);
        let pair = |a, b| Finding::new(&WRONG_RECV_SIZE, "", vec![call(a, "MPI_Sendrecv"), call(b, "MPI_Sendrecv")]);
        assert_eq!(told(vec![pair(1, 4), pair(4, 1), pair(2, 4)]), [(2, vec![1]), (1, vec![])]);
        let three = |a, b, c| Finding::new(&INVALID_RANK, "", [a, b, c].map(|s| call(s, "MPI_Bcast")).to_vec());
        assert_eq!(told(vec![three(1, 4, 4), three(4, 1, 1), three(4, 4, 2)]), [(3, vec![1])]);
    }

    #[test]
    fn what_nobody_reads_is_counted() {
        let mut symbols = Symbols::default();
        let of = |i: Id| Finding::new(&INVALID_RANK, "", vec![call(i, "MPI_Send")]);
        (1..=1500).for_each(|i| symbols.set_frames(0, i, vec![frame("send", 5), frame("main", i)]));
        let all = merge((1..=1500).chain(1400..=1500).map(of).collect(), &mut symbols);
        assert_eq!((all.len(), all[0].count, all[0].paths.len()), (1, 1601, MAX_PATHS));
        assert_eq!(all[0].more_paths, (499, 600));
    }
}
