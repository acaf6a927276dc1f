//! The debug information of one file (DWARF), as far as variables and their types are concerned. It is opened when somebody
//! asks for it, and a unit of it is read when an address or a type of it is. Split debug information (.dwo) is not read.

use crate::separate::{self, Fetch};
use gimli::{AttributeValue, DebuggingInformationEntry, EndianArcSlice, RunTimeEndian, UnitOffset};
use object::{Object as _, ObjectSection as _, ReadCache};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use trace_format::untrusted;

pub(super) type Reader = EndianArcSlice<RunTimeEndian>;
pub(super) type Entry = DebuggingInformationEntry<Reader>;
type Header = gimli::UnitHeader<Reader>;

/// Sections that are larger are not read.
const MAX_SECTION: u64 = 2 << 30;

/// An entry of the debug information.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct At {
    /// It is in the file that several files of debug information share.
    shared: bool,
    unit: usize,
    offset: usize,
}

impl At {
    pub(super) fn offset(self) -> UnitOffset {
        UnitOffset(self.offset)
    }
}

/// A unit: what one run of a compiler has made.
pub(super) struct Unit {
    pub(super) shared: bool,
    pub(super) number: usize,
    pub(super) unit: gimli::Unit<Reader>,
    functions: OnceCell<Functions>,
}

impl Unit {
    pub(super) fn at(&self, offset: UnitOffset) -> At {
        At { shared: self.shared, unit: self.number, offset: offset.0 }
    }
}

/// The functions of a unit.
#[derive(Default)]
struct Functions {
    /// Functions that have code.
    all: Vec<Function>,
    /// The entries around those that have none of their own: they are declared, or inlined wherever they are called.
    others: HashMap<At, Vec<UnitOffset>>,
}

/// A function that has code.
pub(super) struct Function {
    ranges: Vec<gimli::Range>,
    pub(super) offset: UnitOffset,
    /// The entries around it, the outermost first: modules, name spaces, functions.
    pub(super) around: Vec<UnitOffset>,
}

/// A unit that was asked for; `None`: it cannot be read.
type Read = Option<Rc<Unit>>;

/// See the module.
pub(super) struct Debug {
    dwarf: gimli::Dwarf<Reader>,
    headers: Vec<Header>,
    shared: Vec<Header>,
    units: RefCell<HashMap<(bool, usize), Read>>,
    /// Code by its addresses, ascending, with the number of the unit.
    ranges: OnceCell<Vec<(gimli::Range, usize)>>,
}

impl Debug {
    /// The debug information of a module; `None`: there is none that belongs to it.
    pub(super) fn of(path: &Path, build_id: &[u8], fetch: Option<&Fetch>) -> Option<Debug> {
        let cache = ReadCache::new(untrusted::open(path).ok()?);
        let file = object::File::parse(&cache).ok()?;
        if !build_id.is_empty() && file.build_id().ok().flatten() != Some(build_id) {
            return None;
        }
        let Some(there) = separate::path_of(path, &file, fetch) else { return Debug::load(&file, None) };
        let cache = ReadCache::new(untrusted::open(&there).ok()?);
        let shared = separate::shared(&there, fetch);
        Debug::load(&object::File::parse(&cache).ok()?, shared.as_deref())
    }

