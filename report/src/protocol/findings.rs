//! Adds to a report the data that the tables of the protocol show beside the findings.

use crate::call_context::{CallContext, Place};
use crate::protocol_data::{Protocol, ProtocolListener};
use crate::report::Report;
use crate::symbols::Symbols;
use crate::view::Site;
use std::collections::{BTreeMap, BTreeSet};

/// Limits of the calls whose surroundings are read again: of one finding, and of all findings.
pub(super) const MAX_OF_FINDING: usize = 8;
const MAX_OF_ALL: usize = 2000;

impl Report {
    /// The calls of findings, by process. [`Report::add_protocol`] needs the calls around them.
    pub fn calls_of_findings(&self) -> BTreeMap<i32, BTreeSet<Place>> {
        let mut wanted: BTreeMap<i32, BTreeSet<Place>> = BTreeMap::new();
        let sites = self.findings.iter().flat_map(|f| f.sites.iter().filter(|s| s.event > 0).take(MAX_OF_FINDING));
        for site in sites.take(MAX_OF_ALL) {
            wanted.entry(site.process).or_default().insert(place_of(site));
        }
        wanted
    }

    /// Adds the data that [`crate::Format::Protocol`] shows.
    pub fn add_protocol(
        &mut self,
        seen: &ProtocolListener,
        environment: Vec<(&'static str, String)>,
        contexts: BTreeMap<i32, CallContext>,
        symbols: &mut Symbols,
    ) {
        self.protocol = Some(Protocol::new(seen, environment, contexts, &self.names, symbols));
    }
}

/// The place of a site's call in its process.
pub(super) fn place_of(site: &Site) -> Place {
    (site.thread, site.event.saturating_sub(1) / 2)
}
