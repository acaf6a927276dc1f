//! Names of the functions of a DLL, and of the symbols that lead a debugger to it.

use std::ffi::CStr;

/// Data of the target: the path of its DLL. The document says `char *`; libraries have `char []`. Which of the two it
/// is shows in the size of the symbol.
pub const DLL_NAME: &CStr = c"MPIR_dll_name";
/// Data of targets with Open MPI: `char **`, further paths of DLLs, null behind the last.
pub const DLL_LOCATIONS: &CStr = c"mpimsgq_dll_locations";

pub const SETUP_BASIC_CALLBACKS: &CStr = c"mqs_setup_basic_callbacks";
pub const VERSION_STRING: &CStr = c"mqs_version_string";
pub const VERSION_COMPATIBILITY: &CStr = c"mqs_version_compatibility";
pub const DLL_TADDR_WIDTH: &CStr = c"mqs_dll_taddr_width";
pub const DLL_ERROR_STRING: &CStr = c"mqs_dll_error_string";
pub const SETUP_IMAGE: &CStr = c"mqs_setup_image";
pub const IMAGE_HAS_QUEUES: &CStr = c"mqs_image_has_queues";
pub const DESTROY_IMAGE_INFO: &CStr = c"mqs_destroy_image_info";
pub const SETUP_PROCESS: &CStr = c"mqs_setup_process";
pub const PROCESS_HAS_QUEUES: &CStr = c"mqs_process_has_queues";
pub const DESTROY_PROCESS_INFO: &CStr = c"mqs_destroy_process_info";
pub const UPDATE_COMMUNICATOR_LIST: &CStr = c"mqs_update_communicator_list";
pub const SETUP_COMMUNICATOR_ITERATOR: &CStr = c"mqs_setup_communicator_iterator";
pub const GET_COMMUNICATOR: &CStr = c"mqs_get_communicator";
pub const GET_COMM_GROUP: &CStr = c"mqs_get_comm_group";
pub const NEXT_COMMUNICATOR: &CStr = c"mqs_next_communicator";
pub const SETUP_OPERATION_ITERATOR: &CStr = c"mqs_setup_operation_iterator";
pub const NEXT_OPERATION: &CStr = c"mqs_next_operation";
