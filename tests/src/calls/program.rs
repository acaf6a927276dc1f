//! A scenario made into the calls of one program: what its library and binding have, with a type for every variable. The
//! order of what a program does around a call is here; how it is spelled is in [`super::c`] and [`super::fortran`].

use super::notation::{Arg, Declaration, Element, ExpectedStatus, Scenario, Statement};
use super::{Binding, c, fortran};
use crate::mpi::Mpi;
use anyhow::{Context as _, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use trace_format::mpi::{Class, Dir, FnId, Function, Kind, Param};

/// A variable of a program.
#[derive(Debug, Clone)]
pub struct Variable {
    pub name: String,
    /// Its kind for MPI; the kind of its elements for an array.
    pub kind: Kind,
    /// Elements of an array or a message buffer.
    pub len: Option<usize>,
    /// The elements of a message buffer.
    pub element: Option<Element>,
    /// The integer type of an address or an attribute's value in Fortran.
    pub attribute: Option<Attribute>,
    /// Triples of ranks: an array of two dimensions in Fortran.
    pub triples: bool,
}

/// The width of addresses and attributes' values in a Fortran program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    /// `INTEGER`, as the functions of MPI-1 have it.
    Default,
    /// `INTEGER(KIND=MPI_ADDRESS_KIND)`
    Address,
}

impl Variable {
    pub fn is_buffer(&self) -> bool {
        self.element.is_some()
    }
}

/// A call of a program.
#[derive(Debug, Clone)]
pub struct Step {
    pub rank: Option<i32>,
    pub may_fail: bool,
    pub until: Option<usize>,
    pub function: &'static Function,
    /// The arguments as in the scenario.
    pub args: Vec<Arg>,
    /// The arguments as they are passed: a list is kept in a variable of its own, which stands for it.
    pub passed: Vec<Arg>,
    pub statuses: Vec<ExpectedStatus>,
    /// Its line in the scenario.
    pub scenario_line: usize,
    /// Its line in the program, from 1.
    pub line: u32,
}

impl Step {
    /// Parameters with what is passed for them.
    pub fn params(&self) -> impl Iterator<Item = (&'static Param, &Arg)> {
        self.function.params.iter().zip(&self.passed)
    }
}

/// A program with everything that is expected of it.
#[derive(Debug, Clone)]
pub struct Program {
    pub name: &'static str,
    pub binding: Binding,
    pub variables: BTreeMap<String, Variable>,
    pub steps: Vec<Step>,
    /// Functions that it does not call, with the reason that the scenario gives.
    pub left_out: BTreeMap<&'static str, String>,
    pub ranks: usize,
    /// Constants whose values the program writes down.
    pub constants: BTreeSet<String>,
    pub text: String,
}

/// Constants that are translated in a trace, so that their values are always wanted.
pub const TRANSLATED: [&str; 5] = ["MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_ROOT", "MPI_ANY_TAG", "MPI_UNDEFINED"];

/// The name of a program's file that MPI may write.
pub const PATH: &str = "path";

impl Program {
    /// The program of `scenario` in a binding of an MPI that has the functions `available`.
    pub fn new(
        scenario: &Scenario,
        mpi: &Mpi,
        binding: Binding,
        available: &BTreeSet<&'static str>,
    ) -> Result<Program> {
        let mut program = Program {
            name: scenario.name,
            binding,
            variables: BTreeMap::new(),
            steps: Vec::new(),
            left_out: BTreeMap::new(),
            ranks: scenario.ranks,
            constants: TRANSLATED.iter().map(|name| (*name).to_owned()).collect(),
            text: String::new(),
        };
        for declaration in &scenario.declarations {
            if let Declaration::Buffer { name, element, len } = declaration {
                program.declare(name, Kind::Buf, Some(*len), Some(*element), None);
            }
        }
        let lengths: BTreeMap<&str, usize> = scenario
            .declarations
            .iter()
            .filter_map(|d| match d {
                Declaration::Array { name, len } => Some((name.as_str(), *len)),
                Declaration::Buffer { .. } => None,
            })
            .collect();
        for paragraph in &scenario.paragraphs {
            let called = paragraph.statements.iter().map(|s| s.function);
            let has_all = called.chain(paragraph.needs.iter().copied()).all(|f| available.contains(f.name()));
            if let Some((_, why)) = paragraph.not.iter().find(|(name, _)| is_meant(name, mpi, binding)) {
                for statement in &paragraph.statements {
                    let name = program.variant(statement.function, available).name;
                    program.left_out.insert(name, why.clone());
                }
            } else if has_all {
                for statement in &paragraph.statements {
                    program
                        .step(statement, &lengths, available)
                        .with_context(|| format!("{}.calls, line {}", scenario.name, statement.line))?;
                }
            }
        }
        program.write();
        Ok(program)
    }

