//! Ranks and objects in words.

use trace_format::definition::{FIRST_USER_ID, Id, NULL_ID};
use trace_format::mpi::predefined;
use trace_format::ranks::Ranks;

/// `rank 3`, `ranks 0-3,7`.
pub(crate) fn rank_list(ranks: &[i32]) -> String {
    let mut ranks = ranks.to_vec();
    ranks.sort_unstable();
    ranks.dedup();
    let list: Ranks = ranks.iter().copied().collect();
    if ranks.len() == 1 { format!("rank {list}") } else { format!("ranks {list}") }
}

/// `rank 3`, `any rank`.
pub(crate) fn outside_rank(rank: i32) -> String {
    if rank < 0 { "any rank".into() } else { format!("rank {rank}") }
}

/// `1 message`, `3 messages`.
pub(crate) fn plural(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Name of a reduction operation.
pub(crate) fn op_name(id: Id) -> String {
    match predefined::OPS.get((id as usize).wrapping_sub(1)) {
        Some(name) => (*name).to_owned(),
        None if id == NULL_ID => "MPI_OP_NULL".to_owned(),
        None => format!("operation {} of the program", id.wrapping_sub(FIRST_USER_ID)),
    }
}
