//! Which findings come first: the worst, and among them what ended the run, then what is certain, then what may happen,
//! and last what tends to follow from others.

use super::view::FindingView;
use trace_format::finding::Finding;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    /// The run ended or hangs because of it.
    Fatal,
    /// It happened.
    Real,
    /// It may happen in another run.
    Potential,
    /// What was left undone when the run ended, often because of another finding.
    Consequence,
}

/// How urgent findings of a check are.
pub(super) fn urgency(check: &str) -> Urgency {
    match check {
        "real-deadlock" | "real-hang-up" | "early-exit-others-wait" | "abend" | "mpi-error" => Urgency::Fatal,
        "potential-deadlock" | "potential-hang-up" | "message-race" | "probe-receive-race" => Urgency::Potential,
        "abort" | "incomplete-call" | "missing-finalize" | "unfinished-send" | "unfinished-recv" | "unfinished-gop"
        | "nonfreed-request" => Urgency::Consequence,
        leak if leak.starts_with("leak-") => Urgency::Consequence,
        _ => Urgency::Real,
    }
}

/// What findings are sorted by. The same findings in another order give the same report.
pub(super) fn order(f: &Finding) -> impl Ord + use<> {
    let first = f.calls.first().map(|c| (c.rank, c.thread, c.event));
    (f.severity, urgency(f.check.name), f.check.code, f.ranks.first().copied(), first, f.message.clone(), f.count)
}

/// The same for those of several runs or jobs.
pub(super) fn order_of_several(f: &FindingView) -> impl Ord + use<> {
    let severity = ["error", "warning", "note"].iter().position(|s| *s == f.severity);
    (severity, urgency(f.check), f.code, f.run, f.jobs.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::catalogue::{CHECKS, by_name};
    use trace_format::finding::Severity;

    #[test]
    fn what_ended_the_run_is_first_and_what_follows_is_last() {
        let names = [
            "leak-communicator",
            "potential-deadlock",
            "abort",
            "wrong-data-type",
            "unfinished-send",
            "real-deadlock",
            "invalid-rank",
            "abend",
        ];
        let finding = |name: &&str| {
            let mut finding = Finding::new(by_name(name).unwrap(), "", Vec::new());
            finding.severity = Severity::Error;
            finding
        };
        let mut findings: Vec<Finding> = names.iter().map(finding).collect();
        findings[0].severity = Severity::Warning;
        findings.push(Finding { severity: Severity::Warning, ..finding(&"tag-portability") });
        findings.sort_by_key(order);
        let sorted: Vec<&str> = findings.iter().map(|f| f.check.name).collect();
        let expected = [
            "abend",
            "real-deadlock",
            "invalid-rank",
            "wrong-data-type",
            "potential-deadlock",
            "abort",
            "unfinished-send",
            "tag-portability",
            "leak-communicator",
        ];
        assert_eq!(sorted, expected);
    }

    #[test]
    fn the_checks_that_are_named_exist() {
        let count = |u: Urgency| CHECKS.iter().filter(|c| urgency(c.name) == u).count();
        assert_eq!((count(Urgency::Fatal), count(Urgency::Potential)), (5, 4));
        assert!(count(Urgency::Consequence) > 15 && count(Urgency::Real) > 30);
    }
}
