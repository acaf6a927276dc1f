//! The program: can the interposer come into it, which MPI library does it load, has it source lines?

use super::Fact;
use crate::run::find::{self, Linkage};
use crate::run::launcher::Launcher;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use symbols::{DebugInfo, debug_info};

const SUBJECT: &str = "program";

/// Looks at launcher and program of the command. Returns the program.
pub(super) fn look(command: &[OsString], launcher: &Path, facts: &mut Vec<Fact>) -> PathBuf {
    let program = find::program::program(command);
    let kind = match Launcher::of(launcher) {
        Launcher::OpenMpi => "Open MPI's",
        Launcher::Hydra => "Hydra, of MPICH or Intel MPI",
        Launcher::Srun => "Slurm's",
        Launcher::Flux => "Flux's",
        Launcher::Other if program == launcher => "not an MPI launcher: a job of one rank",
        Launcher::Other => "not known by its name; variables reach its ranks if it passes its own environment on",
    };
    facts.push(Fact::fine("launcher", format!("{} ({kind})", launcher.display())));
    let shown = program.display();
    if !program.is_file() {
        let advice = "it may be there on the nodes alone; else correct its name";
        facts.push(Fact::note(SUBJECT, format!("{shown} cannot be found from here"), advice));
        return program;
    }
    if let Some(fact) = hindrance(&program) {
        facts.push(fact);
        return program;
    }
    match find::linkage(&program) {
        Some(Linkage::Dynamic { mpi: true }) => {
            let loaded = Loaded::of(&program);
            facts.push(match (&loaded.library, loaded.missing.is_empty()) {
                (Some(library), true) => Fact::fine(
                    SUBJECT,
                    format!(
                        "{shown} loads {} ({})",
                        library.display(),
                        product(library).unwrap_or("of an unknown MPI")
                    ),
                ),
                (_, false) => Fact::problem(
                    SUBJECT,
                    format!("{shown} lacks {} here", loaded.missing.join(", ")),
                    "load the modules that it was built with, or set LD_LIBRARY_PATH",
                ),
                (None, true) => Fact::fine(SUBJECT, format!("{shown} is linked with an MPI library")),
            });
        }
        Some(_) => facts.push(Fact::fine(
            SUBJECT,
            format!(
                "{shown} is linked with no MPI library; mpivet sees it if it loads one, or starts a program that does"
            ),
        )),
        None => facts.push(Fact::fine(SUBJECT, format!("{shown} is a script; mpivet sees the program that it starts"))),
    }
    match debug_info(&program) {
        Some(DebugInfo::Inside) => facts.push(Fact::fine("source lines", "the program has debug information")),
        Some(DebugInfo::Separate(path)) => facts.push(Fact::fine("source lines", format!("in {}", path.display()))),
        Some(DebugInfo::Missing) => facts.push(Fact::note(
            "source lines",
            "the program has no debug information: findings name functions and addresses alone",
            "compile with -g (optimization may stay on)",
        )),
        None => {}
    }
    program
}

/// Something that keeps the interposer out of the program.
fn hindrance(program: &Path) -> Option<Fact> {
    const SET_ID: u32 = 0o6000;
    let shown = program.display();
    let head = trace_format::untrusted::open(program).ok().and_then(|file| {
        let mut head = [0; 20];
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut head, 0).ok().map(|()| head)
    });
    let is_elf = |head: &[u8; 20]| head.starts_with(b"\x7fELF");
    if head.is_some_and(|head| is_elf(&head) && !(head[4..6] == [2, 1] && head[18..20] == [62, 0])) {
        let advice = "mpivet is for x86-64 alone";
        return Some(Fact::problem(SUBJECT, format!("{shown} is for another kind of processor"), advice));
    }
    let mode = fs::metadata(program).map_or(0, |m| m.permissions().mode());
    if mode & SET_ID != 0 {
        let advice = "run a copy without these rights";
        return Some(Fact::problem(
            SUBJECT,
            format!("{shown} changes its user or group: the loader preloads nothing"),
            advice,
        ));
    }
    match find::linkage(program) {
        Some(Linkage::Static) => {
            let advice = "link it dynamically (with gcc: without -static)";
            let why = "is a static executable, which LD_PRELOAD cannot reach";
            Some(Fact::problem(SUBJECT, format!("{shown} {why}"), advice))
        }
        Some(Linkage::Musl) => {
            let advice = "use a program and an MPI library that are built for the GNU C library";
            Some(Fact::problem(SUBJECT, format!("{shown} {}", find::MUSL), advice))
        }
        _ => None,
    }
}

