//! The protocol: all that is known of a run in tables, after the protocol of the correctness analyzer of the Keldysh
//! Institute of Applied Mathematics (preprint of 2006), with its headings. Processes with the same data share a row or
//! a table.

mod calls;
mod deadlocks;
mod environment;
mod errors;
mod findings;
mod page;
mod processes;
mod table;
mod task;

pub use environment::environment;

use crate::command_line::quoted;
use crate::rendering::{Needs, Rendering};
use crate::report::Report;
use crate::view::JobView;
use page::Page;
use std::time::Instant;

/// The phase in which the traces are read again.
pub const FRAGMENTS: &str = "trace fragments and source points";

/// The text if there is no report.
fn failure(why: &str) -> String {
    format!("No report\n=========\n\n{why}\n")
}

pub(crate) const FORMAT: Rendering = Rendering {
    name: "protocol",
    help: Some(
        "Tables of everything: the task, each process, its errors with the calls around them, deadlocks, calls and times",
    ),
    extension: "protocol",
    render: |report, _| render(report),
    failure,
    needs: Needs { statistics: true, timeline: false, protocol: true },
};

/// The report as a protocol. It has findings alone if [`Report::add_protocol`] was not called.
fn render(report: &Report) -> String {
    if !report.jobs.is_empty() {
        return of_jobs(report);
    }
    let (begin, mut page) = (Instant::now(), Page::new(report));
    page.task();
    page.current();
    page.kinds();
    page.processes();
    page.errors();
    page.deadlocks();
    page.calls();
    page.communicators();
    page.points();
    page.environment();
    page.phases(begin);
    page.text
}

/// A protocol is about one job: says how to get the protocols of all jobs.
fn of_jobs(report: &Report) -> String {
    let dir = |job: &JobView| quoted(&format!("{}/{}", report.task.trace_dir, job.dir));
    let line = |job: &JobView| format!("{}: mpivet analyze --format protocol {}\n", job.name(), dir(job));
    report.jobs.iter().map(line).collect()
}
