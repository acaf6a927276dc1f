//! Statistics of some of the ranks.

use super::{Function, Statistics, sizes};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use trace_format::mpi::FnId;

impl Statistics {
    /// Keeps the calls of these processes and their messages to and from all. Collective operations belong to no
    /// single process and are left out.
    pub fn retain(&mut self, processes: &BTreeSet<i32>) {
        self.ranks.retain(|r| processes.contains(&r.who.process));
        self.sites.retain(|s| processes.contains(&s.who.process));
        self.pairs.retain(|p| processes.contains(&p.from.process) || processes.contains(&p.to.process));
        self.collectives.clear();
        self.seconds = self.ranks.iter().map(|r| r.seconds).fold(0.0, f64::max);
        self.rank_seconds = self.ranks.iter().map(|r| r.seconds).sum();
        self.thread_seconds = self.ranks.iter().map(|r| r.thread_seconds).sum();
        self.sizes = sizes::merge(self.ranks.iter().flat_map(|r| &r.sizes));
        self.unknown_sizes = self.ranks.iter().map(|r| r.unknown_sizes).sum();
        let mut whole: BTreeMap<FnId, Function> = BTreeMap::new();
        for f in self.ranks.iter().flat_map(|r| &r.functions) {
            whole.entry(f.id).and_modify(|sum| sum.add(f)).or_insert(*f);
        }
        self.functions = sorted(whole.into_values().collect());
    }
}

impl Function {
    /// Calls that have a time.
    fn timed(&self) -> bool {
        self.max_seconds > 0.0
    }

    fn add(&mut self, more: &Function) {
        if more.timed() {
            self.min_seconds = if self.timed() { self.min_seconds.min(more.min_seconds) } else { more.min_seconds };
            self.max_seconds = self.max_seconds.max(more.max_seconds);
        }
        self.calls += more.calls;
        self.open += more.open;
        self.seconds += more.seconds;
        self.polling_seconds += more.polling_seconds;
        self.bytes = self.bytes.saturating_add(more.bytes);
    }
}

/// Puts the functions with the most time first.
pub(super) fn sorted(mut functions: Vec<Function>) -> Vec<Function> {
    let order = |f: &Function| (f.seconds + f.polling_seconds, f.calls);
    functions.sort_by(|a, b| order(b).partial_cmp(&order(a)).unwrap_or(Ordering::Equal).then(a.id.cmp(&b.id)));
    functions
}
