//! The notation of scenarios.
//!
//! ```text
//! # a comment
//! int a[8]                                  a message buffer: int, real8 or byte
//! array r[2]                                an array of what the calls say it is
//! MPI_Comm_rank(WORLD, me)                  a call of every rank; a new name is a new variable
//! 0: MPI_Send(a, 8, INT, 1, 7, WORLD)       a call of one rank
//! 1: MPI_Recv(a, 8, INT, MPI_ANY_SOURCE, 7, WORLD, st) = 0/7/32
//! 0: until flag MPI_Test(r[0], flag, st)    repeated until the output is not zero
//! try MPI_Open_port(MPI_INFO_NULL, port)    may return an error
//! ```
//!
//! Arguments are in the order of the table of functions: numbers, `{1,0}` (a number for each rank), names of MPI's constants or
//! their sum (`MPI_MODE_CREATE+MPI_MODE_RDWR`), variables and their elements, `"text"`, `[1,2]`, and `@name` for a function of
//! the program. `name?` is an output handle that may be null. Behind `=` are the expected statuses: source, tag, bytes. `INT`,
//! `DBL`, `CHAR`, `WORLD` and `SELF` are short for what the binding calls them. `argc`, `argv` and `path` (the name of a file
//! that may be written) exist from the start.
//!
//! Lines without an empty line between them are a paragraph. It is left out as a whole where the library or the binding
//! lacks one of its functions. At its head `not use-mpi: reason` leaves it out of a binding (or of an MPI: `mpich`, or of
//! a binding of one: `mpich::use-mpi`), and `needs MPI_X` where there is no such function. `ranks 1` is for programs that
//! do not run on two.

use anyhow::{Context as _, Result, bail, ensure};
use trace_format::mpi::FnId;

/// An argument as the scenario gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    Int(i64),
    /// A value for each rank.
    ByRank(Vec<i64>),
    /// A constant of MPI (`MPI_...`) or a variable.
    Name(String),
    /// An output that may be null.
    MaybeNull(String),
    Element(String, usize),
    Text(String),
    List(Vec<Arg>),
    /// A function of the program.
    Function(String),
}

impl Arg {
    /// The variable that the argument is, or is an element of.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Arg::Name(name) | Arg::MaybeNull(name) if !is_constant(name) => Some(name),
            Arg::Element(name, _) => Some(name),
            _ => None,
        }
    }

    /// The constant of MPI that the argument is.
    pub fn constant(&self) -> Option<&str> {
        match self {
            Arg::Name(name) if is_constant(name) => Some(name),
            _ => None,
        }
    }
}

/// Names of MPI begin with its prefix; the short names are in capital letters.
pub fn is_constant(name: &str) -> bool {
    name.starts_with("MPI_") || matches!(name, "INT" | "DBL" | "CHAR" | "WORLD" | "SELF")
}

/// A status as it must be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedStatus {
    pub source: Arg,
    pub tag: Arg,
    pub bytes: Arg,
}

/// A call of the scenario.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The rank that makes it; all if there is none.
    pub rank: Option<i32>,
    /// It may return an error.
    pub may_fail: bool,
    /// The output parameter that ends its repetition.
    pub until: Option<String>,
    pub function: FnId,
    pub args: Vec<Arg>,
    pub statuses: Vec<ExpectedStatus>,
    /// Its line in the scenario.
    pub line: usize,
}

/// The type of the elements of a message buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Int,
    Real8,
    Byte,
}

/// Memory that is declared.
#[derive(Debug, Clone)]
pub enum Declaration {
    Buffer { name: String, element: Element, len: usize },
    Array { name: String, len: usize },
}

/// Calls that belong together.
#[derive(Debug, Clone, Default)]
pub struct Paragraph {
    /// Bindings (by their file names), MPIs, or pairs of them that it is not for, and why.
    pub not: Vec<(String, String)>,
    /// Functions without which it is left out, besides those that it calls.
    pub needs: Vec<FnId>,
    pub statements: Vec<Statement>,
}

/// The calls of one program.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub name: &'static str,
    pub ranks: usize,
    pub declarations: Vec<Declaration>,
    pub paragraphs: Vec<Paragraph>,
}

