//! The debug information of one file (DWARF), as far as variables and their types are concerned. It is opened when somebody
//! asks for it, and a unit of it is read when an address or a type of it is.

use super::functions::Functions;
use super::parts::{Number, OWN, Part, section};
use super::split::Split;
use crate::separate::{self, Fetch};
use gimli::{AttributeValue, DebuggingInformationEntry, EndianArcSlice, RunTimeEndian, UnitOffset};
use object::{Object as _, ReadCache};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use trace_format::untrusted;

pub(super) type Reader = EndianArcSlice<RunTimeEndian>;
pub(super) type Entry = DebuggingInformationEntry<Reader>;

/// An entry of the debug information.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub(super) part: Number,
    pub(super) unit: usize,
    offset: usize,
}

impl At {
    pub(super) fn new(part: Number, unit: usize, offset: usize) -> At {
        At { part, unit, offset }
    }

    pub(super) fn offset(self) -> UnitOffset {
        UnitOffset(self.offset)
    }
}

/// A unit: what one run of a compiler has made.
pub(super) struct Unit {
    pub(super) part: Number,
    pub(super) number: usize,
    pub(super) unit: gimli::Unit<Reader>,
    dwarf: Arc<gimli::Dwarf<Reader>>,
    pub(super) functions: OnceCell<Functions>,
}

impl Unit {
    pub(super) fn at(&self, offset: UnitOffset) -> At {
        At { part: self.part, unit: self.number, offset: offset.0 }
    }

    pub(super) fn dwarf(&self) -> &gimli::Dwarf<Reader> {
        &self.dwarf
    }
}

/// A unit that was asked for; `None`: it cannot be read.
type Read = Option<Rc<Unit>>;

