//! Calls and their places in the source, as formats for machines tell them: paths from the working directory, and each
//! place once.

use crate::view::{FindingView, Frame, Site};
use engine::worlds::Names;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};
use trace_format::mpi::Function;

/// Calls that say the same at the same place.
pub(super) struct Calls<'a> {
    pub(super) site: &'a Site,
    pub(super) processes: Vec<i32>,
}

impl Calls<'_> {
    /// `ranks 0,2 in MPI_Recv(source=1): waits for rank 1`
    pub(super) fn words(&self, names: &Names) -> String {
        let Site { thread, call, function, role, .. } = self.site;
        let mut text = names.list(&self.processes);
        if *thread != 0 {
            _ = write!(text, " thread {thread}");
        }
        let call = if call.is_empty() { function } else { call };
        if !call.is_empty() {
            _ = write!(text, " in {call}");
        }
        if !role.is_empty() {
            _ = write!(text, ": {role}");
        }
        text
    }

    /// `src/halo.c:3`, seen from a directory, or what is known where there are no lines.
    pub(super) fn place(&self, directory: &Path) -> String {
        match (self.site.line, self.frame()) {
            (Some(line), _) => {
                let inside = self.site.file.as_deref().and_then(|file| relative(file, directory));
                format!("{}:{line}", inside.as_deref().unwrap_or(&self.site.short))
            }
            (None, Some(frame)) => named(frame),
            (None, None) => String::new(),
        }
    }

    /// The user's frame.
    pub(super) fn frame(&self) -> Option<&Frame> {
        self.site.stack.get(self.site.user)
    }
}

/// A frame without a source line.
pub(super) fn named(frame: &Frame) -> String {
    format!("{} ({})", frame.function.as_deref().unwrap_or("?"), frame.bare())
}

/// The value of an argument in a call as the readable notation has it, by the name of its parameter.
pub(super) fn argument<'a>(function: &Function, call: &'a str, parameter: &str) -> Option<&'a str> {
    let (_, arguments) = call.split_once('(')?;
    let start = if arguments.starts_with(&format!("{parameter}=")) {
        parameter.len() + 1
    } else {
        let marked = format!(", {parameter}=");
        arguments.find(&marked)? + marked.len()
    };
    let rest = &arguments[start..];
    // A value may hold commas of its own.
    let behind = function.params.iter().filter_map(|p| rest.find(&format!(", {}=", p.name))).min();
    let end = behind.or(rest.rfind(')')).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The calls of a finding, those with a source line first: programs show the first one.
pub(super) fn calls(finding: &FindingView) -> Vec<Calls<'_>> {
    let mut calls: Vec<Calls> = Vec::new();
    let mut known = FxHashMap::default();
    for site in &finding.sites {
        let place = (&site.file, site.line, site.stack.get(site.user).map(|f| f.offset));
        let key = (place, &site.call, &site.function, &site.role, site.thread);
        let at = *known.entry(key).or_insert_with(|| {
            calls.push(Calls { site, processes: Vec::new() });
            calls.len() - 1
        });
        calls[at].processes.push(site.process);
    }
    calls.sort_by_key(|calls| calls.site.line.is_none());
    calls
}

/// `file` from `directory`; `None` if it is not in there.
pub(super) fn relative(file: &str, directory: &Path) -> Option<String> {
    let file = plain(Path::new(file))?;
    let inside = if file.is_absolute() { file.strip_prefix(plain(directory)?).ok()? } else { &file };
    let is_there = inside.components().next().is_some() && (!file.is_absolute() || directory.is_absolute());
    is_there.then(|| inside.to_str().map(str::to_owned)).flatten()
}

/// The path without `.` and `..`; `None` if it leads out of its beginning.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match plain.components().next_back() {
                Some(Component::Normal(_)) => _ = plain.pop(),
                _ => return None,
            },
            part => plain.push(part),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::FnId;

    #[test]
    fn paths_are_told_from_the_directory() {
        let of = |file: &str| relative(file, Path::new("/home/me/app"));
        assert_eq!(of("/home/me/app/src/../a b.c").as_deref(), Some("a b.c"));
        assert_eq!(of("./src/a.c").as_deref(), Some("src/a.c"));
        assert_eq!(of("/home/melanie/app/a.c"), None);
        assert_eq!(of("/home/me/app/../b.c"), None);
        assert_eq!(of("../b.c"), None);
        assert_eq!(of("/home/me/app"), None);
        assert_eq!(relative("/a.c", Path::new("")), None);
    }

    #[test]
    fn arguments_are_found_by_their_names() {
        let row = FnId::MPI_Send.row();
        let of = |call: &'static str, name| argument(row, call, name);
        let call = "MPI_Send(buf=0x10, count=4, dest=1, tag=7, comm=c1 \"a, b) tag=3\")";
        assert_eq!((of(call, "count"), of(call, "dest")), (Some("4"), Some("1")));
        assert_eq!((of(call, "buf"), of(call, "comm")), (Some("0x10"), Some("c1 \"a, b) tag=3\"")));
        // The end of another name is none.
        assert_eq!((of("MPI_Send(subcount=4, tag=1)", "count"), of("MPI_Send", "tag")), (None, None));
    }
}