impl Scenario {
    /// Reads a scenario.
    pub fn parse(name: &'static str, text: &str) -> Result<Scenario> {
        let ranks = super::RANKS;
        let mut scenario = Scenario { name, ranks, declarations: Vec::new(), paragraphs: vec![Paragraph::default()] };
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                scenario.paragraphs.push(Paragraph::default());
            } else if !line.starts_with('#') {
                scenario.line(line, at + 1).with_context(|| format!("{name}.calls, line {}: {line}", at + 1))?;
            }
        }
        scenario.paragraphs.retain(|p| !p.statements.is_empty());
        Ok(scenario)
    }

    fn line(&mut self, line: &str, number: usize) -> Result<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let element = match word {
            "int" => Some(Element::Int),
            "real8" => Some(Element::Real8),
            "byte" => Some(Element::Byte),
            "array" => None,
            "ranks" => {
                self.ranks = rest.parse()?;
                return Ok(());
            }
            "needs" => {
                self.paragraph().needs.push(FnId::by_name(rest).context("no such function")?);
                return Ok(());
            }
            "not" => {
                let (binding, reason) = rest.split_once(": ").context("expected `not BINDING: reason`")?;
                ensure!(!reason.trim().is_empty(), "a reason is missing");
                self.paragraph().not.push((binding.trim().to_owned(), reason.trim().to_owned()));
                return Ok(());
            }
            _ => {
                let statement = statement(line, number)?;
                self.paragraph().statements.push(statement);
                return Ok(());
            }
        };
        let Arg::Element(name, len) = argument(rest)? else { bail!("expected name[length]") };
        self.declarations.push(match element {
            Some(element) => Declaration::Buffer { name, element, len },
            None => Declaration::Array { name, len },
        });
        Ok(())
    }

    fn paragraph(&mut self) -> &mut Paragraph {
        if self.paragraphs.is_empty() {
            self.paragraphs.push(Paragraph::default());
        }
        let last = self.paragraphs.len() - 1;
        &mut self.paragraphs[last]
    }
}

fn statement(line: &str, number: usize) -> Result<Statement> {
    let (rank, line) = match line.split_once(": ") {
        Some((rank, rest)) if rank.len() == 1 => (Some(rank.parse()?), rest),
        _ => (None, line),
    };
    let (until, line) = match line.strip_prefix("until ").and_then(|rest| rest.split_once(' ')) {
        Some((until, rest)) => (Some(until.to_owned()), rest),
        None => (None, line),
    };
    let (may_fail, line) = line.strip_prefix("try ").map_or((false, line), |rest| (true, rest));
    let (call, statuses) = line.split_once(" = ").unwrap_or((line, ""));
    let (name, args) = call.trim().strip_suffix(')').and_then(|c| c.split_once('(')).context("expected NAME(...)")?;
    let function = FnId::by_name(name).with_context(|| format!("{name} is not in the table of functions"))?;
    let args = split(args).into_iter().map(argument).collect::<Result<Vec<_>>>()?;
    let row = function.row();
    ensure!(args.len() == row.params.len(), "{name} has {} parameters", row.params.len());
    if let Some(until) = &until {
        ensure!(row.param(until).is_some(), "{name} has no parameter {until}");
    }
    let statuses = statuses.split_whitespace().map(status).collect::<Result<Vec<_>>>()?;
    Ok(Statement { rank, may_fail, until, function, args, statuses, line: number })
}

fn status(text: &str) -> Result<ExpectedStatus> {
    let parts: Vec<&str> = text.split('/').collect();
    let [source, tag, bytes] = parts[..] else { bail!("expected source/tag/bytes, found {text}") };
    Ok(ExpectedStatus { source: argument(source)?, tag: argument(tag)?, bytes: argument(bytes)? })
}

/// Splits at the commas that are in no brackets and no text.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut quoted, mut start) = (Vec::new(), 0, false, 0);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn argument(text: &str) -> Result<Arg> {
    let text = text.trim();
    let inside = |open: char, close: char| text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
    if let Some(list) = inside('{', '}') {
        let values: Vec<i64> = split(list).into_iter().map(str::parse).collect::<Result<_, _>>()?;
        ensure!(values.len() == super::RANKS, "a value for each rank is wanted: {text}");
        return Ok(Arg::ByRank(values));
    }
    if let Some(list) = inside('[', ']') {
        return Ok(Arg::List(split(list).into_iter().map(argument).collect::<Result<_>>()?));
    }
    if let Some(text) = inside('"', '"') {
        return Ok(Arg::Text(text.to_owned()));
    }
    if let Ok(value) = text.parse() {
        return Ok(Arg::Int(value));
    }
    if let Some((name, index)) = text.strip_suffix(']').and_then(|t| t.split_once('[')) {
        return Ok(Arg::Element(name.to_owned(), index.parse()?));
    }
    let is_name = |t: &str| !t.is_empty() && t.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '+');
    match (text.strip_prefix('@'), text.strip_suffix('?')) {
        (Some(name), _) if is_name(name) => Ok(Arg::Function(name.to_owned())),
        (_, Some(name)) if is_name(name) => Ok(Arg::MaybeNull(name.to_owned())),
        _ if is_name(text) => Ok(Arg::Name(text.to_owned())),
        _ => bail!("`{text}` is no argument"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read() {
        let text = "int a[4]\n\n# nothing\n1: MPI_Recv(a, 4, INT, {1,0}, 7, WORLD, st) = 0/7/16\n";
        let scenario = Scenario::parse("test", text).unwrap();
        let statement = &scenario.paragraphs[0].statements[0];
        assert_eq!((statement.rank, statement.line, statement.statuses.len()), (Some(1), 4, 1));
        assert_eq!(statement.args[3], Arg::ByRank(vec![1, 0]));
        assert!(Scenario::parse("test", "MPI_Send(1)").is_err(), "too few arguments");
        assert!(Scenario::parse("test", "MPI_Sent(1)").is_err(), "no function");
    }
}
