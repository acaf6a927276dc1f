//! Tables in the memory of `libmpivet.so` for a reader outside of the process: communicators, and operations that
//! have begun and not ended. The reader (`libmpivet_queues.so`) finds the [`Header`] by its [`SYMBOL`] and copies
//! from there, while the process may go on.
//!
//! Entries lie in [`Pages`], which grow and never move. An entry that changes carries a stamp ([`stamp`]): it tells
//! whether the entry is in use and whether it was changed while it was copied. All fields that change are atomic, so
//! that the process writes them by plain stores; a reader has them as bytes, at the offsets of these types.

#![forbid(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64};

/// The symbol of the [`Header`].
pub const SYMBOL: &CStr = c"mpivet_queues";
/// The first word of the header.
pub const MAGIC: u64 = u64::from_le_bytes(*b"mpivetMQ");
/// Raised with every change of a layout or a meaning.
pub const VERSION: u32 = 1;

/// Whether there is anything in the tables.
pub mod state {
    /// MPI has not begun, or is not recorded.
    pub const NOT_BEGUN: u32 = 0;
    /// Blocking calls and operations with requests are kept.
    pub const ALL: u32 = 1;
    /// The tables hold blocking calls only.
    pub const BLOCKING: u32 = 2;
    /// The user wants no table.
    pub const OFF: u32 = 3;
    /// Recording has ended: what is in the tables is old.
    pub const LOST: u32 = 4;
}

/// The stamp of an entry: a count of its changes, and in the lowest two bits what it is.
pub mod stamp {
    /// The entry is free.
    pub const EMPTY: u64 = 0;
    /// Being changed.
    pub const WRITING: u64 = 1;
    /// The entry is in use.
    pub const LIVE: u64 = 2;
    /// A persistent operation that is not under way.
    pub const RESTING: u64 = 3;
    /// The bits that say so.
    pub const MASK: u64 = 3;
    /// Each change adds this much.
    pub const STEP: u64 = 4;
}

/// The header, which points to all tables.
#[repr(C)]
pub struct Header {
    pub magic: u64,
    pub version: u32,
    /// Size of the header.
    pub bytes: u32,
    /// One of [`state`].
    pub state: AtomicU32,
    /// Rank in MPI_COMM_WORLD.
    pub rank: AtomicI32,
    pub size: AtomicI32,
    pub unused: u32,
    /// [`Operation`]
    pub operations: Pages,
    /// [`Communicator`]
    pub communicators: Pages,
    /// [`Text`]: names of functions, by their numbers.
    pub functions: Pages,
    /// [`Name`]: names of datatypes.
    pub datatypes: Pages,
    /// [`Text`]: call sites, by their numbers.
    pub sites: Pages,
}

/// Most pages of a table.
pub const MAX_PAGES: usize = 24;

/// A table of entries that never move. Page `k` has `first << k` of them.
#[repr(C)]
pub struct Pages {
    pub entry_bytes: u32,
    /// Entries of the first page: a power of two.
    pub first: u32,
    /// Entries that were ever used: those behind are not there.
    pub used: AtomicU64,
    /// Addresses of the pages; 0 where there is none.
    pub pages: [AtomicU64; MAX_PAGES],
}

impl Pages {
    /// A table without entries. `first` is a power of two.
    pub const fn new(entry_bytes: usize, first: u32) -> Pages {
        assert!(first.is_power_of_two());
        let pages = [const { AtomicU64::new(0) }; MAX_PAGES];
        Pages { entry_bytes: entry_bytes as u32, first, used: AtomicU64::new(0), pages }
    }
}

/// The page that an entry is in, and its place there.
pub const fn place_of(index: u64, first: u32) -> (usize, u64) {
    let first = first as u64;
    let page = (index / first).saturating_add(1).ilog2() as usize;
    (page, index.wrapping_sub(first.wrapping_mul((1 << page) - 1)))
}

