//! The origins of calls: a loaded module is the program, a binding, the MPI library, another tool.

use crate::mpi::abi::names;
use recorder::modules::{self, Changes, Loaded};
use std::sync::{Arc, Mutex};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program, its libraries, and whatever else is not one of the others.
    #[default]
    Program,
    /// A language binding: it calls on behalf of the program.
    Binding,
    /// The MPI library and its components: their calls are not the program's.
    Internal,
    /// Another tool that wraps MPI.
    Tool,
    /// This library.
    Own,
}

impl Origin {
    fn of(module: &Loaded) -> Origin {
        let name = module.path.rsplit('/').next().unwrap_or("");
        let stem = name.split(".so").next().unwrap_or(name);
        if module.is_self {
            Origin::Own
        } else if module.is_executable {
            Origin::Program
        } else if names::is_binding(stem) {
            Origin::Binding
        } else if names::is_library(stem) || module.defines(b"PMPI_Init") {
            Origin::Internal
        } else if module.defines(b"MPI_Init") {
            // It is no MPI library: it wraps one.
            Origin::Tool
        } else {
            Origin::Program
        }
    }
}

/// The modules of this origin that are loaded now.
pub(crate) fn modules(origin: Origin) -> Vec<Loaded> {
    known().iter().filter(|(_, of)| *of == origin).map(|(module, _)| module.clone()).collect()
}

/// The origin of the module that an address lies in. Modules are only looked at again when any came or went.
pub(crate) fn of_address(address: u64) -> Origin {
    let modules = known();
    let module = modules.iter().find(|(module, _)| (module.start..module.end).contains(&address));
    module.map_or(Origin::Program, |(_, origin)| *origin)
}

type Judged = Arc<Vec<(Loaded, Origin)>>;

fn known() -> Judged {
    static KNOWN: Mutex<(Changes, Option<Judged>)> = Mutex::new(((0, 0), None));
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let changes = modules::changes();
    match &known.1 {
        Some(modules) if known.0 == changes => modules.clone(),
        _ => {
            let judged = |module: Loaded| {
                let origin = Origin::of(&module);
                (module, origin)
            };
            let modules: Judged = Arc::new(modules::loaded().into_iter().map(judged).collect());
            *known = (changes, Some(modules.clone()));
            modules
        }
    }
}
