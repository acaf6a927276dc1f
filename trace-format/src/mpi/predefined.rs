//! Predefined objects and error classes under family-neutral numbers: what the interposer translates a library's
//! handles and codes to. The order is part of the trace format: append, never reorder.

/// Predefined datatypes. The definition id of `DATATYPES[i]` is `i + 1`.
pub static DATATYPES: &[&str] = &[
    "MPIX_BFLOAT16",
    "MPIX_C_BF16",
    "MPIX_C_FLOAT16",
    "MPI_2COMPLEX",
    "MPI_2DOUBLE_COMPLEX",
    "MPI_2DOUBLE_PRECISION",
    "MPI_2INT",
    "MPI_2INTEGER",
    "MPI_2REAL",
    "MPI_AINT",
    "MPI_BYTE",
    "MPI_CHAR",
    "MPI_CHARACTER",
    "MPI_COMPLEX",
    "MPI_COMPLEX16",
    "MPI_COMPLEX32",
    "MPI_COMPLEX4",
    "MPI_COMPLEX8",
    "MPI_COUNT",
    "MPI_CXX_BOOL",
    "MPI_CXX_COMPLEX",
    "MPI_CXX_DOUBLE_COMPLEX",
    "MPI_CXX_FLOAT_COMPLEX",
    "MPI_CXX_LONG_DOUBLE_COMPLEX",
    "MPI_C_BOOL",
    "MPI_C_DOUBLE_COMPLEX",
    "MPI_C_FLOAT_COMPLEX",
    "MPI_C_LONG_DOUBLE_COMPLEX",
    "MPI_DOUBLE",
    "MPI_DOUBLE_COMPLEX",
    "MPI_DOUBLE_INT",
    "MPI_DOUBLE_PRECISION",
    "MPI_FLOAT",
    "MPI_FLOAT_INT",
    "MPI_INT",
    "MPI_INT16_T",
    "MPI_INT32_T",
    "MPI_INT64_T",
    "MPI_INT8_T",
    "MPI_INTEGER",
    "MPI_INTEGER1",
    "MPI_INTEGER16",
    "MPI_INTEGER2",
    "MPI_INTEGER4",
    "MPI_INTEGER8",
    "MPI_LB",
    "MPI_LOGICAL",
    "MPI_LOGICAL1",
    "MPI_LOGICAL16",
    "MPI_LOGICAL2",
    "MPI_LOGICAL4",
    "MPI_LOGICAL8",
    "MPI_LONG",
    "MPI_LONG_DOUBLE",
    "MPI_LONG_DOUBLE_INT",
    "MPI_LONG_INT",
    "MPI_LONG_LONG_INT",
    "MPI_OFFSET",
    "MPI_PACKED",
    "MPI_REAL",
    "MPI_REAL16",
    "MPI_REAL2",
    "MPI_REAL4",
    "MPI_REAL8",
    "MPI_SHORT",
    "MPI_SHORT_INT",
    "MPI_SIGNED_CHAR",
    "MPI_UB",
    "MPI_UINT16_T",
    "MPI_UINT32_T",
    "MPI_UINT64_T",
    "MPI_UINT8_T",
    "MPI_UNSIGNED",
    "MPI_UNSIGNED_CHAR",
    "MPI_UNSIGNED_LONG",
    "MPI_UNSIGNED_LONG_LONG",
    "MPI_UNSIGNED_SHORT",
    "MPI_WCHAR",
];

/// Predefined reduction operations. The definition id of `OPS[i]` is `i + 1`.
pub static OPS: &[&str] = &[
    "MPIX_EQUAL",
    "MPI_BAND",
    "MPI_BOR",
    "MPI_BXOR",
    "MPI_LAND",
    "MPI_LOR",
    "MPI_LXOR",
    "MPI_MAX",
    "MPI_MAXLOC",
    "MPI_MIN",
    "MPI_MINLOC",
    "MPI_NO_OP",
    "MPI_PROD",
    "MPI_REPLACE",
    "MPI_SUM",
];

