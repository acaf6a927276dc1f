//! The calls whose buffers a report suspects: what `mpivet run --precise-from` takes from an earlier run.

use crate::report::Report;
use crate::view::Site;
use trace_format::catalogue::{
    ACCESS_IN_FLIGHT, COLLECTIVE_OVERLAP, COLLECTIVE_RECV_CHECKSUM, CheckInfo, OVERLAPPING, RECV_CHECKSUM,
    RMA_CONFLICT, RMA_LOCAL_CONFLICT, RMA_LOCAL_RACE, SEND_CHECKSUM, WATCHED_DATA_CHANGED,
};
use trace_format::run::suspects::{Suspects, of_code, of_script};

/// Checks whose findings may come from an access to a buffer that is in use.
const OF_BUFFERS: [&CheckInfo; 8] = [
    &SEND_CHECKSUM,
    &RECV_CHECKSUM,
    &COLLECTIVE_RECV_CHECKSUM,
    &OVERLAPPING,
    &COLLECTIVE_OVERLAP,
    &RMA_LOCAL_CONFLICT,
    &ACCESS_IN_FLIGHT,
    &WATCHED_DATA_CHANGED,
];
/// The same, to the memory of a window.
const OF_WINDOWS: [&CheckInfo; 3] = [&RMA_CONFLICT, &RMA_LOCAL_CONFLICT, &RMA_LOCAL_RACE];

impl Report {
    /// The calls of findings that an access to a buffer in use may have caused.
    pub fn suspects(&self) -> Suspects {
        let is_of = |checks: &[&CheckInfo], code: &str| checks.iter().any(|check| check.code == code);
        let all = || self.findings.iter().chain(self.suppressed.iter().map(|suppressed| &suppressed.finding));
        let of_buffers = all().filter(|finding| is_of(&OF_BUFFERS, finding.code));
        let sites = of_buffers.flat_map(|f| f.sites.iter().chain(f.paths.iter().flat_map(|path| &path.sites)));
        Suspects {
            calls: sites.filter_map(name).collect(),
            windows: all().any(|finding| is_of(&OF_WINDOWS, finding.code)),
        }
    }
}

fn name(site: &Site) -> Option<String> {
    let frame = site.stack.get(site.user)?;
    match (&frame.module, &frame.file, frame.line) {
        (Some(module), ..) if frame.offset > 0 => Some(of_code(module, frame.offset)),
        (_, Some(file), Some(line)) => Some(of_script(file, line)),
        _ => None,
    }
}
