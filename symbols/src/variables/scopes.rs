//! The variables that a place in the code sees, and those that lie in the frame of its function.

use super::debug::{At, Debug, Entry, Unit};
use gimli::{AttributeValue, Operation, UnitOffset};
use std::rc::Rc;

/// Modules of Fortran that use each other are followed so deep.
const MAX_USES: usize = 8;

/// A variable in the frame of a function.
#[derive(Debug, Clone)]
pub(super) struct Local {
    pub(super) name: String,
    /// Its first byte, from where the stack pointer was before the function was called.
    pub(super) from: i64,
    pub(super) size: u64,
    /// Its scope holds the place in the code.
    pub(super) is_in_scope: bool,
    /// Its place in memory may change while the function runs.
    pub(super) moves: bool,
}

/// A declaration of a name.
struct Named {
    of: At,
    /// Its scope holds the place in the code: how deep that is.
    depth: Option<usize>,
    line: u64,
    /// It is an argument of the function.
    is_argument: bool,
}

/// A place in the code, in a source line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) pc: u64,
    pub(super) line: u32,
    /// Names are written in letters of any case.
    pub(super) any_case: bool,
}

impl Place {
    fn is(self, name: &str, wanted: &str) -> bool {
        if self.any_case { name.eq_ignore_ascii_case(wanted) } else { name == wanted }
    }
}

/// Is told of a variable, with the depth of its scope if that holds the place in the code.
type See<'a> = &'a mut dyn FnMut(&Rc<Unit>, &Entry, Option<usize>);

fn is_variable(entry: &Entry) -> bool {
    matches!(entry.tag(), gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter)
}

impl Debug {
    /// The variables that lie in the frame of the function at `pc`. `None`: it does not say where its frame is.
    pub(super) fn locals(&self, pc: u64) -> Option<Vec<Local>> {
        let (unit, function) = self.function(pc)?;
        let function = unit.function(function)?.offset;
        let entry = unit.unit.entry(function).ok()?;
        let AttributeValue::Exprloc(base) = entry.attr_value(gimli::DW_AT_frame_base)? else { return None };
        let mut base = base.operations(unit.unit.encoding());
        let base = match (base.next().ok()??, base.next()) {
            (Operation::CallFrameCFA, Ok(None)) => 0,
            // Functions that keep the frame in rbp push that first, behind the return address.
            (Operation::Register { register: gimli::X86_64::RBP }, Ok(None)) => -16,
            _ => return None,
        };
        let mut all = Vec::new();
        self.each(&unit, function, pc, true, &mut |unit, entry, depth| {
            let is_in_scope = depth.is_some();
            if let Some(local) = self.local(unit, entry, is_in_scope) {
                all.push(Local { from: local.from.saturating_add(base), ..local });
            }
        })?;
        Some(all)
    }

    fn local(&self, unit: &Rc<Unit>, entry: &Entry, is_in_scope: bool) -> Option<Local> {
        let at_frame = |expression: gimli::Expression<super::debug::Reader>| {
            let mut operations = expression.operations(unit.unit.encoding());
            match (operations.next().ok()?, operations.next().ok()?) {
                (Some(Operation::FrameOffset { offset }), None) => Some(offset),
                _ => None,
            }
        };
        let (from, moves) = match entry.attr_value(gimli::DW_AT_location)? {
            AttributeValue::Exprloc(expression) => (at_frame(expression)?, false),
            value => {
                let mut places = unit.dwarf().attr_locations(&unit.unit, value).ok()??;
                let mut from = None;
                while let Some(place) = places.next().ok()? {
                    from = from.or(at_frame(place.data));
                }
                (from?, true)
            }
        };
        let size = self.size(self.type_of(unit, entry)?)?;
        let name = self.name(unit, entry).unwrap_or_default();
        Some(Local { name, from, size, is_in_scope, moves })
    }

    /// Passes the variables of a function to `see`, with the depth of the scope if that holds `pc`. `inlined`: those of
    /// functions that were inlined, too.
    fn each(&self, unit: &Rc<Unit>, function: UnitOffset, pc: u64, inlined: bool, see: See) -> Option<()> {
        let mut tree = unit.unit.entries_tree(Some(function)).ok()?;
        self.each_below(unit, tree.root().ok()?, (pc, inlined), Some(0), see)
    }

