//! Debug information of the modules that findings are in: read once for all findings of the process.

use recorder::modules::{self, Changes};
use std::sync::{Mutex, PoisonError};
use symbols::Symbolizer;

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
/// Of more modules nothing is kept.
const MOST_KEPT: usize = 16;

struct Known {
    /// When the modules were looked at.
    changes: Changes,
    symbols: Symbolizer,
}

impl Known {
    /// Of the modules that are loaded now.
    fn brought_up(mut self) -> Known {
        let changes = modules::changes();
        if self.symbols.loaders.count() > MOST_KEPT {
            self.symbols = Symbolizer::default();
        } else if self.changes == changes && self.symbols.modules.count() > 0 {
            return self;
        }
        self.symbols.modules.clear();
        modules::loaded().iter().for_each(|m| self.symbols.add_module(m.definition()));
        Known { changes, ..self }
    }
}

/// Does something with the debug information of the process. Not for signal handlers.
pub(crate) fn with<T>(look: impl FnOnce(&mut Symbolizer) -> T) -> T {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = known.take().unwrap_or_else(|| Known { changes: (0, 0), symbols: Symbolizer::default() });
    look(&mut known.insert(before.brought_up()).symbols)
}