    fn declare(
        &mut self,
        name: &str,
        kind: Kind,
        len: Option<usize>,
        element: Option<Element>,
        attribute: Option<Attribute>,
    ) {
        let variable = Variable { name: name.to_owned(), kind, len, element, attribute, triples: false };
        self.variables.entry(name.to_owned()).or_insert(variable);
    }

    fn step(
        &mut self,
        statement: &Statement,
        lengths: &BTreeMap<&str, usize>,
        available: &BTreeSet<&'static str>,
    ) -> Result<()> {
        let function = self.variant(statement.function, available);
        let attribute = attribute(function);
        let mut passed = Vec::new();
        for (p, arg) in function.params.iter().zip(&statement.args) {
            if let Some(constant) = arg.constant()
                && is_integer(p.kind)
            {
                self.constants.insert(self.spelled(constant).to_owned());
            }
            if let Arg::List(items) = arg {
                let name = format!("k{}", self.variables.len());
                self.declare(&name, p.kind, Some(items.len()), None, attribute);
                if let Some(variable) = self.variables.get_mut(&name) {
                    variable.triples = p.len.starts_with('3');
                }
                passed.push(Arg::Name(name));
                continue;
            }
            let arg = match arg {
                Arg::MaybeNull(name) => Arg::Name(name.clone()),
                other => other.clone(),
            };
            if let Some(name) = arg.variable()
                && name != PATH
                && !matches!(name, "argc" | "argv")
            {
                self.declare(name, p.kind, lengths.get(name).copied(), None, attribute);
                let variable = &self.variables[name];
                let same = variable.kind.c_type() == p.kind.c_type()
                    && (variable.kind == Kind::Flag) == (p.kind == Kind::Flag);
                ensure!(
                    p.dir == Dir::In && p.len.is_empty() || same || variable.is_buffer() || variable.kind == Kind::Str,
                    "{name} is {:?} elsewhere and {:?} in {}",
                    variable.kind,
                    p.kind,
                    function.name
                );
            }
            passed.push(arg);
        }
        let until = statement.until.as_deref().and_then(|name| function.param(name));
        self.steps.push(Step {
            rank: statement.rank,
            may_fail: statement.may_fail,
            until,
            function,
            args: statement.args.clone(),
            passed,
            statuses: statement.statuses.clone(),
            scenario_line: statement.line,
            line: 0,
        });
        Ok(())
    }

    /// The function that the binding calls: its variant for large counts, if that is wanted and there.
    fn variant(&self, function: FnId, available: &BTreeSet<&'static str>) -> &'static Function {
        let row = function.row();
        let large = FnId::by_name(&format!("{}_c", row.name)).map(FnId::row);
        match large.filter(|l| l.params.len() == row.params.len() && available.contains(l.name)) {
            Some(large) if self.binding.is_large() => large,
            _ => row,
        }
    }

    /// The binding's name of a constant of the notation.
    pub fn spelled<'a>(&self, name: &'a str) -> &'a str {
        match (name, self.binding.is_fortran()) {
            ("INT", false) => "MPI_INT",
            ("INT", true) => "MPI_INTEGER",
            ("DBL", false) => "MPI_DOUBLE",
            ("DBL", true) => "MPI_DOUBLE_PRECISION",
            ("CHAR", false) => "MPI_CHAR",
            ("CHAR", true) => "MPI_CHARACTER",
            ("WORLD", _) => "MPI_COMM_WORLD",
            ("SELF", _) => "MPI_COMM_SELF",
            _ => name,
        }
    }

    /// Does it need the function that MPI calls for errors of a session?
    pub fn has_session_callback(&self) -> bool {
        self.steps.iter().any(|s| s.passed.contains(&Arg::Function("session_error_fn".into())))
    }

    /// The variable that an argument is, or is an element of.
    pub fn variable(&self, arg: &Arg) -> Option<&Variable> {
        self.variables.get(arg.variable()?)
    }

    fn write(&mut self) {
        let mut text = Text::default();
        let mut lines = Vec::new();
        {
            let program = &*self;
            let writer: &dyn Writer =
                if self.binding.is_fortran() { &fortran::Fortran { program } } else { &c::C { program } };
            writer.head(&mut text);
            for step in &self.steps {
                writer.begin(step, &mut text);
                if step.function.class == Class::Abort {
                    writer.close_witness(&mut text);
                }
                for ((p, passed), arg) in step.params().zip(&step.args) {
                    if let (Arg::List(items), Some(variable)) = (arg, program.variable(passed)) {
                        writer.fill(p, variable, items, &mut text);
                    }
                }
                witness(program, writer, step, "in", &mut text);
                lines.push(writer.call(step, &mut text));
                witness(program, writer, step, "out", &mut text);
                writer.end(step, &mut text);
            }
            writer.tail(&mut text);
        }
        for (step, line) in self.steps.iter_mut().zip(lines) {
            step.line = line;
        }
        self.text = text.text;
    }
}

