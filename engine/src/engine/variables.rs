//! The run is over: which variables of the program hold the buffers that were noted, and do they fit?

use super::Engine;
use crate::checks;
use crate::state::TooSmall;
use crate::variables::Variables;
use symbols::variables::Storage;
use trace_format::catalogue::{BUFFER_TOO_SMALL, BUFFER_TYPE};

impl Engine {
    /// Looks up the variables of the program that hold the buffers of its calls, for checks that are on. To be said when all
    /// events were fed.
    pub fn look_at_variables(&mut self, variables: &mut dyn Variables) {
        let [is_size_wanted, is_type_wanted] =
            [&BUFFER_TOO_SMALL, &BUFFER_TYPE].map(|check| self.model.selection.is_on(check));
        let (mut too_small, mut unlike) = (Vec::new(), Vec::new());
        for (rank, r) in (0..).zip(&self.model.ranks) {
            let mut sites: Vec<_> = r.variables.kept.iter().collect();
            sites.sort_unstable_by_key(|(place, _)| **place);
            for ((site, _), kept) in sites {
                for extent in kept.extents.iter().filter(|_| is_size_wanted) {
                    let slots = extent.slots.as_deref().unwrap_or(&[]);
                    let storage = variables.storage(rank, *site, slots, extent.bytes.0);
                    let end = |s: &Storage| s.start.saturating_add(s.size);
                    let is_beyond = |s: &Storage| (extent.same..extent.bytes.1).contains(&end(s));
                    let beyond = storage.filter(is_beyond);
                    too_small.extend(beyond.map(|storage| TooSmall { extent: extent.clone(), storage }));
                }
                let types = kept.types.iter().filter(|_| is_type_wanted);
                unlike.extend(types.filter_map(|typed| match r.variables.array(typed) {
                    Some(array) => checks::unlike_array(typed, array, variables),
                    None => checks::unlike(typed, variables),
                }));
            }
        }
        (self.model.too_small, self.model.unlike) = (too_small, unlike);
    }
}
