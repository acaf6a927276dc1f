//! Named constants.

use super::Abi;
use crate::mpi::const_text::is_same;
use trace_format::mpi::ThreadLevel;

/// Name and value of a named constant.
pub(crate) type Constant = (&'static str, i64);

/// Constants that change how arguments are read.
#[derive(Clone, Copy)]
pub(crate) struct Named {
    pub(crate) order_fortran: i32,
    pub(crate) distribute_none: i32,
    pub(crate) distribute_cyclic: i32,
    pub(crate) distribute_default: i32,
    pub(crate) topo_cart: i32,
    pub(crate) topo_graph: i32,
    pub(crate) topo_dist_graph: i32,
    pub(crate) mode_noprecede: i32,
    pub(crate) mode_nosucceed: i32,
}

impl Named {
    pub(super) const fn of(constants: &[Constant]) -> Named {
        Named {
            order_fortran: value(constants, "MPI_ORDER_FORTRAN"),
            distribute_none: value(constants, "MPI_DISTRIBUTE_NONE"),
            distribute_cyclic: value(constants, "MPI_DISTRIBUTE_CYCLIC"),
            distribute_default: value(constants, "MPI_DISTRIBUTE_DFLT_DARG"),
            topo_cart: value(constants, "MPI_CART"),
            topo_graph: value(constants, "MPI_GRAPH"),
            topo_dist_graph: value(constants, "MPI_DIST_GRAPH"),
            mode_noprecede: value(constants, "MPI_MODE_NOPRECEDE"),
            mode_nosucceed: value(constants, "MPI_MODE_NOSUCCEED"),
        }
    }
}

/// Worked out by the compiler.
#[expect(clippy::panic, reason = "the compiler's")]
const fn value(constants: &[Constant], name: &str) -> i32 {
    let mut rest = constants;
    while let [(known, value), behind @ ..] = rest {
        if is_same(known, name) {
            return *value as i32;
        }
        rest = behind;
    }
    panic!("the family lacks a constant")
}

impl Abi {
    /// The named constants of this family.
    pub(crate) fn constants(&self) -> impl Iterator<Item = Constant> + '_ {
        self.constants.iter().copied().flatten().copied()
    }

    /// The value of a named constant.
    pub(crate) fn constant(&self, name: &str) -> Option<i64> {
        self.constants().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// The level of thread support that a value of this family stands for.
    pub(crate) fn thread_level(&self, value: i32) -> Option<ThreadLevel> {
        let name = self.constants().find(|(n, v)| n.starts_with("MPI_THREAD_") && *v == i64::from(value))?.0;
        ThreadLevel::by_name(name)
    }
}
