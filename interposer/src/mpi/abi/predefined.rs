//! Predefined handles of the three families. `mpich` and `standard` are handle values; `openmpi` is the name of the
//! data symbol whose address is the handle (look it up in the global scope first: executables may have their own copy).

use super::Family;

/// One predefined handle.
pub(crate) struct Predefined {
    pub(crate) name: &'static str,
    pub(crate) mpich: Option<u64>,
    pub(crate) openmpi: Option<&'static str>,
    pub(crate) standard: Option<u64>,
}

const fn row(
    name: &'static str,
    mpich: Option<u64>,
    openmpi: Option<&'static str>,
    standard: Option<u64>,
) -> Predefined {
    Predefined { name, mpich, openmpi, standard }
}

impl Predefined {
    /// The handle in a family; `symbol` finds the address of a data symbol.
    pub(crate) fn handle(&self, family: Family, symbol: impl FnOnce(&str) -> Option<u64>) -> Option<u64> {
        match family {
            Family::Mpich => self.mpich,
            Family::OpenMpi => self.openmpi.and_then(symbol),
            Family::Standard => self.standard,
            Family::Draft => in_draft(&DRAFT_HANDLES, self.name).or(self.standard),
        }
    }
}

/// What the draft of the ABI numbers in another way.
static DRAFT_HANDLES: [(&str, u64); 2] = [("MPI_ERRORS_ABORT", 0x143), ("MPI_ERRORS_RETURN", 0x142)];
static DRAFT_CONSTANTS: [(&str, i64); 3] = [("MPI_SEEK_CUR", 402), ("MPI_SEEK_END", 403), ("MPI_SEEK_SET", 401)];

fn in_draft<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
}

/// The value of a named constant that the draft numbers in another way.
pub(crate) fn draft_constant(name: &str) -> Option<i64> {
    in_draft(&DRAFT_CONSTANTS, name)
}

#[rustfmt::skip]
pub(crate) static COMM: &[Predefined] = &[
    row("MPI_COMM_NULL", Some(0x04000000), Some("ompi_mpi_comm_null"), Some(0x100)),
    row("MPI_COMM_SELF", Some(0x44000001), Some("ompi_mpi_comm_self"), Some(0x102)),
    row("MPI_COMM_WORLD", Some(0x44000000), Some("ompi_mpi_comm_world"), Some(0x101)),
];

#[rustfmt::skip]
pub(crate) static GROUP: &[Predefined] = &[
    row("MPI_GROUP_EMPTY", Some(0x48000000), Some("ompi_mpi_group_empty"), Some(0x109)),
    row("MPI_GROUP_NULL", Some(0x08000000), Some("ompi_mpi_group_null"), Some(0x108)),
];

