//! What a finding is about: which arguments of its calls are wrong. The table says it for each check, by the kinds of
//! parameters in the table of functions; where several arguments come into question, the function's name is shown.

use super::places::argument;
use super::view::{FindingView, Site};
use rustc_hash::FxHashSet;
use std::ops::Range;
use trace_format::mpi::{Dir, FUNCTIONS, Function, Kind};

/// What is wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// That it is called at all: at this place, in this order, with those of other ranks.
    Function,
    /// What it is given.
    Input(&'static [Kind]),
    /// What it makes.
    Output(&'static [Kind]),
    /// The object that it frees.
    Freed,
    /// The argument that the message names.
    Named,
}

/// A place in the text of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) span: Range<usize>,
    /// The value there, if the source does not say it.
    pub(super) label: Option<String>,
}

const BUFFERS: &[Kind] = &[Kind::SendBuf, Kind::RecvBuf, Kind::Buf];
const COUNTS: &[Kind] = &[Kind::Count, Kind::LargeCount];

macro_rules! subjects {
    ($( $subject:expr => $( $name:literal ),+ ; )*) => {
        fn subject(check: &str) -> Option<Subject> {
            #[allow(unused_imports)]
            use Subject::*;
            match check {
                $( $( $name )|+ => Some($subject), )*
                _ => None,
            }
        }
    };
}

subjects! {
    Function =>
        "abend", "abort", "incomplete-call", "mpi-error", "missing-finalize", "finalize-misuse", "call-outside-mpi",
        "thread-level", "concurrent-misuse", "early-exit-others-wait", "grequest-misuse", "buffered-send-space", "leak-bsend-buffer",
        "leak-session", "leak-port", "leak-growth", "message-race", "incomplete-gop", "unfinished-gop",
        "collective-mismatch", "collective-blocking-mix", "collective-overlap", "comm-free-mismatch", "real-deadlock",
        "potential-deadlock", "real-hang-up", "potential-hang-up", "no-progress", "watched-data-changed",
        "collective-argument-mismatch";
    Freed => "double-free";
    Named => "invalid-topology", "invalid-argument", "use-after-free", "in-place-misuse";
    Input(BUFFERS) =>
        "overlapping", "overlapping-sendrecv", "send-checksum", "null-buffer", "inaccessible-buffer", "aliased-buffers",
        "datatype-alignment", "recv-checksum", "collective-recv-checksum";
    Input(&[Kind::Datatype]) =>
        "invalid-datatype", "uncommitted-datatype", "wrong-data-type", "collective-data-type";
    Input(COUNTS) =>
        "invalid-count", "incorrect-send-size", "wrong-send-size", "incorrect-recv-size", "wrong-recv-size";
    Input(&[Kind::Rank]) => "invalid-rank";
    Input(&[Kind::Tag]) => "invalid-tag", "tag-portability";
    Input(&[Kind::Rank, Kind::Tag]) => "nonpaired-send", "nonpaired-recv", "probe-receive-race";
    Input(&[Kind::Root]) => "invalid-root", "wrong-root";
    Input(&[Kind::Op]) => "invalid-op", "diff-reductions";
    Input(&[Kind::Comm]) => "invalid-comm";
    Input(&[Kind::Group]) => "invalid-group";
    Input(&[Kind::Win]) => "invalid-window";
    Input(&[Kind::File]) => "invalid-file";
    Input(&[Kind::Info]) => "invalid-info";
    Input(&[Kind::Request]) =>
        "invalid-request", "request-misuse", "nonpersistent-request-free", "wrong-request-free", "request-cancel";
    Output(&[Kind::Request]) => "unfinished-send", "unfinished-recv", "nonfreed-request";
    Output(&[Kind::Comm]) => "leak-communicator";
    Output(&[Kind::Datatype]) => "leak-datatype";
    Output(&[Kind::Group]) => "leak-group";
    Output(&[Kind::Op]) => "leak-op";
    Output(&[Kind::Win]) => "leak-window";
    Output(&[Kind::File]) => "leak-file";
    Output(&[Kind::Errhandler]) => "leak-errhandler";
    Output(&[Kind::Keyval]) => "leak-keyval";
    Output(&[Kind::Info]) => "leak-info";
    Output(&[Kind::Message]) => "leak-message";
}

