//! Programs in the three Fortran bindings.

use super::Binding;
use super::notation::{Arg, Element};
use super::program::{Attribute, Program, Step, Text, Variable, Writer, attribute, is_integer};
use trace_format::mpi::{Class, Dir, Kind, Param};

/// The module that every program begins with. A line that begins with `!8` is for `mpi_f08` alone, one with `!i` for the
/// bindings where handles are integers; `!t` and `!s` are the same of a program with sessions. `!u` and `!h` stand for the
/// module and the header of the binding.
const HEAD: &str = include_str!("../../calls/head.f90");

/// Letters of a `CHARACTER` variable: no library has longer strings.
const LETTERS: usize = 8192;

pub struct Fortran<'a> {
    pub program: &'a Program,
}

impl Fortran<'_> {
    fn is_f08(&self) -> bool {
        self.program.binding == Binding::UseMpiF08
    }

    /// `use mpi`, as a line of its own; empty for mpif.h.
    fn module(&self) -> &'static str {
        match self.program.binding {
            Binding::UseMpi => "use mpi",
            Binding::UseMpiF08 => "use mpi_f08",
            _ => "",
        }
    }

    fn header(&self) -> &'static str {
        if self.program.binding == Binding::MpifH { "include 'mpif.h'" } else { "" }
    }

    fn declaration(&self, v: &Variable) -> String {
        let name = &v.name;
        let shape = match v.len {
            Some(len) if v.triples => format!("(3,{})", len / 3),
            Some(len) => format!("({len})"),
            None => String::new(),
        };
        match (v.element, v.kind) {
            (Some(Element::Int), _) => format!("integer, target :: {name}{shape}"),
            (Some(Element::Real8), _) => format!("real(8), target :: {name}{shape}"),
            (Some(Element::Byte), _) => format!("integer(1), target :: {name}{shape}"),
            (None, Kind::Status) if self.is_f08() => format!("type(MPI_Status) :: {name}{shape}"),
            (None, Kind::Status) => {
                let shape = v.len.map_or(String::new(), |len| format!(",{len}"));
                format!("integer :: {name}(MPI_STATUS_SIZE{shape})")
            }
            (None, Kind::Str) => format!("character(len={LETTERS}) :: {name}"),
            // One more, for the blank that ends an array of strings.
            (None, Kind::StrArray) => format!("character(len=64) :: {name}({})", v.len.unwrap_or(0) + 1),
            (None, Kind::Pointer) if v.attribute.is_none() && self.is_f08() => format!("type(c_ptr) :: {name}"),
            (None, kind) => format!("{} :: {name}{shape}", self.scalar(kind, v.attribute)),
        }
    }

    fn scalar(&self, kind: Kind, attribute: Option<Attribute>) -> String {
        match kind {
            Kind::Flag => "logical".into(),
            Kind::Pointer | Kind::Aint if attribute == Some(Attribute::Default) => "integer".into(),
            kind if kind.is_handle() && self.is_f08() => format!("type({})", kind.c_type()),
            kind => match integer_kind(kind) {
                Some(name) => format!("integer(kind={name})"),
                None => "integer".into(),
            },
        }
    }

    fn argument(&self, p: &Param, arg: &Arg, attribute: Option<Attribute>) -> String {
        let literal = |value: i64| match (p.kind, integer_kind(p.kind)) {
            (Kind::Flag, _) => (if value == 0 { ".false." } else { ".true." }).to_owned(),
            (Kind::Pointer | Kind::Aint, _) if attribute == Some(Attribute::Default) => value.to_string(),
            (_, Some(kind)) => format!("{value}_{kind}"),
            (_, None) => value.to_string(),
        };
        match arg {
            Arg::Int(value) => literal(*value),
            Arg::ByRank(values) => format!("merge({}, {}, me == 0)", literal(values[0]), literal(values[1])),
            // The blanks at the end are not part of the value.
            Arg::Text(text) => format!("'{text}  '"),
            Arg::Function(name) => name.clone(),
            Arg::Element(name, index) => match self.program.variables.get(name) {
                Some(v) if v.kind == Kind::Status && !self.is_f08() => format!("{name}(:,{})", index + 1),
                _ => format!("{name}({})", index + 1),
            },
            Arg::List(_) => String::new(),
            Arg::Name(name) | Arg::MaybeNull(name) => match self.program.variables.get(name) {
                Some(v) if p.kind == Kind::Pointer && p.dir == Dir::In && v.kind == Kind::Pointer => {
                    "own_memory".into()
                }
                _ => self.program.spelled(name).to_owned(),
            },
        }
    }

    /// An expression for the value of a variable as an INTEGER(8), or of all elements.
    fn number(&self, p: &Param, v: &Variable, expression: &str) -> String {
        match p.kind {
            Kind::Flag => format!("merge(1_8, 0_8, {expression})"),
            Kind::Pointer if v.attribute.is_none() && self.is_f08() => format!("transfer({expression}, 0_8)"),
            _ => format!("int({expression}, 8)"),
        }
    }
}