#[rustfmt::skip]
pub(crate) static DATATYPE: &[Predefined] = &[
    row("MPIX_BFLOAT16", Some(0x4c00024c), None, Some(0x2f9)),
    row("MPIX_C_BF16", Some(0x4c000247), None, Some(0x2f9)),
    row("MPIX_C_FLOAT16", Some(0x4c000246), None, Some(0x2f8)),
    row("MPI_2COMPLEX", None, Some("ompi_mpi_2cplex"), None),
    row("MPI_2DOUBLE_COMPLEX", None, Some("ompi_mpi_2dblcplex"), None),
    row("MPI_2DOUBLE_PRECISION", Some(0x4c001023), Some("ompi_mpi_2dblprec"), Some(0x231)),
    row("MPI_2INT", Some(0x4c000816), Some("ompi_mpi_2int"), Some(0x22b)),
    row("MPI_2INTEGER", Some(0x4c000820), Some("ompi_mpi_2integer"), Some(0x232)),
    row("MPI_2REAL", Some(0x4c000821), Some("ompi_mpi_2real"), Some(0x230)),
    row("MPI_AINT", Some(0x4c000843), Some("ompi_mpi_aint"), Some(0x201)),
    row("MPI_BYTE", Some(0x4c00010d), Some("ompi_mpi_byte"), Some(0x247)),
    row("MPI_CHAR", Some(0x4c000101), Some("ompi_mpi_char"), Some(0x243)),
    row("MPI_CHARACTER", Some(0x4c00011a), Some("ompi_mpi_character"), Some(0x21e)),
    row("MPI_COMPLEX", Some(0x4c00081e), Some("ompi_mpi_cplex"), Some(0x21b)),
    row("MPI_COMPLEX16", Some(0x4c00102a), Some("ompi_mpi_complex16"), Some(0x2e3)),
    row("MPI_COMPLEX32", Some(0x4c00202c), Some("ompi_mpi_complex32"), Some(0x2eb)),
    row("MPI_COMPLEX4", Some(0x4c00042e), None, Some(0x2d3)),
    row("MPI_COMPLEX8", Some(0x4c000828), Some("ompi_mpi_complex8"), Some(0x2db)),
    row("MPI_COUNT", Some(0x4c000845), Some("ompi_mpi_count"), Some(0x202)),
    row("MPI_CXX_BOOL", Some(0x4c000133), Some("ompi_mpi_cxx_bool"), Some(0x239)),
    row("MPI_CXX_COMPLEX", None, Some("ompi_mpi_cxx_cplex"), None),
    row("MPI_CXX_DOUBLE_COMPLEX", Some(0x4c001035), Some("ompi_mpi_cxx_dblcplex"), Some(0x217)),
    row("MPI_CXX_FLOAT_COMPLEX", Some(0x4c000834), Some("ompi_mpi_cxx_cplex"), Some(0x213)),
    row("MPI_CXX_LONG_DOUBLE_COMPLEX", Some(0x4c002036), Some("ompi_mpi_cxx_ldblcplex"), Some(0x225)),
    row("MPI_C_BOOL", Some(0x4c00013f), Some("ompi_mpi_c_bool"), Some(0x238)),
    row("MPI_C_COMPLEX", Some(0x4c000840), Some("ompi_mpi_c_float_complex"), Some(0x212)),
    row("MPI_C_DOUBLE_COMPLEX", Some(0x4c001041), Some("ompi_mpi_c_double_complex"), Some(0x216)),
    row("MPI_C_FLOAT_COMPLEX", Some(0x4c000840), Some("ompi_mpi_c_float_complex"), Some(0x212)),
    row("MPI_C_LONG_DOUBLE_COMPLEX", Some(0x4c002042), Some("ompi_mpi_c_long_double_complex"), Some(0x224)),
    row("MPI_DATATYPE_NULL", Some(0x0c000000), Some("ompi_mpi_datatype_null"), Some(0x200)),
    row("MPI_DOUBLE", Some(0x4c00080b), Some("ompi_mpi_double"), Some(0x214)),
    row("MPI_DOUBLE_COMPLEX", Some(0x4c001022), Some("ompi_mpi_dblcplex"), Some(0x21d)),
    row("MPI_DOUBLE_INT", Some(0x8c000001), Some("ompi_mpi_double_int"), Some(0x229)),
    row("MPI_DOUBLE_PRECISION", Some(0x4c00081f), Some("ompi_mpi_dblprec"), Some(0x21c)),
    row("MPI_FLOAT", Some(0x4c00040a), Some("ompi_mpi_float"), Some(0x210)),
    row("MPI_FLOAT_INT", Some(0x8c000000), Some("ompi_mpi_float_int"), Some(0x228)),
    row("MPI_INT", Some(0x4c000405), Some("ompi_mpi_int"), Some(0x209)),
    row("MPI_INT16_T", Some(0x4c000238), Some("ompi_mpi_int16_t"), Some(0x248)),
    row("MPI_INT32_T", Some(0x4c000439), Some("ompi_mpi_int32_t"), Some(0x250)),
    row("MPI_INT64_T", Some(0x4c00083a), Some("ompi_mpi_int64_t"), Some(0x258)),
    row("MPI_INT8_T", Some(0x4c000137), Some("ompi_mpi_int8_t"), Some(0x240)),
    row("MPI_INTEGER", Some(0x4c00041b), Some("ompi_mpi_integer"), Some(0x219)),
    row("MPI_INTEGER1", Some(0x4c00012d), Some("ompi_mpi_integer1"), Some(0x2c1)),
    row("MPI_INTEGER16", Some(0x4c001032), None, Some(0x2e1)),
    row("MPI_INTEGER2", Some(0x4c00022f), Some("ompi_mpi_integer2"), Some(0x2c9)),
    row("MPI_INTEGER4", Some(0x4c000430), Some("ompi_mpi_integer4"), Some(0x2d1)),
    row("MPI_INTEGER8", Some(0x4c000831), Some("ompi_mpi_integer8"), Some(0x2d9)),
    row("MPI_LB", Some(0x4c000010), None, None),
    row("MPI_LOGICAL", Some(0x4c00041d), Some("ompi_mpi_logical"), Some(0x218)),
    row("MPI_LOGICAL1", Some(0x4c000147), Some("ompi_mpi_logical1"), Some(0x2c0)),
    row("MPI_LOGICAL16", Some(0x4c00104b), None, Some(0x2e0)),
    row("MPI_LOGICAL2", Some(0x4c000248), Some("ompi_mpi_logical2"), Some(0x2c8)),
    row("MPI_LOGICAL4", Some(0x4c000449), Some("ompi_mpi_logical4"), Some(0x2d0)),
    row("MPI_LOGICAL8", Some(0x4c00084a), Some("ompi_mpi_logical8"), Some(0x2d8)),
    row("MPI_LONG", Some(0x4c000807), Some("ompi_mpi_long"), Some(0x20a)),
    row("MPI_LONG_DOUBLE", Some(0x4c00100c), Some("ompi_mpi_long_double"), Some(0x220)),
    row("MPI_LONG_DOUBLE_INT", Some(0x8c000004), Some("ompi_mpi_longdbl_int"), Some(0x22d)),
    row("MPI_LONG_INT", Some(0x8c000002), Some("ompi_mpi_long_int"), Some(0x22a)),
    row("MPI_LONG_LONG", Some(0x4c000809), Some("ompi_mpi_long_long_int"), Some(0x20b)),
    row("MPI_LONG_LONG_INT", Some(0x4c000809), Some("ompi_mpi_long_long_int"), Some(0x20b)),
    row("MPI_OFFSET", Some(0x4c000844), Some("ompi_mpi_offset"), Some(0x203)),
    row("MPI_PACKED", Some(0x4c00010f), Some("ompi_mpi_packed"), Some(0x207)),
    row("MPI_REAL", Some(0x4c00041c), Some("ompi_mpi_real"), Some(0x21a)),
    row("MPI_REAL16", Some(0x4c00102b), Some("ompi_mpi_real16"), Some(0x2e2)),
    row("MPI_REAL2", Some(0x4c000226), None, Some(0x2ca)),
    row("MPI_REAL4", Some(0x4c000427), Some("ompi_mpi_real4"), Some(0x2d2)),
    row("MPI_REAL8", Some(0x4c000829), Some("ompi_mpi_real8"), Some(0x2da)),
    row("MPI_SHORT", Some(0x4c000203), Some("ompi_mpi_short"), Some(0x208)),
    row("MPI_SHORT_INT", Some(0x8c000003), Some("ompi_mpi_short_int"), Some(0x22c)),
    row("MPI_SIGNED_CHAR", Some(0x4c000118), Some("ompi_mpi_signed_char"), Some(0x244)),
    row("MPI_UB", Some(0x4c000011), None, None),
    row("MPI_UINT16_T", Some(0x4c00023c), Some("ompi_mpi_uint16_t"), Some(0x249)),
    row("MPI_UINT32_T", Some(0x4c00043d), Some("ompi_mpi_uint32_t"), Some(0x251)),
    row("MPI_UINT64_T", Some(0x4c00083e), Some("ompi_mpi_uint64_t"), Some(0x259)),
    row("MPI_UINT8_T", Some(0x4c00013b), Some("ompi_mpi_uint8_t"), Some(0x241)),
    row("MPI_UNSIGNED", Some(0x4c000406), Some("ompi_mpi_unsigned"), Some(0x20d)),
    row("MPI_UNSIGNED_CHAR", Some(0x4c000102), Some("ompi_mpi_unsigned_char"), Some(0x245)),
    row("MPI_UNSIGNED_LONG", Some(0x4c000808), Some("ompi_mpi_unsigned_long"), Some(0x20e)),
    row("MPI_UNSIGNED_LONG_LONG", Some(0x4c000819), Some("ompi_mpi_unsigned_long_long"), Some(0x20f)),
    row("MPI_UNSIGNED_SHORT", Some(0x4c000204), Some("ompi_mpi_unsigned_short"), Some(0x20c)),
    row("MPI_WCHAR", Some(0x4c00040e), Some("ompi_mpi_wchar"), Some(0x23c)),
];

