//! The functions of units that have code, and what stands around them.

use super::debug::{At, Debug, Entry, Unit};
use gimli::UnitOffset;
use std::collections::HashMap;
use std::rc::Rc;

/// The functions of a unit.
#[derive(Default)]
pub(super) struct Functions {
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

impl Debug {
    /// The unit and the innermost function that has code at `pc`.
    pub(super) fn function(&self, pc: u64) -> Option<(Rc<Unit>, usize)> {
        let unit = self.whole(self.unit_at(pc)?)?;
        let functions = unit.functions.get_or_init(|| self.functions(&unit).unwrap_or_default());
        let has = |f: &&Function| f.ranges.iter().any(|r| (r.begin..r.end).contains(&pc));
        let depth = |f: &Function| f.around.len();
        let found = functions.all.iter().filter(has).max_by_key(|f| depth(f))?;
        let number = functions.all.iter().position(|f| f.offset == found.offset)?;
        Some((unit, number))
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
                self.referred(unit, entry, name).filter(|at| at.part == unit.part && at.unit == unit.number)
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
