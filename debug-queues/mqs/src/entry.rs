//! Types of the functions that the DLL provides (5.9 to 5.12); [`crate::names`] has their names.

use crate::{
    BasicCallbacks, Communicator, Image, ImageCallbacks, ImageInfo, PendingOperation, Process, ProcessCallbacks,
    ProcessInfo,
};
use std::ffi::{c_char, c_int};

/// `mqs_setup_basic_callbacks` (5.9.1): before all others.
pub type SetupBasicCallbacks = unsafe extern "C" fn(callbacks: *const BasicCallbacks);
/// `mqs_version_string` (5.9.2): which DLL it is.
pub type VersionString = unsafe extern "C" fn() -> *mut c_char;
/// `mqs_version_compatibility` (5.9.3) and `mqs_dll_taddr_width` (5.9.4: bytes of [`crate::Address`]).
pub type Number = unsafe extern "C" fn() -> c_int;
/// `mqs_dll_error_string` (5.9.5): what a code of the DLL's means.
pub type DllErrorString = unsafe extern "C" fn(code: c_int) -> *mut c_char;

/// `mqs_setup_image` (5.10.1).
pub type SetupImage = unsafe extern "C" fn(image: *mut Image, callbacks: *const ImageCallbacks) -> c_int;
/// `mqs_image_has_queues` (5.10.2). `message` is set to a text for people, or to null; some DLLs set it on success,
/// too.
pub type ImageHasQueues = unsafe extern "C" fn(image: *mut Image, message: *mut *mut c_char) -> c_int;
/// `mqs_destroy_image_info` (5.10.3).
pub type DestroyImageInfo = unsafe extern "C" fn(info: *mut ImageInfo) -> c_int;

/// `mqs_setup_process` (5.11.1).
pub type SetupProcess = unsafe extern "C" fn(process: *mut Process, callbacks: *const ProcessCallbacks) -> c_int;
/// `mqs_process_has_queues` (5.11.2). `message` as of [`ImageHasQueues`].
pub type ProcessHasQueues = unsafe extern "C" fn(process: *mut Process, message: *mut *mut c_char) -> c_int;
/// `mqs_destroy_process_info` (5.11.3).
pub type DestroyProcessInfo = unsafe extern "C" fn(info: *mut ProcessInfo) -> c_int;

/// `mqs_update_communicator_list` (5.12.1), `mqs_setup_communicator_iterator` (5.12.2; [`crate::codes::END_OF_LIST`] if
/// there is none) and `mqs_next_communicator` (5.12.5).
pub type OfProcess = unsafe extern "C" fn(process: *mut Process) -> c_int;
/// `mqs_get_communicator` (5.12.3): the one that the iterator is at.
pub type GetCommunicator = unsafe extern "C" fn(process: *mut Process, communicator: *mut Communicator) -> c_int;
/// `mqs_get_comm_group` (5.12.4): its group as ranks in MPI_COMM_WORLD, as many as it is large.
pub type GetCommGroup = unsafe extern "C" fn(process: *mut Process, ranks: *mut c_int) -> c_int;
/// `mqs_setup_operation_iterator` (5.12.6): `class` is one of [`crate::codes::op_class`].
pub type SetupOperationIterator = unsafe extern "C" fn(process: *mut Process, class: c_int) -> c_int;
/// `mqs_next_operation` (5.12.7): the next one, also for the first; [`crate::codes::END_OF_LIST`] behind the last.
pub type NextOperation = unsafe extern "C" fn(process: *mut Process, operation: *mut PendingOperation) -> c_int;
