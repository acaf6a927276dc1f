//! The memory that an argument of a call names, by the declarations of the variables in it: `x`, `&x[3]`, `p->values + n`,
//! `v.data()`, `grid%cells(:, 1)`. Casts, calls and whatever is not understood have no type here.

use super::debug::{At, Debug};
use super::scopes::Place;
use super::types::{Leaf, Shape};
use std::rc::Rc;

/// How expressions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// C and C++.
    C,
    /// Fortran.
    Fortran,
}

/// Memory that an expression names: elements of one type, maybe members of something larger.
pub struct Declared {
    /// The type of an element: `double`, `struct particle`; empty if it has no name.
    pub name: String,
    /// It is a structure, or a member of one.
    pub is_of_structure: bool,
    /// It is a whole structure.
    pub is_whole_structure: bool,
    /// Bytes of the element, or of what it is a member of.
    pub size: u64,
    /// Finds what lies at a byte behind the first one; `None` outside of the element and of what it is a member of.
    pub leaf: Box<dyn Fn(i64) -> Option<Leaf>>,
}

#[derive(Debug, Clone, Copy)]
struct Memory {
    /// Type of what the expression names.
    of: At,
    /// How many dimensions of an array it has left behind.
    indexed: usize,
    /// The structure that it is a member of; itself if it is none.
    container: At,
    /// Its first byte in that.
    offset: u64,
}

