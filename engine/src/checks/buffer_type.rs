//! `buffer-type`: see `trace_format::catalogue::BUFFER_TYPE`.

use crate::arg_places::{NONE, Place};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Element, Findings, Origin, Site, Typed, Unlike};
use crate::variables::{Argument, Variables};
use symbols::variables::{Kind, Leaf, Scalar};
use trace_format::catalogue::{BUFFER_TYPE, CheckInfo};
use trace_format::definition::{Array, ArrayElement, FIRST_USER_ID};
use trace_format::mpi::predefined::{DATATYPES, datatype_id};

pub(super) static CHECK: &CheckInfo = &BUFFER_TYPE;

pub(super) fn rule(_: &Ending, model: &Model, findings: &mut Findings) {
    for Unlike { typed, words } in &model.unlike {
        let call = &typed.call;
        let message =
            format!("rank {}: {} of {} {words}", call.rank, parameter(call, typed.side.datatype), call.name());
        findings.add(model, Draft::new(CHECK, message, vec![Site::new(call, format!("calls {}", call.name()))]));
    }
}

fn parameter(call: &Origin, place: Place) -> &'static str {
    call.func.row().params.get(usize::from(place)).map_or("", |param| param.name)
}

/// Is a buffer described as something else than its variable is declared? In words.
pub(crate) fn unlike(typed: &Typed, variables: &mut dyn Variables) -> Option<Unlike> {
    let Typed { call, side, elements, .. } = typed;
    // Bytes and characters may be anything.
    let kinds: Option<Vec<Kind>> = elements.iter().map(kind).collect();
    let kinds = kinds.filter(|kinds| !kinds.is_empty())?;
    let others = [side.count, side.datatype].map(|place| (place != NONE).then_some(usize::from(place)));
    let argument = variables.argument(call.rank, call.site, call.func, side.buf.into(), others)?;
    let first = elements.first()?;
    let is_uniform = elements.iter().all(|element| element.basic == first.basic);
    let (said, declared) = match is_uniform {
        true => scalar(&argument, first, kinds[0], typed.datatype >= FIRST_USER_ID),
        false => structure(&argument, elements, &kinds),
    }?;
    let words = format!("{said}, but {} is {}, {declared}", parameter(call, side.buf), argument.text);
    Some(Unlike { typed: typed.clone(), words })
}

/// Is a buffer described as something else than the array is that an interpreted program has given to the call? In words.
pub(crate) fn unlike_array(typed: &Typed, array: &Array, variables: &mut dyn Variables) -> Option<Unlike> {
    let Typed { call, side, elements, .. } = typed;
    let first = elements.first().filter(|first| first.offset == 0)?;
    let ours = kind(first).filter(|_| elements.iter().all(|element| element.basic == first.basic))?;
    let theirs = match array.element {
        ArrayElement::Integer => Kind::Integer,
        ArrayElement::Logical => Kind::Logical,
        ArrayElement::Real => Kind::Real,
        ArrayElement::Complex => Kind::Complex,
    };
    let Array { size, element_type, variable, .. } = array;
    let size = u64::from(*size);
    let declared = Scalar { path: String::new(), name: String::new(), kind: theirs, size, byte: 0 };
    if fits(&declared, first, ours) {
        return None;
    }
    let statement = variables.statement(call.rank, call.site, call.func)?;
    let is_derived = typed.datatype >= FIRST_USER_ID;
    let is_for_several = !is_derived && size == first.size && !names_datatype(&statement);
    if is_for_several || is_seen_otherwise(&statement) || is_multiple(&statement, size / first.size) {
        return None;
    }
    let is = if is_derived { "is made of" } else { "is" };
    let said = format!("{is} {} ({} bytes)", name(first), first.size);
    let what = format!("an array of {element_type} ({size} bytes)");
    let argument = if variable.is_empty() { what } else { format!("{variable}, {what}") };
    let words = format!("{said}, but {} is {argument}", parameter(call, side.buf));
    Some(Unlike { typed: typed.clone(), words })
}

/// Does the statement name a datatype of mpi4py: `MPI.DOUBLE`?
fn names_datatype(statement: &str) -> bool {
    let mut names = statement.split("MPI.").skip(1).filter_map(|rest| words(rest).next());
    names.any(|name| datatype_id(&format!("MPI_{name}")).is_some())
}

