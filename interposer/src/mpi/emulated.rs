//! MPI_Request_get_status_all, _any and _some (MPI 4.1, 3.7.6) for libraries without them, by PMPI_Request_get_status.
//!
//! Only for who would not run otherwise: a program, or a library of it, whose own reference to the function nothing
//! satisfies. Lookups (dlsym) and weak references are answered as without this library: the function is not there.

use crate::mpi::abi::Abi;
use crate::mpi::words::handle_at;
use crate::mpi::{handles, library};
use recorder::elf;
use std::ffi::c_void;
use std::sync::OnceLock;
use trace_format::mpi::{FnId, Kind};

/// Ours in the place of a function.
pub(crate) fn address(function: FnId) -> Option<*mut c_void> {
    match function {
        FnId::MPI_Request_get_status_all => Some(all as *mut c_void),
        FnId::MPI_Request_get_status_any => Some(any as *mut c_void),
        FnId::MPI_Request_get_status_some => Some(some as *mut c_void),
        _ => None,
    }
}

const BY: &[u8] = b"MPI_Request_get_status";

/// The loader binds `prefix` + `name`, which no module has: is it to be ours? `asker` is who wants to know.
pub(crate) fn answers(function: FnId, prefix: &[u8], name: &[u8], asker: u64) -> bool {
    address(function).is_some()
        && elf::is_loader(asker)
        && elf::find_elsewhere(b"P", BY).is_some()
        && elf::is_any_needed(&[(prefix, name)])
}

/// Does a loaded module refer to a function that is emulated?
pub(crate) fn is_needed() -> bool {
    let all = [FnId::MPI_Request_get_status_all, FnId::MPI_Request_get_status_any, FnId::MPI_Request_get_status_some];
    let names = all.iter().flat_map(|f| [&b""[..], b"P"].map(|prefix| (prefix, f.name().as_bytes())));
    let missing: Vec<_> = names.filter(|(prefix, name)| elf::find_elsewhere(prefix, name).is_none()).collect();
    !missing.is_empty() && elf::is_any_needed(&missing)
}

/// Tells whether a request, with its handle and its place, is persistent and not started. Known where operations are.
static IS_INACTIVE: OnceLock<fn(u64, u64) -> bool> = OnceLock::new();

/// Operations are known from now on, and `is_inactive` tells of a request whether it waits to be started.
pub(crate) fn operations_are_known(is_inactive: fn(u64, u64) -> bool) {
    _ = IS_INACTIVE.set(is_inactive);
}

/// The answer of MPI_Request_get_status on one request.
struct Said {
    code: i32,
    flag: bool,
}

/// The requests and statuses of a call.
struct RequestArray {
    abi: &'static Abi,
    count: usize,
    requests: u64,
    statuses: u64,
}

impl RequestArray {
    fn new(count: i32, requests: u64, statuses: u64) -> Option<RequestArray> {
        Some(RequestArray {
            abi: crate::mpi::abi::current()?,
            count: usize::try_from(count).unwrap_or(0),
            requests,
            statuses,
        })
    }

    fn slot(&self, i: usize) -> u64 {
        self.requests + (i * self.abi.handle_bytes(Kind::Request)) as u64
    }

    fn handle(&self, i: usize) -> u64 {
        handle_at(self.abi, Kind::Request, self.slot(i)).unwrap_or(handles::null_request())
    }

    /// The requests that are neither null nor inactive.
    fn active(&self) -> impl Iterator<Item = usize> {
        (0..self.count).filter(|i| {
            let (handle, slot) = (self.handle(*i), self.slot(*i));
            let is_inactive = || IS_INACTIVE.get().is_some_and(|is_inactive| is_inactive(handle, slot));
            !handles::is_null_request(handle) && !is_inactive()
        })
    }

    /// The place of a status; MPI_STATUS_IGNORE stays what it is.
    fn status(&self, i: usize) -> u64 {
        if self.abi.is_status_ignore(self.statuses) {
            return self.statuses;
        }
        self.statuses + (i * self.abi.status_size()) as u64
    }

    fn ask(&self, handle: u64, status: u64) -> Said {
        let mut flag = 0i32;
        let code = library::call(FnId::MPI_Request_get_status, &[handle, &raw mut flag as u64, status]);
        Said { code: code.unwrap_or(OTHER), flag: flag != 0 }
    }

    /// The result of a call of several requests, and of their statuses, when some have failed.
    fn errors(&self, codes: &[i32]) -> i32 {
        if codes.iter().all(|code| *code == 0) {
            return 0;
        }
        if !self.abi.is_status_ignore(self.statuses) {
            for (i, code) in codes.iter().enumerate() {
                // SAFETY: the program passed an array of so many statuses.
                unsafe { self.abi.set_status_error(self.status(i), *code) };
            }
        }
        self.abi.class_number("MPI_ERR_IN_STATUS").unwrap_or(OTHER)
    }
}

/// An error class that exists everywhere.
const OTHER: i32 = 15;
const UNDEFINED: i32 = -32766;

/// Writes an integer of the program's.
fn put(at: u64, nth: usize, value: i32) {
    // SAFETY: the program passed the address of that many integers, as it would to the library.
    unsafe { (at as *mut i32).add(nth).write_unaligned(value) };
}

/// All or nothing: a status is written only when all are complete.
extern "C-unwind" fn all(count: i32, requests: u64, flag: u64, statuses: u64) -> i32 {
    let Some(array) = RequestArray::new(count, requests, statuses) else { return OTHER };
    let ignore = array.abi.status_ignore();
    put(flag, 0, 0);
    for i in 0..array.count {
        let said = array.ask(array.handle(i), ignore);
        if !said.flag {
            return said.code;
        }
    }
    put(flag, 0, 1);
    let codes: Vec<i32> = (0..array.count).map(|i| array.ask(array.handle(i), array.status(i)).code).collect();
    array.errors(&codes)
}

/// The first that is complete.
extern "C-unwind" fn any(count: i32, requests: u64, index: u64, flag: u64, status: u64) -> i32 {
    let Some(array) = RequestArray::new(count, requests, status) else { return OTHER };
    let mut is_any_active = false;
    for i in array.active() {
        is_any_active = true;
        let said = array.ask(array.handle(i), status);
        if said.flag || said.code != 0 {
            put(index, 0, if said.flag { i as i32 } else { UNDEFINED });
            put(flag, 0, i32::from(said.flag));
            return said.code;
        }
    }
    put(index, 0, UNDEFINED);
    put(flag, 0, i32::from(!is_any_active));
    // The status of the null request is empty.
    if is_any_active { 0 } else { array.ask(handles::null_request(), status).code }
}

extern "C-unwind" fn some(count: i32, requests: u64, outcount: u64, indices: u64, statuses: u64) -> i32 {
    let Some(array) = RequestArray::new(count, requests, statuses) else { return OTHER };
    let mut is_any_active = false;
    let mut codes = Vec::new();
    for i in array.active() {
        is_any_active = true;
        let said = array.ask(array.handle(i), array.status(codes.len()));
        if said.flag {
            put(indices, codes.len(), i as i32);
            codes.push(said.code);
        } else if said.code != 0 {
            return said.code;
        }
    }
    put(outcount, 0, if is_any_active { codes.len() as i32 } else { UNDEFINED });
    array.errors(&codes)
}