    fn load<'a>(file: &object::File<'a, impl object::ReadRef<'a>>, shared: Option<&Path>) -> Option<Debug> {
        file.section_by_name(".debug_info")?;
        let mut dwarf = gimli::Dwarf::load(|id| section(file, id)).ok()?;
        let mut others = Vec::new();
        if let Some(shared) = shared {
            let cache = ReadCache::new(untrusted::open(shared).ok()?);
            let file = object::File::parse(&cache).ok()?;
            dwarf.load_sup(|id| section(&file, id)).ok()?;
            others = headers(dwarf.sup()?)?;
        }
        let headers = headers(&dwarf)?;
        Some(Debug { dwarf, headers, shared: others, units: RefCell::default(), ranges: OnceCell::new() })
    }

    pub(super) fn dwarf(&self, shared: bool) -> &gimli::Dwarf<Reader> {
        if shared { self.dwarf.sup().unwrap_or(&self.dwarf) } else { &self.dwarf }
    }

    pub(super) fn unit(&self, shared: bool, number: usize) -> Option<Rc<Unit>> {
        let mut units = self.units.borrow_mut();
        let unit = units.entry((shared, number)).or_insert_with(|| {
            let header = if shared { &self.shared } else { &self.headers }.get(number)?.clone();
            let unit = self.dwarf(shared).unit(header).ok()?;
            Some(Rc::new(Unit { shared, number, unit, functions: OnceCell::new() }))
        });
        unit.clone()
    }

    pub(super) fn unit_of(&self, at: At) -> Option<Rc<Unit>> {
        self.unit(at.shared, at.unit)
    }

    pub(super) fn entry(&self, at: At) -> Option<(Rc<Unit>, Entry)> {
        let unit = self.unit_of(at)?;
        let entry = unit.unit.entry(at.offset()).ok()?;
        Some((unit, entry))
    }

    /// The entry that an attribute refers to.
    pub(super) fn referred(&self, unit: &Unit, entry: &Entry, name: gimli::DwAt) -> Option<At> {
        let global = |shared: bool, offset: usize| {
            let headers = if shared { &self.shared } else { &self.headers };
            let start = |h: &Header| h.debug_info_offset().map_or(usize::MAX, |o| o.0);
            let number = headers.partition_point(|h| start(h) <= offset).checked_sub(1)?;
            Some(At { shared, unit: number, offset: offset - start(headers.get(number)?) })
        };
        match entry.attr_value(name)? {
            AttributeValue::UnitRef(offset) => Some(unit.at(offset)),
            AttributeValue::DebugInfoRef(offset) => global(unit.shared, offset.0),
            AttributeValue::DebugInfoRefSup(offset) => global(true, offset.0),
            _ => None,
        }
    }

    /// The entry with an attribute: this one, or the one that it is an instance or the definition of.
    pub(super) fn with(&self, unit: &Rc<Unit>, entry: &Entry, name: gimli::DwAt) -> Option<(Rc<Unit>, Entry)> {
        let (mut unit, mut entry) = (unit.clone(), entry.clone());
        for _ in 0..4 {
            if entry.has_attr(name) {
                return Some((unit, entry));
            }
            let origin = self.referred(&unit, &entry, gimli::DW_AT_abstract_origin);
            let origin = origin.or_else(|| self.referred(&unit, &entry, gimli::DW_AT_specification))?;
            (unit, entry) = self.entry(origin)?;
        }
        None
    }

    /// The name, of what it is an instance or the definition of if it has none itself.
    pub(super) fn name(&self, unit: &Rc<Unit>, entry: &Entry) -> Option<String> {
        use gimli::Reader as _;
        let (unit, entry) = self.with(unit, entry, gimli::DW_AT_name)?;
        let value = entry.attr_value(gimli::DW_AT_name)?;
        let name = self.dwarf(unit.shared).attr_string(&unit.unit, value).ok()?;
        Some(name.to_string_lossy().ok()?.into_owned())
    }

    /// The type, as [`Debug::name`].
    pub(super) fn type_of(&self, unit: &Rc<Unit>, entry: &Entry) -> Option<At> {
        let (unit, entry) = self.with(unit, entry, gimli::DW_AT_type)?;
        self.referred(&unit, &entry, gimli::DW_AT_type)
    }

    /// Does it have code at `pc`? `None`: it does not say where its code is.
    pub(super) fn covers(&self, unit: &Unit, entry: &Entry, pc: u64) -> Option<bool> {
        let ranges = self.code(unit, entry);
        (!ranges.is_empty()).then(|| ranges.iter().any(|r| (r.begin..r.end).contains(&pc)))
    }

    fn code(&self, unit: &Unit, entry: &Entry) -> Vec<gimli::Range> {
        let mut all = Vec::new();
        let Ok(mut ranges) = self.dwarf(unit.shared).die_ranges(&unit.unit, entry) else { return all };
        while let Ok(Some(range)) = ranges.next() {
            if range.begin < range.end {
                all.push(range);
            }
        }
        all
    }

    /// The unit and the innermost function that has code at `pc`.
    pub(super) fn function(&self, pc: u64) -> Option<(Rc<Unit>, usize)> {
        let unit = self.unit(false, self.unit_at(pc)?)?;
        let functions = unit.functions.get_or_init(|| self.functions(&unit).unwrap_or_default());
        let has = |f: &&Function| f.ranges.iter().any(|r| (r.begin..r.end).contains(&pc));
        let depth = |f: &Function| f.around.len();
        let found = functions.all.iter().filter(has).max_by_key(|f| depth(f))?;
        let number = functions.all.iter().position(|f| f.offset == found.offset)?;
        Some((unit, number))
    }

    fn unit_at(&self, pc: u64) -> Option<usize> {
        let ranges = self.ranges.get_or_init(|| {
            let mut all = Vec::new();
            for number in 0..self.headers.len() {
                // Not kept: most units are never asked for.
                let Ok(unit) = self.dwarf.unit(self.headers[number].clone()) else { continue };
                let Ok(mut ranges) = self.dwarf.unit_ranges(&unit) else { continue };
                while let Ok(Some(range)) = ranges.next() {
                    if range.begin < range.end {
                        all.push((range, number));
                    }
                }
            }
            all.sort_by_key(|(range, _)| range.begin);
            all
        });
        let behind = ranges.partition_point(|(range, _)| range.begin <= pc);
        let (range, unit) = ranges.get(behind.checked_sub(1)?)?;
        (pc < range.end).then_some(*unit)
    }

    fn functions(&self, unit: &Rc<Unit>) -> gimli::Result<Functions> {
        let mut all = Vec::new();
        let mut others: HashMap<At, Vec<UnitOffset>> = HashMap::new();
        let mut around: Vec<(isize, UnitOffset)> = Vec::new();
        let mut entries = unit.unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            let (depth, offset) = (entry.depth(), entry.offset());
            while around.last().is_some_and(|(of, _)| *of >= depth) {
                around.pop();
            }
            if entry.tag() == gimli::DW_TAG_subprogram {
                let ranges = self.code(unit, entry);
                let outer = around.iter().map(|(_, offset)| *offset);
                if !ranges.is_empty() {
                    all.push(Function { ranges, offset, around: outer.collect() });
                } else {
                    others.insert(unit.at(offset), outer.collect());
                }
            }
            if entry.has_children() && is_scope(entry.tag()) {
                around.push((depth, offset));
            }
        }
        for function in &mut all {
            let mut entry = unit.unit.entry(function.offset)?;
            let origin = |entry: &Entry, name| {
                self.referred(unit, entry, name).filter(|at| !at.shared && at.unit == unit.number)
            };
            for name in [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification] {
                let Some(at) = origin(&entry, name) else { continue };
                entry = unit.unit.entry(at.offset())?;
                // Functions of classes and name spaces are declared there, and defined elsewhere.
                if let Some(outer) = others.get(&at) {
                    function.around.clone_from(outer);
                }
            }
        }
        Ok(Functions { all, others })
    }

    /// The function that an entry is an instance of, with the entries around that one.
    pub(super) fn origin(&self, unit: &Unit, instance: UnitOffset) -> Option<(Rc<Unit>, UnitOffset, Vec<UnitOffset>)> {
        let entry = unit.unit.entry(instance).ok()?;
        let mut at = self.referred(unit, &entry, gimli::DW_AT_abstract_origin)?;
        let home = self.unit_of(at)?;
        let functions = home.functions.get_or_init(|| self.functions(&home).unwrap_or_default());
        let offset = at.offset();
        let declared = self.referred(&home, &home.unit.entry(offset).ok()?, gimli::DW_AT_specification);
        at = declared.filter(|declared| functions.others.contains_key(declared)).unwrap_or(at);
        let around = functions.others.get(&at)?.clone();
        Some((home, offset, around))
    }
}