/// The memory that an argument names.
pub(super) fn declared(debug: Rc<Debug>, place: Place, syntax: Syntax, argument: &str) -> Option<Declared> {
    let tokens = tokens(argument)?;
    let mut parser = Parser { debug: &debug, place, tokens: &tokens };
    let at = match syntax {
        Syntax::C => parser.argument()?,
        Syntax::Fortran => parser.designator()?,
    };
    let element = debug.element(at.of)?;
    let name = match debug.shape(element)? {
        Shape::Scalar { name, .. } => name,
        Shape::Struct(all) => all.name.clone(),
        _ => String::new(),
    };
    let is_of_structure = matches!(debug.shape(at.container)?, Shape::Struct(_));
    let is_whole_structure = is_of_structure && at.of == at.container;
    let size = debug.size(at.container)?;
    let leaf = move |offset: i64| {
        let place = at.offset.checked_add_signed(offset).filter(|place| *place < size)?;
        debug.leaf(at.container, place)
    };
    Some(Declared { name, is_of_structure, is_whole_structure, size, leaf: Box::new(leaf) })
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    /// A number, or what else stands for itself.
    Other,
    Sign(&'static str),
}

/// `None`: it has characters that no argument here has.
fn tokens(text: &str) -> Option<Vec<Token>> {
    const SIGNS: [&str; 23] = [
        "->", "::", "<<", ">>", "(", ")", "[", "]", ".", "&", "*", "+", "-", "/", "%", ",", ":", "<", ">", "?", "!",
        "=", "|",
    ];
    let (mut all, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let end = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        let length = if first.is_alphabetic() || first == '_' {
            let end = end(|c| c.is_alphanumeric() || c == '_');
            all.push(Token::Name(rest[..end].to_owned()));
            end
        } else if first.is_ascii_digit() {
            all.push(Token::Other);
            end(|c| c.is_alphanumeric() || c == '_')
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            all.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Some(all)
}

struct Parser<'a> {
    debug: &'a Debug,
    place: Place,
    tokens: &'a [Token],
}

impl<'a> Parser<'a> {
    fn takes(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.tokens.first(), Some(Token::Sign(s)) if *s == sign);
        if is_it {
            self.tokens = &self.tokens[1..];
        }
        is_it
    }

    fn name(&mut self) -> Option<&'a str> {
        let (Token::Name(name), rest) = self.tokens.split_first()? else { return None };
        self.tokens = rest;
        Some(name)
    }

    /// Skips what is between brackets, the first of which was taken, and the closing one.
    fn skip_to(&mut self, open: &str, close: &str) -> Option<()> {
        let mut depth = 1;
        loop {
            let (first, rest) = self.tokens.split_first()?;
            self.tokens = rest;
            match first {
                Token::Sign(s) if *s == open => depth += 1,
                Token::Sign(s) if *s == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// An argument of C: an address, a pointer or an array, perhaps with a number of elements added.
    fn argument(&mut self) -> Option<Memory> {
        while self.is_in_parentheses() {
            self.tokens = &self.tokens[1..self.tokens.len() - 1];
        }
        let memory = if self.takes("&") {
            self.lvalue()?
        } else {
            let memory = self.lvalue()?;
            self.value(memory)?
        };
        let adds = self.takes("+") || self.takes("-");
        // Nothing behind may change the type: comparisons, choices, casts.
        let is_sum =
            |token: &Token| !matches!(token, Token::Sign("?" | ":" | "<" | ">" | "=" | "|" | "!" | "&" | "<<" | ">>"));
        (self.tokens.is_empty() || adds && self.tokens.iter().all(is_sum)).then_some(memory)
    }

    fn is_in_parentheses(&self) -> bool {
        let [Token::Sign("("), inside @ .., Token::Sign(")")] = self.tokens else { return false };
        let mut depth = 0;
        inside.iter().all(|token| {
            match token {
                Token::Sign("(") => depth += 1,
                Token::Sign(")") => depth -= 1,
                _ => {}
            }
            depth >= 0
        })
    }

    /// A variable with its members and elements.
    fn lvalue(&mut self) -> Option<Memory> {
        let mut memory = if self.takes("(") {
            // `&(x)`, not a cast.
            let inner = self.lvalue()?;
            self.takes(")").then_some(inner)?
        } else {
            let name = self.name()?;
            self.behind_reference(whole(self.debug.lookup(self.place, name)?))?
        };
        loop {
            if self.takes("[") {
                self.skip_to("[", "]")?;
                memory = self.element(memory)?;
            } else if self.takes(".") {
                let name = self.name()?;
                if name == "data" && self.takes("(") {
                    self.takes(")").then_some(())?;
                    // A pointer, which nothing but a sum may follow.
                    let held = self.held(memory)?;
                    let ends = self.tokens.is_empty() || matches!(self.tokens.first(), Some(Token::Sign("+" | "-")));
                    return ends.then_some(Memory { indexed: usize::MAX, ..held });
                }
                memory = self.member(memory, name)?;
            } else if self.takes("->") {
                let name = self.name()?;
                let target = self.target(memory)?;
                memory = self.member(target, name)?;
            } else {
                return Some(memory);
            }
        }
    }

    /// A variable of Fortran with its components and elements.
    fn designator(&mut self) -> Option<Memory> {
        let name = self.name()?;
        let mut memory = self.unreferred(whole(self.debug.lookup(self.place, name)?))?;
        loop {
            if self.takes("(") {
                self.skip_to("(", ")")?;
                let Shape::Array { element, .. } = self.debug.shape(memory.of)? else { return None };
                memory = self.unreferred(self.one_of(memory, element)?)?;
            } else if self.takes("%") {
                let name = self.name()?;
                let of = self.debug.element(memory.of)?;
                let (member, offset) = self.debug.member(of, name, true)?;
                let inside = memory.container == memory.of;
                let start = if inside { whole(of) } else { memory };
                memory = Memory { of: member, indexed: 0, container: start.container, offset: start.offset + offset };
                memory = self.unreferred(memory)?;
            } else {
                break;
            }
        }
        self.tokens.is_empty().then_some(())?;
        let element = self.debug.element(memory.of)?;
        if element == memory.of { Some(memory) } else { self.one_of(memory, element) }
    }

    /// Behind pointers and references, which Fortran does not show.
    fn unreferred(&self, memory: Memory) -> Option<Memory> {
        let mut memory = memory;
        for _ in 0..4 {
            match self.debug.shape(memory.of)? {
                Shape::Pointer(to) | Shape::Reference(to) => memory = whole(to),
                _ => return Some(memory),
            }
        }
        None
    }

    fn behind_reference(&self, memory: Memory) -> Option<Memory> {
        match self.debug.shape(memory.of)? {
            Shape::Reference(to) => Some(whole(to)),
            _ => Some(memory),
        }
    }

    /// The memory that a pointer or an array as a value stands for.
    fn value(&self, memory: Memory) -> Option<Memory> {
        if memory.indexed == usize::MAX {
            return Some(Memory { indexed: 0, ..memory });
        }
        match self.debug.shape(memory.of)? {
            Shape::Pointer(to) => self.one_of(whole(to), self.debug.element(to)?),
            Shape::Array { element, dimensions, .. } if memory.indexed < dimensions => {
                self.one_of(memory, self.debug.element(element)?)
            }
            _ => None,
        }
    }

    /// The first element of an array.
    fn one_of(&self, memory: Memory, element: At) -> Option<Memory> {
        let is_member = memory.container != memory.of;
        let is_structure = matches!(self.debug.shape(element)?, Shape::Struct(_));
        Some(if is_member && !is_structure { Memory { of: element, indexed: 0, ..memory } } else { whole(element) })
    }

    fn element(&self, memory: Memory) -> Option<Memory> {
        match self.debug.shape(memory.of)? {
            Shape::Pointer(to) => Some(whole(to)),
            Shape::Array { dimensions, .. } if memory.indexed + 1 < dimensions => {
                Some(Memory { indexed: memory.indexed + 1, ..memory })
            }
            Shape::Array { element, .. } => self.behind_reference(self.one_of(memory, element)?),
            Shape::Struct(_) => self.held(memory),
            _ => None,
        }
    }

    /// The elements that a container of the standard library holds.
    fn held(&self, memory: Memory) -> Option<Memory> {
        let Shape::Struct(all) = self.debug.shape(memory.of)? else { return None };
        let is_known = ["vector<", "array<", "valarray<"].iter().any(|name| all.name.starts_with(name));
        all.holds.filter(|_| is_known).map(whole)
    }

    fn target(&self, memory: Memory) -> Option<Memory> {
        match self.debug.shape(memory.of)? {
            Shape::Pointer(to) => Some(whole(to)),
            _ => None,
        }
    }

    fn member(&self, memory: Memory, name: &str) -> Option<Memory> {
        let (of, offset) = self.debug.member(memory.of, name, false)?;
        let found = Memory { of, indexed: 0, container: memory.container, offset: memory.offset + offset };
        self.behind_reference(found)
    }
}

fn whole(of: At) -> Memory {
    Memory { of, indexed: 0, container: of, offset: 0 }
}
