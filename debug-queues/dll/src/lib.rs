//! `libmpivet_queues.so`: the message-queue DLL (MQS) for processes that run under `libmpivet.so`, whatever MPI library
//! they use. A debugger finds it by `MPIR_dll_name` in the process, loads it, and asks it for communicators and pending
//! operations; it reads the tables of [`queue_table`] by the debugger's functions and does nothing else.
//!
//! Whatever is in the memory of the process, an answer comes in bounded time: what is damaged is an error. The process
//! may go on meanwhile: every operation that is listed was pending at the moment when it was read.
//!
//! Ranks and sizes of an intercommunicator are those of its remote group, which the ranks of operations refer to; only
//! the local rank is that in the local group. Which messages have arrived unexpectedly is not known: no library tells.
//! Names of sections are those of the document that [`mqs`] describes.

mod communicators;
mod debugger;
mod failure;
mod image;
mod operations;
mod process;
mod table;
mod target;
#[cfg(test)]
mod tests;

use failure::Failure;
use mqs::{
    Address, BasicCallbacks, Communicator, Image, ImageCallbacks, ImageInfo, PendingOperation, Process,
    ProcessCallbacks, ProcessInfo, codes,
};
use process::Info;
use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs an entry point; no panic leaves it.
fn answer(entry: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match catch_unwind(AssertUnwindSafe(entry)) {
        Ok(Ok(())) => codes::OK,
        Ok(Err(failure)) => failure.code(),
        Err(_) => Failure::Internal.code(),
    }
}

/// Texts that the debugger gets are constants: nobody writes to them, in spite of the type.
fn shown(text: &'static CStr) -> *mut c_char {
    text.as_ptr().cast_mut()
}

fn is_there<T>(pointer: *mut T) -> Result<*mut T, Failure> {
    if pointer.is_null() { Err(Failure::NoCallbacks) } else { Ok(pointer) }
}

/// Runs an entry point of a process that was set up.
fn of_process(process: *mut Process, entry: impl FnOnce(&mut Info) -> Result<(), Failure>) -> c_int {
    answer(|| debugger::with(is_there(process)?, entry))
}

/// 5.9.1
///
/// # Safety
/// `callbacks` is null or a table of functions as section 5.8.1 describes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_basic_callbacks(callbacks: *const BasicCallbacks) {
    // SAFETY: as the caller says.
    let callbacks = unsafe { callbacks.as_ref() };
    answer(|| {
        debugger::set(*callbacks.ok_or(Failure::NoCallbacks)?);
        Ok(())
    });
}

/// 5.9.2
#[unsafe(no_mangle)]
pub extern "C" fn mqs_version_string() -> *mut c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!("mpivet ", env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"mpivet",
        };
    shown(VERSION)
}

/// 5.9.3
#[unsafe(no_mangle)]
pub extern "C" fn mqs_version_compatibility() -> c_int {
    codes::INTERFACE_COMPATIBILITY
}

/// 5.9.4
#[unsafe(no_mangle)]
pub extern "C" fn mqs_dll_taddr_width() -> c_int {
    size_of::<Address>() as c_int
}

/// 5.9.5
#[unsafe(no_mangle)]
pub extern "C" fn mqs_dll_error_string(code: c_int) -> *mut c_char {
    shown(failure::text(code))
}

/// 5.10.1
///
/// # Safety
/// `image` is the debugger's, and `callbacks` is null or a table of functions as section 5.8.2 describes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_image(image: *mut Image, callbacks: *const ImageCallbacks) -> c_int {
    // SAFETY: as the caller says.
    let callbacks = unsafe { callbacks.as_ref() };
    answer(|| debugger::keep(is_there(image)?, image::Info { callbacks: *callbacks.ok_or(Failure::NoCallbacks)? }))
}

/// 5.10.2
///
/// # Safety
/// `image` is the debugger's, and `message` is null or the address of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_image_has_queues(image: *mut Image, message: *mut *mut c_char) -> c_int {
    // SAFETY: as the caller says.
    let message = unsafe { message.as_mut() };
    answer(|| {
        let found = debugger::with(is_there(image)?, |info: &mut image::Info| info.table(image));
        say(message, found.is_err().then_some(c"the symbol mpivet_queues is not there: libmpivet.so is not loaded"));
        found.map(|_| ())
    })
}