/// What is wrong in the statement of a call; `sites` are the calls there, all at one place. Nothing if the function's name
/// is not even there.
pub(super) fn marks(finding: &FindingView, sites: &[&Site]) -> Vec<Mark> {
    let Some(statement) = sites.first().and_then(|s| s.statement.as_ref()) else { return Vec::new() };
    let text = statement.text();
    let arguments = || {
        let row = FUNCTIONS.iter().find(|f| f.name == sites[0].function)?;
        // One half of the calls there may send and the other receive.
        let mut params: Vec<usize> = Vec::new();
        let mut roles: FxHashSet<&str> = FxHashSet::default();
        for site in sites {
            if site.function == row.name && roles.insert(&site.role) {
                params.extend(parameters(finding, site, row));
            }
        }
        params.sort_unstable();
        params.dedup();
        let spans: Option<Vec<Range<usize>>> = params.iter().map(|p| statement.argument(*p)).collect();
        let mut marks: Vec<Mark> = spans?.into_iter().map(|span| Mark { span, label: None }).collect();
        if let ([mark], [param]) = (&mut marks[..], &params[..]) {
            // The source may say it by name: `dest=1`.
            let said = text[mark.span.clone()].rsplit('=').next().unwrap_or_default().trim();
            mark.label = value(row, *param, sites).filter(|v| said != *v);
        }
        Some(marks).filter(|marks| !marks.is_empty())
    };
    arguments().unwrap_or_else(|| statement.name().into_iter().map(|span| Mark { span, label: None }).collect())
}

/// The parameters that are wrong; none if that is not clear.
fn parameters(finding: &FindingView, site: &Site, row: &Function) -> Vec<usize> {
    let all = 0..row.params.len();
    let of = |kinds: &[Kind], dirs: [Dir; 2]| -> Vec<usize> {
        all.clone().filter(|p| kinds.contains(&row.params[*p].kind) && dirs.contains(&row.params[*p].dir)).collect()
    };
    let name = |p: &usize| row.params[*p].name;
    let candidates = match subject(finding.check) {
        None | Some(Subject::Function) => return Vec::new(),
        Some(Subject::Freed) => {
            let is_freed = |p: &usize| row.params[*p].dir == Dir::InOut && row.params[*p].kind.is_handle();
            return all.filter(is_freed).collect();
        }
        // `comm of MPI_Comm_size is a communicator that was already freed`
        Some(Subject::Named) => {
            let whose = format!(" of {} ", row.name);
            let before = finding.message.split_once(&whose).map_or("", |(before, _)| before);
            let what = before.rsplit(": ").next().unwrap_or_default();
            return all.filter(|p| words(what).any(|word| word == name(p))).collect();
        }
        // A receive buffer is an output, but its address is given.
        Some(Subject::Input(BUFFERS)) => [of(BUFFERS, [Dir::In, Dir::Out]), of(BUFFERS, [Dir::InOut; 2])].concat(),
        Some(Subject::Input(kinds)) => of(kinds, [Dir::In, Dir::InOut]),
        Some(Subject::Output(kinds)) => of(kinds, [Dir::Out, Dir::InOut]),
    };
    let candidates = of_half(candidates, site, row);
    let of_kind = |kind| candidates.iter().copied().filter(move |p| row.params[*p].kind == kind);
    // Of several of a kind that which the message names: `dest of MPI_Sendrecv is 3`.
    let is_named = |p: &usize| words(&finding.message).any(|word| word == name(p));
    let chosen = |p: &usize| {
        let kind = row.params[*p].kind;
        let named: Vec<usize> = of_kind(kind).filter(is_named).collect();
        of_kind(kind).count() == 1 || named == [*p]
    };
    let kinds_left_out = |kind| !of_kind(kind).any(|p| chosen(&p));
    if candidates.iter().any(|p| kinds_left_out(row.params[*p].kind)) {
        return Vec::new();
    }
    candidates.iter().copied().filter(chosen).collect()
}

/// Of a call that sends and receives those parameters that belong to what the finding says it did.
fn of_half(candidates: Vec<usize>, site: &Site, row: &Function) -> Vec<usize> {
    let place = |kind| row.params.iter().position(|p| p.kind == kind);
    let (Some(send), Some(recv)) = (place(Kind::SendBuf), place(Kind::RecvBuf)) else { return candidates };
    let says = |what: &[&str]| what.iter().any(|word| site.role.contains(word));
    let (sends, receives) = (says(&["send"]), says(&["receive", "expect"]));
    match sends != receives {
        true if send < recv => candidates.into_iter().filter(|p| (*p < recv) == sends).collect(),
        _ => candidates,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}

/// The value of an argument as the calls have it, if it is the same in all and says something to people.
fn value(row: &Function, param: usize, sites: &[&Site]) -> Option<String> {
    let of = |site: &Site| argument(row, &site.call, row.params[param].name).map(str::to_owned);
    let first = of(sites[0])?;
    let speaks = first.starts_with("MPI_") || first.parse::<i64>().is_ok();
    (speaks && sites.iter().all(|s| of(s).as_ref() == Some(&first))).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::catalogue::CHECKS;

    #[test]
    fn every_check_has_a_subject() {
        for check in CHECKS {
            assert!(subject(check.name).is_some(), "{} is not in the table", check.name);
        }
    }
}
