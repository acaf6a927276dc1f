//! What a program says to mpivet by `include/mpivet.h` or the Fortran module `mpivet`: regions, watched data, dumps of its
//! arrays. It travels as an MPI_Pcontrol call with a level of its own and the address of a request.

use crate::args::Arg;
use crate::definition::{Id, UNKNOWN_ID};
use crate::mpi::{FnId, Kind, predefined};
use crate::text::{Names, format_int};
use serde::{Deserialize, Serialize};

/// The level: "MPVT". Every MPI library ignores levels that it does not know (MPI 4.1, 15.2.4).
pub const LEVEL: i32 = 0x4d50_5654;
/// What a request begins with: "mpivet" and the version of its layout.
pub const MAGIC: u64 = 0x6d70_6976_6574_0001;
/// Most bytes of one dump that are kept.
pub const MAX_DUMP_BYTES: u64 = 1 << 20;

/// Does a call with this first argument say something to mpivet?
pub fn is_mark(func: FnId, level: Arg) -> bool {
    func == FnId::MPI_Pcontrol && level.int() == i64::from(LEVEL)
}

/// What a request asks for, as C and Fortran number it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
pub enum Action {
    RegionBegin = 1,
    RegionEnd = 2,
    Watch = 3,
    Unwatch = 4,
    /// With a datatype of C.
    Dump = 5,
    /// With a datatype of Fortran, an integer.
    DumpFortran = 6,
}

impl Action {
    pub fn from_number(number: i64) -> Option<Action> {
        use Action::*;
        [RegionBegin, RegionEnd, Watch, Unwatch, Dump, DumpFortran].into_iter().find(|a| *a as i64 == number)
    }
}

/// What the program has said, at a call of MPI_Pcontrol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    RegionBegin { name: String },
    RegionEnd { name: String },
    Watch { name: String, address: u64, bytes: u64 },
    Unwatch { name: String },
    Dump(Dump),
}

/// An array of the program. Its contents are [`crate::definition::Definition::Dump`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dump {
    pub name: String,
    pub address: u64,
    /// Elements.
    pub count: u64,
    pub datatype: Id,
    /// Bytes of the whole array, of which the definition may have fewer.
    pub bytes: u64,
    pub contents: Id,
}

impl Mark {
    /// The call in the notation.
    pub fn format(&self, names: &dyn Names) -> String {
        match self {
            Mark::RegionBegin { name } => format!("mpivet_region_begin({name:?})"),
            Mark::RegionEnd { name } => format!("mpivet_region_end({name:?})"),
            Mark::Watch { name, address, bytes } => format!("mpivet_watch({name:?}, {address:#x}, {bytes})"),
            Mark::Unwatch { name } => format!("mpivet_unwatch({name:?})"),
            Mark::Dump(Dump { name, address, count, datatype, .. }) => {
                let datatype = format_int(Kind::Datatype, i64::from(*datatype), names);
                format!("mpivet_dump({name:?}, {address:#x}, {count}, {datatype})")
            }
        }
    }

    /// Reads what [`Mark::format`] has written. The contents of a dump are not in the notation.
    pub fn parse(text: &str) -> Result<Mark, String> {
        let wrong = || format!("`{text}` is no call of mpivet");
        let (function, rest) = text.split_once("(\"").ok_or_else(wrong)?;
        let (name, rest) = rest.rsplit_once('"').ok_or_else(wrong)?;
        let name = name.replace("\\\"", "\"").replace("\\\\", "\\");
        let rest = rest.trim().strip_suffix(')').ok_or_else(wrong)?;
        let mut args = rest.split(',').map(str::trim).skip(1);
        let mut number = || {
            let arg = args.next()?;
            match arg.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok(),
                None => arg.parse().ok(),
            }
        };
        Ok(match function {
            "mpivet_region_begin" => Mark::RegionBegin { name },
            "mpivet_region_end" => Mark::RegionEnd { name },
            "mpivet_unwatch" => Mark::Unwatch { name },
            "mpivet_watch" => {
                let (address, bytes) = (number().ok_or_else(wrong)?, number().ok_or_else(wrong)?);
                Mark::Watch { name, address, bytes }
            }
            "mpivet_dump" => {
                let (address, count) = (number().ok_or_else(wrong)?, number().ok_or_else(wrong)?);
                let datatype = args.next().and_then(predefined::datatype_id).unwrap_or(UNKNOWN_ID);
                Mark::Dump(Dump { name, address, count, datatype, bytes: 0, contents: 0 })
            }
            _ => return Err(wrong()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::NoNames;

    #[test]
    fn marks_are_read_back() {
        let dump = |contents: u64| Dump {
            name: "u".into(),
            address: 16,
            count: 3,
            datatype: 29,
            bytes: 24 * contents,
            contents: 0,
        };
        let name = || "say \"x\", \\ (1)".to_owned();
        for mark in [
            Mark::RegionBegin { name: name() },
            Mark::RegionEnd { name: name() },
            Mark::Watch { name: name(), address: 0x1000, bytes: 8 },
            Mark::Unwatch { name: name() },
            Mark::Dump(dump(0)),
        ] {
            assert_eq!(Mark::parse(&mark.format(&NoNames)), Ok(mark));
        }
        assert_eq!(Mark::Dump(dump(1)).format(&NoNames), "mpivet_dump(\"u\", 0x10, 3, MPI_DOUBLE)");
        assert!(Mark::parse("mpivet_watch(\"x\")").is_err() && Mark::parse("mpivet_what(\"x\")").is_err());
    }
}
