//! Places in the source, as findings and reports name them.

use serde::{Deserialize, Serialize};

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Location {
    /// Name of the function, demangled where it was mangled.
    pub function: String,
    /// Path as the compiler saw it; empty without debug information.
    pub file: String,
    /// 1-based; 0 if not known.
    pub line: u32,
    /// Path of the executable or library.
    pub module: String,
    /// Offset in the module, for what has no debug information.
    pub offset: u64,
}

impl Location {
    /// Is it in MPI's own C++ bindings (MPI 2.2, chapter 16)? Their functions are inline, so that they are compiled into
    /// the program.
    fn is_cxx_binding(&self) -> bool {
        self.function.starts_with("MPI::")
    }

    /// The line that an interpreter is at, where this place has no source of its own.
    pub fn or_interpreted(self, interpreted: Option<&Location>) -> Location {
        match interpreted.filter(|_| self.file.is_empty()) {
            Some(Location { function, file, line, .. }) => {
                Location { function: function.clone(), file: file.clone(), line: *line, ..self }
            }
            None => self,
        }
    }

    /// Is it code of others that is compiled into the program: the C++ bindings, or what the program says to mpivet by?
    pub fn is_inlined_binding(&self) -> bool {
        let file = self.file.rsplit('/').next().unwrap_or("");
        self.is_cxx_binding() || self.function.contains("mpivet_") && matches!(file, "mpivet.h" | "mpivet.f90")
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let function = if self.function.is_empty() { "?" } else { &self.function };
        if self.file.is_empty() {
            let module = self.module.rsplit('/').next().unwrap_or("?");
            write!(f, "{function} ({module}+{:#x})", self.offset)
        } else {
            write!(f, "{function} ({}:{})", self.file, self.line)
        }
    }
}
