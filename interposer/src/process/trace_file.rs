//! Makes the trace file of this process, in the place of what an earlier run has left.

use super::agent;
use crate::job::config::Config;
use crate::job::launch;
use recorder::{environment, stage_place, trace};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;
use trace_format::file::{
    RATE_BYTES, RankHeader, SEGMENTS, other_stem, rank_stem, segment_path, stage_path_of, trace_path,
};
use trace_format::head::{Head, OpenError};
use trace_format::owner_only;
use trace_format::run::proc;

/// Opens the trace file; true if it has the plain name of its rank. `stages`: where stages shall be.
pub(super) fn open(dir: &Path, stages: Option<&Path>, header: &mut RankHeader) -> io::Result<bool> {
    owner_only::make_dir(dir)?;
    let plain = rank_stem(header.rank);
    let claimed = if header.launch.spawned { None } else { claim(dir, &plain)? };
    let is_plain = claimed.is_some();
    let (mut file, stem) = match claimed {
        Some(file) => (file, plain),
        None => {
            let stem = other_stem(header.rank, &header.host, header.pid);
            _ = std::fs::remove_file(trace_path(dir, &stem));
            (create(dir, &stem)?, stem)
        }
    };
    // Stages and segments of an earlier run in the same directory must not be taken for this one's.
    for place in 0..SEGMENTS {
        _ = std::fs::remove_file(segment_path(dir, &stem, place));
    }
    for number in 0..=u16::MAX {
        if std::fs::remove_file(stage_path_of(dir, &stem, number)).is_err() {
            break;
        }
    }
    let variable = |name: &str| environment::var(name).ok();
    if let Some(own) = stage_place::make(stages, dir, header, || launch::is_one_node(header.size, variable)) {
        header.stage_dir = own.display().to_string();
    }
    let head = trace_format::writer::file_header(header);
    file.write_all(&head)?;
    let set = trace::set(file, (dir, agent::is_seen_late(dir)), header, &stem, (head.len() - RATE_BYTES) as u64);
    if let (Err(_), Some(own)) = (&set, header.apart()) {
        _ = std::fs::remove_dir(own);
    }
    set.map(|()| is_plain)
}

fn create(dir: &Path, stem: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).custom_flags(libc::O_CLOEXEC);
    owner_only::create_new(&trace_path(dir, stem), &mut options)
}

/// How long a trace file may have no header because its process is just writing it, in tries of 1 ms.
const TRIES: u32 = 20;

/// Makes the trace file with the plain name, in the place of one that an earlier run has left. `None`: the name belongs
/// to a process of another world that lives, or that has ended in this run.
fn claim(dir: &Path, stem: &str) -> io::Result<Option<File>> {
    for attempt in 0.. {
        match create(dir, stem) {
            // `mpivet run` gives every run a directory of its own: an earlier job of the same script has left the file.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && Config::from_environment().under_run => {
                return Ok(None);
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(Some),
        }
        match Head::open(dir, stem).map(|head| head.header) {
            Ok(h) if h.host == proc::host() && proc::lives(h.pid, h.pid_start) => return Ok(None),
            Err(OpenError::BadHeader { .. }) if attempt < TRIES => std::thread::sleep(Duration::from_millis(1)),
            _ => std::fs::remove_file(trace_path(dir, stem))?,
        }
    }
    Ok(None)
}
