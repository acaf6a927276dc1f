//! Values that control variables have by themselves in versions of libraries that were looked at: read by MPI_T with nothing
//! set in the environment. Only variables that bear on correctness; Debian's packaging changes some of Open MPI's.

use super::limits::{Product, version};

struct Known {
    product: Product,
    version: (u32, u32),
    name: &'static str,
    defaults: &'static [(&'static str, &'static str)],
}

const KNOWN: [Known; 5] = [
    Known {
        product: Product::OpenMpi,
        version: (4, 1),
        name: "Open MPI 4.1",
        defaults: &[
            ("btl_vader_eager_limit", "4096"),
            ("btl_vader_rndv_eager_limit", "32768"),
            ("btl_tcp_eager_limit", "65536"),
            ("btl_tcp_rndv_eager_limit", "65536"),
            ("btl_self_eager_limit", "1024"),
            ("coll", ""),
            ("mpi_param_check", "true"),
            ("btl_base_thread_multiple_override", "false"),
        ],
    },
    Known {
        product: Product::OpenMpi,
        version: (5, 0),
        name: "Open MPI 5.0",
        defaults: &[("btl_sm_eager_limit", "4096"), ("btl_tcp_eager_limit", "65536")],
    },
    Known {
        product: Product::Mpich,
        version: (4, 0),
        name: "MPICH 4.0",
        defaults: &[
            ("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "131072"),
            ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "69632"),
            ("MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE", "-1"),
            ("MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ", "-1"),
            ("MPIR_CVAR_NEMESIS_SHM_READY_EAGER_MAX_SZ", "-2"),
            ("MPIR_CVAR_ASYNC_PROGRESS", "0"),
            ("MPIR_CVAR_ERROR_CHECKING", "1"),
            ("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_SINGLE"),
            ("MPIR_CVAR_CH4_GLOBAL_PROGRESS", "1"),
            ("MPIR_CVAR_DEVICE_COLLECTIVES", "2"),
            ("MPIR_CVAR_PROGRESS_MAX_COLLS", "0"),
        ],
    },
    Known {
        product: Product::Mpich,
        version: (4, 3),
        name: "MPICH 4.3",
        defaults: &[
            ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "16384"),
            ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "16384"),
            ("MPIR_CVAR_CH4_CMA_ENABLE", "0"),
        ],
    },
    Known {
        product: Product::Mpich,
        version: (5, 0),
        name: "MPICH 5.0",
        defaults: &[
            ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "8192"),
            ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "8192"),
            ("MPIR_CVAR_CH4_CMA_ENABLE", "1"),
        ],
    },
];

/// What a variable is by itself in this library, and which version of the library that is known of.
pub fn known_default(library: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let is = version(library)?;
    let known = KNOWN.iter().find(|k| (k.product, k.version) == is)?;
    known.defaults.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value, known.name))
}