/// Libraries that the loader gets for a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Loaded {
    /// The MPI library among them.
    pub(super) library: Option<PathBuf>,
    /// Names of those it does not find, and versions that libraries lack.
    pub(super) missing: Vec<String>,
}

impl Loaded {
    /// Asks the loader, which does not run the program for that.
    pub(super) fn of(program: &Path) -> Loaded {
        if !find::is_linked_with_mpi(program) {
            return Loaded::default();
        }
        let mut command = Command::new(program);
        command.env("LD_TRACE_LOADED_OBJECTS", "1").env_remove("LD_PRELOAD").stdin(Stdio::null());
        let Ok(output) = command.output() else { return Loaded::default() };
        Loaded::parse(&String::from_utf8_lossy(&output.stdout), &String::from_utf8_lossy(&output.stderr))
    }

    fn parse(listed: &str, complaints: &str) -> Loaded {
        let mut loaded = Loaded::default();
        for line in listed.lines() {
            let Some((name, path)) = line.trim().split_once(" => ") else { continue };
            let path = path.split(" (0x").next().unwrap_or(path);
            if path == "not found" {
                loaded.missing.push(name.to_owned());
            } else if loaded.library.is_none() && is_of_mpi(name) {
                loaded.library = Some(path.into());
            }
        }
        // `./app: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./app)`
        let versions = complaints.lines().filter_map(|line| line.split_once(": version `")?.1.split_once('\''));
        loaded.missing.extend(versions.map(|(version, _)| version.to_owned()));
        loaded
    }
}

/// The C library of an MPI by its name: `libmpi.so.40`, `libmpich.so.12`, `libmpi_abi.so.0`; not those of Fortran and C++.
fn is_of_mpi(name: &str) -> bool {
    let Some((stem, _)) = name.split_once(".so") else { return false };
    matches!(stem, "libmpi" | "libmpich" | "libmpi_abi" | "libmpi_mpich")
}

/// The MPI that a library is of, by the words with which it speaks of itself.
pub(super) fn product(library: &Path) -> Option<&'static str> {
    const MOST_BYTES: u64 = 1 << 30;
    let data = trace_format::untrusted::read(library, MOST_BYTES).ok()?;
    let words = [("Intel(R) MPI Library", "Intel MPI"), ("MPICH Version:", "MPICH"), ("Open MPI v", "Open MPI")];
    let has = |word: &str| data.windows(word.len()).any(|window| window == word.as_bytes());
    words.into_iter().find(|(word, _)| has(word)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_list_is_understood() {
        let listed = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibmpi_usempif08.so.40 => /lib/libmpi_usempif08.so.40 (0x00007f)\n\
            \tlibmpi.so.40 => /opt/a b/libmpi.so.40 (0x00007f1)\n\tlibhdf5.so.103 => not found\n\t/lib64/ld-linux.so.2 (0x0)\n";
        let complaints = "./app: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./app)\n";
        let loaded = Loaded::parse(listed, complaints);
        assert_eq!(loaded.library, Some("/opt/a b/libmpi.so.40".into()));
        assert_eq!(loaded.missing, ["libhdf5.so.103", "GLIBC_2.38"]);
    }
}
