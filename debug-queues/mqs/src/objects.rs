//! Objects that pass through the interface (5.4, 5.7).

use crate::{Address, Word};
use std::ffi::{c_char, c_int};

/// Bytes of a communicator's name and of a line of extra text, with the zero behind it.
pub const TEXT_BYTES: usize = 64;
/// Lines of extra text; an empty one ends them.
pub const TEXT_LINES: usize = 5;

/// A text that ends with a zero, or fills its place.
pub type Text = [c_char; TEXT_BYTES];

/// `mqs_target_type_sizes` (5.4): sizes of types in the target, in bytes.
///
/// The document and MPICH have the first five fields (20 bytes), Open MPI's header has all seven (28 bytes). So a DLL
/// must have room for all of them and rely on the first five; a debugger writes seven only for a DLL with seven.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TargetTypeSizes {
    pub short_size: c_int,
    pub int_size: c_int,
    pub long_size: c_int,
    pub long_long_size: c_int,
    pub pointer_size: c_int,
    /// Not in the document.
    pub bool_size: c_int,
    /// Not in the document.
    pub size_t_size: c_int,
}

/// Bytes of [`TargetTypeSizes`] as the document has it.
pub const DOCUMENTED_TYPE_SIZES_BYTES: usize = 20;

/// `mqs_communicator` (5.7.1).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Communicator {
    /// No other communicator of the process has it.
    pub unique_id: Address,
    /// The rank of the process in it.
    pub local_rank: Word,
    pub size: Word,
    /// Its name, if it was given one.
    pub name: Text,
}

/// `mqs_pending_operation` (5.7.2): a send, a receive, or a message that has arrived.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PendingOperation {
    /// One of [`crate::codes::status`].
    pub status: c_int,
    /// Rank, in the communicator, of its destination or source; negative for MPI_ANY_SOURCE. Some DLLs give it as an
    /// unsigned number of 32 bits.
    pub desired_local_rank: Word,
    /// Its rank in MPI_COMM_WORLD.
    pub desired_global_rank: Word,
    /// Not zero: a receive with MPI_ANY_TAG.
    pub tag_wild: c_int,
    /// Without meaning if `tag_wild` is set.
    pub desired_tag: Word,
    /// Length of the buffer: of bytes in most DLLs, of elements in MPICH's.
    pub desired_length: Word,
    /// Not zero: the buffer is the library's, not the program's.
    pub system_buffer: c_int,
    pub buffer: Address,
    /// This field and the following ones are valid for sends, and if `status` is not pending.
    pub actual_local_rank: Word,
    pub actual_global_rank: Word,
    pub actual_tag: Word,
    pub actual_length: Word,
    /// Lines for people.
    pub extra_text: [Text; TEXT_LINES],
}

impl Communicator {
    /// An empty communicator.
    pub const EMPTY: Communicator = Communicator { unique_id: 0, local_rank: 0, size: 0, name: [0; TEXT_BYTES] };

    /// The name, as text.
    pub fn name(&self) -> String {
        read(&self.name)
    }
}

impl PendingOperation {
    /// An empty operation.
    pub const EMPTY: PendingOperation = PendingOperation {
        status: 0,
        desired_local_rank: 0,
        desired_global_rank: 0,
        tag_wild: 0,
        desired_tag: 0,
        desired_length: 0,
        system_buffer: 0,
        buffer: 0,
        actual_local_rank: 0,
        actual_global_rank: 0,
        actual_tag: 0,
        actual_length: 0,
        extra_text: [[0; TEXT_BYTES]; TEXT_LINES],
    };

    /// The lines of extra text up to the first empty one.
    pub fn extra_lines(&self) -> Vec<String> {
        self.extra_text.iter().map(read).take_while(|line| !line.is_empty()).collect()
    }
}

/// The text up to its end; bytes that are not UTF-8 are replaced.
pub fn read(text: &Text) -> String {
    let bytes: Vec<u8> = text.iter().map(|c| *c as u8).take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes a text, cut between two characters if it is too long, with zeros behind it.
pub fn write(text: &mut Text, what: &str) {
    let end = (0..TEXT_BYTES.min(what.len() + 1)).rev().find(|end| what.is_char_boundary(*end)).unwrap_or(0);
    let bytes = what.bytes().take(end).chain(std::iter::repeat(0));
    text.iter_mut().zip(bytes).for_each(|(to, from)| *to = from as c_char);
}

// The header's layouts where `long` and pointers have 8 bytes.
const _: () = {
    assert!(size_of::<TargetTypeSizes>() == 28);
    assert!(size_of::<Communicator>() == 88);
    assert!(size_of::<PendingOperation>() == 416);
    assert!(std::mem::offset_of!(Communicator, name) == 24);
    assert!(std::mem::offset_of!(PendingOperation, desired_tag) == 32);
    assert!(std::mem::offset_of!(PendingOperation, buffer) == 56);
    assert!(std::mem::offset_of!(PendingOperation, extra_text) == 96);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        let mut text: Text = [1; TEXT_BYTES];
        write(&mut text, "MPI_COMM_WORLD");
        assert_eq!(read(&text), "MPI_COMM_WORLD");
        assert!(text[14..].iter().all(|c| *c == 0));
        write(&mut text, &"ä".repeat(40));
        assert_eq!(read(&text), "ä".repeat(31));
        write(&mut text, &"x".repeat(64));
        assert_eq!(read(&text), "x".repeat(63));
        write(&mut text, "");
        assert_eq!(read(&text), "");
        assert_eq!(read(&[b'y' as c_char; TEXT_BYTES]), "y".repeat(64));
    }
}
