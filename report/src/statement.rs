//! The statement of a call in the source: all its lines, and where in them the function's name and each argument are.
//! Nothing is guessed: what cannot be found for certain has no place.

use crate::source::{Code, Language};
use crate::symbols::Symbols;
use std::ops::Range;
use std::sync::Arc;
use trace_format::mpi::FUNCTIONS;

/// A call may begin so many lines above the line that the compiler says it is in.
const MAX_LINES: usize = 50;

/// A statement of a source file. Places are bytes of [`Statement::text`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// Number of the first line.
    pub(super) first_line: u32,
    /// All lines of the statement.
    pub(super) lines: Vec<String>,
    /// The line before the statement and that after it.
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    name: Option<Range<usize>>,
    /// By the parameters of the C function.
    arguments: Vec<Option<Range<usize>>>,
}

/// The statement that calls `function` (its C name, which may be empty) in a line of a source file of a rank's
/// program; the line alone if there is no such call, or several. `None`: there is no such file or line.
pub(super) fn statement(
    symbols: &mut Symbols,
    rank: i32,
    file: &str,
    line: u32,
    function: &str,
) -> Option<Arc<Statement>> {
    let code = symbols.code(rank, file)?;
    Statement::read(&code, line, function).map(Arc::new)
}

impl Statement {
    /// [`statement`] in a file that was read.
    pub(super) fn read(code: &Code, line: u32, function: &str) -> Option<Statement> {
        code.line(line)?;
        let at = line as usize - 1;
        let window = Window::around(code, at);
        let call = Call::find(&window, code.language, at, function);
        let (first, last) = call.as_ref().map_or((at, at), |call| call.lines);
        let (first, last) = if code.language.is_fortran() { whole(code, first, last) } else { (first, last) };
        let begin = window.start_of(first);
        let relative = |range: &Range<usize>| range.start - begin..range.end - begin;
        let arguments = call.as_ref().map(|call| call.arguments(&window.text, code.language, function));
        Some(Statement {
            first_line: first as u32 + 1,
            lines: code.lines[first..=last].to_vec(),
            before: first.checked_sub(1).map(|before| code.lines[before].clone()),
            after: code.lines.get(last + 1).cloned(),
            name: call.as_ref().map(|call| relative(&call.name)),
            arguments: arguments.unwrap_or_default().iter().map(|a| a.as_ref().map(relative)).collect(),
        })
    }

    /// The lines as one text.
    pub(super) fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// The function's name.
    pub(super) fn name(&self) -> Option<Range<usize>> {
        self.name.clone()
    }

    /// The argument for a parameter of the C function, by the parameter's number from 0.
    pub(super) fn argument(&self, parameter: usize) -> Option<Range<usize>> {
        self.arguments.get(parameter).cloned().flatten()
    }
}

/// All lines of a statement of Fortran.
fn whole(code: &Code, first: usize, last: usize) -> (usize, usize) {
    let first = (0..first).rev().take_while(|l| code.continued[*l]).last().unwrap_or(first);
    let last = (last..code.lines.len()).find(|l| !code.continued[*l]).unwrap_or(last);
    (first, last)
}

/// The code around a line.
struct Window {
    /// The first line, from 0.
    first: usize,
    text: String,
}

impl Window {
    fn around(code: &Code, line: usize) -> Window {
        let fortran = code.language.is_fortran();
        let first = if fortran { whole(code, line, line).0 } else { line.saturating_sub(MAX_LINES) };
        let last = (line.max(first) + MAX_LINES).min(code.masks.len() - 1);
        Window { first, text: code.masks[first..=last].join("\n") }
    }

    fn line_of(&self, at: usize) -> usize {
        self.first + self.text[..at].matches('\n').count()
    }

    /// The beginning of a line.
    fn start_of(&self, line: usize) -> usize {
        self.text.split('\n').take(line - self.first).map(|l| l.len() + 1).sum()
    }
}

/// A call in a window. Places are bytes of its text.
struct Call {
    name: Range<usize>,
    open: usize,
    close: usize,
    /// It calls a method, whose arguments are not those of the C function.
    is_method: bool,
    lines: (usize, usize),
}

impl Call {
    /// The one call of `function` of which the line is a part.
    fn find(window: &Window, language: Language, line: usize, function: &str) -> Option<Call> {
        if function.is_empty() {
            return None;
        }
        let text = &window.text;
        let mut found = Vec::new();
        for (start, word) in words(text) {
            let end = start + word.len();
            let is_method = is_member(text[..start].trim_end());
            if !is_called(word, is_method, function, language) || window.line_of(start) > line {
                continue;
            }
            let around = parentheses(text, end).filter(|(_, close)| window.line_of(*close) >= line);
            let Some((open, close)) = around else { continue };
            let lines = (window.line_of(begin_of(text, start)), window.line_of(end_of(text, close)));
            found.push(Call { name: start..end, open, close, is_method, lines });
        }
        if found.len() == 1 { found.pop() } else { None }
    }

