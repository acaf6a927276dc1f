//! Info objects, as far as they say something of windows.

use crate::arg_places::ArgPlaces;
use crate::model::Model;
use crate::state::{Hints, Origin, row_int};
use trace_format::definition::Id;
use trace_format::mpi::FnId;
use trace_reader::args::{Arg, Args};

impl Model {
    /// A call on an info object has returned.
    pub(super) fn note_info(&mut self, origin: &Origin, s: &ArgPlaces, outs: &Args) {
        let Some(info) = origin.int(s.info).map(|id| id as Id) else { return };
        let text = |name: &str| match origin.func.row().param(name).map(|place| origin.arg(place)) {
            Some(Arg::Str(text)) => Some(text),
            _ => None,
        };
        let infos = &mut self.ranks[origin.rank as usize].infos;
        match (origin.func, text("key")) {
            (FnId::MPI_Info_set, Some(key)) => {
                let mut hints = infos.get(&info).copied().unwrap_or_default();
                hints.set(key, text("value"));
                // Most say nothing of windows.
                if hints != Hints::default() || infos.contains_key(&info) {
                    infos.insert(info, hints);
                }
            }
            (FnId::MPI_Info_delete, Some(key)) => {
                infos.get_mut(&info).into_iter().for_each(|hints| hints.set(key, None));
            }
            (FnId::MPI_Info_dup, _) => {
                let copy = origin.func.row().param("newinfo").and_then(|place| outs.int(place));
                let both = copy.zip(infos.get(&info).copied());
                both.into_iter().for_each(|(copy, hints)| _ = infos.insert(copy as Id, hints));
            }
            _ => {}
        }
    }

    /// The hints of the info object that a call is given.
    pub(super) fn hints(&self, origin: &Origin) -> Hints {
        let info = row_int(origin, "info").map(|id| id as Id);
        let infos = &self.ranks[origin.rank as usize].infos;
        info.and_then(|info| infos.get(&info).copied()).unwrap_or_default()
    }
}
