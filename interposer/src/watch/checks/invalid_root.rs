//! `invalid-root`: see `trace_format::catalogue::INVALID_ROOT`.

use super::arguments::{Exam, up_to};
use crate::mpi::properties::Standing;
use trace_format::catalogue::INVALID_ROOT;
use trace_format::mpi::Kind;
use trace_format::mpi::special::{PROC_NULL, ROOT};
use trace_format::names::{NoNames, format_int};

/// Is the root a process of the communicator?
pub(super) fn check(exam: &mut Exam, param: usize) -> bool {
    let comm = exam.comm();
    let (Standing::Sound, Some(ranks)) = (comm.standing, comm.ranks) else { return false };
    let root = exam.call.abi.rank(exam.int(param) as i32);
    if (0..ranks).contains(&root) || comm.inter && matches!(root, ROOT | PROC_NULL) {
        return false;
    }
    let argument = exam.argument(param, None);
    let value = match root {
        PROC_NULL | ROOT => format_int(Kind::Root, i64::from(root), &NoNames),
        _ => root.to_string(),
    };
    let all = up_to(i64::from(ranks));
    let range = match comm.inter {
        true => {
            format!("a rank of the remote group, {all}, or MPI_ROOT or MPI_PROC_NULL in the group of the root")
        }
        false => format!("a rank of the communicator, {all}"),
    };
    exam.tell(&INVALID_ROOT, format!("{argument} is {value}; it must be {range}"))
}
