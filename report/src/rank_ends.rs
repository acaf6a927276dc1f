//! How ranks ended, in words.

use crate::view::{MISSING, RankEndView};
use std::fmt::Write as _;

/// Ranks by how they ended.
pub(crate) fn ends(ended: &[RankEndView]) -> Vec<(String, Vec<i32>)> {
    let mut groups: Vec<(String, Vec<i32>)> = Vec::new();
    for e in ended {
        let mut what = match (e.end, e.exit_status) {
            ("normal", None | Some(0)) => "ended normally".into(),
            ("normal", Some(status)) => format!("ended with exit status {status}"),
            ("abend", _) => "crashed".into(),
            ("abort", _) => "ended by MPI_Abort or from outside".into(),
            ("stopped", _) => "stopped".into(),
            ("running", _) => "still running".into(),
            (MISSING, _) => "no trace: MPI_Init was not called, or the trace is on another node".to_owned(),
            _ => "end unknown".into(),
        };
        if let Some(current) = e.current.as_ref().filter(|_| e.end != "normal") {
            _ = write!(what, " in {}", current.function);
            if let Some(line) = current.line {
                _ = write!(what, " ({}:{line})", current.short);
            }
        }
        match groups.iter_mut().find(|(w, _)| *w == what) {
            Some((_, ranks)) => ranks.push(e.process),
            None => groups.push((what, vec![e.process])),
        }
    }
    groups
}
