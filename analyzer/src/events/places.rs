//! The places of all call sites in the program. The other symbols need not be kept.

use crate::load::Traces;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_format::definition::{Definition, Id};
use trace_format::file::RankHeader;
use trace_reader::reader::{LeanEvent, RankEvent};

/// A running job may write without end.
const LIMIT: Duration = Duration::from_secs(10);
/// Blocks read of a rank at a time.
const BLOCKS: usize = 4;

/// A source line: the file as people want to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Places {
    places: FxHashMap<(i32, Id), Place>,
    /// Time of each rank's first call.
    pub(super) first_calls: FxHashMap<i32, u64>,
}

impl Places {
    pub(crate) fn get(&self, rank: i32, site: Id) -> Option<&Place> {
        self.places.get(&(rank, site))
    }

    pub(super) fn read(traces: &mut Traces, gone: &dyn Fn(&RankHeader) -> bool) -> Places {
        let (over, running): (Vec<i32>, Vec<i32>) = {
            let (over, running): (Vec<_>, Vec<_>) = traces.headers().partition(|h| gone(h));
            (over.iter().map(|h| h.rank).collect(), running.iter().map(|h| h.rank).collect())
        };
        over.into_iter().for_each(|rank| traces.writer_is_gone(rank));
        let until = (!running.is_empty()).then(|| Instant::now() + LIMIT);
        let mut sites = Vec::new();
        let mut first_calls = FxHashMap::default();
        let mut note = |rank: i32, event: LeanEvent| match event {
            RankEvent::Definition(Definition::Stack { id, .. } | Definition::SourceStack { id, .. }) => {
                sites.push((rank, id));
            }
            RankEvent::Call(call) if call.t_call != 0 => {
                let first = first_calls.entry(rank).or_insert(call.t_call);
                *first = call.t_call.min(*first);
            }
            _ => {}
        };
        while until.is_none_or(|u| Instant::now() < u) && !traces.poll(BLOCKS, &|_| false, &mut note).is_empty() {}
        Places { places: Places::resolve(sites, traces), first_calls }
    }

    fn resolve(sites: Vec<(i32, Id)>, traces: &mut Traces) -> FxHashMap<(i32, Id), Place> {
        let mut files: FxHashSet<Arc<str>> = FxHashSet::default();
        let mut places = FxHashMap::default();
        for (rank, site) in sites {
            let Some((place, _)) = traces.symbols.user_place(rank, site) else { continue };
            if place.line == 0 || place.file.is_empty() {
                continue;
            }
            let short = traces.symbols.short_path(rank, &place.file);
            let file = match files.get(short) {
                Some(file) => file.clone(),
                None => {
                    let file: Arc<str> = short.into();
                    files.insert(file.clone());
                    file
                }
            };
            places.insert((rank, site), Place { file, line: place.line });
        }
        places
    }
}
