//! Constants (5.6). All enumerations are `int`.

use std::ffi::c_int;

/// `mqs_ok`: it worked; of iterators: there is another one.
pub const OK: c_int = 0;
/// `mqs_no_information`: there is no such thing, or nothing is known of it.
pub const NO_INFORMATION: c_int = 1;
/// `mqs_end_of_list`: an iterator has come to its end.
pub const END_OF_LIST: c_int = 2;
/// `mqs_first_user_code`: the first code whose meaning is the DLL's own (or the debugger's, of callbacks).
pub const FIRST_USER_CODE: c_int = 100;

/// `MQS_INVALID_PROCESS`: no rank of a process.
pub const INVALID_PROCESS: c_int = -1;

/// `MQS_INTERFACE_COMPATIBILITY`: the version of the interface that `mqs_version_compatibility` answers.
pub const INTERFACE_COMPATIBILITY: c_int = 2;

/// `mqs_lang_code` (5.6.1).
pub mod lang {
    use std::ffi::c_int;

    /// `mqs_lang_c`
    pub const C: c_int = b'c' as c_int;
    /// `mqs_lang_cplus`
    pub const CPLUS: c_int = b'C' as c_int;
    /// `mqs_lang_f77`
    pub const F77: c_int = b'f' as c_int;
    /// `mqs_lang_f90`
    pub const F90: c_int = b'F' as c_int;
}

/// `mqs_op_class` (5.6.2): which queue is meant.
pub mod op_class {
    use std::ffi::c_int;

    /// `mqs_pending_sends`
    pub const PENDING_SENDS: c_int = 0;
    /// `mqs_pending_receives`
    pub const PENDING_RECEIVES: c_int = 1;
    /// `mqs_unexpected_messages`
    pub const UNEXPECTED_MESSAGES: c_int = 2;
}

/// `mqs_status` (5.6.4): how far an operation is.
pub mod status {
    use std::ffi::c_int;

    /// `mqs_st_pending`
    pub const PENDING: c_int = 0;
    /// `mqs_st_matched`
    pub const MATCHED: c_int = 1;
    /// `mqs_st_complete`
    pub const COMPLETE: c_int = 2;
}
