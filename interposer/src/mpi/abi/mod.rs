//! What handles, statuses and constants look like in each family of MPI libraries. Everything above this module
//! works on decoded values: definition ids, neutral ranks and tags, neutral error classes.

mod predefined;
pub(crate) mod room;
pub(crate) mod tool;
pub(crate) use predefined::Predefined;
pub(crate) use room::{Room, room_for};

use std::sync::OnceLock;
use trace_format::mpi::{Kind, Status, ThreadLevel, special};

/// No family has a larger status.
pub(crate) const MOST_STATUS_BYTES: usize = 32;

/// One binary interface of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Mpich,
    OpenMpi,
    /// The ABI of MPI 5 (MPI 5.0, chapter 20).
    Standard,
    /// A draft of it with other numbers, in Intel MPI 2021.
    Draft,
}

/// Byte offsets in MPI_Status.
struct StatusLayout {
    size: usize,
    source: usize,
    tag: usize,
    error: usize,
    /// Low and high word of the byte count with the cancelled bit in the high one, or a 64-bit count.
    count: CountLayout,
}

/// Words of a status that says nothing, as many as the largest one has.
pub(crate) type BlankStatus = [u32; MOST_STATUS_BYTES / 4];

/// Nothing but MPI_PROC_NULL and MPI_ANY_TAG, at these offsets.
const fn blank((source_at, proc_null): (usize, i32), (tag_at, any_tag): (usize, i32)) -> BlankStatus {
    let mut words = [0; MOST_STATUS_BYTES / 4];
    words[source_at / 4] = proc_null as u32;
    words[tag_at / 4] = any_tag as u32;
    words
}

enum CountLayout {
    /// Low 32 bits at the first offset; at the second bit 0 is the cancelled flag and the rest the high bits.
    Split(usize, usize),
    /// 64-bit count at the first offset, cancelled as an int at the second.
    Whole(usize, usize),
}

/// The constants of a family that change how arguments are read.
pub(crate) struct Abi {
    pub(crate) family: Family,
    pub(crate) name: &'static str,
    status: StatusLayout,
    any_source: i32,
    any_tag: i32,
    proc_null: i32,
    root: i32,
    in_place: u64,
    /// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE (one value in every family).
    status_ignore: u64,
    blank: BlankStatus,
    pub(crate) order_fortran: i32,
    pub(crate) distribute_none: i32,
    pub(crate) distribute_cyclic: i32,
    pub(crate) distribute_default: i32,
    pub(crate) topo_cart: i32,
    pub(crate) topo_graph: i32,
    pub(crate) topo_dist_graph: i32,
    /// MPI_BSEND_OVERHEAD, the smallest of the libraries of the family: programs have it from their header. What the library at
    /// hand has in its own, `room::bsend_overhead` knows.
    pub(crate) bsend_overhead: u64,
    /// Addresses that stand for something in array arguments (MPI_UNWEIGHTED and the like) are below this.
    pub(crate) lowest_address: u64,
}

static MPICH: Abi = Abi {
    family: Family::Mpich,
    name: "mpich",
    status: StatusLayout { size: 20, source: 8, tag: 12, error: 16, count: CountLayout::Split(0, 4) },
    any_source: -2,
    any_tag: -1,
    proc_null: -1,
    root: -3,
    in_place: u64::MAX,
    status_ignore: 1,
    blank: blank((8, -1), (12, -1)),
    order_fortran: 57,
    distribute_none: 123,
    distribute_cyclic: 122,
    distribute_default: -49767,
    topo_cart: 2,
    topo_graph: 1,
    topo_dist_graph: 3,
    bsend_overhead: 88,
    lowest_address: 4096,
};

static OPENMPI: Abi = Abi {
    family: Family::OpenMpi,
    name: "openmpi",
    status: StatusLayout { size: 24, source: 0, tag: 4, error: 8, count: CountLayout::Whole(16, 12) },
    any_source: -1,
    any_tag: -1,
    proc_null: -2,
    root: -4,
    in_place: 1,
    status_ignore: 0,
    blank: blank((0, -2), (4, -1)),
    order_fortran: 1,
    distribute_none: 2,
    distribute_cyclic: 1,
    distribute_default: -1,
    topo_cart: 1,
    topo_graph: 2,
    topo_dist_graph: 3,
    bsend_overhead: 128,
    lowest_address: 4096,
};

static STANDARD: Abi = standard(Family::Standard);
static DRAFT: Abi = standard(Family::Draft);

const fn standard(family: Family) -> Abi {
    Abi {
        family,
        name: "standard",
        status: StatusLayout { size: 32, source: 0, tag: 4, error: 8, count: CountLayout::Split(12, 16) },
        any_source: -1,
        any_tag: -2,
        proc_null: -3,
        root: -4,
        in_place: 1,
        status_ignore: 0,
        blank: blank((0, -3), (4, -2)),
        order_fortran: 15,
        distribute_none: 16,
        distribute_cyclic: 18,
        distribute_default: 19,
        topo_cart: 211,
        topo_graph: 212,
        topo_dist_graph: 213,
        bsend_overhead: match family {
            // What the draft says is not known.
            Family::Draft => 0,
            _ => 512,
        },
        lowest_address: 4096,
    }
}

