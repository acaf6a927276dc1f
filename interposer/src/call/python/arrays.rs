//! Which array a buffer of a call is of: looked for at the first call of a place, and written down for the analyzer, which holds
//! its elements against the datatype of the call.
//!
//! mpi4py alone is understood, and of arrays those of NumPy and of the module `array`. Other threads of the interpreter may run
//! meanwhile; the objects that are told of are arguments of the call, and stay as they are until it returns.

use super::arguments::{Array, Slots};
use super::elements::{self, Element};
use super::objects::Objects;
use super::source::Memory;
use super::{Arguments, Frame, Interpreter};
use crate::mpi::handles;
use recorder::{modules, trace};
use trace_format::definition::{self, Definition, Id};
use trace_format::mpi::Kind;
use trace_format::mpi::predefined::DATATYPES;

/// Datatypes that may describe anything.
const BYTES: [&str; 3] = ["MPI_BYTE", "MPI_PACKED", "MPI_CHAR"];
/// Names that a piece of code may use.
const MAX_NAMES: usize = 4096;

/// A buffer of a call.
struct Buffer {
    parameter: usize,
    address: u64,
    datatype: Id,
}

/// Writes down which arrays the buffers of a call are of, the first one from its place.
pub(super) fn note(python: &Interpreter, stack: Id, call: Arguments) -> Option<()> {
    let buffers: Vec<Buffer> = buffers(call).collect();
    if buffers.is_empty() || !modules::file_at(call.return_address)?.contains("/mpi4py/MPI.") {
        return None;
    }
    let objects = Objects { memory: Memory::open()?, layout: python.layout };
    let mut innermost = None;
    python.walk(1, |frame| innermost = Some(frame));
    let frame = innermost?;
    let slots = Slots::of(&objects, &frame)?;
    let given = slots.given(&objects)?;
    let mut definitions = Vec::new();
    for Buffer { parameter, address, datatype } in buffers {
        let arrays: Vec<&Array> = given.arrays.iter().filter(|array| array.data == address).collect();
        let mut all = arrays.iter().map(|array| element_of(&objects, array));
        // Views of one memory may be of several types.
        let Some(Some(element)) = all.next() else { continue };
        let [Array { object, .. }, ..] = arrays[..] else { continue };
        if all.any(|other| other.as_ref() != Some(&element)) {
            continue;
        }
        let variable = variable_of(&objects, &frame, &slots, *object).unwrap_or_default();
        definitions.push(Definition::Array(definition::Array {
            stack,
            parameter: u8::try_from(parameter).ok()?,
            datatype,
            address,
            element: element.is,
            size: element.size,
            element_type: element.name,
            variable,
        }));
    }
    if !definitions.is_empty() {
        trace::get()?.define(&definitions);
    }
    Some(())
}

/// The buffers of a call that have a datatype which says something of the elements.
fn buffers(call: Arguments) -> impl Iterator<Item = Buffer> {
    let Arguments { info, words, .. } = call;
    let word = |parameter: usize| words.get(parameter).copied();
    let operands = info.operands.list.iter().filter(|operand| !operand.types);
    operands.filter_map(move |operand| {
        let address = word(operand.param).filter(|address| *address >= info.abi.lowest_address)?;
        let is_empty = operand.many.is_none() && word(operand.count).is_some_and(|count| count as u32 == 0);
        let handle = info.abi.handle_arg(Kind::Datatype, word(operand.datatype)?);
        let datatype = handles::lookup(Kind::Datatype, handle);
        let name = (datatype as usize).checked_sub(1).and_then(|i| DATATYPES.get(i));
        let is_of_bytes = name.is_some_and(|name| BYTES.contains(name));
        (!is_empty && !is_of_bytes).then_some(Buffer { parameter: operand.param, address, datatype })
    })
}

fn element_of(objects: &Objects, array: &Array) -> Option<Element> {
    match array.is_of_numpy {
        true => elements::of_numpy(objects, array.object),
        false => elements::of_array(objects, array.object),
    }
}

/// The name of the variable that holds an object: one of the function, or one of its module that it names.
fn variable_of(objects: &Objects, frame: &Frame, slots: &Slots, object: u64) -> Option<String> {
    let l = &objects.layout;
    let is_held = |variable: &u64| {
        *variable == object
            || objects.type_name(*variable).as_deref() == Some("cell") && objects.in_cell(*variable) == Some(object)
    };
    if let Some(place) = slots.variables.iter().position(is_held) {
        let names = objects.items_of_tuple(objects.field(frame.code, l.names_of_locals)?, place + 1)?;
        return objects.text(*names.get(place)?);
    }
    const NAMES: u64 = 32;
    let names = objects.items_of_tuple(objects.field(frame.code, NAMES)?, MAX_NAMES)?;
    let keys = objects.keys_of(objects.field(frame.address, l.globals)?, object)?;
    objects.text(*keys.iter().find(|key| names.contains(key))?)
}
