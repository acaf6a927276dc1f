//! Places of the program where ranks waited: all ranks together.

use report::statistics::{Site, Statistics, Waits};
use std::collections::BTreeMap;
use trace_format::mpi::FnId;

/// A call of the program.
pub(super) struct Place<'a> {
    pub(super) id: FnId,
    pub(super) place: &'a str,
    pub(super) source: Option<&'a str>,
    pub(super) calls: u64,
    pub(super) waits: Waits,
    /// The rank that waited longest there, and how long.
    pub(super) worst: (String, f64),
    pub(super) ranks: usize,
}

/// The places with the most waiting time come first; places without any wait of a known cause are left out.
pub(super) fn places(statistics: &Statistics) -> Vec<Place<'_>> {
    let mut all: BTreeMap<(&str, FnId), Place> = BTreeMap::new();
    for site in &statistics.sites {
        let Site { who, id, place, source, calls, waits, .. } = site;
        let source = source.as_deref();
        let new = || Place {
            id: *id,
            place,
            source,
            calls: 0,
            waits: Waits::default(),
            worst: (String::new(), -1.0),
            ranks: 0,
        };
        let known = all.entry((place.as_str(), *id)).or_insert_with(new);
        known.calls += calls;
        known.waits += *waits;
        known.ranks += 1;
        if waits.explained() > known.worst.1 {
            known.worst = (who.to_string(), waits.explained());
        }
    }
    let mut list: Vec<Place> = all.into_values().filter(|p| p.waits.explained() > 0.0).collect();
    list.sort_by(|a, b| b.waits.explained().total_cmp(&a.waits.explained()));
    list
}