/// The attribute of MPI_COMM_WORLD that holds MPI_LASTUSEDCODE, in the ABI of MPI 5 and in the draft.
pub(crate) const LAST_USED_CODE: (u64, u64) = (506, 507);
/// MPI_ERR_LASTCODE of both.
pub(crate) const LAST_CODE: i32 = 0x3fff;
/// MPI_ERR_LASTCODE of Open MPI 4 and 5.
pub(crate) const OPEN_MPI_LAST_CODE: i32 = 92;

impl Abi {
    pub(crate) fn of(family: Family) -> &'static Abi {
        match family {
            Family::Mpich => &MPICH,
            Family::OpenMpi => &OPENMPI,
            Family::Standard => &STANDARD,
            Family::Draft => &DRAFT,
        }
    }

    /// Bytes of a handle of this kind in memory.
    #[inline(always)]
    pub(crate) fn handle_bytes(&self, kind: Kind) -> usize {
        if self.family == Family::Mpich && kind != Kind::File { 4 } else { 8 }
    }

    /// The part of an argument slot that is the handle: the upper half of a slot that holds a 4-byte handle is
    /// undefined (field notes, section 4).
    #[inline(always)]
    pub(crate) fn handle_arg(&self, kind: Kind, slot: u64) -> u64 {
        if self.handle_bytes(kind) == 4 { slot & 0xffff_ffff } else { slot }
    }

    #[inline(always)]
    pub(crate) fn rank(&self, value: i32) -> i32 {
        if value >= 0 {
            value
        } else if value == self.any_source {
            special::ANY_SOURCE
        } else if value == self.proc_null {
            special::PROC_NULL
        } else if value == self.root {
            special::ROOT
        } else {
            value
        }
    }

    #[inline(always)]
    pub(crate) fn tag(&self, value: i32) -> i32 {
        if value == self.any_tag { special::ANY_TAG } else { value }
    }

    #[inline(always)]
    pub(crate) fn buffer(&self, address: u64) -> i64 {
        if address == self.in_place { special::IN_PLACE } else { address as i64 }
    }

    #[inline(always)]
    pub(crate) fn is_in_place(&self, address: u64) -> bool {
        address == self.in_place
    }

    #[inline(always)]
    pub(crate) fn is_status_ignore(&self, address: u64) -> bool {
        address == self.status_ignore
    }

    /// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
    pub(crate) fn status_ignore(&self) -> u64 {
        self.status_ignore
    }

    #[inline(always)]
    pub(crate) fn status_size(&self) -> usize {
        self.status.size
    }

    /// Reads a status of this family. `bytes` holds at least [`Abi::status_size`] bytes.
    pub(crate) fn status(&self, bytes: &[u8]) -> Status {
        let mut whole = [0; MOST_STATUS_BYTES];
        whole.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        // SAFETY: the array is as large as any status.
        unsafe { self.status_at(whole.as_ptr() as u64) }
    }

    /// The status at an address.
    ///
    /// # Safety
    /// There is a status of this family.
    #[inline(always)]
    pub(crate) unsafe fn status_at(&self, address: u64) -> Status {
        // SAFETY: the caller vouches for the status, and the offsets are those of its fields.
        let word = |at: usize| unsafe { ((address + at as u64) as *const u32).read_unaligned() };
        let (count, cancelled) = match self.status.count {
            CountLayout::Split(low, high) => {
                (u64::from(word(low)) | u64::from(word(high) >> 1) << 32, word(high) & 1 != 0)
            }
            CountLayout::Whole(at, cancelled) => {
                (u64::from(word(at)) | u64::from(word(at + 4)) << 32, word(cancelled) != 0)
            }
        };
        let bytes = (count < 1 << 60).then_some(count);
        Status {
            source: self.rank(word(self.status.source) as i32),
            tag: self.tag(word(self.status.tag) as i32),
            bytes,
            cancelled,
        }
    }

    /// The field MPI_ERROR of a status, in the library's numbers.
    pub(crate) fn status_error(&self, bytes: &[u8]) -> i32 {
        let at = self.status.error;
        bytes.get(at..at + 4).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| i32::from_le_bytes(*b))
    }

    /// A status that says nothing, for completions that leave it unwritten.
    #[inline(always)]
    pub(crate) fn blank_status(&self) -> &BlankStatus {
        &self.blank
    }

    /// The level of thread support that a value of this family stands for.
    pub(crate) fn thread_level(&self, value: i32) -> Option<ThreadLevel> {
        let name = self.constants().find(|(n, v)| n.starts_with("MPI_THREAD_") && *v == i64::from(value))?.0;
        ThreadLevel::by_name(name)
    }

    /// The number of an error class in this family.
    pub(crate) fn class_number(&self, name: &str) -> Option<i32> {
        let place = trace_format::mpi::predefined::ERROR_CLASSES.iter().position(|class| *class == name)?;
        let (mpich, openmpi, standard) = *predefined::ERROR_CLASSES.get(place)?;
        match self.family {
            Family::Mpich => mpich,
            Family::OpenMpi => openmpi,
            Family::Standard | Family::Draft => standard,
        }
    }

    /// Neutral number of an error class of this family.
    pub(crate) fn error_class(&self, class: i32) -> u16 {
        if class == 0 {
            return 0;
        }
        let place = predefined::ERROR_CLASSES.iter().position(|(mpich, openmpi, standard)| {
            Some(class)
                == match self.family {
                    Family::Mpich => *mpich,
                    Family::OpenMpi => *openmpi,
                    Family::Standard | Family::Draft => *standard,
                }
        });
        place.map_or(trace_format::mpi::predefined::UNKNOWN_ERROR_CLASS, |i| i as u16 + 1)
    }

    /// The named constants of this family.
    pub(crate) fn constants(&self) -> impl Iterator<Item = (&'static str, i64)> + '_ {
        predefined::CONSTANTS.iter().filter_map(|(name, mpich, openmpi, standard)| {
            let value = match self.family {
                Family::Mpich => *mpich,
                Family::OpenMpi => *openmpi,
                Family::Standard => *standard,
                Family::Draft => predefined::draft_constant(name).or(*standard),
            };
            value.map(|v| (*name, v))
        })
    }

    /// The predefined handles of a kind.
    pub(crate) fn predefined(kind: Kind) -> &'static [Predefined] {
        match kind {
            Kind::Comm => predefined::COMM,
            Kind::Group => predefined::GROUP,
            Kind::Datatype => predefined::DATATYPE,
            Kind::Op => predefined::OP,
            Kind::Win => predefined::WIN,
            Kind::File => predefined::FILE,
            Kind::Session => predefined::SESSION,
            Kind::Message => predefined::MESSAGE,
            Kind::Request => predefined::REQUEST,
            Kind::Info => predefined::INFO,
            Kind::Errhandler => predefined::ERRHANDLER,
            _ => &[],
        }
    }
}