    /// The places of the arguments, by the parameters of the C function; none if they are not those of the function.
    fn arguments(&self, text: &str, language: Language, function: &str) -> Vec<Option<Range<usize>>> {
        let Some(row) = FUNCTIONS.iter().find(|f| f.name == function) else { return Vec::new() };
        let given = split(text, self.open + 1, self.close);
        // C has no names of arguments: there it is an assignment.
        let may_be_named = language.is_fortran() || language == Language::Python;
        let name_of = |a: &Range<usize>| named(&text[a.clone()]).filter(|_| may_be_named);
        let positional = given.iter().take_while(|a| name_of(a).is_none()).count();
        let (some_named, params) = (positional < given.len(), row.params.len());
        let is_whole = match language {
            // Methods lack some parameters, so that only names tell which one is meant.
            _ if self.is_method => false,
            Language::Fortran | Language::FixedFortran if some_named => positional <= params,
            // The last one is the error code.
            Language::Fortran | Language::FixedFortran => [params, params + 1].contains(&given.len()),
            Language::C | Language::Python => given.len() == params,
        };
        let mut places = vec![None; params];
        if is_whole {
            for (place, argument) in places.iter_mut().zip(&given[..positional]) {
                *place = Some(argument.clone());
            }
        }
        for argument in &given[positional..] {
            let param =
                name_of(argument).and_then(|name| row.params.iter().position(|p| p.name.eq_ignore_ascii_case(name)));
            if let Some(param) = param {
                places[param] = Some(argument.clone());
            }
        }
        places
    }
}

/// The name in front of an argument: `name = value`.
fn named(argument: &str) -> Option<&str> {
    let (name, value) = argument.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_name && !value.starts_with(['=', '>'])).then_some(name)
}

/// The words of the text, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let base = text.as_ptr() as usize;
    text.split(move |c| !is_word(c)).filter(|w| !w.is_empty()).map(move |w| (w.as_ptr() as usize - base, w))
}

/// Does a name behind this text belong to an object or a namespace?
fn is_member(before: &str) -> bool {
    [".", "->", "::", "%"].iter().any(|sign| before.ends_with(sign))
}

/// Is it the name that a program calls the function by?
fn is_called(word: &str, is_method: bool, function: &str, language: Language) -> bool {
    let plain = function.strip_suffix("_c").unwrap_or(function);
    if language.is_fortran() {
        let word = word.strip_suffix("_f08").unwrap_or(word);
        return !is_method && (word.eq_ignore_ascii_case(function) || word.eq_ignore_ascii_case(plain));
    }
    if !is_method {
        return word == function || word.strip_prefix('P') == Some(function);
    }
    let short = plain.strip_prefix("MPI_").unwrap_or(plain);
    // A method of a communicator, a window, a file: MPI_Comm_split is Split.
    let method = short.split_once('_').map_or(short, |(_, method)| method);
    let any = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    // mpi4py receives objects by matched probes, and sends collections of objects in parts of different sizes.
    let objects: &[&str] = match (language, short) {
        (Language::Python, "Mprobe" | "Mrecv") => &["recv"],
        (Language::Python, _) => &[short.strip_suffix('v').unwrap_or(short)],
        _ => &[],
    };
    any(&[short, method]) || any(objects)
}

/// The parentheses that follow, if all brackets inside of them are balanced.
fn parentheses(text: &str, from: usize) -> Option<(usize, usize)> {
    let open = from + text[from..].find(|c: char| !c.is_whitespace())?;
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 1 => return (byte == b')').then_some((open, at)),
            b')' | b']' | b'}' => depth -= 1,
            b';' => return None,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The beginning of the statement around the call, if the text before the call shows it: `x =`, `CHECK(`, `return`.
fn begin_of(text: &str, call: usize) -> usize {
    let mut begin = call;
    loop {
        let before = text[..begin].trim_end();
        let is_part = before.ends_with(['=', '(', ',', '.']) || before.ends_with("return") || before.ends_with("->");
        if !is_part {
            return begin;
        }
        // The whole line.
        begin = before.rfind('\n').map_or(0, |end| end + 1);
        begin += text[begin..].len() - text[begin..].trim_start().len();
    }
}

/// The end of the statement, if only closing characters follow.
fn end_of(text: &str, close: usize) -> usize {
    let rest = &text[close..];
    rest.find(|c: char| c != ')' && !c.is_whitespace())
        .filter(|end| rest[*end..].starts_with(';'))
        .map_or(close, |end| close + end)
}

/// The arguments between two parentheses, without the blanks around them.
fn split(text: &str, from: usize, to: usize) -> Vec<Range<usize>> {
    let (mut arguments, mut start, mut depth) = (Vec::new(), from, 0);
    for (at, byte) in text.bytes().enumerate().take(to).skip(from) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                arguments.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !arguments.is_empty() || !text[start..to].trim().is_empty() {
        arguments.push(start..to);
    }
    let trimmed = |a: Range<usize>| {
        let text = &text[a.clone()];
        let start = a.start + text.len() - text.trim_start().len();
        start..start + text.trim().len()
    };
    arguments.into_iter().map(trimmed).collect()
}

#[cfg(test)]
#[path = "statement_tests.rs"]
mod tests;
