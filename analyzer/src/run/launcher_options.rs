//! The options of the launcher in its command. Words behind the program are the program's and must not be touched,
//! even if they look the same.

use super::find::executable;
use super::launcher::Launcher;
use std::ffi::OsString;

/// A program of a command; `:` separates several.
pub(super) struct Program {
    /// The beginning of its part of the command, behind the launcher or the `:`.
    pub(super) start: usize,
    /// The places of the options in front of it, ascending; not of their values.
    pub(super) options: Vec<usize>,
    /// Its own place, if it is there.
    pub(super) program: Option<usize>,
    /// The end of its part.
    pub(super) end: usize,
}

/// The programs that the command of `launcher` starts, each with the options in front of it.
pub(super) fn programs(launcher: Launcher, command: &[OsString]) -> Vec<Program> {
    let colons = command.iter().enumerate().skip(1).filter(|(_, a)| **a == *":").map(|(i, _)| i);
    let mut bounds: Vec<usize> = std::iter::once(0).chain(colons).collect();
    bounds.push(command.len());
    let part = |b: &[usize]| {
        let (options, program) = options(launcher, command, b[0] + 1, b[1]);
        Program { start: b[0] + 1, options, program: Some(program).filter(|at| *at < b[1]), end: b[1] }
    };
    bounds.windows(2).map(part).collect()
}

/// The options from `start` on, to the program or to `end`; the place of the program.
fn options(launcher: Launcher, command: &[OsString], start: usize, end: usize) -> (Vec<usize>, usize) {
    let mut found = Vec::new();
    // The option before may have a value.
    let mut perhaps_value = false;
    let mut i = start;
    while i < end {
        let word = command[i].to_string_lossy();
        if !word.starts_with('-') {
            // The first word that is no option and no value is the program, wherever it may be found later.
            if !perhaps_value || executable(&command[i]).is_some() {
                break;
            }
            perhaps_value = false;
        } else {
            found.push(i);
            let next = command.get(i + 1).map(|a| a.to_string_lossy());
            let values = values(launcher, &word, next.as_deref().unwrap_or_default());
            perhaps_value = values.is_none();
            i += values.unwrap_or(0);
        }
        i += 1;
    }
    (found, i)
}

/// An option's name without dashes and without a value that is part of the word.
pub(super) fn name(option: &str) -> &str {
    let name = option.trim_start_matches('-');
    name.split_once('=').map_or(name, |n| n.0)
}

/// The number of words behind an option that are its values, as far as it is known. `next`: the first of these words.
fn values(launcher: Launcher, option: &str, next: &str) -> Option<usize> {
    if option.contains('=') {
        return Some(0);
    }
    let name = name(option);
    let (none, one): (&[&str], &[&str]) = match launcher {
        Launcher::OpenMpi => {
            if matches!(name, "mca" | "gmca" | "omca" | "prtemca" | "gprtemca" | "pmixmca" | "gpmixmca") {
                return Some(2);
            }
            (&OPEN_MPI_FLAGS, &OPEN_MPI_VALUES)
        }
        Launcher::Hydra => {
            if matches!(name, "env" | "genv") {
                return Some(if next.contains('=') { 1 } else { 2 });
            }
            (&HYDRA_FLAGS, &HYDRA_VALUES)
        }
        Launcher::Srun => {
            // `-n 4`, but `-n4`
            if !option.starts_with("--") && name.chars().nth(1).is_some() {
                return Some(0);
            }
            (&SRUN_FLAGS, &SRUN_VALUES)
        }
        Launcher::Flux => {
            if !option.starts_with("--") && name.chars().nth(1).is_some() {
                return Some(0);
            }
            (&FLUX_FLAGS, &FLUX_VALUES)
        }
        Launcher::Other => (&[], &[]),
    };
    if one.contains(&name) {
        Some(1)
    } else if none.contains(&name) {
        Some(0)
    } else {
        None
    }
}

const OPEN_MPI_FLAGS: [&str; 29] = [
    "oversubscribe",
    "nooversubscribe",
    "allow-run-as-root",
    "tag-output",
    "timestamp-output",
    "display-map",
    "report-bindings",
    "use-hwthread-cpus",
    "v",
    "q",
    "enable-instant-on-support",
    "fwd-mpirun-port",
    "noprefix",
    "set-cwd-to-session-dir",
    "show-progress",
    "use-regexp",
    "s",
    "preload-binary",
    "do-not-launch",
    "do-not-resolve",
    "verbose",
    "quiet",
    "bycore",
    "bynode",
    "byslot",
    "bind-to-core",
    "bind-to-socket",
    "nolocal",
    "novm",
];

const OPEN_MPI_VALUES: [&str; 37] = [
    "n",
    "np",
    "c",
    "N",
    "x",
    "H",
    "host",
    "hostfile",
    "machinefile",
    "default-hostfile",
    "add-host",
    "add-hostfile",
    "app",
    "am",
    "tune",
    "wd",
    "wdir",
    "path",
    "prefix",
    "map-by",
    "bind-to",
    "rank-by",
    "rankfile",
    "rf",
    "npernode",
    "npersocket",
    "ppr",
    "cpu-set",
    "cpu-list",
    "output",
    "output-filename",
    "display",
    "timeout",
    "stdin",
    "launch-agent",
    "personality",
    "preload-files",
];

