//! Split debug information: the program says of a unit only where its code is, and a file beside the object (`.dwo`), or one beside
//! the program for all units (`.dwp`), says the rest. A number in both shows that they belong together.

use super::debug::Reader;
use super::parts::{Header, Part, section};
use gimli::{DwarfPackage, RunTimeEndian, UnitType};
use object::ReadCache;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_format::untrusted;

type Dwarf = gimli::Dwarf<Reader>;

/// See the module.
pub(super) struct Split {
    /// The file of the module, and the one that has its debug information if that is another.
    beside: Vec<PathBuf>,
    package: OnceCell<Option<DwarfPackage<Reader>>>,
}

impl Split {
    pub(super) fn new(beside: Vec<PathBuf>) -> Split {
        Split { beside, package: OnceCell::new() }
    }

    /// The part that says the rest of a unit of `parent`, and the unit in it.
    pub(super) fn rest(&self, parent: &Dwarf, skeleton: &gimli::Unit<Reader>) -> Option<(Part, usize)> {
        let id = skeleton.dwo_id?;
        let packed = || self.package()?.find_cu(id, parent).ok()?.and_then(|dwarf| holds(dwarf, id));
        packed().or_else(|| self.places(parent, skeleton)?.iter().find_map(|place| holds(load(place, parent)?, id)))
    }

    /// The part that has a type by its signature, where units of types are in the file for all.
    pub(super) fn signed(&self, parent: &Dwarf, signature: u64) -> Option<Part> {
        let found = self.package()?.find_tu(gimli::DebugTypeSignature(signature), parent).ok()??;
        Part::new(Arc::new(found))
    }

    fn package(&self) -> Option<&DwarfPackage<Reader>> {
        let open = |path: &PathBuf| {
            let mut name = path.clone().into_os_string();
            name.push(".dwp");
            let cache = ReadCache::new(untrusted::open(name.as_ref()).ok()?);
            let file = object::File::parse(&cache).ok()?;
            let empty = Reader::new(Arc::from([].as_slice()), RunTimeEndian::Little);
            let read = |id| section(&file, id, true).map_err(|_| gimli::Error::Io);
            DwarfPackage::load(read, empty).ok()
        };
        self.package.get_or_init(|| self.beside.iter().find_map(open)).as_ref()
    }

    /// Where the file of a unit may lie: where the compiler has put it, and beside the program.
    fn places(&self, parent: &Dwarf, skeleton: &gimli::Unit<Reader>) -> Option<Vec<PathBuf>> {
        use gimli::Reader as _;
        let text = |reader: &Reader| Some(reader.to_string_lossy().ok()?.into_owned());
        let name = parent.attr_string(skeleton, skeleton.dwo_name().ok()??).ok()?;
        let name = PathBuf::from(text(&name)?);
        let directory = skeleton.comp_dir.as_ref().and_then(text).unwrap_or_default();
        let beside = self.beside.iter().filter_map(|path| Some(path.parent()?.join(name.file_name()?)));
        Some([Path::new(&directory).join(&name)].into_iter().chain(beside).collect())
    }
}

fn load(path: &Path, parent: &Dwarf) -> Option<Dwarf> {
    let cache = ReadCache::new(untrusted::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let mut dwarf = Dwarf::load(|id| section(&file, id, true)).ok()?;
    dwarf.make_dwo(parent);
    Some(dwarf)
}

/// The part and the number of the unit with an identifier.
fn holds(dwarf: Dwarf, id: gimli::DwoId) -> Option<(Part, usize)> {
    let part = Part::new(Arc::new(dwarf))?;
    let is_it = |header: &Header| match header.type_() {
        UnitType::SplitCompilation(own) => own == id,
        UnitType::Compilation => part.dwarf.unit(header.clone()).is_ok_and(|unit| unit.dwo_id == Some(id)),
        _ => false,
    };
    let number = part.headers.iter().position(is_it)?;
    Some((part, number))
}
