//! On whose behalf an entry point was called: the program's, directly or through a language binding, or that of the MPI
//! library or another tool, whose calls are not the program's.

use crate::mpi::abi::names;
use crate::mpi::origin::{self, Origin};
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use trace_format::mpi::{Class, Function, Kind};

/// The caller of an entry point.
pub(crate) struct Caller {
    pub(crate) origin: Origin,
    /// Innermost frames that are not the program's: a language binding or another tool.
    pub(crate) frames: usize,
    pub(crate) nested: bool,
    /// Another tool calls for itself: what it makes is not the program's to free.
    pub(crate) for_tool: bool,
}

/// The return addresses that one thread has seen, with their callers.
#[derive(Default)]
pub(crate) struct Callers {
    known: FxHashMap<u64, Known>,
}

struct Known {
    origin: Origin,
    /// The MPI routine of a language binding: looked up when it is asked for.
    routine: Option<Option<String>>,
}

/// Programs have fewer; what was generated at run time might not.
const MOST_KNOWN: usize = 1 << 17;

impl Callers {
    /// Modules have come and gone: other code may lie at the same addresses.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    /// Finds out by the return addresses of a call of `row`, innermost first.
    pub(crate) fn caller(&mut self, addresses: &[u64], row: &Function) -> Caller {
        let origin = addresses.first().map_or(Origin::Program, |a| self.known(*a).origin);
        let frames = match origin {
            Origin::Binding | Origin::Tool => addresses.iter().take_while(|a| self.known(**a).origin == origin).count(),
            _ => 0,
        };
        let others = addresses.get(..frames).unwrap_or(&[]);
        let carries_out = frames > 0 && self.carries_out(others, row);
        let nested = match origin {
            Origin::Internal => true,
            Origin::Binding => !carries_out,
            // A tool asks for itself; when it communicates, it does so for the program.
            Origin::Tool => row.class == Class::Local && !carries_out,
            _ => false,
        };
        let for_tool = origin == Origin::Tool && !carries_out;
        Caller { origin, frames, nested, for_tool }
    }

    fn known(&mut self, address: u64) -> &mut Known {
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.entry(address).or_insert_with(|| Known { origin: origin::of_address(address), routine: None })
    }

    /// Is the routine of a language binding that the program has called (the outermost of these frames) the one of this
    /// function? Bindings also call others: to convert handles, to ask for sizes.
    fn carries_out(&mut self, binding: &[u64], row: &Function) -> bool {
        for address in binding.iter().rev() {
            let routine = self.known(*address).routine.get_or_insert_with(|| routine_name(*address));
            if let Some(routine) = routine {
                let own = row.name.trim_start_matches("MPIX_").trim_start_matches("MPI_");
                let is = |name: &str| routine.eq_ignore_ascii_case(name);
                return is(own) || own.strip_suffix("_c").is_some_and(is);
            }
        }
        !converts(row)
    }
}

/// Functions that only turn handles and statuses into those of another language.
fn converts(row: &Function) -> bool {
    let foreign = |k: Kind| matches!(k, Kind::Fint | Kind::FStatus | Kind::F08Status);
    foreign(row.ret) || row.ret.is_handle() || row.ret == Kind::Int || row.params.iter().any(|p| foreign(p.kind))
}

/// The MPI routine, in lower case and without prefix and suffix, whose Fortran form holds this address: `send` of
/// `ompi_send_f`, `pmpi_send_`, `mpi_send_f08ts_large_`. `None` if no exported symbol does.
fn routine_name(address: u64) -> Option<String> {
    // SAFETY: all zero is a valid Dl_info, and dladdr takes any address.
    let symbol = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &raw mut info) == 0 || info.dli_sname.is_null() {
            return None;
        }
        std::ffi::CStr::from_ptr(info.dli_sname).to_string_lossy().to_ascii_lowercase()
    };
    names::routine(&symbol).map(str::to_owned)
}
