//! Takes out of a text report what differs from run to run and from machine to machine.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The replacements in their order: a pattern, and its replacement.
const RULES: [(&str, &str); 17] = [
    (r"(?m)[ \t]+$", ""),
    // Other buffers are on pages of their own in another library, and watchpoints are those of the machine.
    (r"--precise watched \d+ of .*", "--precise watched <buffers>"),
    // The state of the ranks of an aborted job when the launcher ended them is a race, and so is whether they had
    // ended before.
    (r"(?m)^  (= )?((and )?(world \d+ )?ranks? [\d,-]+:? )+(was |were )?(ended|end unknown|crashed|stopped)\b.*\n", ""),
    // Whether a rank is told that its launcher ends it, before that does so.
    (r"\bended from outside by SIG\w+ from the launcher\b", "ended from outside"),
    // Threads have numbers by their first calls, whose order is a race.
    (r"\bthread \d+ in MPI_", "thread <number> in MPI_"),
    (r"\bin \d+ MPI calls?\b", "in <number> MPI calls"),
    // Open MPI's and MPICH's own words, in messages of errors that the library reported.
    (r"\bMPICH (Version:?\s*)?\d+\.\d+[\w.]*( \(MPI [\d.]+\))?", "<MPI>"),
    (r"\bOpen MPI v?\d+\.\d+[\w.]*( \(MPI [\d.]+\))?", "<MPI>"),
    // The variable that decides in a library up to which size it buffers.
    (r"\bon this library .* decides up to which size .*", "on this library <variable> decides"),
    (r"\bmpivet \d+\.\d+\.\d+", "mpivet <version>"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?", "<date>"),
    (r"\b0x[0-9a-fA-F]+\b", "<address>"),
    // Displacements in dynamic windows.
    (r"(target_disp=|\^ )\d{9,}", "$1<address>"),
    (r"\b(pid|PID|process)([ :=]+)\d+", "$1$2<pid>"),
    (r"\b\d+(\.\d+)? ?(ns|us|µs|ms|s|seconds?|minutes?)\b", "<time>"),
    (r"\S*/(mpich|openmpi)-[0-9a-f]{16}/", "<programs>/"),
    (r"\S*/mpivet-tests/\S*", "<scratch>"),
];

static COMPILED: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    RULES.iter().map(|(pattern, with)| (Regex::new(pattern).expect("a good pattern"), *with)).collect()
});

/// The report as it is kept beside the program.
pub fn normalize(report: &str) -> String {
    let root = format!("{}/", crate::root().display());
    let mut text = report.replace(&root, "");
    if let Ok(host) = std::fs::read_to_string("/proc/sys/kernel/hostname")
        && let Ok(host) = Regex::new(&format!(r"\b{}\b", regex::escape(host.trim())))
    {
        text = host.replace_all(&text, "<host>").into_owned();
    }
    for (pattern, with) in COMPILED.iter() {
        if let Cow::Owned(changed) = pattern.replace_all(&text, *with) {
            text = changed;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn what_differs_between_runs_is_replaced() {
        let report = "mpivet: /t/mpivet-tests/programs/mpich-0123456789abcdef/bug, 2 ranks, Open MPI v4.1.4 (MPI 3.1)\n  \
                      ranks 0-2: ended by MPI_Abort or from outside in MPI_Allreduce (a.c:34)\n  rank 3: crashed\n  \
                      rank 0 and world 1 ranks 0,1: ended normally\n  world 1 rank 0: stopped in MPI_Recv\n  \
                      1 error in 11 MPI calls  \n  = rank 2 was ended by the launcher afterwards\n  \
                      = rank 3 waits behind them\npid 4711, 1.25 s, MPI_Recv(buf=0x7ffc00, count=3)\n";
        let expected = "mpivet: <programs>/bug, 2 ranks, <MPI>\n  1 error in <number> MPI calls\n  \
                        = rank 3 waits behind them\npid <pid>, <time>, MPI_Recv(buf=<address>, count=3)\n";
        assert_eq!(normalize(report), expected);
    }
}