#[rustfmt::skip]
pub(crate) static OP: &[Predefined] = &[
    row("MPIX_EQUAL", Some(0x5800000f), None, None),
    row("MPI_BAND", Some(0x58000006), Some("ompi_mpi_op_band"), Some(0x28)),
    row("MPI_BOR", Some(0x58000008), Some("ompi_mpi_op_bor"), Some(0x29)),
    row("MPI_BXOR", Some(0x5800000a), Some("ompi_mpi_op_bxor"), Some(0x2a)),
    row("MPI_LAND", Some(0x58000005), Some("ompi_mpi_op_land"), Some(0x30)),
    row("MPI_LOR", Some(0x58000007), Some("ompi_mpi_op_lor"), Some(0x31)),
    row("MPI_LXOR", Some(0x58000009), Some("ompi_mpi_op_lxor"), Some(0x32)),
    row("MPI_MAX", Some(0x58000001), Some("ompi_mpi_op_max"), Some(0x23)),
    row("MPI_MAXLOC", Some(0x5800000c), Some("ompi_mpi_op_maxloc"), Some(0x39)),
    row("MPI_MIN", Some(0x58000002), Some("ompi_mpi_op_min"), Some(0x22)),
    row("MPI_MINLOC", Some(0x5800000b), Some("ompi_mpi_op_minloc"), Some(0x38)),
    row("MPI_NO_OP", Some(0x5800000e), Some("ompi_mpi_op_no_op"), Some(0x3d)),
    row("MPI_OP_NULL", Some(0x18000000), Some("ompi_mpi_op_null"), Some(0x20)),
    row("MPI_PROD", Some(0x58000004), Some("ompi_mpi_op_prod"), Some(0x24)),
    row("MPI_REPLACE", Some(0x5800000d), Some("ompi_mpi_op_replace"), Some(0x3c)),
    row("MPI_SUM", Some(0x58000003), Some("ompi_mpi_op_sum"), Some(0x21)),
];

