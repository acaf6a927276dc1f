//! Parts of the debug information of a module: its own, what several files share, and each split unit.

use super::debug::{At, Reader};
use gimli::{RunTimeEndian, UnitType};
use object::{Object as _, ObjectSection as _};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) type Header = gimli::UnitHeader<Reader>;

/// Sections that are larger are not read.
const MAX_SECTION: u64 = 2 << 30;

/// Which part it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Number(pub(super) usize);

/// The module's own part.
pub(super) const OWN: Number = Number(0);

/// See the module.
pub(super) struct Part {
    pub(super) dwarf: Arc<gimli::Dwarf<Reader>>,
    /// Its units: those of `.debug_info` first, ascending.
    pub(super) headers: Vec<Header>,
    /// Types that stand in units of their own, by their signatures: the number of the unit, and the place in it.
    types: OnceCell<HashMap<u64, (usize, usize)>>,
}

impl Part {
    pub(super) fn new(dwarf: Arc<gimli::Dwarf<Reader>>) -> Option<Part> {
        let (mut headers, mut units) = (Vec::new(), dwarf.units());
        while let Some(header) = units.next().ok()? {
            headers.push(header);
        }
        let mut units = dwarf.type_units();
        while let Some(header) = units.next().ok()? {
            headers.push(header);
        }
        Some(Part { dwarf, headers, types: OnceCell::new() })
    }

    /// The entry at an offset of `.debug_info`.
    pub(super) fn at(&self, part: Number, offset: usize) -> Option<At> {
        let start = |h: &Header| h.debug_info_offset().map_or(usize::MAX, |o| o.0);
        let number = self.headers.partition_point(|h| start(h) <= offset).checked_sub(1)?;
        Some(At::new(part, number, offset - start(self.headers.get(number)?)))
    }

    /// The type with a signature.
    pub(super) fn signed(&self, part: Number, signature: u64) -> Option<At> {
        let types = self.types.get_or_init(|| {
            let of = |(number, header): (usize, &Header)| match header.type_() {
                UnitType::Type { type_signature, type_offset }
                | UnitType::SplitType { type_signature, type_offset } => {
                    Some((type_signature.0, (number, type_offset.0)))
                }
                _ => None,
            };
            self.headers.iter().enumerate().filter_map(of).collect()
        });
        types.get(&signature).map(|(number, offset)| At::new(part, *number, *offset))
    }
}

/// A section of a file, of split debug information if `is_split`; empty if it is not there.
pub(super) fn section<'a>(
    file: &object::File<'a, impl object::ReadRef<'a>>,
    id: gimli::SectionId,
    is_split: bool,
) -> Result<Reader, object::read::Error> {
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let is_needed = !matches!(id, gimli::SectionId::DebugMacro | gimli::SectionId::DebugMacinfo);
    let name = if is_split { id.dwo_name() } else { Some(id.name()) }.filter(|_| is_needed);
    let mut data = Vec::new();
    // Files that were not linked have one for each unit of a type.
    for section in file.sections().filter(|section| name.is_some() && section.name().ok() == name) {
        if section.size() <= MAX_SECTION && data.len() as u64 + section.size() <= MAX_SECTION {
            data.extend_from_slice(&section.uncompressed_data()?);
        }
    }
    Ok(Reader::new(Arc::from(data), endian))
}
