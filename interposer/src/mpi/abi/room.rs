//! How many objects a library has room for. Measured by making them until the library fails, with two ranks: MPICH 4.0.2,
//! 4.3.2 and 5.0.2 (also with the ABI of MPI 5) fail at the 2047th MPI_Comm_dup, MPI_Comm_split or MPI_Win_create, since
//! there are 2048 context ids less those of MPI_COMM_WORLD and MPI_COMM_SELF, and a window takes one as well; Intel MPI
//! 2021.18 at the 32767th MPI_Comm_dup; Open MPI 4.1.4 and 5.0.11 at the 65533rd MPI_Comm_dup. Objects of other kinds
//! have no limit but memory.

use super::{Abi, Family};
use crate::mpi::real;
use std::sync::OnceLock;
use trace_format::mpi::Kind;

/// How many objects of a kind one process can have at once.
pub(crate) struct Room {
    pub(crate) library: &'static str,
    /// 0: no limit is known.
    pub(crate) objects: u64,
}

/// By what the library calls itself: communicators, windows.
static ROOMS: [(&str, [Room; 2]); 3] = [
    ("Intel(R) MPI", rooms("Intel MPI", 32766, 0)),
    ("MPICH", rooms("MPICH", 2046, 2046)),
    ("Open MPI", rooms("Open MPI", 65532, 0)),
];

const fn rooms(library: &'static str, communicators: u64, windows: u64) -> [Room; 2] {
    [Room { library, objects: communicators }, Room { library, objects: windows }]
}

/// What the library at hand has room for; `None` if nothing is known of it.
pub(crate) fn room_for(kind: Kind) -> Option<&'static Room> {
    static HERE: OnceLock<Option<&'static [Room; 2]>> = OnceLock::new();
    let here = HERE.get_or_init(|| {
        let version = real::library_version();
        ROOMS.iter().find(|(name, _)| version.contains(name)).map(|(_, rooms)| rooms)
    });
    let [communicators, windows] = (*here)?;
    match kind {
        Kind::Comm => Some(communicators),
        Kind::Win => Some(windows),
        _ => None,
    }
}

/// MPI_BSEND_OVERHEAD in the header of the library at hand: no call tells. MPICH has more in its header since version 4 than
/// Intel MPI, which calls itself something else.
pub(crate) fn bsend_overhead(abi: &Abi) -> u64 {
    static HERE: OnceLock<u64> = OnceLock::new();
    *HERE.get_or_init(|| overhead_of(abi, &real::library_version()))
}

fn overhead_of(abi: &Abi, version: &str) -> u64 {
    let number = version.strip_prefix("MPICH Version:").map(|rest| rest.trim_start().split('.').next().unwrap_or(""));
    match number.and_then(|number| number.parse::<u32>().ok()) {
        Some(4..) if abi.family == Family::Mpich => 96,
        _ => abi.bsend_overhead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_differ_in_what_a_buffered_send_takes() {
        let mpich = Abi::of(Family::Mpich);
        assert_eq!(overhead_of(mpich, "MPICH Version:      4.0.2\nMPICH Release date: x"), 96);
        assert_eq!(overhead_of(mpich, "MPICH Version:\t5.0.1"), 96);
        assert_eq!(overhead_of(mpich, "Intel(R) MPI Library 2021.18 for Linux* OS"), 88);
        assert_eq!(overhead_of(mpich, "MPICH Version:      3.4.1"), 88);
        let standard = Abi::of(Family::Standard);
        assert_eq!(overhead_of(standard, "MPICH Version:      5.0.1"), 512);
    }
}
