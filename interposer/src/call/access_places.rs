//! Where the arguments of an access to a window are, found once for each function.

use trace_format::mpi::{Function, Kind, Param};

/// The places of arguments.
pub(crate) struct AccessPlaces {
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
    /// `None`: its calls access nothing.
    pub(crate) fn of(row: &Function) -> Option<AccessPlaces> {
        let kind = |kind: Kind| row.params.iter().position(|p: &Param| p.kind == kind);
        Some(AccessPlaces {
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
