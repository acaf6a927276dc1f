//! Variables of the program by its debug information and its sources: for checks that hold calls against declarations.

use crate::source::Language;
use crate::statement::statement;
use crate::symbols::{INTERPRETED, Symbols, is_user};
use engine::variables::{Argument, Variables};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symbols::variables::{Storage, Syntax};
use trace_format::definition::Id;
use trace_format::location::Location;
use trace_format::mpi::FnId;
use trace_format::run::discovery::Frame;

/// A parameter of a call at one place of a program: its instruction, the function, the parameter.
type Parameter = (Frame, FnId, usize);

/// See the module.
pub struct ProgramVariables<'a> {
    symbols: &'a mut Symbols,
    arguments: FxHashMap<Parameter, Option<Rc<Argument>>>,
}

impl<'a> ProgramVariables<'a> {
    pub fn new(symbols: &'a mut Symbols) -> ProgramVariables<'a> {
        ProgramVariables { symbols, arguments: FxHashMap::default() }
    }

    fn read(
        &mut self,
        (rank, site): (i32, Id),
        call: &Frame,
        func: FnId,
        buffer: usize,
        others: [Option<usize>; 2],
    ) -> Option<Argument> {
        // The innermost place: arguments of functions that were inlined are not those of the call.
        let place = self.symbols.frames(rank, site, 0).into_iter().next()?;
        if place.module != call.module || place.line == 0 || !is_user(&place) || place.is_inlined_binding() {
            return None;
        }
        let syntax = match Language::of(&place.file) {
            Language::C => Syntax::C,
            Language::Fortran | Language::FixedFortran => Syntax::Fortran,
            Language::Python => return None,
        };
        let statement = statement(self.symbols, rank, &place.file, place.line, func.name())?;
        let text = statement.text();
        let argument = |parameter: usize| text.get(statement.argument(parameter)?);
        let said = argument(buffer)?;
        if self.symbols.is_changed(rank, &place.file) || self.symbols.has_macro(rank, &place.file, said) {
            return None;
        }
        let [count, datatype] = others.map(|other| other.and_then(argument).unwrap_or_default().to_owned());
        let declared = self.symbols.declared(call, place.line, syntax, said)?;
        Some(Argument { text: said.to_owned(), count, datatype, declared })
    }
}

impl Variables for ProgramVariables<'_> {
    fn storage(&mut self, rank: i32, site: Id, slots: &[u64], address: u64) -> Option<Storage> {
        self.symbols.storage(rank, site, slots, address)
    }

    fn argument(
        &mut self,
        rank: i32,
        site: Id,
        func: FnId,
        buffer: usize,
        others: [Option<usize>; 2],
    ) -> Option<Rc<Argument>> {
        let call = self.symbols.call(rank, site)?;
        let key = (call.clone(), func, buffer);
        if let Some(known) = self.arguments.get(&key) {
            return known.clone();
        }
        let read = self.read((rank, site), &call, func, buffer, others).map(Rc::new);
        self.arguments.insert(key, read.clone());
        read
    }

    fn statement(&mut self, rank: i32, site: Id, func: FnId) -> Option<String> {
        let is_interpreted = |place: &Location| place.module == INTERPRETED;
        let place = self.symbols.frames(rank, site, 0).into_iter().find(is_interpreted).filter(is_user)?;
        if Language::of(&place.file) != Language::Python || self.symbols.is_changed(rank, &place.file) {
            return None;
        }
        let statement = statement(self.symbols, rank, &place.file, place.line, func.name())?;
        statement.name().is_some().then(|| statement.text())
    }
}
