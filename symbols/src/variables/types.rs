//! Types of variables as the debug information has them.

use super::debug::{At, Debug, Entry, Unit};
use gimli::AttributeValue;
use std::rc::Rc;

/// Types are made of so many others at most, one inside the other.
const MAX_DEPTH: usize = 24;
/// Structures with more members are not looked into.
const MAX_MEMBERS: usize = 4096;

/// The kind of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Integers of either sign.
    Integer,
    /// Real numbers.
    Real,
    /// Complex numbers; the size is that of both parts.
    Complex,
    /// Truth values.
    Logical,
}

/// A type, one level of it.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    Scalar {
        name: String,
        kind: Kind,
        size: u64,
    },
    Pointer(At),
    Reference(At),
    /// The element, the number of dimensions, and that of elements of all of them.
    Array {
        element: At,
        dimensions: usize,
        count: Option<u64>,
    },
    Struct(Rc<Struct>),
    /// Characters, unions, enumerations, void, pointers to it, functions, and what has no name here. Its size.
    Other(Option<u64>),
}

/// A structure, class, or derived type.
#[derive(Debug)]
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) members: Vec<Member>,
    /// Elements of a container of the standard library: its parameter `_Tp`.
    pub(super) holds: Option<At>,
    /// There is more in it than its members say: bit fields, base classes that are shared.
    pub(super) is_odd: bool,
}

#[derive(Debug)]
pub(super) struct Member {
    /// Empty: a base class, or a member without a name.
    pub(super) name: String,
    pub(super) offset: u64,
    pub(super) of: At,
}

/// A scalar inside a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The members that lead to it: `position.x`; empty if it is no member.
    pub path: String,
    /// Its type: `double`.
    pub name: String,
    /// The kind of it.
    pub kind: Kind,
    /// Its bytes.
    pub size: u64,
    /// Which byte of it was asked for.
    pub byte: u64,
}

/// Contents of a byte of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaf {
    /// A scalar.
    Scalar(Scalar),
    /// Nothing that has a name.
    Gap,
    /// Memory that may hold anything.
    Anything,
}

impl Debug {
    /// The type without names and qualifiers that change nothing of its form.
    fn plain(&self, mut at: At) -> Option<(At, Rc<Unit>, Entry)> {
        for _ in 0..MAX_DEPTH {
            let (unit, entry) = self.entry(at)?;
            let is_passed = matches!(
                entry.tag(),
                gimli::DW_TAG_typedef
                    | gimli::DW_TAG_const_type
                    | gimli::DW_TAG_volatile_type
                    | gimli::DW_TAG_restrict_type
                    | gimli::DW_TAG_atomic_type
            );
            // It stands in a unit of its own.
            if let Some(own) = self.referred(&unit, &entry, gimli::DW_AT_signature) {
                at = own;
                continue;
            }
            if !is_passed {
                return Some((at, unit, entry));
            }
            at = self.referred(&unit, &entry, gimli::DW_AT_type)?;
        }
        None
    }

    /// One level of the type.
    pub(super) fn shape(&self, at: At) -> Option<Shape> {
        let (at, unit, entry) = self.plain(at)?;
        let size = entry.attr_value(gimli::DW_AT_byte_size).and_then(|v| v.udata_value());
        let to = || self.referred(&unit, &entry, gimli::DW_AT_type);
        Some(match entry.tag() {
            gimli::DW_TAG_base_type => self.base(&unit, &entry, size?).unwrap_or(Shape::Other(size)),
            gimli::DW_TAG_pointer_type => to().map_or(Shape::Other(size), Shape::Pointer),
            gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => Shape::Reference(to()?),
            gimli::DW_TAG_array_type => {
                let dimensions = self.dimensions(&unit, at)?;
                Shape::Array { element: to()?, dimensions, count: self.elements(&unit, at) }
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type if entry.has_attr(gimli::DW_AT_declaration) => {
                Shape::Other(None)
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
                self.structure(&unit, &entry, size?).map_or(Shape::Other(size), |s| Shape::Struct(Rc::new(s)))
            }
            _ => Shape::Other(size),
        })
    }

    fn base(&self, unit: &Rc<Unit>, entry: &Entry, size: u64) -> Option<Shape> {
        let AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding)? else { return None };
        let kind = match encoding {
            gimli::DW_ATE_float => Kind::Real,
            gimli::DW_ATE_complex_float => Kind::Complex,
            gimli::DW_ATE_boolean => Kind::Logical,
            gimli::DW_ATE_signed | gimli::DW_ATE_unsigned => Kind::Integer,
            _ => return None,
        };
        // Bytes may be anything.
        (size > 1).then_some(Shape::Scalar { name: self.name(unit, entry)?, kind, size })
    }

