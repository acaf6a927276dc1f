//! The protocol: all that is known of a run in tables, after the protocol of the correctness analyzer of the Keldysh
//! Institute of Applied Mathematics (preprint of 2006), with its headings. Processes of which the same is to be told
//! share a row or a table.

mod calls;
mod data;
mod deadlocks;
mod environment;
mod errors;
mod listener;
mod page;
mod processes;
mod table;
mod task;

pub(crate) use data::Protocol;
pub use environment::environment;
pub use listener::ProtocolListener;

use super::Report;
use page::Page;
use std::time::Instant;

/// The stage in which the traces are read again.
pub const FRAGMENTS: &str = "trace fragments and source points";

/// The text if there is no report.
pub(super) fn failure(why: &str) -> String {
    format!("No report\n=========\n\n{why}\n")
}

/// The report as a protocol. Without what [`super::Format::needs_protocol`] asks for there are findings alone.
pub(super) fn render(report: &Report) -> String {
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