/// Error classes. The neutral number of `ERROR_CLASSES[i]` is `i + 1`; 0 is MPI_SUCCESS.
pub static ERROR_CLASSES: &[&str] = &[
    "MPI_ERR_ABI",
    "MPI_ERR_ACCESS",
    "MPI_ERR_AMODE",
    "MPI_ERR_ARG",
    "MPI_ERR_ASSERT",
    "MPI_ERR_BAD_FILE",
    "MPI_ERR_BASE",
    "MPI_ERR_BUFFER",
    "MPI_ERR_COMM",
    "MPI_ERR_CONVERSION",
    "MPI_ERR_COUNT",
    "MPI_ERR_DIMS",
    "MPI_ERR_DISP",
    "MPI_ERR_DUP_DATAREP",
    "MPI_ERR_ERRHANDLER",
    "MPI_ERR_FILE",
    "MPI_ERR_FILE_EXISTS",
    "MPI_ERR_FILE_IN_USE",
    "MPI_ERR_GROUP",
    "MPI_ERR_INFO",
    "MPI_ERR_INFO_KEY",
    "MPI_ERR_INFO_NOKEY",
    "MPI_ERR_INFO_VALUE",
    "MPI_ERR_INTERN",
    "MPI_ERR_IN_STATUS",
    "MPI_ERR_IO",
    "MPI_ERR_KEYVAL",
    "MPI_ERR_LOCKTYPE",
    "MPI_ERR_NAME",
    "MPI_ERR_NOT_SAME",
    "MPI_ERR_NO_MEM",
    "MPI_ERR_NO_SPACE",
    "MPI_ERR_NO_SUCH_FILE",
    "MPI_ERR_OP",
    "MPI_ERR_OTHER",
    "MPI_ERR_PENDING",
    "MPI_ERR_PORT",
    "MPI_ERR_PROC_ABORTED",
    "MPI_ERR_PROC_FAILED",
    "MPI_ERR_PROC_FAILED_PENDING",
    "MPI_ERR_QUOTA",
    "MPI_ERR_RANK",
    "MPI_ERR_READ_ONLY",
    "MPI_ERR_REQUEST",
    "MPI_ERR_REVOKED",
    "MPI_ERR_RMA_ATTACH",
    "MPI_ERR_RMA_CONFLICT",
    "MPI_ERR_RMA_FLAVOR",
    "MPI_ERR_RMA_RANGE",
    "MPI_ERR_RMA_SHARED",
    "MPI_ERR_RMA_SYNC",
    "MPI_ERR_ROOT",
    "MPI_ERR_SERVICE",
    "MPI_ERR_SESSION",
    "MPI_ERR_SIZE",
    "MPI_ERR_SPAWN",
    "MPI_ERR_TAG",
    "MPI_ERR_TOPOLOGY",
    "MPI_ERR_TRUNCATE",
    "MPI_ERR_TYPE",
    "MPI_ERR_UNKNOWN",
    "MPI_ERR_UNSUPPORTED_DATAREP",
    "MPI_ERR_UNSUPPORTED_OPERATION",
    "MPI_ERR_VALUE_TOO_LARGE",
    "MPI_ERR_WIN",
    "MPI_T_ERR_CANNOT_INIT",
    "MPI_T_ERR_CVAR_SET_NEVER",
    "MPI_T_ERR_CVAR_SET_NOT_NOW",
    "MPI_T_ERR_INVALID",
    "MPI_T_ERR_INVALID_HANDLE",
    "MPI_T_ERR_INVALID_INDEX",
    "MPI_T_ERR_INVALID_ITEM",
    "MPI_T_ERR_INVALID_NAME",
    "MPI_T_ERR_INVALID_SESSION",
    "MPI_T_ERR_MEMORY",
    "MPI_T_ERR_NOT_ACCESSIBLE",
    "MPI_T_ERR_NOT_INITIALIZED",
    "MPI_T_ERR_NOT_SUPPORTED",
    "MPI_T_ERR_OUT_OF_HANDLES",
    "MPI_T_ERR_OUT_OF_SESSIONS",
    "MPI_T_ERR_PVAR_NO_ATOMIC",
    "MPI_T_ERR_PVAR_NO_STARTSTOP",
    "MPI_T_ERR_PVAR_NO_WRITE",
    "MPIX_ERR_EAGAIN",
    "MPIX_ERR_NOREQ",
    "MPIX_ERR_PROC_FAILED",
    "MPIX_ERR_PROC_FAILED_PENDING",
    "MPIX_ERR_REVOKED",
    "MPIX_ERR_STREAM",
    "MPIX_ERR_TIMEOUT",
];