fn integer_kind(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::LargeCount => Some("MPI_COUNT_KIND"),
        Kind::Aint | Kind::Pointer => Some("MPI_ADDRESS_KIND"),
        Kind::Offset => Some("MPI_OFFSET_KIND"),
        _ => None,
    }
}

impl Writer for Fortran<'_> {
    fn head(&self, text: &mut Text) {
        for line in HEAD.lines() {
            let (mark, rest) = line.split_at(line.len().min(3));
            match mark.trim_end() {
                "!8" if self.is_f08() => _ = text.line(rest),
                "!i" if !self.is_f08() => _ = text.line(rest),
                "!t" if self.is_f08() && self.program.has_session_callback() => _ = text.line(rest),
                "!s" if !self.is_f08() && self.program.has_session_callback() => _ = text.line(rest),
                "!8" | "!i" | "!t" | "!s" => {}
                "!u" => _ = text.line(self.module()),
                "!h" => _ = text.line(self.header()),
                _ => _ = text.line(line),
            }
        }
        text.line(
            "program calls\nuse, intrinsic :: iso_c_binding\nuse helper, only: must, wi, wt, open_witness, path, &",
        );
        let sessions = if self.program.has_session_callback() { ", session_error_fn" } else { "" };
        let callbacks = "op_fn, comm_error_fn, win_error_fn, file_error_fn, query_fn, free_fn, cancel_fn, extent_fn";
        text.line(format!("    {callbacks}{sessions}"));
        text.line(format!("{}\nimplicit none\n{}", self.module(), self.header()));
        text.line("integer :: ierr, times\ninteger, pointer :: own_memory(:)\nreal(8) :: own_seconds");
        text.line("integer(kind=MPI_ADDRESS_KIND) :: own_address");
        for v in self.program.variables.values() {
            text.line(self.declaration(v));
        }
        text.line("call open_witness()");
        for v in self.program.variables.values().filter(|v| v.kind == Kind::Str) {
            text.line(format!("{} = ' '", v.name));
        }
        for v in
            self.program.variables.values().filter(|v| !v.is_buffer() && is_integer(v.kind) && v.kind != Kind::Flag)
        {
            text.line(format!("{} = 0", v.name));
        }
        for name in &self.program.constants {
            text.line(format!("call wi('const', 0, '{name}', [int({name}, 8)])"));
        }
        for v in self.program.variables.values().filter(|v| v.is_buffer()) {
            text.line(format!("call wi('addr', 0, '{0}', [int(loc({0}), 8)])", v.name));
            text.line(format!("{} = 0", v.name));
        }
    }

    fn begin(&self, step: &Step, text: &mut Text) {
        if let Some(rank) = step.rank {
            text.line(format!("if (me == {rank}) then"));
        }
        for (p, arg) in step.params() {
            let Some(v) = self.program.variable(arg) else { continue };
            if p.kind == Kind::Str && p.dir == Dir::Out {
                text.line(format!("{} = ' '", v.name));
            }
            if p.kind == Kind::Pointer && p.dir == Dir::In && v.kind == Kind::Pointer {
                let name = &v.name;
                let pointer = if self.is_f08() { name.clone() } else { format!("transfer({name}, c_null_ptr)") };
                text.line(format!("call c_f_pointer({pointer}, own_memory, [1])"));
            }
        }
    }

    fn fill(&self, p: &Param, variable: &Variable, items: &[Arg], text: &mut Text) {
        let element = Param { dir: Dir::In, len: "", ..*p };
        for (i, item) in items.iter().enumerate() {
            let place = if variable.triples { format!("{},{}", i % 3 + 1, i / 3 + 1) } else { (i + 1).to_string() };
            text.line(format!("{}({place}) = {}", variable.name, self.argument(&element, item, variable.attribute)));
        }
        if p.kind == Kind::StrArray {
            text.line(format!("{}({}) = ' '", variable.name, items.len() + 1));
        }
    }

    fn witness_integers(&self, when: &str, step: &Step, p: &Param, v: &Variable, arg: &Arg, text: &mut Text) {
        let values = match (arg, v.len) {
            (Arg::Element(name, index), _) => format!("[{}]", self.number(p, v, &format!("{name}({})", index + 1))),
            (_, Some(_)) => self.number(p, v, &v.name),
            (_, None) => format!("[{}]", self.number(p, v, &v.name)),
        };
        text.line(format!("call wi('{when}', {}, '{}', {values})", step.scenario_line, p.name));
    }

    fn witness_text(&self, when: &str, step: &Step, param: &str, variable: &str, text: &mut Text) {
        text.line(format!("call wt('{when}', {}, '{param}', {variable})", step.scenario_line));
    }

    fn call(&self, step: &Step, text: &mut Text) -> u32 {
        let attribute = attribute(step.function);
        let passed = step.params().filter(|(p, _)| {
            // The arguments of the program are not passed in Fortran.
            step.function.param("argc").is_none() || !matches!(p.name, "argc" | "argv")
        });
        let mut args: Vec<String> = passed.map(|(p, arg)| self.argument(p, arg, attribute)).collect();
        let name = step.function.name;
        let call = match step.function.ret {
            Kind::Double => format!("own_seconds = {name}()"),
            Kind::Aint => format!("own_address = {name}({})", args.join(", ")),
            _ => {
                if step.function.class != Class::Pcontrol {
                    args.push("ierr".to_owned());
                }
                // gfortran 12 gives a call of a generic routine the line of the statement around it.
                format!("if (me >= 0) call {name}({})", args.join(", "))
            }
        };
        if step.until.is_some() {
            text.line("times = 0\ndo");
        }
        let line = text.line(call);
        if !step.may_fail {
            text.line(format!("call must(ierr, {line})"));
        }
        if let Some(until) = step.until {
            let found = match step.function.params[until].kind {
                Kind::Flag => step.passed[until].variable().unwrap_or_default().to_owned(),
                _ => format!("{} /= 0", step.passed[until].variable().unwrap_or_default()),
            };
            text.line(format!("times = times + 1\nif ({found}) exit\nend do"));
            text.line(format!("call wi('times', {}, '-', [int(times, 8)])", step.scenario_line));
        }
        line
    }

    fn end(&self, step: &Step, text: &mut Text) {
        if step.rank.is_some() {
            text.line("end if");
        }
    }

    fn tail(&self, text: &mut Text) {
        self.close_witness(text);
        text.line("end program");
    }

    fn close_witness(&self, text: &mut Text) {
        text.line("call wi('rank', 0, '-', [int(me, 8)])\nclose(77)");
    }
}
