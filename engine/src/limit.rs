//! Not more findings than a person reads: so many of each rank, and so many of collective operations.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use trace_format::catalogue::Group;
use trace_format::finding::{Finding, Severity};

/// Findings that are not shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hidden {
    /// The rank of their first calls; `None`: they are about collective operations.
    pub rank: Option<i32>,
    pub errors: u64,
    pub warnings: u64,
    pub notes: u64,
}

impl Hidden {
    pub fn findings(&self) -> u64 {
        self.errors + self.warnings + self.notes
    }
}

/// Keeps `most` findings of each rank, and as many of collective operations. Errors go before warnings, and the first
/// findings of every check before the second ones of any, so that a flood of one kind hides no other.
pub(crate) fn limit(all: Vec<Finding>, most: u64) -> (Vec<Finding>, Vec<Hidden>) {
    let rank = |f: &Finding| f.calls.first().map(|c| c.rank).or(f.ranks.first().copied());
    limit_by(all, most, |f| (rank(f), f.severity, f.check.code))
}

/// As [`limit`], for findings in whatever form. `facts`: the rank of a finding, its severity and the code of its check.
pub fn limit_by<T>(
    all: Vec<T>,
    most: u64,
    facts: impl Fn(&T) -> (Option<i32>, Severity, &'static str),
) -> (Vec<T>, Vec<Hidden>) {
    let mut owners: BTreeMap<Option<i32>, Vec<(Severity, u64, usize)>> = BTreeMap::new();
    let mut counts: FxHashMap<(Option<i32>, Severity, &str), u64> = FxHashMap::default();
    for (place, f) in all.iter().enumerate() {
        let (rank, severity, code) = facts(f);
        // Collective operations belong to all ranks.
        let owner = rank.filter(|_| Group::of(code) != Some(Group::Collectives));
        let before = counts.entry((owner, severity, code)).or_default();
        owners.entry(owner).or_default().push((severity, *before, place));
        *before += 1;
    }
    let mut is_hidden = vec![false; all.len()];
    let mut hidden = Vec::new();
    for (rank, mut findings) in owners {
        findings.sort_unstable();
        let mut more = Hidden { rank, ..Hidden::default() };
        for (severity, _, place) in findings.into_iter().skip(usize::try_from(most).unwrap_or(usize::MAX)) {
            is_hidden[place] = true;
            match severity {
                Severity::Error => more.errors += 1,
                Severity::Warning => more.warnings += 1,
                Severity::Note => more.notes += 1,
            }
        }
        if more.findings() > 0 {
            hidden.push(more);
        }
    }
    let shown = all.into_iter().zip(is_hidden).filter(|(_, hidden)| !hidden).map(|(f, _)| f).collect();
    (shown, hidden)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::outside;
    use trace_format::catalogue::{CheckInfo, NONPAIRED_SEND, REAL_DEADLOCK, UNFINISHED_SEND, WRONG_ROOT};

    fn finding(check: &'static CheckInfo, rank: i32, severity: Severity) -> Finding {
        Finding { severity, ..Finding::new(check, format!("{rank}"), vec![outside(rank, 0, "")]) }
    }

    fn names(findings: &[Finding]) -> Vec<(&str, i32)> {
        findings.iter().map(|f| (f.check.name, f.ranks[0])).collect()
    }

    #[test]
    fn each_rank_has_its_own_limit_and_no_check_hides_another() {
        use Severity::{Error, Note, Warning};
        let mut all = vec![finding(&UNFINISHED_SEND, 0, Error); 4];
        all.push(finding(&UNFINISHED_SEND, 1, Error));
        all.push(finding(&REAL_DEADLOCK, 0, Error));
        all.push(finding(&NONPAIRED_SEND, 0, Warning));
        all.push(finding(&NONPAIRED_SEND, 0, Note));
        all.extend(vec![finding(&WRONG_ROOT, 0, Error); 3]);
        let (shown, hidden) = limit(all.clone(), 2);
        assert_eq!(
            names(&shown),
            [
                ("unfinished-send", 0),
                ("unfinished-send", 1),
                ("real-deadlock", 0),
                ("wrong-root", 0),
                ("wrong-root", 0),
            ]
        );
        assert_eq!(
            hidden,
            [
                Hidden { rank: None, errors: 1, ..Hidden::default() },
                Hidden { rank: Some(0), errors: 3, warnings: 1, notes: 1 },
            ]
        );
        assert_eq!(limit(all.clone(), 7).1.len(), 0);
        assert_eq!(limit(all, u64::MAX).0.len(), 11);
    }
}
