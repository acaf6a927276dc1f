//! The order of findings: the worst come first, and among them those that ended the run, then certain ones, then
//! possible ones, and last those that tend to follow from others.

use crate::view::FindingView;
use trace_format::catalogue::by_name;
use trace_format::finding::Finding;

/// The key that findings are sorted by. The same findings in another order give the same report.
pub(super) fn order(f: &Finding) -> impl Ord + use<> {
    let first = f.calls.first().map(|c| (c.rank, c.thread, c.event));
    (f.severity, f.check.urgency, f.check.code, f.ranks.first().copied(), first, f.message.clone(), f.count)
}

/// The key for findings of several runs or jobs.
pub(super) fn order_of_several(f: &FindingView) -> impl Ord + use<> {
    let severity = ["error", "warning", "note"].iter().position(|s| *s == f.severity);
    (severity, by_name(f.check).map(|check| check.urgency), f.code, f.run, f.jobs.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