#[rustfmt::skip]
pub(crate) static WIN: &[Predefined] = &[
    row("MPI_WIN_NULL", Some(0x20000000), Some("ompi_mpi_win_null"), Some(0x110)),
];

#[rustfmt::skip]
pub(crate) static FILE: &[Predefined] = &[
    row("MPI_FILE_NULL", Some(0x0), Some("ompi_mpi_file_null"), Some(0x118)),
];

#[rustfmt::skip]
pub(crate) static SESSION: &[Predefined] = &[
    row("MPI_SESSION_NULL", Some(0x38000000), Some("ompi_mpi_instance_null"), Some(0x120)),
];

#[rustfmt::skip]
pub(crate) static MESSAGE: &[Predefined] = &[
    row("MPI_MESSAGE_NO_PROC", Some(0x6c000000), Some("ompi_message_no_proc"), Some(0x129)),
    row("MPI_MESSAGE_NULL", Some(0x2c000000), Some("ompi_message_null"), Some(0x128)),
];

#[rustfmt::skip]
pub(crate) static REQUEST: &[Predefined] = &[
    row("MPI_REQUEST_NULL", Some(0x2c000000), Some("ompi_request_null"), Some(0x180)),
];

#[rustfmt::skip]
pub(crate) static INFO: &[Predefined] = &[
    row("MPI_INFO_ENV", Some(0x5c000001), Some("ompi_mpi_info_env"), Some(0x131)),
    row("MPI_INFO_NULL", Some(0x1c000000), Some("ompi_mpi_info_null"), Some(0x130)),
];

#[rustfmt::skip]
pub(crate) static ERRHANDLER: &[Predefined] = &[
    row("MPIR_ERRORS_THROW_EXCEPTIONS", Some(0x54000002), None, None),
    row("MPI_ERRHANDLER_NULL", Some(0x14000000), Some("ompi_mpi_errhandler_null"), Some(0x140)),
    row("MPI_ERRORS_ABORT", Some(0x54000003), Some("ompi_mpi_errors_abort"), Some(0x142)),
    row("MPI_ERRORS_ARE_FATAL", Some(0x54000000), Some("ompi_mpi_errors_are_fatal"), Some(0x141)),
    row("MPI_ERRORS_RETURN", Some(0x54000001), Some("ompi_mpi_errors_return"), Some(0x143)),
];

