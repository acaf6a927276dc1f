//! Findings in the making: what checks hand back, merged by their places.

use super::call::Origin;
use super::site::Site;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trace_format::catalogue::CheckInfo;
use trace_format::finding::{Rerun, Severity, Waiting};

/// A finding in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) check: &'static CheckInfo,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) calls: Vec<Site>,
    /// Ranks concerned; those of the calls if empty.
    pub(crate) ranks: Vec<i32>,
    pub(crate) notes: Vec<String>,
    /// How often it happened.
    pub(crate) count: u64,
    /// How to make it happen.
    pub(crate) rerun: Option<Rerun>,
    /// The part of the wait-for graph that it is about.
    pub(crate) waits: Vec<Waiting>,
    /// Ranks whose part is missing.
    pub(crate) missed: Vec<i32>,
}

impl Draft {
    pub(crate) fn new(check: &'static CheckInfo, message: impl Into<String>, calls: Vec<Site>) -> Draft {
        let (severity, message) = (check.severity, message.into());
        Draft {
            check,
            severity,
            message,
            calls,
            ranks: Vec::new(),
            notes: Vec::new(),
            count: 1,
            rerun: None,
            waits: Vec::new(),
            missed: Vec::new(),
        }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Draft {
        self.notes.push(note.into());
        self
    }

    /// A call waits for these ranks; `any`: one of them is enough.
    pub(crate) fn waits(&mut self, call: &Origin, mut ranks: Vec<i32>, any: bool) {
        ranks.sort_unstable();
        ranks.dedup();
        self.waits.push(Waiting {
            rank: call.rank,
            thread: call.thread,
            event: call.event(),
            function: call.name().to_owned(),
            site: call.site,
            any: any && ranks.len() > 1,
            waits_for: ranks,
        });
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Draft {
        self.severity = severity;
        self
    }

    pub(crate) fn ranks(mut self, ranks: impl IntoIterator<Item = i32>) -> Draft {
        self.ranks = ranks.into_iter().collect();
        self
    }
}

/// A finding with how often it happened, and on which ranks.
pub(crate) struct Kept {
    pub(crate) draft: Draft,
    pub(crate) order: Vec<(i32, u16, u64)>,
    pub(crate) count: u64,
    pub(crate) ranks: Vec<i32>,
}

/// Collects findings of the checks that are on; the same finding at the same places is one with a count.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) kept: FxHashMap<(&'static str, u8, Vec<u64>), Kept>,
    /// How often anything was kept.
    times: u64,
}

impl Findings {
    /// Keeps a finding under its key, or counts it with the one that is there.
    pub(crate) fn keep(
        &mut self,
        key: (&'static str, u8, Vec<u64>),
        order: Vec<(i32, u16, u64)>,
        ranks: &[i32],
        count: u64,
        make: impl FnOnce() -> Draft,
    ) {
        self.times += 1;
        match self.kept.entry(key) {
            std::collections::hash_map::Entry::Vacant(e) => {
                let draft = make();
                let ranks = if draft.ranks.is_empty() { ranks.to_vec() } else { draft.ranks.clone() };
                e.insert(Kept { draft, order, count, ranks });
            }
            std::collections::hash_map::Entry::Occupied(mut e) => {
                let kept = e.get_mut();
                kept.count = kept.count.saturating_add(count);
                for r in ranks {
                    if !kept.ranks.contains(r) {
                        kept.ranks.push(*r);
                    }
                }
                if order < kept.order {
                    kept.order = order;
                    kept.draft = make();
                    for r in kept.draft.ranks.iter() {
                        if !kept.ranks.contains(r) {
                            kept.ranks.push(*r);
                        }
                    }
                }
            }
        }
    }

    /// Changes with every finding, also with one that was there before.
    pub(crate) fn kept_so_far(&self) -> u64 {
        self.times
    }

    /// Adds what another one has collected.
    pub(crate) fn merge(&mut self, other: Findings) {
        for (key, kept) in other.kept {
            let Kept { draft, order, count, ranks } = kept;
            self.keep(key, order, &ranks, count, || draft);
        }
    }

    /// The calls that findings speak of.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.kept.values().flat_map(|k| &k.draft.calls).filter_map(|site| site.call.as_ref())
    }

    /// Is there a finding of one of these checks?
    pub(crate) fn has(&self, checks: &[&CheckInfo]) -> bool {
        self.kept.keys().any(|k| checks.iter().any(|c| c.code == k.0))
    }

    /// Is there a finding of one of these checks that concerns the rank?
    pub(crate) fn concerns(&self, checks: &[&CheckInfo], rank: i32) -> bool {
        self.kept.iter().any(|(k, v)| v.ranks.contains(&rank) && checks.iter().any(|c| c.code == k.0))
    }

    /// Is there a finding of one of these checks about calls of the same function? In a collective operation the
    /// library may stumble on a rank that only passes on what others got wrong.
    pub(crate) fn concerns_calls_of(&self, checks: &[&CheckInfo], call: &Origin) -> bool {
        let same = |s: &Site| s.call.as_ref().is_some_and(|c| c.func == call.func);
        self.kept.iter().any(|(k, v)| checks.iter().any(|c| c.code == k.0) && v.draft.calls.iter().any(same))
    }
}