/// Bytes of a text in a table, with the zero behind it.
pub const TEXT_BYTES: usize = 64;

/// A text and a zero; behind the zero there may be a part of an earlier text.
pub type Text = [AtomicU8; TEXT_BYTES];

/// Kinds of operations.
pub mod kind {
    pub const SEND: u8 = 1;
    pub const RECEIVE: u8 = 2;
    /// A probe: it takes nothing.
    pub const PROBE: u8 = 3;
}

/// Flags of an operation.
pub mod flag {
    /// The call that a thread is in.
    pub const BLOCKING: u8 = 1;
    pub const PERSISTENT: u8 = 2;
    /// The program was told that it is complete, but has not completed it (MPI_Request_get_status).
    pub const COMPLETE: u8 = 4;
    /// A receive with MPI_ANY_TAG.
    pub const ANY_TAG: u8 = 8;
}

/// The peer of a receive with MPI_ANY_SOURCE.
pub const ANY_SOURCE: i32 = -1;

/// A send, receive or probe that has begun and not ended.
#[repr(C, align(64))]
pub struct Operation {
    /// As in [`stamp`].
    pub stamp: AtomicU64,
    /// Operations are matched in this order.
    pub order: AtomicU64,
    pub buffer: AtomicU64,
    /// Elements.
    pub count: AtomicI64,
    /// Number of the datatype, as in [`Name`].
    pub datatype: AtomicU32,
    /// Bytes of one element.
    pub element: AtomicU32,
    /// Number of the communicator, as in [`Communicator`].
    pub communicator: AtomicU32,
    /// Rank in the communicator, or [`ANY_SOURCE`].
    pub peer: AtomicI32,
    pub tag: AtomicI32,
    /// The call site of the call or, if persistent, of its start.
    pub site: AtomicU32,
    /// The call site where a persistent operation was made; 0 for others.
    pub made: AtomicU32,
    pub function: AtomicU16,
    /// One of [`kind`].
    pub kind: AtomicU8,
    /// Some of [`flag`].
    pub flags: AtomicU8,
}

/// Traits of a communicator.
pub mod trait_of {
    /// An intercommunicator: ranks, size and group are those of the remote group.
    pub const INTER: u32 = 1;
    /// Its [`super::Communicator::unique`] is the same in all its processes.
    pub const SAME_EVERYWHERE: u32 = 2;
}

/// A communicator of the process.
#[repr(C, align(64))]
pub struct Communicator {
    /// As in [`stamp`].
    pub stamp: AtomicU64,
    /// No other communicator of the process has it.
    pub unique: AtomicU64,
    /// Number in this process: operations name it by that.
    pub number: AtomicU32,
    /// The rank of the process in it.
    pub rank: AtomicI32,
    pub size: AtomicI32,
    /// Some of [`trait_of`].
    pub traits: AtomicU32,
    /// Address of the ranks in MPI_COMM_WORLD, as many as the size says, -1 for processes of other worlds. 0: the
    /// rank `i` is `first + i * stride`.
    pub ranks: AtomicU64,
    pub first: AtomicI32,
    pub stride: AtomicI32,
    pub name: Text,
}

/// The name of a datatype.
#[repr(C)]
pub struct Name {
    pub stamp: AtomicU64,
    pub number: AtomicU32,
    pub unused: u32,
    pub text: Text,
}

const _: () = {
    assert!(size_of::<Operation>() == 64);
    assert!(size_of::<Communicator>() == 128);
    assert!(size_of::<Name>() == 80);
    assert!(size_of::<Text>() == TEXT_BYTES);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_place_of_its_own() {
        let mut expected = (0usize, 0u64);
        for index in 0..5000 {
            assert_eq!(place_of(index, 16), expected, "entry {index}");
            expected.1 += 1;
            if expected.1 == 16 << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(place_of(0, 1), (0, 0));
        assert!(place_of(u64::MAX, 1).0 > MAX_PAGES);
    }
}
