//! Stages that processes have made apart from their traces (`MPIVET_STAGE_DIR`) and left there when they died.

use super::with_those_below;
use std::path::Path;
use trace_format::run::proc;
use trace_format::run::stages;
use trace_reader::reader::{RankReader, traces_in};

/// Brings the stages that dead processes of this host have left to their traces: in this directory, and in those of its
/// jobs and runs. `is_told`: says so if that fails.
pub(crate) fn bring_stages(dir: &Path, is_told: bool) {
    let here = proc::host();
    for dir in with_those_below(dir) {
        for (stem, header) in apart(&dir) {
            if header.host != here || proc::lives(header.pid, header.pid_start) {
                continue;
            }
            if let Err(e) = stages::bring(&dir, &stem, &header)
                && is_told
            {
                eprintln!("mpivet: cannot bring {} to {}: {e}", header.stage_dir, dir.display());
            }
        }
    }
}

/// The processes with traces in this directory whose stages are somewhere else.
fn apart(dir: &Path) -> impl Iterator<Item = (String, trace_format::file::RankHeader)> {
    let stems = traces_in(dir).unwrap_or_default().into_iter();
    let headers = stems.filter_map(|stem| Some((RankReader::open_stem(dir, &stem).ok()?.header, stem)));
    headers.filter(|(header, _)| header.apart().is_some_and(Path::is_dir)).map(|(header, stem)| (stem, header))
}