/// See the module.
pub(super) struct Debug {
    /// The module's own first, the one that several files share behind it, then split ones as they are found.
    parts: RefCell<Vec<Rc<Part>>>,
    shared: Option<Number>,
    split: Split,
    /// The rest of units that are split, by their numbers.
    rests: RefCell<HashMap<usize, Read>>,
    /// Types of the package, by their signatures.
    packed: RefCell<HashMap<u64, Option<At>>>,
    units: RefCell<HashMap<(Number, usize), Read>>,
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
        let Some(there) = separate::path_of(path, &file, fetch) else {
            let shared = separate::shared(path, fetch);
            return Debug::load(&file, shared.as_deref(), vec![path.to_owned()]);
        };
        let cache = ReadCache::new(untrusted::open(&there).ok()?);
        let shared = separate::shared(&there, fetch);
        Debug::load(&object::File::parse(&cache).ok()?, shared.as_deref(), vec![path.to_owned(), there])
    }

    fn load<'a>(
        file: &object::File<'a, impl object::ReadRef<'a>>,
        shared: Option<&Path>,
        beside: Vec<PathBuf>,
    ) -> Option<Debug> {
        file.section_by_name(".debug_info")?;
        let mut dwarf = gimli::Dwarf::load(|id| section(file, id, false)).ok()?;
        if let Some(shared) = shared {
            let cache = ReadCache::new(untrusted::open(shared).ok()?);
            let file = object::File::parse(&cache).ok()?;
            dwarf.load_sup(|id| section(&file, id, false)).ok()?;
        }
        let sup = dwarf.sup.clone();
        let mut parts = vec![Rc::new(Part::new(Arc::new(dwarf))?)];
        if let Some(sup) = sup {
            parts.push(Rc::new(Part::new(sup)?));
        }
        Some(Debug {
            shared: (parts.len() > 1).then_some(Number(1)),
            parts: RefCell::new(parts),
            split: Split::new(beside),
            rests: RefCell::default(),
            packed: RefCell::default(),
            units: RefCell::default(),
            ranges: OnceCell::new(),
        })
    }

    fn part(&self, number: Number) -> Option<Rc<Part>> {
        self.parts.borrow().get(number.0).cloned()
    }

    fn add(&self, part: Part) -> Number {
        let mut parts = self.parts.borrow_mut();
        parts.push(Rc::new(part));
        Number(parts.len() - 1)
    }

    fn unit(&self, part: Number, number: usize) -> Option<Rc<Unit>> {
        let mut units = self.units.borrow_mut();
        let unit = units.entry((part, number)).or_insert_with(|| self.read(part, number, None));
        unit.clone()
    }

    /// `skeleton`: the unit that says where the code of this one is.
    fn read(&self, part: Number, number: usize, skeleton: Option<&Unit>) -> Read {
        let home = self.part(part)?;
        let mut unit = home.dwarf.unit(home.headers.get(number)?.clone()).ok()?;
        if let Some(skeleton) = skeleton {
            unit.copy_relocated_attributes(&skeleton.unit);
        }
        Some(Rc::new(Unit { part, number, unit, dwarf: home.dwarf.clone(), functions: OnceCell::new() }))
    }

    /// A unit of the module's own part, with all that is said of it.
    pub(super) fn whole(&self, number: usize) -> Option<Rc<Unit>> {
        let unit = self.unit(OWN, number)?;
        if unit.unit.dwo_id.is_none() {
            return Some(unit);
        }
        if let Some(known) = self.rests.borrow().get(&number) {
            return known.clone();
        }
        let rest = self.split.rest(unit.dwarf(), &unit.unit).and_then(|(part, number)| {
            let part = self.add(part);
            let rest = self.read(part, number, Some(&unit));
            self.units.borrow_mut().insert((part, number), rest.clone());
            rest
        });
        self.rests.borrow_mut().insert(number, rest.clone());
        rest
    }

    pub(super) fn unit_of(&self, at: At) -> Option<Rc<Unit>> {
        self.unit(at.part, at.unit)
    }

    pub(super) fn entry(&self, at: At) -> Option<(Rc<Unit>, Entry)> {
        let unit = self.unit_of(at)?;
        let entry = unit.unit.entry(at.offset()).ok()?;
        Some((unit, entry))
    }

    /// The entry that an attribute refers to.
    pub(super) fn referred(&self, unit: &Unit, entry: &Entry, name: gimli::DwAt) -> Option<At> {
        let global = |part: Number, offset: usize| self.part(part)?.at(part, offset);
        match entry.attr_value(name)? {
            AttributeValue::UnitRef(offset) => Some(unit.at(offset)),
            AttributeValue::DebugInfoRef(offset) => global(unit.part, offset.0),
            AttributeValue::DebugInfoRefSup(offset) => global(self.shared?, offset.0),
            AttributeValue::DebugTypesRef(signature) => self.signed(unit, signature.0),
            _ => None,
        }
    }

    /// A type that stands in a unit of its own: in the part of the unit that names it, or in the package.
    fn signed(&self, unit: &Unit, signature: u64) -> Option<At> {
        if let Some(found) = self.part(unit.part)?.signed(unit.part, signature) {
            return Some(found);
        }
        let own = self.part(OWN)?;
        let known = self.packed.borrow().get(&signature).copied();
        known.unwrap_or_else(|| {
            let found = self.split.signed(&own.dwarf, signature).and_then(|part| {
                let number = self.add(part);
                self.part(number)?.signed(number, signature)
            });
            self.packed.borrow_mut().insert(signature, found);
            found
        })
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
        let name = unit.dwarf().attr_string(&unit.unit, value).ok()?;
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

    pub(super) fn code(&self, unit: &Unit, entry: &Entry) -> Vec<gimli::Range> {
        let mut all = Vec::new();
        let Ok(mut ranges) = unit.dwarf().die_ranges(&unit.unit, entry) else { return all };
        while let Ok(Some(range)) = ranges.next() {
            if range.begin < range.end {
                all.push(range);
            }
        }
        all
    }

    pub(super) fn unit_at(&self, pc: u64) -> Option<usize> {
        let ranges = self.ranges.get_or_init(|| {
            let mut all = Vec::new();
            let Some(own) = self.part(OWN) else { return all };
            for (number, header) in own.headers.iter().enumerate() {
                // Not kept: most units are never asked for.
                let Ok(unit) = own.dwarf.unit(header.clone()) else { continue };
                let Ok(mut ranges) = own.dwarf.unit_ranges(&unit) else { continue };
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
}