/// Has the program write down the variables of a call that the scenario does not know: before it or after it.
fn witness(program: &Program, writer: &dyn Writer, step: &Step, when: &str, text: &mut Text) {
    for ((p, passed), arg) in step.params().zip(&step.args) {
        let wanted = if when == "in" { p.dir != Dir::Out } else { p.dir != Dir::In };
        if !wanted || matches!(arg, Arg::List(_)) {
            continue;
        }
        if let (Some(PATH), Kind::Str) = (arg.variable(), p.kind) {
            writer.witness_text(when, step, p.name, PATH, text);
        }
        let Some(variable) = program.variable(passed).filter(|v| !v.is_buffer()) else { continue };
        if p.kind == Kind::Str {
            writer.witness_text(when, step, p.name, &variable.name, text);
        } else if is_integer(p.kind) || p.kind == Kind::Pointer {
            writer.witness_integers(when, step, p, variable, passed, text);
        }
    }
}

/// Is it meant by `use-mpi` (a binding), `mpich` (an MPI or a family) or `mpich::use-mpi`?
fn is_meant(name: &str, mpi: &Mpi, binding: Binding) -> bool {
    let is_binding = |slug: &str| binding.slug() == slug || binding.is_f08() && slug == Binding::UseMpiF08.slug();
    match name.split_once("::") {
        Some((of, slug)) => mpi.is(of) && is_binding(slug),
        None => mpi.is(name) || is_binding(name),
    }
}

/// The type of the attributes and addresses of a function in Fortran.
pub fn attribute(function: &Function) -> Option<Attribute> {
    use FnId::*;
    match function.id {
        MPI_Attr_get | MPI_Attr_put | MPI_Keyval_create | MPI_Address | MPI_Type_extent | MPI_Type_lb | MPI_Type_ub
        | MPI_Type_hvector | MPI_Type_hindexed | MPI_Type_struct => Some(Attribute::Default),
        _ => function.params.iter().any(|p| p.kind == Kind::Keyval).then_some(Attribute::Address),
    }
}

/// Is it a number in every binding (a handle or an address is not)?
pub fn is_integer(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        Int | Count
            | Rank
            | Root
            | Tag
            | Flag
            | Index
            | Color
            | Keyval
            | ErrorCode
            | Const
            | LargeCount
            | Aint
            | Offset
            | Fint
    )
}

/// The syntax of a language for a program's statements.
pub trait Writer {
    fn head(&self, text: &mut Text);
    /// Ends what the program writes down.
    fn close_witness(&self, text: &mut Text);
    fn begin(&self, step: &Step, text: &mut Text);
    /// Assigns the elements of a list.
    fn fill(&self, param: &Param, variable: &Variable, items: &[Arg], text: &mut Text);
    fn witness_integers(&self, when: &str, step: &Step, p: &Param, variable: &Variable, arg: &Arg, text: &mut Text);
    fn witness_text(&self, when: &str, step: &Step, param: &str, variable: &str, text: &mut Text);
    /// The call, and what is to be done if it fails; the line of the call.
    fn call(&self, step: &Step, text: &mut Text) -> u32;
    fn end(&self, step: &Step, text: &mut Text);
    fn tail(&self, text: &mut Text);
}

/// The lines of a program.
#[derive(Debug, Default)]
pub struct Text {
    text: String,
    lines: u32,
}

impl Text {
    /// Appends a line (or several); the number of the last.
    pub fn line(&mut self, line: impl AsRef<str>) -> u32 {
        let line = line.as_ref();
        self.text.push_str(line);
        self.text.push('\n');
        self.lines += line.matches('\n').count() as u32 + 1;
        self.lines
    }

    /// The number that the next line gets.
    pub fn next(&self) -> u32 {
        self.lines + 1
    }
}
