//! The installation of mpivet, and the directory of traces.

use super::Fact;
use crate::run::find;
use analyzer::load::late_file_system;
use nix::sys::statvfs::statvfs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use trace_format::owner_only;

/// Libraries beside the interposer, and what each is for.
const OTHERS: [(&str, &str); 4] = [
    ("libmpivet_heap.so", "--heap"),
    ("libmpivet_precise.so", "--precise"),
    ("libmpivet_symbols.so", "source lines where no `mpivet run` follows the job"),
    ("libmpivet_queues.so", "debuggers"),
];

/// The interposer, if it can be preloaded here.
pub(super) fn libraries(facts: &mut Vec<Fact>) -> Option<PathBuf> {
    const SUBJECT: &str = "mpivet";
    let library = match find::library() {
        Ok(library) => library,
        Err(exit) => {
            facts.push(Fact::problem(
                SUBJECT,
                exit.text(),
                "install mpivet whole: its libraries lie beside it or in ../lib",
            ));
            return None;
        }
    };
    if let Err(why) = is_loaded(&library) {
        let advice = "mpivet is for Linux on x86-64 with the GNU C library, 2.17 or newer; Alpine and other systems with musl have another one";
        facts.push(Fact::problem(SUBJECT, format!("{} cannot be preloaded: {why}", library.display()), advice));
        return None;
    }
    let version = env!("CARGO_PKG_VERSION");
    facts.push(Fact::fine(SUBJECT, format!("{version}; {} can be preloaded", library.display())));
    let missing = OTHERS.iter().filter(|(name, _)| !library.with_file_name(name).is_file());
    facts.extend(missing.map(|(name, purpose)| {
        Fact::note(
            SUBJECT,
            format!("{name} is not beside it"),
            format!("only {purpose} needs it: install mpivet whole"),
        )
    }));
    Some(library)
}

/// Lets a process preload it; the words of the loader if it cannot.
fn is_loaded(library: &Path) -> Result<(), String> {
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(me);
    command.arg("--version").env("LD_PRELOAD", library).stdin(Stdio::null());
    let output = command.output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() && said.is_empty() {
        return Ok(());
    }
    Err(if said.is_empty() { output.status.to_string() } else { said })
}

/// Less room than this is told, in bytes.
const LITTLE: u64 = 1 << 30;

/// The place for traces.
pub(super) fn directory(dir: &Path) -> Fact {
    const SUBJECT: &str = "directory";
    let shown = dir.canonicalize().unwrap_or(dir.to_owned());
    let shown = shown.display();
    let probe = dir.join(format!(".mpivet-probe-{}", std::process::id()));
    if let Err(e) = owner_only::write(&probe, b"mpivet") {
        return Fact::problem(SUBJECT, format!("cannot write to {shown}: {e}"), "choose another place with --dir DIR");
    }
    _ = std::fs::remove_file(&probe);
    let free = statvfs(dir).map(|s| s.blocks_available().saturating_mul(s.fragment_size())).unwrap_or(u64::MAX);
    let room = format!("{:.1} GB are free", free as f64 / 1e9);
    if free < LITTLE {
        let advice =
            "a call takes 2 to 20 bytes; choose another place with --dir DIR, or limit traces with --max-trace-size MB";
        return Fact::note(SUBJECT, format!("{shown}: only {room}"), advice);
    }
    match late_file_system(dir) {
        Some(shared) => Fact::fine(
            SUBJECT,
            format!("{shown}, on {}, where nodes see late what others store: agents bring it; {room}", shared.name),
        ),
        None => Fact::fine(SUBJECT, format!("{shown}; {room}")),
    }
}