/// Error class numbers of the three families, in the order of `trace_format::mpi::predefined::ERROR_CLASSES`.
#[rustfmt::skip]
pub(crate) static ERROR_CLASSES: &[(Option<i32>, Option<i32>, Option<i32>)] = &[
    (Some(81), None, Some(62)), // MPI_ERR_ABI
    (Some(20), Some(20), Some(20)), // MPI_ERR_ACCESS
    (Some(21), Some(21), Some(21)), // MPI_ERR_AMODE
    (Some(12), Some(13), Some(13)), // MPI_ERR_ARG
    (Some(53), Some(22), Some(22)), // MPI_ERR_ASSERT
    (Some(22), Some(23), Some(23)), // MPI_ERR_BAD_FILE
    (Some(46), Some(24), Some(24)), // MPI_ERR_BASE
    (Some(1), Some(1), Some(1)), // MPI_ERR_BUFFER
    (Some(5), Some(5), Some(5)), // MPI_ERR_COMM
    (Some(23), Some(25), Some(25)), // MPI_ERR_CONVERSION
    (Some(2), Some(2), Some(2)), // MPI_ERR_COUNT
    (Some(11), Some(12), Some(12)), // MPI_ERR_DIMS
    (Some(52), Some(26), Some(26)), // MPI_ERR_DISP
    (Some(24), Some(27), Some(27)), // MPI_ERR_DUP_DATAREP
    (Some(80), None, Some(61)), // MPI_ERR_ERRHANDLER
    (Some(27), Some(30), Some(30)), // MPI_ERR_FILE
    (Some(25), Some(28), Some(28)), // MPI_ERR_FILE_EXISTS
    (Some(26), Some(29), Some(29)), // MPI_ERR_FILE_IN_USE
    (Some(8), Some(9), Some(9)), // MPI_ERR_GROUP
    (Some(28), Some(34), Some(34)), // MPI_ERR_INFO
    (Some(29), Some(31), Some(31)), // MPI_ERR_INFO_KEY
    (Some(31), Some(32), Some(32)), // MPI_ERR_INFO_NOKEY
    (Some(30), Some(33), Some(33)), // MPI_ERR_INFO_VALUE
    (Some(16), Some(17), Some(17)), // MPI_ERR_INTERN
    (Some(17), Some(18), Some(19)), // MPI_ERR_IN_STATUS
    (Some(32), Some(35), Some(35)), // MPI_ERR_IO
    (Some(48), Some(36), Some(36)), // MPI_ERR_KEYVAL
    (Some(47), Some(37), Some(37)), // MPI_ERR_LOCKTYPE
    (Some(33), Some(38), Some(38)), // MPI_ERR_NAME
    (Some(35), Some(40), Some(40)), // MPI_ERR_NOT_SAME
    (Some(34), Some(39), Some(39)), // MPI_ERR_NO_MEM
    (Some(36), Some(41), Some(41)), // MPI_ERR_NO_SPACE
    (Some(37), Some(42), Some(42)), // MPI_ERR_NO_SUCH_FILE
    (Some(9), Some(10), Some(10)), // MPI_ERR_OP
    (Some(15), Some(16), Some(16)), // MPI_ERR_OTHER
    (Some(18), Some(19), Some(18)), // MPI_ERR_PENDING
    (Some(38), Some(43), Some(43)), // MPI_ERR_PORT
    (Some(76), Some(74), Some(58)), // MPI_ERR_PROC_ABORTED
    (None, Some(75), None), // MPI_ERR_PROC_FAILED
    (None, Some(76), None), // MPI_ERR_PROC_FAILED_PENDING
    (Some(39), Some(44), Some(44)), // MPI_ERR_QUOTA
    (Some(6), Some(6), Some(6)), // MPI_ERR_RANK
    (Some(40), Some(45), Some(45)), // MPI_ERR_READ_ONLY
    (Some(19), Some(7), Some(7)), // MPI_ERR_REQUEST
    (None, Some(77), None), // MPI_ERR_REVOKED
    (Some(56), Some(69), Some(46)), // MPI_ERR_RMA_ATTACH
    (Some(49), Some(46), Some(47)), // MPI_ERR_RMA_CONFLICT
    (Some(58), Some(70), Some(57)), // MPI_ERR_RMA_FLAVOR
    (Some(55), Some(68), Some(48)), // MPI_ERR_RMA_RANGE
    (Some(57), Some(71), Some(49)), // MPI_ERR_RMA_SHARED
    (Some(50), Some(47), Some(50)), // MPI_ERR_RMA_SYNC
    (Some(7), Some(8), Some(8)), // MPI_ERR_ROOT
    (Some(41), Some(48), Some(51)), // MPI_ERR_SERVICE
    (Some(75), Some(78), Some(60)), // MPI_ERR_SESSION
    (Some(51), Some(49), Some(52)), // MPI_ERR_SIZE
    (Some(42), Some(50), Some(53)), // MPI_ERR_SPAWN
    (Some(4), Some(4), Some(4)), // MPI_ERR_TAG
    (Some(10), Some(11), Some(11)), // MPI_ERR_TOPOLOGY
    (Some(14), Some(15), Some(15)), // MPI_ERR_TRUNCATE
    (Some(3), Some(3), Some(3)), // MPI_ERR_TYPE
    (Some(13), Some(14), Some(14)), // MPI_ERR_UNKNOWN
    (Some(43), Some(51), Some(54)), // MPI_ERR_UNSUPPORTED_DATAREP
    (Some(44), Some(52), Some(55)), // MPI_ERR_UNSUPPORTED_OPERATION
    (Some(77), Some(79), Some(59)), // MPI_ERR_VALUE_TOO_LARGE
    (Some(45), Some(53), Some(56)), // MPI_ERR_WIN
    (Some(61), Some(56), Some(1001)), // MPI_T_ERR_CANNOT_INIT
    (Some(69), Some(64), Some(1015)), // MPI_T_ERR_CVAR_SET_NEVER
    (Some(68), Some(63), Some(1014)), // MPI_T_ERR_CVAR_SET_NOT_NOW
    (Some(74), Some(72), Some(1006)), // MPI_T_ERR_INVALID
    (Some(64), Some(59), Some(1010)), // MPI_T_ERR_INVALID_HANDLE
    (Some(62), Some(57), Some(1007)), // MPI_T_ERR_INVALID_INDEX
    (Some(63), Some(58), Some(1008)), // MPI_T_ERR_INVALID_ITEM
    (Some(73), Some(73), Some(1011)), // MPI_T_ERR_INVALID_NAME
    (Some(67), Some(62), Some(1009)), // MPI_T_ERR_INVALID_SESSION
    (Some(59), Some(54), Some(1005)), // MPI_T_ERR_MEMORY
    (Some(79), None, Some(1002)), // MPI_T_ERR_NOT_ACCESSIBLE
    (Some(60), Some(55), Some(1003)), // MPI_T_ERR_NOT_INITIALIZED
    (Some(78), None, Some(1004)), // MPI_T_ERR_NOT_SUPPORTED
    (Some(65), Some(60), Some(1012)), // MPI_T_ERR_OUT_OF_HANDLES
    (Some(66), Some(61), Some(1013)), // MPI_T_ERR_OUT_OF_SESSIONS
    (Some(72), Some(67), Some(1018)), // MPI_T_ERR_PVAR_NO_ATOMIC
    (Some(70), Some(65), Some(1017)), // MPI_T_ERR_PVAR_NO_STARTSTOP
    (Some(71), Some(66), Some(1016)), // MPI_T_ERR_PVAR_NO_WRITE
    (Some(104), None, None), // MPIX_ERR_EAGAIN
    (Some(105), None, None), // MPIX_ERR_NOREQ
    (Some(101), None, None), // MPIX_ERR_PROC_FAILED
    (Some(102), None, None), // MPIX_ERR_PROC_FAILED_PENDING
    (Some(103), None, None), // MPIX_ERR_REVOKED
    (Some(106), None, None), // MPIX_ERR_STREAM
    (Some(107), None, None), // MPIX_ERR_TIMEOUT
];

