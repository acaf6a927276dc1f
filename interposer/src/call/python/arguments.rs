//! The objects that a method of mpi4py was called with, on the stack of values of the frame that has called it.
//!
//! Where that stack ends is not written down during a call. So it is looked for what a call looks like: a method of mpi4py, the
//! object that it is of, and as many arguments as the instruction says. There may be remains of earlier calls on it, in which
//! objects may be alive or not; those that are not are no arguments, and all that are must agree.

use super::Frame;
use super::objects::Objects;
use std::collections::BTreeSet;

/// Most variables of a frame, and most values on its stack, that are looked at.
const MAX_SLOTS: usize = 4096;

/// Instructions of code that a debugger or a profiler looks at, from 3.12 on; before, there are none of these numbers.
const FIRST_INSTRUMENTED: u8 = 236;

/// Arrays that a call may have been given, and whether it may have been given other things that hold data.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) arrays: BTreeSet<Array>,
    has_others: bool,
    /// Places on the stack that look like the call.
    calls: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Array {
    pub(super) object: u64,
    pub(super) is_of_numpy: bool,
    /// The address of its first element.
    pub(super) data: u64,
}

/// A frame, with its variables.
pub(super) struct Slots {
    pub(super) variables: Vec<u64>,
    stack: Vec<u64>,
    arguments: usize,
}

impl Slots {
    pub(super) fn of(objects: &Objects, frame: &Frame) -> Option<Slots> {
        let (memory, l) = (&objects.memory, &objects.layout);
        // Its instruction, and how many arguments it takes from the stack.
        let [operation, arguments] = memory.bytes(frame.instruction, 2)?[..] else { return None };
        if operation == l.call_with_tuple || operation >= FIRST_INSTRUMENTED {
            return None;
        }
        let middle = frame.code.wrapping_add(l.firstlineno);
        let [depth, count] = [middle.wrapping_sub(4), middle.wrapping_add(4)].map(|at| memory.count(at));
        let (depth, count) = depth.zip(count).filter(|(depth, count)| depth.max(count) <= &MAX_SLOTS)?;
        let mut variables = memory.words(frame.address.wrapping_add(l.locals), count + depth)?;
        let stack = variables.split_off(count);
        Some(Slots { variables, stack, arguments: arguments.into() })
    }

    /// The arrays among the arguments. `None`: it cannot be told.
    pub(super) fn given(&self, objects: &Objects) -> Option<Given> {
        let mut given = Given::default();
        for (at, pair) in self.stack.windows(2).enumerate() {
            if is_method(objects, pair)
                && let Some(arguments) = self.stack.get(at + 2..at + 2 + self.arguments)
            {
                given.calls += 1;
                arguments.iter().for_each(|object| given.add(objects, *object));
            }
        }
        // Then the array may be of the one, and the buffer of the other.
        (given.calls == 1 || !given.has_others).then_some(given)
    }
}

/// Is it a method and its object, ready to be called?
fn is_method(objects: &Objects, pair: &[u64]) -> bool {
    let is_named = |object: u64, names: &[&str]| {
        objects.type_name(object).is_some_and(|name| names.contains(&name.rsplit('.').next().unwrap_or_default()))
    };
    match *pair {
        [0, 0] => false,
        [0, bound] | [bound, 0] => {
            is_named(bound, &["method", "builtin_function_or_method"])
                && objects.owner_of(bound).is_some_and(|owner| objects.is_of_mpi4py(owner))
        }
        [function, owner] => {
            is_named(function, &["cython_function_or_method", "method_descriptor"]) && objects.is_of_mpi4py(owner)
        }
        _ => false,
    }
}

impl Given {
    /// An argument: data, or a list or tuple that begins with data.
    fn add(&mut self, objects: &Objects, argument: u64) {
        let first = match objects.type_name(argument).as_deref() {
            None => return,
            Some("list") => objects.first_of_list(argument),
            Some("tuple") => objects.items_of_tuple(argument, 1).and_then(|items| items.first().copied()),
            Some(_) => Some(argument),
        };
        let Some(object) = first else { return };
        let Some(name) = objects.type_name(object) else { return };
        let (is_of_numpy, data) = match &*name {
            "numpy.ndarray" => (true, 16),
            "array.array" => (false, 24),
            _ => return self.has_others |= !holds_no_data(&name),
        };
        if let Some(data) = objects.field(object, data) {
            self.arrays.insert(Array { object, is_of_numpy, data });
        }
    }
}

/// Is it the name of a type whose objects are never the data of a message?
fn holds_no_data(name: &str) -> bool {
    let of_mpi4py = name.strip_prefix("mpi4py.MPI.").is_some_and(|name| !matches!(name, "buffer" | "memory"));
    of_mpi4py || matches!(name, "int" | "str" | "NoneType" | "bool") || name.starts_with("numpy.int")
}
