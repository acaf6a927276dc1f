//! Findings in the making enter and leave the state of a run: merged by their places, put into words at the end.

use crate::model::Model;
use crate::state::{Draft, Findings, Kept, Origin, Site, rank_list};
use std::rc::Rc;
use trace_format::catalogue::CheckInfo;
use trace_format::finding::Finding;

impl Findings {
    /// A finding of `check` at the places of `calls`: `make` is called only for the first one in the order of ranks
    /// and events, or what may become it.
    pub(crate) fn add_lazy(
        &mut self,
        model: &Model,
        check: &'static CheckInfo,
        calls: &[&Rc<Origin>],
        count: u64,
        make: impl FnOnce() -> Draft,
    ) {
        if !model.selection.is_on(check) {
            return;
        }
        let places = calls.iter().map(|c| model.place(c)).collect();
        let order: Vec<_> = calls.iter().map(|c| (c.rank, c.thread, c.event())).collect();
        let ranks: Vec<i32> = calls.iter().map(|c| c.rank).collect();
        self.keep((check.code, 0, places), order, &ranks, count, make);
    }

    /// Has [`Findings::add_lazy`] added a finding of `check` at this place alone, of this rank?
    pub(crate) fn has_alone(&self, model: &Model, check: &CheckInfo, site: &Site) -> bool {
        let kept = self.kept.get(&(check.code, 0, vec![model.place_of_site(site)]));
        kept.is_some_and(|kept| kept.ranks.contains(&site.rank))
    }

    /// Adds a finding.
    pub(crate) fn add(&mut self, model: &Model, draft: Draft) {
        if !model.selection.is_on(draft.check) {
            return;
        }
        let mut places: Vec<u64> = draft.calls.iter().map(|s| model.place_of_site(s)).collect();
        places.sort_unstable();
        places.dedup();
        let order: Vec<_> = draft.calls.iter().map(Site::order).collect();
        let ranks =
            if draft.ranks.is_empty() { draft.calls.iter().map(|s| s.rank).collect() } else { draft.ranks.clone() };
        self.keep((draft.check.code, 1 + draft.severity as u8, places), order, &ranks, draft.count, || draft);
    }

    /// The findings, sorted by severity, code, ranks and events.
    pub(crate) fn finish(self, model: &Model, relate: impl FnOnce(&mut Vec<Kept>, &Model)) -> Vec<Finding> {
        let mut all: Vec<Kept> = self.kept.into_values().collect();
        for k in &mut all {
            k.ranks.sort_unstable();
            k.ranks.dedup();
            let wanted = model.selection.severity(k.draft.check, k.draft.severity);
            k.draft.severity = wanted.unwrap_or(k.draft.severity);
        }
        let by_severity = |a: &Kept, b: &Kept| {
            let key = |k: &Kept| (k.draft.severity, k.draft.check.code);
            key(a)
                .cmp(&key(b))
                .then_with(|| a.ranks.cmp(&b.ranks))
                .then_with(|| a.order.cmp(&b.order))
                .then_with(|| a.draft.message.cmp(&b.draft.message))
        };
        all.sort_by(by_severity);
        relate(&mut all, model);
        all.sort_by(by_severity);
        all.into_iter()
            .map(|k| {
                let mut notes = k.draft.notes;
                let described: Vec<i32> = if k.draft.ranks.is_empty() {
                    k.draft.calls.iter().map(|c| c.rank).collect()
                } else {
                    k.draft.ranks
                };
                let others: Vec<i32> = k.ranks.iter().copied().filter(|r| !described.contains(r)).collect();
                if !others.is_empty() {
                    notes.push(format!("the same on {}", rank_list(&others)));
                }
                Finding {
                    check: k.draft.check,
                    severity: k.draft.severity,
                    message: model.names.rename(&k.draft.message),
                    ranks: k.ranks,
                    calls: k.draft.calls.iter().map(|s| model.call_ref(s)).collect(),
                    notes: notes.iter().map(|n| model.names.rename(n)).collect(),
                    count: k.count,
                    paths: Vec::new(),
                    more_paths: (0, 0),
                    rerun: k.draft.rerun,
                    waits: k.draft.waits,
                }
            })
            .collect()
    }
}