    /// Does the program know more of it than where it begins: is it an array with a descriptor, or a derived type?
    pub(super) fn is_described(&self, at: At) -> bool {
        let Some((_, unit, entry)) = self.plain(at) else { return false };
        match entry.tag() {
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type => {
                self.referred(&unit, &entry, gimli::DW_AT_type).is_some_and(|to| self.is_described(to))
            }
            gimli::DW_TAG_array_type => entry.has_attr(gimli::DW_AT_data_location),
            tag => tag == gimli::DW_TAG_structure_type,
        }
    }

    fn dimensions(&self, unit: &Rc<Unit>, at: At) -> Option<usize> {
        let mut tree = unit.unit.entries_tree(Some(at.offset())).ok()?;
        let (mut children, mut all) = (tree.root().ok()?.children(), 0);
        while let Some(child) = children.next().ok()? {
            let tag = child.entry().tag();
            all += usize::from(matches!(tag, gimli::DW_TAG_subrange_type | gimli::DW_TAG_generic_subrange));
        }
        Some(all)
    }

    /// The number of elements of an array, if the program cannot change it.
    fn elements(&self, unit: &Rc<Unit>, at: At) -> Option<u64> {
        // A descriptor of Fortran says it when the program runs.
        let (_, entry) = self.entry(at)?;
        let changes = [gimli::DW_AT_data_location, gimli::DW_AT_allocated, gimli::DW_AT_associated, gimli::DW_AT_rank];
        if changes.iter().any(|name| entry.has_attr(*name)) || entry.has_attr(gimli::DW_AT_byte_stride) {
            return None;
        }
        let mut tree = unit.unit.entries_tree(Some(at.offset())).ok()?;
        let mut dimensions = tree.root().ok()?.children();
        let mut all = None;
        while let Some(dimension) = dimensions.next().ok()? {
            let dimension = dimension.entry();
            if dimension.tag() != gimli::DW_TAG_subrange_type {
                return None;
            }
            let number = |name| {
                let value = dimension.attr_value(name)?;
                // A number of which no sign is known is not negative in C, and may be so in Fortran.
                match value {
                    AttributeValue::Data1(n) => Some(i64::from(n)),
                    AttributeValue::Data2(n) => Some(i64::from(n)),
                    AttributeValue::Data4(n) => Some(i64::from(n)),
                    AttributeValue::Data8(n) => i64::try_from(n).ok(),
                    AttributeValue::Udata(n) => i64::try_from(n).ok(),
                    AttributeValue::Sdata(n) => Some(n),
                    _ => None,
                }
            };
            let count = match number(gimli::DW_AT_count) {
                Some(count) => count,
                None => {
                    let lower = dimension.has_attr(gimli::DW_AT_lower_bound);
                    let lower = if lower { number(gimli::DW_AT_lower_bound)? } else { self.lower_bound(unit)? };
                    number(gimli::DW_AT_upper_bound)?.checked_sub(lower)?.checked_add(1)?
                }
            };
            let count = u64::try_from(count).ok()?;
            all = Some(all.unwrap_or(1u64).checked_mul(count)?);
        }
        all
    }

    /// The lower bound of arrays, if they say none.
    fn lower_bound(&self, unit: &Unit) -> Option<i64> {
        let root = unit.unit.entry(unit.unit.header.root_offset()).ok()?;
        let AttributeValue::Language(language) = root.attr_value(gimli::DW_AT_language)? else { return None };
        Some(match language {
            gimli::DW_LANG_Fortran77
            | gimli::DW_LANG_Fortran90
            | gimli::DW_LANG_Fortran95
            | gimli::DW_LANG_Fortran03
            | gimli::DW_LANG_Fortran08 => 1,
            _ => 0,
        })
    }