impl Unit {
    /// A function of it that [`Debug::function`] has found.
    pub(super) fn function(&self, number: usize) -> Option<&Function> {
        self.functions.get()?.all.get(number)
    }
}

/// May a function stand in it?
fn is_scope(tag: gimli::DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_compile_unit
            | gimli::DW_TAG_namespace
            | gimli::DW_TAG_module
            | gimli::DW_TAG_subprogram
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_lexical_block
    )
}

fn headers(dwarf: &gimli::Dwarf<Reader>) -> Option<Vec<Header>> {
    let (mut all, mut units) = (Vec::new(), dwarf.units());
    while let Some(header) = units.next().ok()? {
        all.push(header);
    }
    Some(all)
}

fn section<'a>(
    file: &object::File<'a, impl object::ReadRef<'a>>,
    id: gimli::SectionId,
) -> Result<Reader, object::read::Error> {
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let is_needed = !matches!(id, gimli::SectionId::DebugMacro | gimli::SectionId::DebugMacinfo);
    let section = file.section_by_name(id.name()).filter(|s| is_needed && s.size() <= MAX_SECTION);
    let data = section.map(|s| s.uncompressed_data()).transpose()?.unwrap_or_default();
    Ok(EndianArcSlice::new(Arc::from(data.into_owned()), endian))
}