fn say(message: Option<&mut *mut c_char>, text: Option<&'static CStr>) {
    if let Some(place) = message {
        *place = text.map_or(std::ptr::null_mut(), shown);
    }
}

/// 5.10.3
///
/// # Safety
/// `info` is null or what the debugger was given by `mqs_put_image_info`, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_destroy_image_info(info: *mut ImageInfo) -> c_int {
    // SAFETY: as the caller says.
    answer(|| unsafe { debugger::give_up(info.cast::<image::Info>()) })
}

/// 5.11.1
///
/// # Safety
/// `process` is the debugger's, and `callbacks` is null or a table of functions as section 5.8.3 describes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_process(process: *mut Process, callbacks: *const ProcessCallbacks) -> c_int {
    // SAFETY: as the caller says.
    let callbacks = unsafe { callbacks.as_ref() };
    answer(|| debugger::keep(is_there(process)?, Info::new(process, *callbacks.ok_or(Failure::NoCallbacks)?)))
}

/// 5.11.2
///
/// # Safety
/// `process` is the debugger's, and `message` is null or the address of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_process_has_queues(process: *mut Process, message: *mut *mut c_char) -> c_int {
    // SAFETY: as the caller says.
    let message = unsafe { message.as_mut() };
    of_process(process, |info| {
        let answer = info.has_queues();
        say(message, answer.unwrap_or_else(|(_, why)| Some(why)));
        answer.map(|_| ()).map_err(|(failure, _)| failure)
    })
}

/// 5.11.3
///
/// # Safety
/// `info` is null or what the debugger was given by `mqs_put_process_info`, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_destroy_process_info(info: *mut ProcessInfo) -> c_int {
    // SAFETY: as the caller says.
    answer(|| unsafe { debugger::give_up(info.cast::<Info>()) })
}

/// 5.12.1
///
/// # Safety
/// `process` is the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_update_communicator_list(process: *mut Process) -> c_int {
    of_process(process, Info::update)
}

/// 5.12.2
///
/// # Safety
/// `process` is the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_communicator_iterator(process: *mut Process) -> c_int {
    of_process(process, Info::first_communicator)
}

/// 5.12.3
///
/// # Safety
/// `process` is the debugger's, and `communicator` is null or a place for a communicator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_get_communicator(process: *mut Process, communicator: *mut Communicator) -> c_int {
    of_process(process, |info| {
        let found = info.communicator()?.described();
        // SAFETY: as the caller says; it need not be initialized.
        unsafe { is_there(communicator)?.write(found) };
        Ok(())
    })
}

/// 5.12.4
///
/// # Safety
/// `process` is the debugger's, and `ranks` is null or has room for as many ranks as the communicator is large.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_get_comm_group(process: *mut Process, ranks: *mut c_int) -> c_int {
    of_process(process, |info| {
        let (comm, ranks) = (info.communicator()?, is_there(ranks)?);
        for rank in 0..comm.size {
            // SAFETY: as the caller says, and `mqs_get_communicator` has told this size.
            unsafe { ranks.add(rank as usize).write(comm.global(rank)) };
        }
        Ok(())
    })
}

/// 5.12.5
///
/// # Safety
/// `process` is the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_next_communicator(process: *mut Process) -> c_int {
    of_process(process, Info::next_communicator)
}

/// 5.12.6
///
/// # Safety
/// `process` is the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_operation_iterator(process: *mut Process, class: c_int) -> c_int {
    of_process(process, |info| info.list_operations(class))
}

/// 5.12.7
///
/// # Safety
/// `process` is the debugger's, and `operation` is null or a place for an operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_next_operation(process: *mut Process, operation: *mut PendingOperation) -> c_int {
    of_process(process, |info| {
        let place = is_there(operation)?;
        let found = info.next_operation()?;
        // SAFETY: as the caller says; it need not be initialized.
        unsafe { place.write(found) };
        Ok(())
    })
}
