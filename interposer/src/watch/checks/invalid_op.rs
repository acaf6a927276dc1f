//! `invalid-op`: see `trace_format::catalogue::INVALID_OP`.

use super::arguments::{Argument, Exam};
use super::handle;
use crate::mpi::handles;
use crate::mpi::properties::Standing;
use once_cell::race::OnceBox;
use trace_format::catalogue::INVALID_OP;
use trace_format::mpi::{Kind, predefined};

/// Is the reduction operation one that the function and the datatype allow?
pub(super) fn check(exam: &mut Exam, param: usize, datatype: Option<usize>, one_sided: bool) -> bool {
    let handle = exam.call.abi.handle_arg(Kind::Op, exam.word(param));
    let argument = Argument { param, element: None, kind: Kind::Op, handle };
    if handle::check(exam, &INVALID_OP, argument, false) {
        return true;
    }
    let properties = exam.properties(Kind::Op, handle);
    if properties.standing != Standing::Sound {
        return false;
    }
    // Asking for a property, or freeing it, is no use of an operation.
    if datatype.is_none() && !one_sided {
        return false;
    }
    let Some(number) = (properties.id as usize).checked_sub(1).filter(|number| *number < predefined::OPS.len()) else {
        let what = exam.argument(param, None);
        let message =
            format!("{what} is an operation of the program's; one-sided operations take predefined ones only");
        return one_sided && exam.tell(&INVALID_OP, message);
    };
    let op = predefined::OPS.get(number).copied().unwrap_or_default();
    if !one_sided && matches!(op, "MPI_REPLACE" | "MPI_NO_OP") {
        let what = exam.argument(param, None);
        return exam.tell(&INVALID_OP, format!("{what} is {op}, which is for one-sided operations only"));
    }
    let Some(datatype) = datatype else { return false };
    let of = exam.object(Kind::Datatype, datatype);
    if of.standing != Standing::Sound {
        return false;
    }
    let handle = exam.call.abi.handle_arg(Kind::Datatype, exam.word(datatype));
    let Some(name) = predefined::DATATYPES.get((of.id as usize).wrapping_sub(1)) else {
        if !handles::is_constructed(handle) {
            return false;
        }
        let (what, name) = (exam.argument(param, None), exam.name(datatype));
        let message = format!("{what} is {op}, which is not defined for derived datatypes; {name} is one");
        return exam.tell(&INVALID_OP, message);
    };
    if is_defined(number, of.id as usize - 1) {
        return false;
    }
    let what = exam.argument(param, None);
    exam.tell(&INVALID_OP, format!("{what} is {op}, which is not defined for {name}"))
}

/// Is an operation defined for a datatype, as far as that is known? By their numbers, from 0.
fn is_defined(op: usize, datatype: usize) -> bool {
    static DEFINED: OnceBox<Vec<Vec<bool>>> = OnceBox::new();
    let by_name = |op: &str, name: &str| Class::of(name).is_none_or(|class| class.takes(op));
    let types = |op: &&str| predefined::DATATYPES.iter().map(|name| by_name(op, name)).collect();
    let defined = DEFINED.get_or_init(|| Box::new(predefined::OPS.iter().map(types).collect()));
    defined.get(op).and_then(|types| types.get(datatype)).copied().unwrap_or(true)
}

/// The groups of predefined datatypes (MPI 4.1, 6.9.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Integer,
    Float,
    Logical,
    Complex,
    Byte,
    Pair,
    Packed,
}

impl Class {
    /// `None` for characters, for which libraries do more than the standard says, and for what is not known.
    fn of(name: &str) -> Option<Class> {
        let short = name.strip_prefix("MPI_")?;
        Some(match short {
            "FLOAT_INT" | "DOUBLE_INT" | "LONG_INT" | "2INT" | "SHORT_INT" | "LONG_DOUBLE_INT" | "2REAL"
            | "2DOUBLE_PRECISION" | "2INTEGER" => Class::Pair,
            "FLOAT" | "DOUBLE" | "LONG_DOUBLE" | "REAL" | "DOUBLE_PRECISION" | "REAL4" | "REAL8" => Class::Float,
            "INT" | "LONG" | "SHORT" | "UNSIGNED" | "UNSIGNED_LONG" | "UNSIGNED_SHORT" | "LONG_LONG"
            | "LONG_LONG_INT" | "UNSIGNED_LONG_LONG" | "INT8_T" | "INT16_T" | "INT32_T" | "INT64_T" | "UINT8_T"
            | "UINT16_T" | "UINT32_T" | "UINT64_T" | "INTEGER" => Class::Integer,
            "LOGICAL" | "C_BOOL" | "CXX_BOOL" => Class::Logical,
            "COMPLEX" | "DOUBLE_COMPLEX" | "C_COMPLEX" | "C_FLOAT_COMPLEX" | "C_DOUBLE_COMPLEX"
            | "CXX_FLOAT_COMPLEX" | "CXX_DOUBLE_COMPLEX" => Class::Complex,
            "BYTE" => Class::Byte,
            "PACKED" => Class::Packed,
            _ => return None,
        })
    }

    fn takes(self, op: &str) -> bool {
        match op {
            "MPI_MAX" | "MPI_MIN" => matches!(self, Class::Integer | Class::Float),
            "MPI_SUM" | "MPI_PROD" => matches!(self, Class::Integer | Class::Float | Class::Complex),
            "MPI_LAND" | "MPI_LOR" | "MPI_LXOR" => matches!(self, Class::Integer | Class::Logical),
            "MPI_BAND" | "MPI_BOR" | "MPI_BXOR" => matches!(self, Class::Integer | Class::Byte),
            "MPI_MAXLOC" | "MPI_MINLOC" => self == Class::Pair,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_for_certain_types() {
        let takes = |name: &str, op: &str| Class::of(name).unwrap().takes(op);
        assert!(takes("MPI_INT", "MPI_SUM") && takes("MPI_DOUBLE", "MPI_MAX") && takes("MPI_BYTE", "MPI_BOR"));
        assert!(takes("MPI_DOUBLE_INT", "MPI_MAXLOC") && takes("MPI_C_BOOL", "MPI_LAND"));
        assert!(
            !takes("MPI_DOUBLE", "MPI_BAND") && !takes("MPI_COMPLEX", "MPI_MAX") && !takes("MPI_INT", "MPI_MINLOC")
        );
        assert!(Class::of("MPI_CHAR").is_none());
        for name in predefined::DATATYPES {
            assert!(Class::of(name).is_none_or(|c| c.takes("MPI_REPLACE")), "{name}");
        }
    }
}
