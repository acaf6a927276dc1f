//! From a frame of the interpreter to file, function and line. Used for frames that are seen for the first time, and
//! when an interpreter is found: memory is read through the kernel, where a wrong address is an error and not a fault.

use super::Frame;
use super::layout::Layout;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// A place in the source of a Python program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub(crate) file: String,
    /// With the names of what it is defined in.
    pub(crate) function: String,
    /// 1-based; 0 for an instruction that stands for no line.
    pub(crate) line: u32,
}

/// Addresses of the types of the objects in a code object.
pub(super) struct Types {
    pub(super) unicode: u64,
    pub(super) bytes: u64,
}

/// Longest path, and longest table of lines; what is longer is taken for a wrong address.
const MAX_BYTES: u64 = 4 << 20;
const MAX_CHARACTERS: u64 = 4096;
/// Longest name of a type that is looked at, and its end.
const MAX_NAME: usize = 96;

/// The memory of this process.
pub(super) struct Memory(File);

impl Memory {
    pub(super) fn open() -> Option<Memory> {
        File::open("/proc/self/mem").ok().map(Memory)
    }

    pub(super) fn bytes(&self, address: u64, len: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.0.read_exact_at(&mut bytes, address).ok()?;
        Some(bytes)
    }

    pub(super) fn word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, address).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    /// An int of 4 bytes that counts something.
    pub(super) fn count(&self, address: u64) -> Option<usize> {
        let bytes = self.bytes(address, 4)?;
        usize::try_from(i32::from_le_bytes(*bytes.first_chunk()?)).ok()
    }

    /// So many words.
    pub(super) fn words(&self, address: u64, count: usize) -> Option<Vec<u64>> {
        let bytes = self.bytes(address, count.checked_mul(8)?)?;
        let (words, _) = bytes.as_chunks();
        Some(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    /// A short text that ends with a zero.
    pub(super) fn c_text(&self, address: u64) -> Option<String> {
        let mut bytes = [0; MAX_NAME];
        let len = self.0.read_at(&mut bytes, address).ok()?;
        let text = bytes.get(..len)?.split_inclusive(|byte| *byte == 0).next()?.strip_suffix(&[0])?;
        String::from_utf8(text.to_vec()).ok()
    }

    pub(super) fn byte(&self, address: u64) -> Option<u8> {
        let mut bytes = [0];
        self.0.read_exact_at(&mut bytes, address).ok()?;
        let [byte] = bytes;
        Some(byte)
    }
}

/// Are the objects that the code object refers to of the types that they must have?
pub(super) fn has_right_types(memory: &Memory, layout: &Layout, types: &Types, frame: &Frame) -> bool {
    let is = |offset: u64, wanted: u64| {
        let object = memory.word(frame.code.wrapping_add(offset));
        object.and_then(|o| memory.word(o.wrapping_add(layout.object_type))) == Some(wanted)
    };
    is(layout.filename, types.unicode) && is(layout.qualname, types.unicode) && is(layout.linetable, types.bytes)
}

/// The place that a frame is at; `None` if memory does not hold what it should.
pub(super) fn of(memory: &Memory, layout: &Layout, frame: &Frame) -> Option<Source> {
    let field = |offset: u64| memory.word(frame.code.wrapping_add(offset));
    let file = text(memory, layout, field(layout.filename)?)?;
    let function = text(memory, layout, field(layout.qualname)?)?;
    let lines = field(layout.linetable)?;
    let len = memory.word(lines.wrapping_add(layout.bytes_size)).filter(|len| *len <= MAX_BYTES)?;
    let table = memory.bytes(lines.wrapping_add(layout.bytes_data), len as usize)?;
    let first_line = field(layout.firstlineno)? as i32;
    let instruction = frame.instruction.wrapping_sub(frame.code.wrapping_add(layout.instructions)) as i64;
    let line = line(&table, first_line, instruction / 2).unwrap_or(0);
    Some(Source { file, function, line })
}

/// The text of a string object.
pub(super) fn text(memory: &Memory, layout: &Layout, object: u64) -> Option<String> {
    const COMPACT: u32 = 1 << 5;
    const ASCII: u32 = 1 << 6;
    let length = memory.word(object.wrapping_add(layout.text_length)).filter(|n| *n <= MAX_CHARACTERS)? as usize;
    let state = memory.word(object.wrapping_add(layout.text_state))? as u32;
    if state & COMPACT == 0 {
        return None;
    }
    let data = object.wrapping_add(if state & ASCII != 0 { layout.ascii_data } else { layout.text_data });
    let width = (state >> 2 & 7) as usize;
    let bytes = memory.bytes(data, length.checked_mul(width)?)?;
    let character = |bytes: &[u8]| {
        let code = bytes.iter().rev().fold(0u32, |code, byte| code << 8 | u32::from(*byte));
        // A byte of a file name that is no UTF-8 is kept as half of a pair (PEP 383).
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    };
    match width {
        1 | 2 | 4 => Some(bytes.chunks_exact(width).map(character).collect()),
        _ => None,
    }
}

/// The line of the instruction with this number, from a code object's table of locations (CPython's
/// `Objects/locations.md`, 3.11 and later). `None` where the instruction stands for no line.
fn line(table: &[u8], first_line: i32, instruction: i64) -> Option<u32> {
    const NO_COLUMNS: u8 = 13;
    const LONG: u8 = 14;
    const NO_LINE: u8 = 15;
    let mut line = i64::from(first_line);
    if instruction < 0 {
        return u32::try_from(line).ok();
    }
    let mut end = 0;
    let mut rest = table;
    while let Some((head, tail)) = rest.split_first() {
        let code = head >> 3 & 15;
        line += match code {
            10..=12 => i64::from(code - 10),
            NO_COLUMNS | LONG => signed(tail),
            _ => 0,
        };
        end += i64::from(head & 7) + 1;
        if instruction < end {
            return if code == NO_LINE { None } else { u32::try_from(line).ok() };
        }
        // Only the first byte of an entry has the highest bit.
        let next = tail.iter().position(|byte| byte & 0x80 != 0).unwrap_or(tail.len());
        rest = tail.get(next..).unwrap_or(&[]);
    }
    None
}

/// A number in groups of six bits, the lowest first; the lowest bit of all is its sign.
fn signed(bytes: &[u8]) -> i64 {
    let mut value = 0i64;
    for (i, byte) in bytes.iter().take(6).enumerate() {
        value |= i64::from(byte & 63) << (6 * i);
        if byte & 64 == 0 {
            break;
        }
    }
    if value & 1 == 0 { value >> 1 } else { -(value >> 1) }
}