    fn each_below(
        &self,
        unit: &Rc<Unit>,
        node: gimli::EntriesTreeNode<'_, '_, super::debug::Reader>,
        wanted: (u64, bool),
        depth: Option<usize>,
        see: See,
    ) -> Option<()> {
        let (pc, inlined) = wanted;
        let mut children = node.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            if is_variable(entry) {
                see(unit, entry, depth);
                continue;
            }
            let goes_in = match entry.tag() {
                gimli::DW_TAG_common_block | gimli::DW_TAG_lexical_block => true,
                gimli::DW_TAG_try_block | gimli::DW_TAG_catch_block | gimli::DW_TAG_with_stmt => true,
                gimli::DW_TAG_inlined_subroutine => inlined,
                _ => false,
            };
            if goes_in {
                let holds = self.covers(unit, entry, pc).unwrap_or(true);
                let depth = depth.filter(|_| holds).map(|depth| depth + 1);
                self.each_below(unit, child, wanted, depth, see)?;
            }
        }
        Some(())
    }

    /// The type of the variable that a name means at a place in the code. `None`: there is none, or it is not certain which.
    pub(super) fn lookup(&self, place: Place, wanted: &str) -> Option<At> {
        let (unit, number) = self.function(place.pc)?;
        let function = unit.function(number)?;
        let innermost = self.innermost(&unit, function.offset, place.pc)?;
        match self.within(&unit, innermost, place, wanted) {
            Ok(Some(found)) => return Some(found),
            Ok(None) => {}
            Err(()) => return None,
        }
        // The members of its object.
        if let Some(this) = self.within(&unit, innermost, place, "this").ok().flatten()
            && let Some(super::types::Shape::Pointer(object)) = self.shape(this)
            && let Some((of, _)) = self.member(object, wanted, false)
        {
            return Some(of);
        }
        let used = |unit: &Rc<Unit>, scope| self.global(unit, scope, place, wanted, MAX_USES);
        if let Some(found) = used(&unit, innermost) {
            return Some(found);
        }
        // An inlined function does not see the variables of the one that it was inlined into, but those around itself.
        let (home, around) = match self.origin(&unit, innermost) {
            Some((home, origin, around)) => {
                if let Some(found) = used(&home, origin) {
                    return Some(found);
                }
                (home, around)
            }
            None if innermost == function.offset => (unit.clone(), function.around.clone()),
            None => return None,
        };
        for scope in around.iter().rev() {
            let entry = home.unit.entry(*scope).ok()?;
            let is_function = matches!(entry.tag(), gimli::DW_TAG_subprogram | gimli::DW_TAG_lexical_block);
            let found = match is_function {
                true => self.within(&home, *scope, place, wanted).ok()?,
                false => None,
            };
            if let Some(found) = found.or_else(|| used(&home, *scope)) {
                return Some(found);
            }
        }
        None
    }

    /// The innermost inlined function at `pc`; the function itself if there is none.
    fn innermost(&self, unit: &Rc<Unit>, function: UnitOffset, pc: u64) -> Option<UnitOffset> {
        let mut found = function;
        let mut entries = unit.unit.entries_at_offset(function).ok()?;
        let first = entries.next_dfs().ok()??.depth();
        while let Some(entry) = entries.next_dfs().ok()? {
            if entry.depth() <= first {
                break;
            }
            if entry.tag() == gimli::DW_TAG_inlined_subroutine && self.covers(unit, entry, pc) == Some(true) {
                found = entry.offset();
            }
        }
        Some(found)
    }

    /// The variable of this name in a function, without those inlined into it. `Err`: it may be one or another.
    fn within(&self, unit: &Rc<Unit>, function: UnitOffset, place: Place, wanted: &str) -> Result<Option<At>, ()> {
        let collect = |unit: &Rc<Unit>, function: UnitOffset| {
            let mut all = Vec::new();
            let done = self.each(unit, function, place.pc, false, &mut |unit, entry, depth| {
                if self.name(unit, entry).is_some_and(|name| place.is(&name, wanted)) {
                    let line = self.with(unit, entry, gimli::DW_AT_decl_line);
                    let line = line.and_then(|(_, entry)| entry.attr_value(gimli::DW_AT_decl_line)?.udata_value());
                    let is_argument = entry.tag() == gimli::DW_TAG_formal_parameter;
                    all.push((self.type_of(unit, entry), depth, line.unwrap_or(0), is_argument));
                }
            });
            let named = |(of, depth, line, is_argument): (Option<At>, _, _, _)| {
                Some(Named { of: of?, depth, line, is_argument })
            };
            done.and_then(|()| all.into_iter().map(named).collect::<Option<Vec<Named>>>()).ok_or(())
        };
        let mut all = collect(unit, function)?;
        let is_instance = |(unit, entry): &(Rc<Unit>, Entry)| {
            self.referred(unit, entry, gimli::DW_AT_abstract_origin).and_then(|at| Some((self.unit_of(at)?, at)))
        };
        let entry = unit.unit.entry(function).map_err(|_| ())?;
        if all.is_empty()
            && let Some((unit, at)) = is_instance(&(unit.clone(), entry))
        {
            // Variables that need no memory may be missing in an instance of it.
            all = collect(&unit, at.offset())?;
            all.iter_mut().for_each(|named| named.depth = Some(0));
        }
        let Some(first) = all.first() else { return Ok(None) };
        // Where several have the name, they must be alike: what the code says of scopes is not exact.
        if all.iter().any(|named| named.of != first.of) {
            return Err(());
        }
        // Procedures of Fortran may be called with arrays of any type, unless these have a descriptor.
        if place.any_case && all.iter().any(|named| named.is_argument) && !self.is_described(first.of) {
            return Err(());
        }
        let is_seen = |named: &&Named| named.depth.is_some() && named.line <= u64::from(place.line);
        if all.iter().any(|named| is_seen(&named)) { Ok(Some(first.of)) } else { Err(()) }
    }

    /// The variable of this name that stands in a unit, a module or a name space, or that it takes from a module.
    fn global(&self, unit: &Rc<Unit>, scope: UnitOffset, place: Place, wanted: &str, depth: usize) -> Option<At> {
        let depth = depth.checked_sub(1)?;
        let mut tree = unit.unit.entries_tree(Some(scope)).ok()?;
        let mut children = tree.root().ok()?.children();
        let (mut found, mut modules): (Vec<At>, Vec<At>) = Default::default();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            let is_named = |entry: &Entry| self.name(unit, entry).is_some_and(|name| place.is(&name, wanted));
            match entry.tag() {
                // One that stands in a name space or class is only defined here.
                gimli::DW_TAG_variable if entry.has_attr(gimli::DW_AT_specification) => {}
                gimli::DW_TAG_variable if is_named(entry) => found.push(self.type_of(unit, entry)?),
                gimli::DW_TAG_imported_module => {
                    modules.extend(self.referred(unit, entry, gimli::DW_AT_import));
                }
                gimli::DW_TAG_imported_declaration => {
                    let Some(of) = self.referred(unit, entry, gimli::DW_AT_import) else { continue };
                    let Some((from, declared)) = self.entry(of) else { continue };
                    let name = self.name(unit, entry).or_else(|| self.name(&from, &declared));
                    if is_variable(&declared) && name.is_some_and(|name| place.is(&name, wanted)) {
                        found.push(self.type_of(&from, &declared)?);
                    }
                }
                gimli::DW_TAG_common_block => {
                    let mut members = child.children();
                    while let Some(member) = members.next().ok()? {
                        if is_variable(member.entry()) && is_named(member.entry()) {
                            found.push(self.type_of(unit, member.entry())?);
                        }
                    }
                }
                _ => {}
            }
        }
        if found.is_empty() {
            for module in modules {
                let Some(unit) = self.unit_of(module) else { continue };
                found.extend(self.global(&unit, module.offset(), place, wanted, depth));
            }
        }
        let first = *found.first()?;
        found.iter().all(|of| *of == first).then_some(first)
    }

    /// The type and the first byte of a member of a structure, of the ones that it is derived from, too.
    pub(super) fn member(&self, of: At, wanted: &str, any_case: bool) -> Option<(At, u64)> {
        let super::types::Shape::Struct(all) = self.shape(of)? else { return None };
        let is = |name: &str| if any_case { name.eq_ignore_ascii_case(wanted) } else { name == wanted };
        if let Some(member) = all.members.iter().find(|m| is(&m.name)) {
            return Some((member.of, member.offset));
        }
        let unnamed = all.members.iter().filter(|m| m.name.is_empty());
        unnamed.filter_map(|m| self.member(m.of, wanted, any_case).map(|(of, at)| (of, m.offset + at))).next()
    }
}
