//! Where the arguments of an access to a window are, found once for each function.

use std::sync::LazyLock;
use trace_format::mpi::{FUNCTIONS, FnId, Function, Kind, Param};

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

/// By number of the function.
static ALL: LazyLock<Vec<Option<AccessPlaces>>> = LazyLock::new(|| FUNCTIONS.iter().map(AccessPlaces::new).collect());

impl AccessPlaces {
    /// `None`: calls of the function access nothing.
    pub(crate) fn of(function: FnId) -> Option<&'static AccessPlaces> {
        ALL.get(function.index())?.as_ref()
    }

    fn new(row: &Function) -> Option<AccessPlaces> {
        let kind = |kind: Kind| row.params.iter().position(|p: &Param| p.kind == kind);
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

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::Class;

    #[test]
    fn the_places_of_all_accesses_are_known() {
        let is_access = |row: &&&Function| matches!(row.class, Class::Rma | Class::RmaRequest);
        let named = FUNCTIONS.iter().filter(|row| is_access(&row) && row.param("target_rank").is_some());
        let unknown: Vec<&str> =
            named.clone().filter(|row| AccessPlaces::of(row.id).is_none()).map(|row| row.name).collect();
        assert!(unknown.is_empty() && named.count() > 10, "{unknown:?}");
    }
}