/// Neutral number of an error class that is in no list: user-defined or a library's own.
pub const UNKNOWN_ERROR_CLASS: u16 = 0xfff;
/// An error class that the program has made (MPI_Add_error_class).
pub const PROGRAMS_ERROR_CLASS: u16 = 0xffe;

/// Other predefined handles: their definition ids start at 1 as well.
/// The last one is MPICH's own, for its bindings to C++ (`MPI::ERRORS_THROW_EXCEPTIONS`).
pub static ERRHANDLERS: &[&str] =
    &["MPI_ERRORS_ARE_FATAL", "MPI_ERRORS_RETURN", "MPI_ERRORS_ABORT", "MPIR_ERRORS_THROW_EXCEPTIONS"];
/// Predefined info objects (MPI 4.1, chapter 10). The definition id of `INFOS[i]` is `i + 1`.
pub static INFOS: &[&str] = &["MPI_INFO_ENV"];

/// Name of an error class.
pub fn error_class_name(class: u16) -> &'static str {
    match class {
        0 => "MPI_SUCCESS",
        PROGRAMS_ERROR_CLASS => "an error class of the program",
        n => ERROR_CLASSES.get(n as usize - 1).copied().unwrap_or("an error class of the library"),
    }
}

/// Definition id of a predefined datatype.
pub fn datatype_id(name: &str) -> Option<u32> {
    let name = match name {
        // Two names of one type in every family.
        "MPI_C_COMPLEX" => "MPI_C_FLOAT_COMPLEX",
        "MPI_LONG_LONG" => "MPI_LONG_LONG_INT",
        other => other,
    };
    DATATYPES.iter().position(|n| *n == name).map(|i| i as u32 + 1)
}

/// Definition id of a predefined operation.
pub fn op_id(name: &str) -> Option<u32> {
    OPS.iter().position(|n| *n == name).map(|i| i as u32 + 1)
}

/// Predefined datatypes that consist of a value and an index (MPI 4.1 section 6.9.4): their two basic types.
pub fn pair_parts(name: &str) -> Option<[&'static str; 2]> {
    Some(match name {
        "MPI_FLOAT_INT" => ["MPI_FLOAT", "MPI_INT"],
        "MPI_DOUBLE_INT" => ["MPI_DOUBLE", "MPI_INT"],
        "MPI_LONG_INT" => ["MPI_LONG", "MPI_INT"],
        "MPI_SHORT_INT" => ["MPI_SHORT", "MPI_INT"],
        "MPI_LONG_DOUBLE_INT" => ["MPI_LONG_DOUBLE", "MPI_INT"],
        "MPI_2INT" => ["MPI_INT", "MPI_INT"],
        "MPI_2REAL" => ["MPI_REAL", "MPI_REAL"],
        "MPI_2DOUBLE_PRECISION" => ["MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION"],
        "MPI_2INTEGER" => ["MPI_INTEGER", "MPI_INTEGER"],
        "MPI_2COMPLEX" => ["MPI_COMPLEX", "MPI_COMPLEX"],
        "MPI_2DOUBLE_COMPLEX" => ["MPI_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX"],
        _ => return None,
    })
}