/// The count in a status.
pub(crate) struct CountAt {
    low: *mut u32,
    /// The upper half, where it holds nothing else.
    high: Option<*mut u32>,
}

impl Abi {
    /// Sets the field MPI_ERROR.
    ///
    /// # Safety
    /// There is a status at the address.
    pub(crate) unsafe fn set_status_error(&self, status: u64, code: i32) {
        // SAFETY: the caller vouches for it.
        unsafe { ((status + self.status.error as u64) as *mut i32).write_unaligned(code) };
    }

    /// # Safety
    /// There is a status at the address, as long as the answer is used.
    pub(crate) unsafe fn count_at(&self, status: u64) -> CountAt {
        let at = |offset: usize| (status + offset as u64) as *mut u32;
        match self.status.count {
            CountLayout::Split(low, _) => CountAt { low: at(low), high: None },
            CountLayout::Whole(low, _) => CountAt { low: at(low), high: Some(at(low + 4)) },
        }
    }
}

impl CountAt {
    pub(crate) fn get(&self) -> u64 {
        // SAFETY: whoever made it vouches for the status.
        unsafe {
            let high = self.high.map_or(0, |high| high.read_unaligned());
            u64::from(self.low.read_unaligned()) | u64::from(high) << 32
        }
    }

    /// Puts another number there; the answer is what was there.
    pub(crate) fn replace(&self, count: u64) -> u64 {
        let before = self.get();
        // SAFETY: as above.
        unsafe {
            self.low.write_unaligned(count as u32);
            self.high.into_iter().for_each(|high| high.write_unaligned((count >> 32) as u32));
        }
        before
    }
}

static CURRENT: OnceLock<&'static Abi> = OnceLock::new();

/// The family of the process, known once MPI has started.
pub(crate) fn current() -> Option<&'static Abi> {
    CURRENT.get().copied()
}

/// Recording begins, with the library of this family.
pub(crate) fn set_current(abi: &'static Abi) {
    _ = CURRENT.set(abi);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_status_is_of_nobody() {
        for family in [Family::Mpich, Family::OpenMpi, Family::Standard, Family::Draft] {
            let abi = Abi::of(family);
            // SAFETY: the words are those of a status.
            let status = unsafe { abi.status_at(abi.blank_status().as_ptr() as u64) };
            let expected =
                Status { source: special::PROC_NULL, tag: special::ANY_TAG, bytes: Some(0), cancelled: false };
            assert_eq!(status, expected, "{family:?}");
        }
    }
}