const HYDRA_FLAGS: [&str; 17] = [
    "genvnone",
    "envnone",
    "genvall",
    "envall",
    "l",
    "prepend-rank",
    "v",
    "verbose",
    "info",
    "disable-auto-cleanup",
    "enable-x",
    "disable-x",
    "print-all-exitcodes",
    "profile",
    "disable-hostname-propagation",
    "skip-launch-node",
    "pmi-port",
];

const HYDRA_VALUES: [&str; 39] = [
    "n",
    "np",
    "ppn",
    "perhost",
    "grr",
    "rr",
    "host",
    "hosts",
    "f",
    "hostfile",
    "machinefile",
    "machine",
    "configfile",
    "wdir",
    "path",
    "umask",
    "genvlist",
    "envlist",
    "launcher",
    "launcher-exec",
    "bootstrap",
    "bootstrap-exec",
    "rmk",
    "iface",
    "bind-to",
    "map-by",
    "membind",
    "prefix",
    "outfile-pattern",
    "errfile-pattern",
    "order-nodes",
    "s",
    "usize",
    "topolib",
    "demux",
    "nameserver",
    "localhost",
    "prepend-pattern",
    "gpus-per-proc",
];

const SRUN_FLAGS: [&str; 43] = [
    "exclusive",
    "overlap",
    "l",
    "label",
    "u",
    "unbuffered",
    "v",
    "verbose",
    "Q",
    "quiet",
    "O",
    "overcommit",
    "multi-prog",
    "kill-on-bad-exit",
    "K",
    "k",
    "no-kill",
    "E",
    "preserve-env",
    "H",
    "hold",
    "I",
    "immediate",
    "pty",
    "quit-on-interrupt",
    "reboot",
    "s",
    "oversubscribe",
    "spread-job",
    "use-min-nodes",
    "X",
    "disable-status",
    "contiguous",
    "Z",
    "no-allocate",
    "exact",
    "resv-ports",
    "bell",
    "no-bell",
    "nice",
    "send-libs",
    "compress",
    "propagate",
];

const SRUN_VALUES: [&str; 106] = [
    "A",
    "account",
    "c",
    "cpus-per-task",
    "C",
    "constraint",
    "d",
    "dependency",
    "D",
    "chdir",
    "e",
    "error",
    "export",
    "G",
    "gpus",
    "i",
    "input",
    "J",
    "job-name",
    "m",
    "distribution",
    "M",
    "clusters",
    "n",
    "ntasks",
    "N",
    "nodes",
    "o",
    "output",
    "p",
    "partition",
    "q",
    "qos",
    "r",
    "t",
    "time",
    "w",
    "nodelist",
    "x",
    "exclude",
    "mem",
    "mpi",
    "acctg-freq",
    "bb",
    "bbf",
    "bcast",
    "bcast-exclude",
    "b",
    "begin",
    "comment",
    "container",
    "cpu-freq",
    "deadline",
    "delay-boot",
    "epilog",
    "gres",
    "gres-flags",
    "jobid",
    "L",
    "licenses",
    "mail-type",
    "mail-user",
    "mcs-label",
    "ntasks-per-node",
    "ntasks-per-core",
    "ntasks-per-socket",
    "het-group",
    "power",
    "priority",
    "profile",
    "prolog",
    "relative",
    "S",
    "core-spec",
    "signal",
    "slurmd-debug",
    "switches",
    "task-epilog",
    "task-prolog",
    "thread-spec",
    "T",
    "threads",
    "time-min",
    "W",
    "wait",
    "wckey",
    "cluster-constraint",
    "mincpus",
    "reservation",
    "tmp",
    "mem-per-cpu",
    "mem-per-gpu",
    "mem-bind",
    "sockets-per-node",
    "cores-per-socket",
    "threads-per-core",
    "B",
    "extra-node-info",
    "cpu-bind",
    "hint",
    "gpus-per-node",
    "gpus-per-task",
    "gpus-per-socket",
    "gpu-bind",
    "gpu-freq",
    "cpus-per-gpu",
];

const FLUX_FLAGS: [&str; 13] = [
    "l",
    "label-io",
    "u",
    "unbuffered",
    "v",
    "verbose",
    "quiet",
    "x",
    "exclusive",
    "watch",
    "wait",
    "dry-run",
    "debug",
];

const FLUX_VALUES: [&str; 44] = [
    "n",
    "ntasks",
    "N",
    "nodes",
    "c",
    "cores-per-task",
    "g",
    "gpus-per-task",
    "cores",
    "tasks-per-node",
    "tasks-per-core",
    "gpus-per-node",
    "t",
    "time-limit",
    "q",
    "queue",
    "B",
    "bank",
    "o",
    "setopt",
    "S",
    "setattr",
    "env",
    "env-remove",
    "env-file",
    "rlimit",
    "input",
    "output",
    "error",
    "job-name",
    "urgency",
    "dependency",
    "requires",
    "begin-time",
    "signal",
    "taskmap",
    "cwd",
    "conf",
    "flags",
    "cc",
    "log",
    "r",
    "rank",
    "broker-opts",
];
