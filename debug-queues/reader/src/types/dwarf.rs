//! Types from the debug information (DWARF) of a library.

use super::Structure;
use crate::error::{Error, Result};
use gimli::{AttributeValue, DebuggingInformationEntry, EndianArcSlice, RunTimeEndian, Unit, UnitOffset};
use object::{Object as _, ObjectSection as _, ReadCache};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Reader = EndianArcSlice<RunTimeEndian>;
type Entry<'a> = DebuggingInformationEntry<Reader>;

/// A typedef may name another one; longer chains are damaged data.
const LONGEST_CHAIN: usize = 16;

/// All named structures of a file.
#[derive(Debug, Clone)]
pub struct DebugInfo {
    structures: BTreeMap<String, Structure>,
}

impl DebugInfo {
    /// `None` if the file has no debug information.
    pub fn of(path: &Path) -> Result<Option<DebugInfo>> {
        let cache = ReadCache::new(File::open(path).map_err(|e| Error::file(path, e))?);
        let file = object::File::parse(&cache).map_err(|e| Error::file(path, e))?;
        if file.section_by_name(".debug_info").is_none() {
            return Ok(None);
        }
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let load = |id: gimli::SectionId| -> std::result::Result<Reader, object::Error> {
            let data = file.section_by_name(id.name()).map(|s| s.uncompressed_data()).transpose()?;
            Ok(EndianArcSlice::new(Arc::from(data.unwrap_or_default().into_owned()), endian))
        };
        let dwarf = gimli::Dwarf::load(load).map_err(|e| Error::file(path, e))?;
        let structures = collect(&dwarf).map_err(|e| Error::file(path, e))?;
        Ok(Some(DebugInfo { structures }))
    }

    /// By the name of a typedef or the tag of a `struct` or `union`.
    pub fn find(&self, name: &str) -> Option<Structure> {
        self.structures.get(name.strip_prefix("struct ").unwrap_or(name)).cloned()
    }
}

/// The file in which distributions keep the debug information of a library, by its build-id.
pub fn separate(library: &Path) -> Option<PathBuf> {
    let cache = ReadCache::new(File::open(library).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let id: String = file.build_id().ok()??.iter().map(|byte| format!("{byte:02x}")).collect();
    let (dir, name) = id.split_at_checked(2)?;
    Some(Path::new("/usr/lib/debug/.build-id").join(dir).join(format!("{name}.debug")))
}

fn collect(dwarf: &gimli::Dwarf<Reader>) -> gimli::Result<BTreeMap<String, Structure>> {
    let mut found: BTreeMap<String, Structure> = BTreeMap::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if !is_structure(entry) && entry.tag() != gimli::DW_TAG_typedef {
                continue;
            }
            let Some(name) = name(dwarf, &unit, entry)? else { continue };
            if !found.contains_key(&name)
                && let Some(structure) = structure(dwarf, &unit, entry.offset(), 0)?
            {
                found.insert(name, structure);
            }
        }
    }
    Ok(found)
}

fn is_structure(entry: &Entry) -> bool {
    matches!(entry.tag(), gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type)
}

fn name(dwarf: &gimli::Dwarf<Reader>, unit: &Unit<Reader>, entry: &Entry) -> gimli::Result<Option<String>> {
    use gimli::Reader as _;
    let Some(value) = entry.attr_value(gimli::DW_AT_name) else { return Ok(None) };
    Ok(Some(dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned()))
}

/// The fields of a structure, or of a typedef of one. `None` for other types and for declarations.
fn structure(
    dwarf: &gimli::Dwarf<Reader>,
    unit: &Unit<Reader>,
    at: UnitOffset,
    depth: usize,
) -> gimli::Result<Option<Structure>> {
    let entry = unit.entry(at)?;
    if entry.tag() == gimli::DW_TAG_typedef {
        return match entry.attr_value(gimli::DW_AT_type) {
            Some(AttributeValue::UnitRef(to)) if depth < LONGEST_CHAIN => structure(dwarf, unit, to, depth + 1),
            _ => Ok(None),
        };
    }
    if !is_structure(&entry) || entry.attr_value(gimli::DW_AT_declaration).is_some() {
        return Ok(None);
    }
    let size = entry.attr_value(gimli::DW_AT_byte_size).and_then(|v| v.udata_value());
    let mut fields = BTreeMap::new();
    let mut tree = unit.entries_tree(Some(at))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        let member = child.entry();
        // A union's members have no place: it is its beginning.
        let place = member.attr_value(gimli::DW_AT_data_member_location).map_or(Some(0), |v| v.udata_value());
        if member.tag() == gimli::DW_TAG_member
            && let (Some(name), Some(place)) = (name(dwarf, unit, member)?, place)
        {
            fields.insert(name, place);
        }
    }
    Ok(Some(Structure { size, fields }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const TYPES: &str = "
        #include <stddef.h>
        typedef struct opal_list_item_t { char pad[16]; void *opal_list_next; } opal_list_item_t;
        struct ompi_request_t { opal_list_item_t super; int req_type; double req_status; };
        typedef struct { short a; struct ompi_request_t b; char c; } unnamed_t;
        typedef unnamed_t again_t;
        union choice { int i; double d; };
        struct declared;
        unnamed_t one; struct ompi_request_t two; again_t three; union choice four; struct declared *five;
        const size_t sizes[] = { sizeof(unnamed_t), offsetof(unnamed_t, c), offsetof(struct ompi_request_t, req_status) };
    ";

    fn library(flags: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let (source, library) = (dir.path().join("t.c"), dir.path().join("t.so"));
        std::fs::write(&source, TYPES).unwrap();
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC"]).args(flags).arg(&source).arg("-o").arg(&library);
        assert!(cc.status().unwrap().success());
        (dir, library)
    }

    #[test]
    fn debug_information_says_sizes_and_offsets() {
        for flags in [&["-g"][..], &["-g", "-gdwarf-4"], &["-g", "-gz=zlib"]] {
            let (_dir, library) = library(flags);
            let info = match DebugInfo::of(&library) {
                Ok(info) => info.unwrap(),
                // Compressed sections need a feature of `object` that is not built in.
                Err(e) if flags.contains(&"-gz=zlib") => {
                    assert!(e.to_string().contains("ompress"), "{e}");
                    continue;
                }
                Err(e) => panic!("{e}"),
            };
            let item = info.find("opal_list_item_t").unwrap();
            assert_eq!((item.size, item.fields["opal_list_next"]), (Some(24), 16));
            let request = info.find("struct ompi_request_t").unwrap();
            assert_eq!((request.size, request.fields["req_type"], request.fields["req_status"]), (Some(40), 24, 32));
            assert_eq!(info.find("ompi_request_t").unwrap(), request);
            let unnamed = info.find("unnamed_t").unwrap();
            assert_eq!((unnamed.size, unnamed.fields["b"], unnamed.fields["c"]), (Some(56), 8, 48));
            assert_eq!(info.find("again_t").unwrap(), unnamed);
            assert_eq!(info.find("choice").unwrap().fields["d"], 0);
            assert!(info.find("declared").is_none() && info.find("int").is_none());
        }
    }

    #[test]
    fn a_library_without_debug_information_says_so() {
        let (_dir, library) = library(&[]);
        assert!(DebugInfo::of(&library).unwrap().is_none());
        assert!(DebugInfo::of(Path::new("/nowhere")).is_err());
        let (_dir, library) = self::library(&["-Wl,--build-id=0xabcdef"]);
        assert_eq!(separate(&library).unwrap(), Path::new("/usr/lib/debug/.build-id/ab/cdef.debug"));
    }
}
