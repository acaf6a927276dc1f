//! The arguments of a call as words, and what stands at the addresses among them; integers that the library answers.

use crate::mpi::abi::Abi;
use crate::mpi::library;
use std::ffi::CStr;
use trace_format::mpi::{FnId, Kind};

/// The words of a call's arguments.
pub(crate) type Words = [u64; library::MAX_ARGS];

/// An integer that a local query of a valid communicator answers.
pub(crate) fn ask(function: FnId, comm: u64) -> usize {
    let mut answer = 0i32;
    library::call(function, &[comm, &raw mut answer as u64]);
    answer.max(0) as usize
}

/// The handle in the program's variable at `address`; `None` if that is no address.
pub(crate) fn handle_at(abi: &Abi, kind: Kind, address: u64) -> Option<u64> {
    if address < abi.lowest_address {
        return None;
    }
    // SAFETY: the program passed the address of a handle of this kind to MPI.
    let handle = unsafe {
        match abi.handle_bytes(kind) {
            4 => u64::from((address as *const u32).read_unaligned()),
            _ => (address as *const u64).read_unaligned(),
        }
    };
    Some(handle)
}

/// Is the flag true that a call has written to this address?
pub(crate) fn is_true(abi: &Abi, flag: Option<u64>) -> bool {
    // SAFETY: the library has written the flag that the program passed the address of.
    flag.is_some_and(|a| a >= abi.lowest_address && unsafe { (a as *const i32).read_unaligned() } != 0)
}

/// The text at an address.
pub(crate) fn c_string(address: u64) -> &'static [u8] {
    // SAFETY: the program passed a C string, or MPI has written one.
    unsafe { CStr::from_ptr(address as *const std::ffi::c_char) }.to_bytes()
}

/// The C handle of a Fortran one.
pub(crate) fn fortran_handle(abi: &Abi, kind: Kind, value: i32) -> u64 {
    match abi.fortran_converter(kind) {
        Some(function) => library::call_long(function, &[value as u64]).unwrap_or(0),
        None => u64::from(value as u32),
    }
}
