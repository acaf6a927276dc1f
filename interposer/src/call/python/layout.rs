//! Where the fields of CPython's structures lie. 3.13 says it itself; 3.11 and 3.12 do not change any more.

use super::source::Memory;

/// Owner of a frame that stands for an entry into the interpreter from C (3.12 and later).
pub(super) const OWNED_BY_C_STACK: u8 = 3;

/// Offsets in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// In the thread's state: the pointer to the structure that holds the current frame (up to 3.12).
    pub(super) cframe: Option<u64>,
    /// In that structure, or in the thread's state.
    pub(super) current_frame: u64,
    pub(super) previous: u64,
    pub(super) executable: u64,
    pub(super) instruction: u64,
    pub(super) owner: u64,
    /// Behind it are the variables of the frame, and its stack of values.
    pub(super) locals: u64,
    pub(super) globals: u64,
    pub(super) filename: u64,
    pub(super) qualname: u64,
    pub(super) linetable: u64,
    /// An int of 4 bytes, between those that say how many values the stack may have and how many variables there are.
    pub(super) firstlineno: u64,
    pub(super) names_of_locals: u64,
    /// The instructions.
    pub(super) instructions: u64,
    pub(super) object_type: u64,
    pub(super) bytes_size: u64,
    pub(super) bytes_data: u64,
    pub(super) text_length: u64,
    pub(super) text_state: u64,
    /// Data of a text that is all ASCII.
    pub(super) ascii_data: u64,
    /// Data of another text.
    pub(super) text_data: u64,
    /// The instruction that calls with a tuple and a dictionary of arguments.
    pub(super) call_with_tuple: u8,
}

/// `offsetof` in the headers of 3.11 (`internal/pycore_frame.h`).
const V3_11: Layout = Layout {
    cframe: Some(56),
    current_frame: 8,
    previous: 48,
    executable: 32,
    instruction: 56,
    owner: 69,
    locals: 72,
    globals: 8,
    filename: 112,
    qualname: 128,
    linetable: 136,
    firstlineno: 72,
    names_of_locals: 96,
    instructions: 184,
    object_type: 8,
    bytes_size: 16,
    bytes_data: 32,
    text_length: 16,
    text_state: 32,
    ascii_data: 48,
    text_data: 72,
    call_with_tuple: 142,
};

/// The layout of 3.12.
const V3_12: Layout = Layout {
    cframe: Some(56),
    current_frame: 0,
    previous: 8,
    executable: 0,
    instruction: 56,
    owner: 70,
    globals: 24,
    firstlineno: 68,
    instructions: 192,
    ascii_data: 40,
    text_data: 56,
    ..V3_11
};

impl Layout {
    /// The layout of this version (`PY_VERSION_HEX`), whose `_PyRuntime` is at `runtime`; `None` if it is not known.
    pub(super) fn of(version: u64, memory: &Memory, runtime: u64) -> Option<Layout> {
        match (version >> 16) as u16 {
            0x030b => Some(V3_11),
            0x030c => Some(V3_12),
            0x030d => Layout::published(version, memory, runtime),
            _ => None,
        }
    }

    /// The layout that 3.13 publishes for debuggers at the start of `_PyRuntime` (`_Py_DebugOffsets`).
    fn published(version: u64, memory: &Memory, runtime: u64) -> Option<Layout> {
        const WORDS: usize = 71;
        let bytes = memory.bytes(runtime, WORDS * 8)?;
        let word = |i: usize| Some(u64::from_le_bytes(*bytes.get(i * 8..)?.first_chunk()?));
        // Builds without a GIL have no thread that keeps its frames to itself.
        if bytes.get(..8) != Some(b"xdebugpy") || word(1)? != version || word(2)? != 0 {
            return None;
        }
        // In the fields of a structure, none is as far away as this.
        let offset = |i| word(i).filter(|offset| *offset < 4096);
        Some(Layout {
            cframe: None,
            current_frame: offset(23)?,
            previous: offset(29)?,
            executable: offset(30)?,
            instruction: offset(31)?,
            locals: offset(32)?,
            owner: offset(33)?,
            // Not published.
            globals: V3_12.globals,
            filename: offset(35)?,
            qualname: offset(37)?,
            linetable: offset(38)?,
            firstlineno: offset(39)?,
            names_of_locals: offset(41)?,
            instructions: offset(43)?,
            object_type: offset(45)?,
            bytes_size: offset(65)?,
            bytes_data: offset(66)?,
            text_state: offset(68)?,
            text_length: offset(69)?,
            ascii_data: offset(70)?,
            // Behind it lie length and pointer of the text in UTF-8.
            text_data: offset(70)? + 16,
            call_with_tuple: 54,
        })
    }
}
