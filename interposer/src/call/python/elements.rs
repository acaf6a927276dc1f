//! How the elements of arrays are represented: those of NumPy by its public C API (the same in NumPy 1 and 2), those of the module
//! `array` by their letters.

use super::objects::Objects;
use trace_format::definition::ArrayElement::{self, Complex, Integer, Logical, Real};

/// An element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) is: ArrayElement,
    pub(super) size: u8,
    /// In the words of the program.
    pub(super) name: String,
}

/// A type of NumPy's own: its number is the place in the table.
struct Builtin {
    kind: u8,
    letter: u8,
    /// Bytes; 0 for one that may stand for anything.
    size: u8,
    is: ArrayElement,
    name: &'static str,
}

const fn builtin(kind: u8, letter: u8, size: u8, is: ArrayElement, name: &'static str) -> Builtin {
    Builtin { kind, letter, size, is, name }
}

/// `NPY_BOOL` to `NPY_CLONGDOUBLE`, as Linux on 64 bits has them. Bytes with and without a sign hold anything.
const BUILTINS: [Builtin; 17] = [
    builtin(b'b', b'?', 1, Logical, "bool"),
    builtin(b'i', b'b', 0, Integer, "int8"),
    builtin(b'u', b'B', 0, Integer, "uint8"),
    builtin(b'i', b'h', 2, Integer, "int16"),
    builtin(b'u', b'H', 2, Integer, "uint16"),
    builtin(b'i', b'i', 4, Integer, "int32"),
    builtin(b'u', b'I', 4, Integer, "uint32"),
    builtin(b'i', b'l', 8, Integer, "int64"),
    builtin(b'u', b'L', 8, Integer, "uint64"),
    builtin(b'i', b'q', 8, Integer, "int64"),
    builtin(b'u', b'Q', 8, Integer, "uint64"),
    builtin(b'f', b'f', 4, Real, "float32"),
    builtin(b'f', b'd', 8, Real, "float64"),
    builtin(b'f', b'g', 16, Real, "longdouble"),
    builtin(b'c', b'F', 8, Complex, "complex64"),
    builtin(b'c', b'D', 16, Complex, "complex128"),
    builtin(b'c', b'G', 32, Complex, "clongdouble"),
];

/// Elements of a `numpy.ndarray`. `None`: they may be anything, or the array is not laid out as it should be.
pub(super) fn of_numpy(objects: &Objects, array: u64) -> Option<Element> {
    const DESCRIPTION: u64 = 56;
    const LETTERS: u64 = 24;
    let memory = &objects.memory;
    let description = objects.field(array, DESCRIPTION)?;
    // Kind, letter, order of bytes, flags; the number of the type; flags or the size of NumPy 1; the size of NumPy 2.
    let words = memory.words(description.wrapping_add(LETTERS), 3)?;
    let [first, old, new] = words[..] else { return None };
    let [kind, letter, order, _, number @ ..] = first.to_le_bytes();
    let it = BUILTINS.get(u32::from_le_bytes(number) as usize)?;
    let is_native = order == b'=' || order == b'|' || order == if cfg!(target_endian = "little") { b'<' } else { b'>' };
    let is_so_large = [old & u64::from(u32::MAX), new].contains(&u64::from(it.size));
    let is_it = (kind, letter) == (it.kind, it.letter) && is_native && it.size > 0 && is_so_large;
    is_it.then(|| Element { is: it.is, size: it.size, name: format!("dtype {}", it.name) })
}

/// Elements of an `array.array`, likewise.
pub(super) fn of_array(objects: &Objects, array: u64) -> Option<Element> {
    const DESCRIPTION: u64 = 40;
    let description = objects.field(array, DESCRIPTION)?;
    let letter = objects.memory.byte(description)?;
    let (is, size) = match letter {
        b'h' | b'H' => (Integer, 2),
        b'i' | b'I' => (Integer, 4),
        b'l' | b'L' | b'q' | b'Q' => (Integer, 8),
        b'f' => (Real, 4),
        b'd' => (Real, 8),
        _ => return None,
    };
    let is_so_large = objects.memory.count(description.wrapping_add(4)) == Some(usize::from(size));
    is_so_large.then(|| Element { is, size, name: format!("typecode {}", char::from(letter)) })
}
