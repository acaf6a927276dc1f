//! The elements of arrays that the program has dumped with `mpivet_dump`, as `mpivet print --dumps` shows them.

use report::clean_line;
use std::fmt::Write as _;
use trace_format::annotations::Dump;
use trace_format::mpi::predefined;

/// The type of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basic {
    Float(usize),
    Complex(usize),
    Signed(usize),
    Unsigned(usize),
    Character,
    /// A type whose bytes are shown.
    Bytes,
}

impl Basic {
    /// By the name of a predefined datatype.
    fn of(name: &str) -> Basic {
        use Basic::*;
        match name {
            "MPI_DOUBLE" | "MPI_DOUBLE_PRECISION" | "MPI_REAL8" => Float(8),
            "MPI_FLOAT" | "MPI_REAL" | "MPI_REAL4" => Float(4),
            "MPI_COMPLEX" | "MPI_COMPLEX8" | "MPI_C_FLOAT_COMPLEX" | "MPI_CXX_FLOAT_COMPLEX" => Complex(4),
            "MPI_DOUBLE_COMPLEX" | "MPI_COMPLEX16" | "MPI_C_DOUBLE_COMPLEX" | "MPI_CXX_DOUBLE_COMPLEX" => Complex(8),
            "MPI_INT" | "MPI_INTEGER" | "MPI_INT32_T" | "MPI_INTEGER4" | "MPI_LOGICAL" | "MPI_LOGICAL4" => Signed(4),
            "MPI_LONG" | "MPI_LONG_LONG_INT" | "MPI_INT64_T" | "MPI_INTEGER8" | "MPI_AINT" | "MPI_OFFSET"
            | "MPI_COUNT" | "MPI_LOGICAL8" => Signed(8),
            "MPI_SHORT" | "MPI_INT16_T" | "MPI_INTEGER2" | "MPI_LOGICAL2" => Signed(2),
            "MPI_SIGNED_CHAR" | "MPI_INT8_T" | "MPI_INTEGER1" | "MPI_LOGICAL1" => Signed(1),
            "MPI_UNSIGNED" | "MPI_UINT32_T" => Unsigned(4),
            "MPI_UNSIGNED_LONG" | "MPI_UNSIGNED_LONG_LONG" | "MPI_UINT64_T" => Unsigned(8),
            "MPI_UNSIGNED_SHORT" | "MPI_UINT16_T" => Unsigned(2),
            "MPI_UNSIGNED_CHAR" | "MPI_UINT8_T" | "MPI_C_BOOL" | "MPI_CXX_BOOL" => Unsigned(1),
            "MPI_CHAR" | "MPI_CHARACTER" => Character,
            _ => Bytes,
        }
    }

    /// Bytes of an element.
    fn size(self) -> usize {
        match self {
            Basic::Float(n) | Basic::Signed(n) | Basic::Unsigned(n) => n,
            Basic::Complex(n) => 2 * n,
            Basic::Character | Basic::Bytes => 1,
        }
    }

    fn format(self, bytes: &[u8]) -> String {
        let float = |bytes: &[u8]| match bytes.try_into().map(f64::from_le_bytes) {
            Ok(value) => value.to_string(),
            Err(_) => bytes.try_into().map_or(String::new(), |b| f32::from_le_bytes(b).to_string()),
        };
        let unsigned = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        match self {
            Basic::Float(_) => float(bytes),
            Basic::Complex(n) => format!("({}, {})", float(&bytes[..n]), float(&bytes[n..])),
            Basic::Unsigned(_) => unsigned(bytes).to_string(),
            Basic::Signed(n) => {
                let unused = 64 - 8 * n;
                ((unsigned(bytes) << unused) as i64 >> unused).to_string()
            }
            Basic::Character => format!("{:?}", char::from(bytes[0])),
            Basic::Bytes => format!("{:02x}", bytes[0]),
        }
    }
}

/// Elements in a line.
const PER_LINE: usize = 8;

/// The elements of a dump, each by itself.
pub(crate) fn values(dump: &Dump, contents: &[u8]) -> Vec<String> {
    let basic = basic_of(dump);
    contents.chunks_exact(basic.size()).map(|e| basic.format(e)).collect()
}

fn basic_of(dump: &Dump) -> Basic {
    let name = (dump.datatype as usize).checked_sub(1).and_then(|at| predefined::DATATYPES.get(at));
    name.map_or(Basic::Bytes, |name| Basic::of(name))
}

/// The elements of a dump, in lines that the notation takes for comments.
pub(crate) fn elements(dump: &Dump, contents: &[u8]) -> String {
    let basic = basic_of(dump);
    let mut text = String::new();
    for (line, elements) in contents.chunks(basic.size() * PER_LINE).enumerate() {
        let values: Vec<String> = elements.chunks_exact(basic.size()).map(|e| basic.format(e)).collect();
        let unit = if basic == Basic::Bytes { "byte " } else { "" };
        _ = write!(text, "\n//   {}[{unit}{}] {}", clean_line(&dump.name), line * PER_LINE, values.join(" "));
    }
    if (contents.len() as u64) < dump.bytes {
        _ = write!(text, "\n//   {} of {} bytes are in the trace", contents.len(), dump.bytes);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_shown_by_their_type() {
        let dump = |name: &str, bytes: u64| Dump {
            name: "u".into(),
            address: 0,
            count: 0,
            datatype: predefined::datatype_id(name).unwrap_or(0),
            bytes,
            contents: 0,
        };
        let doubles: Vec<u8> = [1.5f64, -0.25].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(elements(&dump("MPI_DOUBLE", 16), &doubles), "\n//   u[0] 1.5 -0.25");
        let ints: Vec<u8> = (-1..9).flat_map(|v: i16| v.to_le_bytes()).collect();
        let expected = "\n//   u[0] -1 0 1 2 3 4 5 6\n//   u[8] 7 8\n//   20 of 40 bytes are in the trace";
        assert_eq!(elements(&dump("MPI_SHORT", 40), &ints), expected);
        assert_eq!(elements(&dump("MPI_UINT8_T", 1), &[255]), "\n//   u[0] 255");
        assert_eq!(elements(&dump("MPI_COMPLEX", 8), &[0, 0, 128, 63, 0, 0, 0, 64]), "\n//   u[0] (1, 2)");
        assert_eq!(elements(&dump("no type", 2), &[1, 171]), "\n//   u[byte 0] 01 ab");
    }
}
