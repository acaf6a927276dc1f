//! Basic datatypes: their natural alignment, and the layout of pair types.

use trace_format::mpi::predefined::{self, DATATYPES};

/// The largest alignment of any basic type.
pub(crate) const MAX_ALIGNMENT: i64 = 16;

fn name(id: u32) -> Option<&'static str> {
    DATATYPES.get((id as usize).checked_sub(1)?).copied()
}

/// The alignment of addresses of a basic type of this size; 1 where it is not certain.
pub(crate) fn alignment(id: u32, size: u64) -> i64 {
    let Some(name) = name(id) else {
        return 1;
    };
    // A complex number is aligned as its parts are.
    let unit = if name.contains("COMPLEX") || name == "MPIX_C_BF16" { size / 2 } else { size };
    match unit {
        2 | 4 | 8 | 16 if name != "MPI_PACKED" && name != "MPI_BYTE" => unit as i64,
        _ => 1,
    }
}

/// Two basic parts of a pair type.
pub(crate) struct Pair {
    /// Definition ids and sizes in bytes.
    pub(crate) parts: [(u32, u64); 2],
    /// Displacement of the second part.
    pub(crate) second: u64,
    pub(crate) extent: u64,
}

/// Layout of a pair type of `size` bytes as C lays out the struct of its parts. `None` if `id` is no pair type, or not
/// of this size.
pub(crate) fn pair(id: u32, size: u64) -> Option<Pair> {
    let [first, second] = predefined::pair_parts(name(id)?)?;
    let second_size = if first == second { size / 2 } else { size_of::<std::ffi::c_int>() as u64 };
    let first_size = size.checked_sub(second_size).filter(|s| *s > 0)?;
    let parts = [(predefined::datatype_id(first)?, first_size), (predefined::datatype_id(second)?, second_size)];
    let [a, b] = parts.map(|(id, size)| alignment(id, size) as u64);
    let second = first_size.next_multiple_of(b);
    Some(Pair { parts, second, extent: (second + second_size).next_multiple_of(a.max(b)) })
}
