//! The functions that the debugger provides (5.8), in three tables.

use crate::{Address, Image, ImageInfo, Process, ProcessInfo, TargetTypeSizes, Type};
use std::ffi::{c_char, c_int, c_void};

/// `mqs_malloc_ft`: memory of the debugger's.
pub type Malloc = unsafe extern "C" fn(size: usize) -> *mut c_void;
/// `mqs_free_ft`: gives it back.
pub type Free = unsafe extern "C" fn(buffer: *mut c_void);
/// `mqs_dprints_ft`: prints a message, for those who look for mistakes in the DLL. In the header, not in the document.
pub type Dprints = unsafe extern "C" fn(text: *const c_char);
/// `mqs_errorstring_ft`: what a code of the debugger's means.
pub type Errorstring = unsafe extern "C" fn(code: c_int) -> *mut c_char;
/// `mqs_put_image_info_ft`: keeps something of the DLL's with an image.
pub type PutImageInfo = unsafe extern "C" fn(image: *mut Image, info: *mut ImageInfo);
/// `mqs_get_image_info_ft`: what was kept, or null.
pub type GetImageInfo = unsafe extern "C" fn(image: *mut Image) -> *mut ImageInfo;
/// `mqs_put_process_info_ft`: keeps something of the DLL's with a process.
pub type PutProcessInfo = unsafe extern "C" fn(process: *mut Process, info: *mut ProcessInfo);
/// `mqs_get_process_info_ft`: what was kept, or null.
pub type GetProcessInfo = unsafe extern "C" fn(process: *mut Process) -> *mut ProcessInfo;

/// `mqs_basic_callbacks` (5.8.1).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct BasicCallbacks {
    pub malloc: Option<Malloc>,
    pub free: Option<Free>,
    pub dprints: Option<Dprints>,
    pub errorstring: Option<Errorstring>,
    pub put_image_info: Option<PutImageInfo>,
    pub get_image_info: Option<GetImageInfo>,
    pub put_process_info: Option<PutProcessInfo>,
    pub get_process_info: Option<GetProcessInfo>,
}

/// `mqs_get_type_sizes_ft`: the sizes of the target's types.
pub type GetTypeSizes = unsafe extern "C" fn(process: *mut Process, sizes: *mut TargetTypeSizes);
/// `mqs_find_function_ft`: where a function is; `mqs_ok` or `mqs_no_information`. `lang` is one of
/// [`crate::codes::lang`].
pub type FindFunction =
    unsafe extern "C" fn(image: *mut Image, name: *mut c_char, lang: c_int, address: *mut Address) -> c_int;
/// `mqs_find_symbol_ft`: where a symbol is; `mqs_ok` or `mqs_no_information`.
pub type FindSymbol = unsafe extern "C" fn(image: *mut Image, name: *mut c_char, address: *mut Address) -> c_int;
/// `mqs_find_type_ft`: a type by its name, or null.
pub type FindType = unsafe extern "C" fn(image: *mut Image, name: *mut c_char, lang: c_int) -> *mut Type;
/// `mqs_field_offset_ft`: the offset of a field in bytes, or -1.
pub type FieldOffset = unsafe extern "C" fn(kind: *mut Type, field: *mut c_char) -> c_int;
/// `mqs_sizeof_ft`: the size of a type in bytes.
pub type Sizeof = unsafe extern "C" fn(kind: *mut Type) -> c_int;

/// `mqs_image_callbacks` (5.8.2).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ImageCallbacks {
    pub get_type_sizes: Option<GetTypeSizes>,
    pub find_function: Option<FindFunction>,
    pub find_symbol: Option<FindSymbol>,
    pub find_type: Option<FindType>,
    pub field_offset: Option<FieldOffset>,
    pub sizeof: Option<Sizeof>,
}

/// `mqs_get_global_rank_ft`: the rank of a process in MPI_COMM_WORLD.
pub type GetGlobalRank = unsafe extern "C" fn(process: *mut Process) -> c_int;
/// `mqs_get_image_ft`: the image that a process runs.
pub type GetImage = unsafe extern "C" fn(process: *mut Process) -> *mut Image;
/// `mqs_fetch_data_ft`: copies memory of the target; `mqs_ok` or `mqs_no_information`.
pub type FetchData =
    unsafe extern "C" fn(process: *mut Process, address: Address, size: c_int, buffer: *mut c_void) -> c_int;
/// `mqs_target_to_host_ft`: converts a value of the target's to one of the host's.
pub type TargetToHost = unsafe extern "C" fn(process: *mut Process, from: *const c_void, to: *mut c_void, size: c_int);

/// `mqs_process_callbacks` (5.8.3).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ProcessCallbacks {
    pub get_global_rank: Option<GetGlobalRank>,
    pub get_image: Option<GetImage>,
    pub fetch_data: Option<FetchData>,
    pub target_to_host: Option<TargetToHost>,
}

// The header's tables where pointers have 8 bytes.
const _: () = {
    assert!(size_of::<BasicCallbacks>() == 64);
    assert!(size_of::<ImageCallbacks>() == 48);
    assert!(size_of::<ProcessCallbacks>() == 32);
};
