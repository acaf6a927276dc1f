//! The places of discoveries, as they are printed at once.

use crate::{Loaders, Sources};
use trace_format::location::Location;
use trace_format::run::discovery::{Discovery, Place, Shown};

impl Loaders {
    /// The source lines of the places of a discovery; `None`: not known.
    pub fn show(&mut self, discovery: &Discovery, sources: &mut Sources) -> Vec<Option<Shown>> {
        let one = |place| {
            let place = self.of_program(place, discovery.interpreted.as_ref())?;
            let file = discovery.cwd.join(&place.file);
            let text = sources.line(&file.to_string_lossy(), place.line).map(|line| line.trim().to_owned());
            Some(Shown { place, text })
        };
        discovery.places.iter().map(one).collect()
    }

    /// The innermost place that is the program's own. Code of an interpreter stands for the line that the interpreter is at.
    fn of_program(&mut self, place: &Place, interpreted: Option<&Location>) -> Option<Location> {
        let mut all = place.stack.iter().flat_map(|frame| self.locate(frame));
        let found = all.find(|place| !place.is_inlined_binding())?;
        Some(found.or_interpreted(interpreted))
    }
}
