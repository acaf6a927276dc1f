//! The subject of a finding: the arguments of its calls that are wrong. The catalogue says for each check which kinds
//! of parameters these are; where several arguments come into question, the function's name is shown.

use crate::places::argument;
use crate::view::{FindingView, Site};
use rustc_hash::FxHashSet;
use std::ops::Range;
use trace_format::catalogue::{BUFFERS, Subject, by_name};
use trace_format::mpi::{Dir, FUNCTIONS, Function, Kind};

/// A place in the text of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Highlight {
    pub(super) span: Range<usize>,
    /// The value there, if the source does not say it.
    pub(super) label: Option<String>,
}

/// The wrong arguments in the statement of a call; `sites` are the calls there, all at one place. Empty if not even
/// the function's name is there.
pub(super) fn highlights(finding: &FindingView, sites: &[&Site]) -> Vec<Highlight> {
    let Some(statement) = sites.first().and_then(|s| s.statement.as_ref()) else { return Vec::new() };
    let text = statement.text();
    let arguments = || {
        let row = FUNCTIONS.iter().find(|f| f.name == sites[0].function)?;
        // Some of the calls there may send and others receive.
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
        let mut highlights: Vec<Highlight> = spans?.into_iter().map(|span| Highlight { span, label: None }).collect();
        if let ([highlight], [param]) = (&mut highlights[..], &params[..]) {
            // The source may say it by name: `dest=1`.
            let said = text[highlight.span.clone()].rsplit('=').next().unwrap_or_default().trim();
            highlight.label = value(row, *param, sites).filter(|v| said != *v);
        }
        Some(highlights).filter(|highlights| !highlights.is_empty())
    };
    arguments().unwrap_or_else(|| statement.name().into_iter().map(|span| Highlight { span, label: None }).collect())
}

/// The parameters that are wrong; none if that is not clear.
fn parameters(finding: &FindingView, site: &Site, row: &Function) -> Vec<usize> {
    let all = 0..row.params.len();
    let of = |kinds: &[Kind], dirs: [Dir; 2]| -> Vec<usize> {
        all.clone().filter(|p| kinds.contains(&row.params[*p].kind) && dirs.contains(&row.params[*p].dir)).collect()
    };
    let name = |p: &usize| row.params[*p].name;
    let candidates = match by_name(finding.check).map(|check| check.subject) {
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
    // Among several of a kind, the one that the message names: `dest of MPI_Sendrecv is 3`.
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

/// Leaves, in a call that sends and receives, the parameters of the half that the finding is about.
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