/// A named constant: its name and its value in each family that has it.
pub(crate) type Constant = (&'static str, Option<i64>, Option<i64>, Option<i64>);

/// Named constants by family, for `job.json`: (name, mpich, openmpi, standard).
#[rustfmt::skip]
pub(crate) static CONSTANTS: &[Constant] = &[
    ("MPI_CART", Some(2), Some(1), Some(211)),
    ("MPI_COMM_TYPE_HW_GUIDED", Some(2), Some(13), Some(223)),
    ("MPI_COMM_TYPE_HW_UNGUIDED", Some(3), Some(12), Some(222)),
    ("MPI_COMM_TYPE_RESOURCE_GUIDED", Some(4), None, Some(224)),
    ("MPI_COMM_TYPE_SHARED", Some(1), Some(0), Some(221)),
    ("MPI_CONGRUENT", Some(1), Some(1), Some(202)),
    ("MPI_DISTRIBUTE_BLOCK", Some(121), Some(0), Some(17)),
    ("MPI_DISTRIBUTE_CYCLIC", Some(122), Some(1), Some(18)),
    ("MPI_DISTRIBUTE_DFLT_DARG", Some(-49767), Some(-1), Some(19)),
    ("MPI_DISTRIBUTE_NONE", Some(123), Some(2), Some(16)),
    ("MPI_DIST_GRAPH", Some(3), Some(3), Some(213)),
    ("MPI_GRAPH", Some(1), Some(2), Some(212)),
    ("MPI_IDENT", Some(0), Some(0), Some(201)),
    ("MPI_LOCK_EXCLUSIVE", Some(234), Some(1), Some(301)),
    ("MPI_LOCK_SHARED", Some(235), Some(2), Some(302)),
    ("MPI_MODE_APPEND", Some(128), Some(128), Some(1)),
    ("MPI_MODE_CREATE", Some(1), Some(1), Some(2)),
    ("MPI_MODE_DELETE_ON_CLOSE", Some(16), Some(16), Some(4)),
    ("MPI_MODE_EXCL", Some(64), Some(64), Some(8)),
    ("MPI_MODE_NOCHECK", Some(1024), Some(1), Some(1024)),
    ("MPI_MODE_NOPRECEDE", Some(8192), Some(2), Some(2048)),
    ("MPI_MODE_NOPUT", Some(4096), Some(4), Some(4096)),
    ("MPI_MODE_NOSTORE", Some(2048), Some(8), Some(8192)),
    ("MPI_MODE_NOSUCCEED", Some(16384), Some(16), Some(16384)),
    ("MPI_MODE_RDONLY", Some(2), Some(2), Some(16)),
    ("MPI_MODE_RDWR", Some(8), Some(8), Some(32)),
    ("MPI_MODE_SEQUENTIAL", Some(256), Some(256), Some(64)),
    ("MPI_MODE_UNIQUE_OPEN", Some(32), Some(32), Some(128)),
    ("MPI_MODE_WRONLY", Some(4), Some(4), Some(256)),
    ("MPI_ORDER_C", Some(56), Some(0), Some(12)),
    ("MPI_ORDER_FORTRAN", Some(57), Some(1), Some(15)),
    ("MPI_SEEK_CUR", Some(602), Some(602), Some(401)),
    ("MPI_SEEK_END", Some(604), Some(604), Some(402)),
    ("MPI_SEEK_SET", Some(600), Some(600), Some(403)),
    ("MPI_SIMILAR", Some(2), Some(2), Some(203)),
    ("MPI_THREAD_FUNNELED", Some(1), Some(1), Some(1024)),
    ("MPI_THREAD_MULTIPLE", Some(3), Some(3), Some(4096)),
    ("MPI_THREAD_SERIALIZED", Some(2), Some(2), Some(2048)),
    ("MPI_THREAD_SINGLE", Some(0), Some(0), Some(0)),
    ("MPI_TYPECLASS_COMPLEX", Some(3), Some(3), Some(194)),
    ("MPI_TYPECLASS_INTEGER", Some(2), Some(1), Some(192)),
    ("MPI_TYPECLASS_REAL", Some(1), Some(2), Some(193)),
    ("MPI_UNEQUAL", Some(3), Some(3), Some(204)),
    ("MPI_WIN_FLAVOR_ALLOCATE", Some(2), Some(2), Some(312)),
    ("MPI_WIN_FLAVOR_CREATE", Some(1), Some(1), Some(311)),
    ("MPI_WIN_FLAVOR_DYNAMIC", Some(3), Some(3), Some(313)),
    ("MPI_WIN_FLAVOR_SHARED", Some(4), Some(4), Some(314)),
];