/// Does the statement say that it sees the memory of the array as something else, or counts in bytes?
fn is_seen_otherwise(statement: &str) -> bool {
    const WORDS: [&str; 8] = ["view", "itemsize", "nbytes", "sizeof", "frombuffer", "frombytes", "memoryview", "cast"];
    words(statement).any(|word| WORDS.contains(&word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Does the text count in elements that are so many times smaller?
fn is_multiple(text: &str, ratio: u64) -> bool {
    text.contains('*') && ratio > 1 && words(text).any(|word| word == ratio.to_string())
}

/// Elements of one basic type.
fn scalar(argument: &Argument, element: &Element, kind: Kind, is_derived: bool) -> Option<(String, String)> {
    if element.offset != 0 || argument.declared.is_whole_structure {
        return None;
    }
    let Leaf::Scalar(declared) = (argument.declared.leaf)(0)? else { return None };
    // Code that is for several types holds them in memory of one that is as large.
    let is_for_several = !is_derived && declared.size == element.size && !argument.datatype.starts_with("MPI_");
    if is_for_several
        || declared.byte != 0
        || fits(&declared, element, kind)
        || is_counted_otherwise(argument, &declared, element)
    {
        return None;
    }
    let is = if is_derived { "is made of" } else { "is" };
    let Scalar { name: declared, size, .. } = &declared;
    let said = format!("{is} {} ({} bytes)", name(element), element.size);
    Some((said, format!("of type {declared} ({size} bytes)")))
}

/// A structure, element by element.
fn structure(argument: &Argument, elements: &[Element], kinds: &[Kind]) -> Option<(String, String)> {
    if !argument.declared.is_of_structure {
        return None;
    }
    for (element, kind) in elements.iter().zip(kinds) {
        // Outside of the structure nothing is known.
        let Some(leaf) = (argument.declared.leaf)(element.offset) else { continue };
        let what = match &leaf {
            Leaf::Scalar(declared) if declared.byte == 0 && fits(declared, element, *kind) => continue,
            Leaf::Scalar(declared) if declared.byte == 0 => of(declared),
            Leaf::Scalar(declared) => format!("byte {} of {}", declared.byte, of(declared)),
            Leaf::Gap => "no member".to_owned(),
            Leaf::Anything => continue,
        };
        let said = format!("has {} at byte {}", name(element), element.offset);
        let structure = match &*argument.declared.name {
            name if argument.declared.is_whole_structure && !name.is_empty() => format!("of type {name}"),
            _ => "in a structure".to_owned(),
        };
        return Some((said, format!("{structure}, which has {what} there")));
    }
    None
}

fn name(element: &Element) -> &'static str {
    (element.basic as usize).checked_sub(1).and_then(|i| DATATYPES.get(i)).unwrap_or(&"?")
}

/// A scalar in words: `its member id (int, 4 bytes)`.
fn of(declared: &Scalar) -> String {
    let Scalar { path, name, size, .. } = declared;
    format!("its member {path} ({name}, {size} bytes)")
}

/// The kind of a basic type; `None`: it may describe anything.
fn kind(element: &Element) -> Option<Kind> {
    match element.letter {
        _ if element.size < 2 => None,
        'i' | 'u' => Some(Kind::Integer),
        'l' => Some(Kind::Logical),
        'f' | 'x' => Some(Kind::Real),
        'z' | 'y' => Some(Kind::Complex),
        _ => None,
    }
}

/// Do they look the same in memory, or nearly so? Signs, and truth values as integers, are the program's business, and
/// so is a complex number as its two parts.
fn fits(declared: &Scalar, element: &Element, kind: Kind) -> bool {
    let (theirs, ours) = (declared.size, element.size);
    match (declared.kind, kind) {
        (Kind::Integer | Kind::Logical, Kind::Integer | Kind::Logical) => theirs == ours,
        (Kind::Complex, Kind::Real) => theirs == 2 * ours,
        (Kind::Real, Kind::Complex) => 2 * theirs == ours,
        (declared, kind) => declared == kind && theirs == ours,
    }
}

/// Does the source say that it counts in other units than elements of the variable? `sizeof(x) / sizeof(int)`, `2 * n`.
fn is_counted_otherwise(argument: &Argument, declared: &Scalar, element: &Element) -> bool {
    let count = argument.count.to_ascii_lowercase();
    let is_said = ["sizeof", "storage_size", "transfer("].iter().any(|word| count.contains(word));
    is_said || is_multiple(&count, declared.size / element.size.max(1))
}
