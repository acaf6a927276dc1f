//! Annotations in the notation: a program's calls to mpivet.

use trace_format::annotations::{Annotation, Dump};
use trace_format::definition::UNKNOWN_ID;
use trace_format::mpi::{Kind, predefined};
use trace_format::names::{Names, format_int};

/// The call in the notation.
pub fn format_annotation(annotation: &Annotation, names: &dyn Names) -> String {
    match annotation {
        Annotation::RegionBegin { name } => format!("mpivet_region_begin({name:?})"),
        Annotation::RegionEnd { name } => format!("mpivet_region_end({name:?})"),
        Annotation::Watch { name, address, bytes } => format!("mpivet_watch({name:?}, {address:#x}, {bytes})"),
        Annotation::Unwatch { name } => format!("mpivet_unwatch({name:?})"),
        Annotation::Dump(Dump { name, address, count, datatype, .. }) => {
            let datatype = format_int(Kind::Datatype, i64::from(*datatype), names);
            format!("mpivet_dump({name:?}, {address:#x}, {count}, {datatype})")
        }
    }
}

/// Reads what [`format_annotation`] has written. The contents of a dump are not in the notation.
pub fn parse_annotation(text: &str) -> Result<Annotation, String> {
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
        "mpivet_region_begin" => Annotation::RegionBegin { name },
        "mpivet_region_end" => Annotation::RegionEnd { name },
        "mpivet_unwatch" => Annotation::Unwatch { name },
        "mpivet_watch" => {
            let (address, bytes) = (number().ok_or_else(wrong)?, number().ok_or_else(wrong)?);
            Annotation::Watch { name, address, bytes }
        }
        "mpivet_dump" => {
            let (address, count) = (number().ok_or_else(wrong)?, number().ok_or_else(wrong)?);
            let datatype = args.next().and_then(predefined::datatype_id).unwrap_or(UNKNOWN_ID);
            Annotation::Dump(Dump { name, address, count, datatype, bytes: 0, contents: 0 })
        }
        _ => return Err(wrong()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::names::NoNames;

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
        for annotation in [
            Annotation::RegionBegin { name: name() },
            Annotation::RegionEnd { name: name() },
            Annotation::Watch { name: name(), address: 0x1000, bytes: 8 },
            Annotation::Unwatch { name: name() },
            Annotation::Dump(dump(0)),
        ] {
            assert_eq!(parse_annotation(&format_annotation(&annotation, &NoNames)), Ok(annotation));
        }
        assert_eq!(format_annotation(&Annotation::Dump(dump(1)), &NoNames), "mpivet_dump(\"u\", 0x10, 3, MPI_DOUBLE)");
        assert!(parse_annotation("mpivet_watch(\"x\")").is_err() && parse_annotation("mpivet_what(\"x\")").is_err());
    }
}
