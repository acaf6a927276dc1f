//! On whose behalf an entry point was called: the program's, directly or through a language binding, or that of the MPI
//! library or another tool, whose calls are not the program's.

use crate::modules::{self, Origin};
use std::ffi::c_void;
use trace_format::mpi::{Class, Function, Kind};

/// Who has called an entry point.
pub(crate) struct Caller {
    pub(crate) origin: Origin,
    /// Innermost frames that are not the program's: a language binding or another tool.
    pub(crate) frames: usize,
    pub(crate) nested: bool,
    /// Another tool calls for itself: what it makes is not the program's to free.
    pub(crate) for_tool: bool,
}

/// Finds out by the return addresses of a call of `row`, innermost first.
pub(crate) fn caller(addresses: &[u64], row: &Function) -> Caller {
    let modules = modules::known();
    let origin_of = |a: &u64| {
        let module = modules.iter().find(|m| (m.start..m.end).contains(a));
        module.map_or(Origin::Program, |m| m.origin)
    };
    let origin = addresses.first().map_or(Origin::Program, origin_of);
    let frames = match origin {
        Origin::Binding | Origin::Tool => addresses.iter().take_while(|a| origin_of(a) == origin).count(),
        _ => 0,
    };
    let nested = match origin {
        Origin::Internal => true,
        Origin::Binding => !carries_out(addresses.get(..frames).unwrap_or(&[]), row),
        // What a tool asks for itself; when it communicates, it does so for the program.
        Origin::Tool => row.class == Class::Local && !carries_out(addresses.get(..frames).unwrap_or(&[]), row),
        _ => false,
    };
    let for_tool = origin == Origin::Tool && !carries_out(addresses.get(..frames).unwrap_or(&[]), row);
    Caller { origin, frames, nested, for_tool }
}

/// Is the routine of a language binding that the program has called (the outermost of these frames) the one of this
/// function? Bindings also call others: to convert handles, to ask for sizes.
fn carries_out(binding: &[u64], row: &Function) -> bool {
    match binding.iter().rev().find_map(|a| routine_name(*a)) {
        Some(routine) => {
            let own = row.name.to_ascii_lowercase();
            let own = own.strip_prefix("mpix_").or(own.strip_prefix("mpi_")).unwrap_or(&own);
            routine == own || own.strip_suffix("_c") == Some(&routine)
        }
        None => !converts(row),
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
    let prefixes = ["pmpir_", "pmpix_", "ompix_", "pmpi_", "ompi_", "mpix_", "mpi_"];
    let name = prefixes.iter().find_map(|p| symbol.strip_prefix(p))?;
    let suffixes = [
        "_c_f08ts_",
        "_c_f08_",
        "_f08ts_large_",
        "_f08_large_",
        "_f08ts_",
        "_f08_",
        "_f08",
        "_cptr_f",
        "_f",
        "__",
        "_",
    ];
    Some(suffixes.iter().find_map(|s| name.strip_suffix(s)).unwrap_or(name).to_owned())
}
