//! Control variables that bear on whether a program is correct, or only gets through: which they are, by pattern.

use super::fits;

/// Why a control variable matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bearing {
    /// Place in the table: what matters most comes first.
    pub order: usize,
    /// Heading under which reports list it: "eager limits".
    pub topic: &'static str,
    /// Half a sentence: how a program's correctness depends on it.
    pub why: &'static str,
}

struct Row {
    topic: &'static str,
    why: &'static str,
    /// Names that fit one of them and none of `but`.
    patterns: &'static [&'static str],
    but: &'static [&'static str],
}

const ROWS: [Row; 6] = [
    Row {
        topic: "eager limits",
        why: "a standard send of more bytes waits for its receive: a program that relies on less may deadlock",
        patterns: &[
            "btl_*_eager_limit",
            "MPIR_CVAR_*EAGER_MAX*",
            "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE",
            "MPIR_CVAR_CH4_IPC_*P2P_THRESHOLD",
            "MPIR_CVAR_CH4_CMA_ENABLE",
            "MPIR_CVAR_INTEL_SHM_*_THRESHOLD",
            "MPIR_CVAR_INTEL_EAGER*",
        ],
        but: &["*rndv_eager_limit"],
    },
    Row {
        topic: "rendezvous",
        why: "how long messages are moved once their receive is there",
        patterns: &["btl_*_rndv_eager_limit", "btl_*_max_send_size", "btl_*_single_copy_mechanism"],
        but: &[],
    },
    Row {
        topic: "transports",
        why: "which transport carries messages, and so which limits hold",
        patterns: &["pml", "btl", "mtl", "osc", "MPIR_CVAR_CH4_NETMOD", "MPIR_CVAR_CH4_SHM", "MPIR_CVAR_NOLOCAL"],
        but: &[],
    },
    Row {
        topic: "collective algorithms",
        why: "the order of a reduction, and whether an operation waits for all ranks, depend on the algorithm",
        patterns: &[
            "coll",
            "coll_*_algorithm",
            "coll_tuned_use_dynamic_rules",
            "MPIR_CVAR_*_ALGORITHM",
            "*DEVICE_COLLECTIVES",
        ],
        but: &[],
    },
    Row {
        topic: "threads",
        why: "which level of thread support a program gets, and how calls of threads exclude each other",
        patterns: &[
            "MPIR_CVAR_DEFAULT_THREAD_LEVEL",
            "MPIR_CVAR_CH4_MT_MODEL",
            "MPIR_CVAR_CH4_NUM_VCIS",
            "btl_base_thread_multiple_override",
        ],
        but: &[],
    },
    Row {
        topic: "progress and error checks",
        why: "whether messages move while the program computes, and whether the library looks at its arguments",
        patterns: &[
            "MPIR_CVAR_ASYNC_PROGRESS",
            "MPIR_CVAR_PROGRESS_MAX_COLLS",
            "MPIR_CVAR_CH4_GLOBAL_PROGRESS",
            "MPIR_CVAR_ERROR_CHECKING",
            "btl_tcp_progress_thread",
            "opal_progress_*",
            "mpi_param_check",
            "mpi_yield_when_idle",
            "async_mpi_init",
        ],
        but: &[],
    },
];

/// Does the control variable bear on correctness?
pub fn bearing(name: &str) -> Option<Bearing> {
    let any = |patterns: &[&str]| patterns.iter().any(|p| fits(p, name));
    let order = ROWS.iter().position(|row| any(row.patterns) && !any(row.but))?;
    let row = ROWS.get(order)?;
    Some(Bearing { order, topic: row.topic, why: row.why })
}

#[cfg(test)]
mod tests {
    use super::bearing;

    #[test]
    fn what_bears_on_correctness_has_a_topic() {
        for (name, topic) in [
            ("btl_vader_eager_limit", "eager limits"),
            ("btl_vader_rndv_eager_limit", "rendezvous"),
            ("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "eager limits"),
            ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "collective algorithms"),
            ("MPIR_CVAR_ASYNC_PROGRESS", "progress and error checks"),
        ] {
            assert_eq!(bearing(name).map(|b| b.topic), Some(topic), "{name}");
        }
        for name in ["MPIR_CVAR_CH3_PG_VERBOSE", "btl_vader_verbose", "mpi_show_handle_leaks"] {
            assert_eq!(bearing(name), None, "{name}");
        }
    }
}