    fn structure(&self, unit: &Rc<Unit>, entry: &Entry, size: u64) -> Option<Struct> {
        let name = self.name(unit, entry).unwrap_or_default();
        let mut found = Struct { name, size, members: Vec::new(), holds: None, is_odd: false };
        let mut tree = unit.unit.entries_tree(Some(entry.offset())).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            let child = child.entry();
            let offset = child.attr_value(gimli::DW_AT_data_member_location);
            match child.tag() {
                gimli::DW_TAG_member | gimli::DW_TAG_inheritance => {
                    // A member of the class, not of its objects.
                    if child.has_attr(gimli::DW_AT_external) || child.has_attr(gimli::DW_AT_declaration) {
                        continue;
                    }
                    let place = match offset {
                        Some(value) => value.udata_value(),
                        None => Some(0),
                    };
                    let of = self.type_of(unit, child);
                    let is_bits = child.has_attr(gimli::DW_AT_bit_size);
                    match (place, of) {
                        (Some(offset), Some(of)) if !is_bits && found.members.len() < MAX_MEMBERS => {
                            let name = self.name(unit, child).unwrap_or_default();
                            let name = if child.tag() == gimli::DW_TAG_member { name } else { String::new() };
                            found.members.push(Member { name, offset, of });
                        }
                        _ => found.is_odd = true,
                    }
                }
                gimli::DW_TAG_template_type_parameter if self.name(unit, child).as_deref() == Some("_Tp") => {
                    found.holds = self.type_of(unit, child);
                }
                gimli::DW_TAG_variant_part => found.is_odd = true,
                _ => {}
            }
        }
        Some(found)
    }

    /// Bytes of the type; `None`: the program decides it, or it is not said.
    pub(super) fn size(&self, at: At) -> Option<u64> {
        self.size_within(at, MAX_DEPTH)
    }

    fn size_within(&self, at: At, depth: usize) -> Option<u64> {
        match self.shape(at)? {
            Shape::Scalar { size, .. } => Some(size),
            Shape::Pointer(_) | Shape::Reference(_) => Some(8),
            Shape::Array { element, count, .. } => {
                self.size_within(element, depth.checked_sub(1)?)?.checked_mul(count?)
            }
            Shape::Struct(all) => Some(all.size),
            Shape::Other(size) => size,
        }
    }

    /// Type of the elements of an array, whatever its dimensions; the type itself if it is no array.
    pub(super) fn element(&self, mut at: At) -> Option<At> {
        for _ in 0..MAX_DEPTH {
            match self.shape(at)? {
                Shape::Array { element, .. } => at = element,
                _ => return Some(at),
            }
        }
        None
    }

    /// Finds what lies at a byte of the type.
    pub(super) fn leaf(&self, at: At, offset: u64) -> Option<Leaf> {
        self.leaf_within(at, offset, MAX_DEPTH)
    }

    fn leaf_within(&self, at: At, offset: u64, depth: usize) -> Option<Leaf> {
        let depth = depth.checked_sub(1)?;
        let inner = |of: At, first: u64, name: &str| {
            Some(match self.leaf_within(of, offset.checked_sub(first)?, depth)? {
                Leaf::Scalar(scalar) => {
                    let between = if scalar.path.is_empty() || name.is_empty() { "" } else { "." };
                    let path = format!("{name}{between}{}", scalar.path);
                    Leaf::Scalar(Scalar { path, ..scalar })
                }
                other => other,
            })
        };
        match self.shape(at)? {
            Shape::Scalar { name, kind, size } => {
                Some(Leaf::Scalar(Scalar { path: String::new(), name, kind, size, byte: offset }))
                    .filter(|_| offset < size)
            }
            Shape::Array { element, .. } => {
                let size = self.size_within(element, depth).filter(|size| *size > 0)?;
                inner(element, offset / size * size, "")
            }
            Shape::Struct(all) => {
                let mut found = None;
                for member in &all.members {
                    // Without a size nobody knows where it ends.
                    let Some(size) = self.size_within(member.of, depth) else { return Some(Leaf::Anything) };
                    let end = member.offset.checked_add(size)?;
                    if (member.offset..end).contains(&offset) {
                        if found.is_some() {
                            return Some(Leaf::Anything);
                        }
                        found = inner(member.of, member.offset, &member.name);
                        found.as_ref()?;
                    }
                }
                let none = if all.is_odd { Leaf::Anything } else { Leaf::Gap };
                Some(found.unwrap_or(none))
            }
            Shape::Pointer(_) | Shape::Reference(_) | Shape::Other(_) => Some(Leaf::Anything),
        }
    }
}
