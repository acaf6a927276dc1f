//! The places of the arguments of an access to a window, found once for each function.

use once_cell::race::OnceNonZeroUsize;
use std::num::NonZeroUsize;
use trace_format::definition::Id;
use trace_format::mpi::{Function, Kind, predefined};

/// The places of arguments.
pub(crate) struct AccessPlaces {
    pub(crate) window: usize,
    /// The rank of the target.
    pub(crate) target: usize,
    pub(crate) displacement: usize,
    /// Elements of the target; `None`: one.
    pub(crate) count: Option<usize>,
    /// Their datatype.
    pub(crate) datatype: usize,
    pub(crate) op: Option<usize>,
}

impl AccessPlaces {
    /// `None`: calls of the function access nothing.
    pub(crate) fn of(row: &Function) -> Option<AccessPlaces> {
        let kind = |kind: Kind| row.params.iter().position(|p| p.kind == kind);
        Some(AccessPlaces {
            window: kind(Kind::Win)?,
            target: row.param("target_rank")?,
            displacement: row.param("target_disp")?,
            count: row.param("target_count"),
            datatype: row.param("target_datatype").or_else(|| row.param("datatype"))?,
            op: kind(Kind::Op),
        })
    }
}

/// Is this the number of MPI_NO_OP? Nobody waits for whoever finds it first: a signal handler may jump out of that thread.
pub(crate) fn is_no_op(op: Id) -> bool {
    static NO_OP: OnceNonZeroUsize = OnceNonZeroUsize::new();
    let number = || predefined::op_id("MPI_NO_OP").and_then(|id| NonZeroUsize::new(id as usize));
    NO_OP.get_or_init(|| number().unwrap_or(NonZeroUsize::MAX)).get() == op as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::{Class, FUNCTIONS};

    #[test]
    fn the_places_of_all_accesses_are_known() {
        let is_access = |row: &&&Function| matches!(row.class, Class::Rma | Class::RmaRequest);
        let named = FUNCTIONS.iter().filter(|row| is_access(&row) && row.param("target_rank").is_some());
        let unknown: Vec<&str> =
            named.clone().filter(|row| AccessPlaces::of(row).is_none()).map(|row| row.name).collect();
        assert!(unknown.is_empty() && named.count() > 10, "{unknown:?}");
    }
}
