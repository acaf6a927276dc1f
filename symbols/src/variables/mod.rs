//! The variables of a program, as it declared them: which one holds an address, and which type an expression has. What is not
//! known for certain is not said.

mod debug;
mod expression;
mod functions;
mod parts;
mod scopes;
mod split;
mod statics;
mod types;

use crate::separate::Fetch;
use debug::Debug;
pub use expression::{Declared, Syntax};
use scopes::{Local, Place};
use statics::Statics;
use std::collections::HashMap;
use std::rc::Rc;
use trace_format::run::discovery::Frame;
pub use types::{Kind, Leaf, Scalar};

/// Frames of one stack that are looked at.
const MAX_FRAMES: usize = 64;

/// The memory of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storage {
    /// Its name in the source, as far as that is known.
    pub name: String,
    /// Its first byte.
    pub start: u64,
    /// Its bytes.
    pub size: u64,
    /// It lies on the stack.
    pub is_local: bool,
}

/// A function on the stack.
#[derive(Debug, Clone)]
pub struct StackFrame {
    /// The call that it is in, as its module's file has it.
    pub call: Frame,
    /// The stack pointer at that call, and before the function itself was called.
    pub memory: (u64, u64),
}

/// The variables of modules, each looked into once.
#[derive(Default)]
pub struct Variables {
    debug: HashMap<(String, Vec<u8>), Option<Rc<Debug>>>,
    statics: HashMap<(String, Vec<u8>), Rc<Statics>>,
    locals: HashMap<Frame, Option<Rc<[Local]>>>,
}

impl Variables {
    fn debug(&mut self, at: &Frame, fetch: Option<&Fetch>) -> Option<Rc<Debug>> {
        let key = (at.module.clone(), at.build_id.clone());
        let read = || Debug::of(at.module.as_ref(), &at.build_id, fetch).map(Rc::new);
        self.debug.entry(key).or_insert_with(read).clone()
    }

    /// The variable of a module that holds an address, which is as the module's file has it. Its first byte is, too.
    pub fn in_module(&mut self, address: &Frame, fetch: Option<&Fetch>) -> Option<Storage> {
        let key = (address.module.clone(), address.build_id.clone());
        let read = || Rc::new(Statics::of(address.module.as_ref(), &address.build_id, fetch));
        let statics = self.statics.entry(key).or_insert_with(read);
        let (name, start, size) = statics.holds(address.offset)?;
        Some(Storage { name: name.to_owned(), start, size, is_local: false })
    }

    /// The variable on the stack that holds an address.
    pub fn on_stack(&mut self, frames: &[StackFrame], address: u64, fetch: Option<&Fetch>) -> Option<Storage> {
        let frame = frames.iter().take(MAX_FRAMES).find(|f| (f.memory.0..f.memory.1).contains(&address))?;
        if !self.locals.contains_key(&frame.call) {
            let debug = self.debug(&frame.call, fetch);
            let locals = debug.and_then(|debug| debug.locals(frame.call.offset)).map(Rc::from);
            self.locals.insert(frame.call.clone(), locals);
        }
        let locals = self.locals.get(&frame.call)?.clone()?;
        let from = i64::try_from(
            address.checked_sub(frame.memory.1).map_or_else(|| -i128::from(frame.memory.1 - address), i128::from),
        )
        .ok()?;
        let end = |from: i64, size: u64| from.checked_add_unsigned(size);
        let holds = |l: &&Local| l.from <= from && end(l.from, l.size).is_some_and(|end| from < end);
        let found = locals.iter().filter(holds).filter(|l| l.is_in_scope && !l.moves).max_by_key(|l| l.size)?;
        // Where several share the memory, it may be another one's.
        let size = locals.iter().filter(holds).map(|l| end(l.from, l.size)).max()??;
        let size = u64::try_from(size.checked_sub(found.from)?).ok()?;
        let start = frame.memory.1.checked_add_signed(found.from)?;
        Some(Storage { name: found.name.clone(), start, size, is_local: true })
    }

    /// The type of the memory that an argument of a call names: `x`, `&x[3]`, `p->values`. The call is at `call`, in a source
    /// line of this language.
    pub fn declared(
        &mut self,
        call: &Frame,
        line: u32,
        syntax: Syntax,
        argument: &str,
        fetch: Option<&Fetch>,
    ) -> Option<Declared> {
        let debug = self.debug(call, fetch)?;
        let place = Place { pc: call.offset, line, any_case: syntax == Syntax::Fortran };
        expression::declared(debug, place, syntax, argument)
    }
}

#[cfg(test)]
mod tests;
