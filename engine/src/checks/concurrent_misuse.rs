//! `concurrent-misuse`: see `trace_format::catalogue::CONCURRENT_MISUSE`.

use crate::model::Model;
use crate::state::{Draft, Findings, Misuse, Misused, Site};
use trace_format::catalogue::{CONCURRENT_MISUSE, CheckInfo};

pub(super) static CHECK: &CheckInfo = &CONCURRENT_MISUSE;

pub(super) fn rule(m: &Misuse, model: &Model, findings: &mut Findings) {
    let (first, second) = (&m.first, &m.second);
    let who = format!("threads {} and {} of rank {}", first.thread, second.thread, second.rank);
    let mut sites = vec![
        Site::new(first, format!("thread {}", first.thread)),
        Site::new(second, format!("thread {}, before that call has returned", second.thread)),
    ];
    let message = match &m.what {
        Misused::Request(start) => {
            sites.push(Site::new(start, "started the request"));
            format!("{who} are in {} and {} for the same request at once", first.name(), second.name())
        }
        Misused::Object(_) => {
            let object = object(second.func);
            format!("{who} are in {} and {} on the same {object} at once", first.name(), second.name())
        }
    };
    findings.add(model, Draft::new(CHECK, message, sites));
}

/// The object by which a collective function orders its calls.
fn object(func: trace_format::mpi::FnId) -> &'static str {
    use crate::arg_places::{NONE, arg_places};
    let s = arg_places(func);
    match (s.win, s.file) {
        (NONE, NONE) => "communicator",
        (NONE, _) => "file",
        _ => "window",
    }
}
