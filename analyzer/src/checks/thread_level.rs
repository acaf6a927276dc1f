//! `thread-level`: see `trace_format::catalogue::THREAD_LEVEL`.

use crate::engine::Model;
use crate::engine::ending::Ending;
use crate::engine::facts::{Draft, Report, Site};
use trace_format::catalogue::{CheckInfo, THREAD_LEVEL};

pub(super) static CHECK: &CheckInfo = &THREAD_LEVEL;

pub(super) fn rule(_: &Ending, model: &Model, report: &mut Report) {
    for r in &model.ranks {
        let start = r.start.map_or("MPI_Init", |f| f.name());
        for breach in &r.breaches {
            let call = &breach.call;
            let other = breach.other.as_ref();
            let message = breach.level.breach(call.name(), call.thread, other.map(|o| o.0), start);
            let mut sites = vec![Site::new(call, format!("thread {}", call.thread))];
            if let Some((number, Some(open))) = other {
                sites.push(Site::new(open, format!("thread {number} is in this call")));
            }
            report.add(model, Draft::new(CHECK, format!("rank {}: {message}", call.rank), sites));
        }
    }
}
