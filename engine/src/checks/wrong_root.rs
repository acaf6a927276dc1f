//! `wrong-root`: see `trace_format::catalogue::WRONG_ROOT`.

use super::{answers, grouped, said};
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering, Verdict};
use trace_format::catalogue::{CheckInfo, WRONG_ROOT};
use trace_format::mpi::Kind;
use trace_format::mpi::special::{PROC_NULL, ROOT};
use trace_format::names::{NoNames, format_int};

pub(super) static CHECK: &CheckInfo = &WRONG_ROOT;

/// Do the parts disagree about the root? On an intercommunicator one group holds the root, which says MPI_ROOT
/// while its neighbours say MPI_PROC_NULL; the other group names the root's rank (MPI 4.1 section 6.2.3).
fn is_broken(g: &Gathering, model: &Model) -> bool {
    let comm = &model.comms.list[g.comm];
    let low = comm.a.len();
    if comm.b.is_none() {
        let mut roots = g.views().filter_map(|v| v.root());
        let first = roots.next();
        return roots.any(|r| Some(r) != first);
    }
    let complete = g.parts.iter().all(Option::is_some);
    let of = |high: bool| g.views().filter(move |v| (v.position >= low) == high);
    let is_special = |root: Option<i32>| matches!(root, Some(ROOT | PROC_NULL));
    let holds = |high: bool| of(high).any(|v| is_special(v.root()));
    let fits = |with: bool, other: bool| {
        let roots: Vec<u32> = of(with).filter(|v| v.root() == Some(ROOT)).map(|v| v.position).collect();
        let pure = of(with).all(|v| is_special(v.root()));
        let first = if with { low } else { 0 };
        let named = |r: &u32| of(other).all(|v| v.root() == Some((r - first) as i32));
        pure && match roots[..] {
            [] => !complete,
            [root] => named(&root),
            _ => false,
        }
    };
    let rooted = g.views().any(|v| v.root().is_some());
    let nobody = !holds(true) && !holds(false);
    rooted && if nobody { complete } else { !fits(false, true) && !fits(true, false) }
}

pub(super) fn rule(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    if !is_broken(g, model) {
        return Verdict::Fine;
    }
    let name = |root: Option<i32>| root.map_or_else(String::new, |r| format_int(Kind::Root, i64::from(r), &NoNames));
    let says: Vec<(i32, String)> = g.views().map(|v| (v.rank, format!("root {}", name(v.root())))).collect();
    let function = g.views().next().map_or("", |v| v.call.name());
    let message = format!("the ranks name different roots in {function}: {}", answers(&says));
    let sites = grouped(model, said(g, |v| format!("names root {}", name(v.root()))));
    findings.add(model, Draft::new(CHECK, message, sites).ranks(g.views().map(|v| v.rank)));
    Verdict::Broken
}
