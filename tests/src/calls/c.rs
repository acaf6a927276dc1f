//! Programs in C.

use super::notation::{Arg, Element};
use super::program::{Program, Step, Text, Variable, Writer};
use trace_format::mpi::{Dir, Kind, Param};

/// The beginning of every program: the witness, and the functions that MPI calls.
const HEAD: &str = include_str!("../../calls/head.c");

/// Not every library has sessions.
const SESSION_ERROR: &str =
    "static void session_error_fn(MPI_Session *session, int *code, ...)\n{\n    (void)session, (void)code;\n}\n";

pub struct C<'a> {
    pub program: &'a Program,
}

impl C<'_> {
    /// An argument, in the form in which the parameter takes it.
    fn argument(&self, p: &Param, arg: &Arg, large: bool) -> String {
        let pointer = p.dir != Dir::In || matches!(p.kind, Kind::Status | Kind::F08Status | Kind::Opaque);
        match arg {
            Arg::Int(value) if p.kind == Kind::Pointer => format!("(void *)(intptr_t){value}"),
            Arg::Int(value) => value.to_string(),
            Arg::ByRank(values) => format!("(me == 0 ? {} : {})", values[0], values[1]),
            Arg::Text(text) => format!("\"{text}\""),
            // A function that MPI calls with large counts has another type.
            Arg::Function(name) if large && name == "op_fn" => format!("{name}_c"),
            Arg::Function(name) => name.clone(),
            Arg::Name(name) if large && name == "MPI_CONVERSION_FN_NULL" => format!("{name}_C"),
            Arg::Element(name, index) if pointer => format!("&{name}[{index}]"),
            Arg::Element(name, index) => format!("{name}[{index}]"),
            Arg::List(_) => String::new(),
            Arg::Name(name) | Arg::MaybeNull(name) => match self.program.variables.get(name) {
                Some(v) if v.len.is_none() && v.kind != Kind::Str && pointer => format!("&{name}"),
                None if matches!(name.as_str(), "argc" | "argv") => format!("&{name}"),
                // The table has the triples of a range as plain integers.
                Some(_) if p.len.starts_with('3') => format!("(int (*)[3]){name}"),
                _ => self.program.spelled(name).to_owned(),
            },
        }
    }
}

/// The type of a variable or of its elements.
fn type_name(variable: &Variable) -> &'static str {
    match (variable.element, variable.kind) {
        (Some(Element::Int), _) => "int",
        (Some(Element::Real8), _) => "double",
        (Some(Element::Byte), _) => "char",
        (None, Kind::Status) => "MPI_Status",
        (None, Kind::FStatus) => "MPI_Fint",
        (None, Kind::F08Status) => "MPI_F08_status",
        (None, Kind::Opaque) => "int",
        (None, kind) => kind.c_type(),
    }
}

impl Writer for C<'_> {
    fn head(&self, text: &mut Text) {
        text.line(HEAD);
        if self.program.has_session_callback() {
            text.line(SESSION_ERROR);
        }
        text.line("int main(int argc, char **argv)\n{");
        for v in self.program.variables.values() {
            text.line(match (v.len, v.kind) {
                (_, Kind::Str) => format!("    static char {}[8192];", v.name),
                // One more, for the NULL at the end of an array of strings.
                (Some(len), Kind::StrArray) => format!("    static char *{}[{}];", v.name, len + 1),
                (Some(len), _) => format!("    static {} {}[{len}];", type_name(v), v.name),
                (None, _) => format!("    static {} {};", type_name(v), v.name),
            });
        }
        text.line("    open_witness(argv[1]);");
        for name in &self.program.constants {
            text.line(format!("    wl(\"const\", 0, \"{name}\"); wv((long long){name}); we();"));
        }
        for v in self.program.variables.values().filter(|v| v.is_buffer() || v.kind == Kind::Request) {
            let name = &v.name;
            text.line(format!("    wl(\"addr\", 0, \"{name}\"); wv((long long)(intptr_t)&{name}); we();"));
        }
    }

    fn begin(&self, step: &Step, text: &mut Text) {
        text.line(match step.rank {
            Some(rank) => format!("    if (me == {rank}) {{"),
            None => "    {".to_owned(),
        });
    }

    fn fill(&self, p: &Param, variable: &Variable, items: &[Arg], text: &mut Text) {
        let element = Param { dir: Dir::In, len: "", ..*p };
        for (i, item) in items.iter().enumerate() {
            text.line(format!("        {}[{i}] = {};", variable.name, self.argument(&element, item, false)));
        }
    }

    fn witness_integers(&self, when: &str, step: &Step, p: &Param, v: &Variable, arg: &Arg, text: &mut Text) {
        // The line of the call is named by what is printed; before the call it is not known yet.
        let cast = if p.kind == Kind::Pointer { "(long long)(intptr_t)" } else { "(long long)" };
        let values = match (arg, v.len) {
            (Arg::Element(name, index), _) => format!("wv({cast}{name}[{index}]);"),
            (_, Some(len)) => format!("for (int i = 0; i < {len}; i++) wv({cast}{}[i]);", v.name),
            (_, None) => format!("wv({cast}{});", v.name),
        };
        text.line(format!("        wl(\"{when}\", {}, \"{}\"); {values} we();", step.scenario_line, p.name));
    }

    fn witness_text(&self, when: &str, step: &Step, param: &str, variable: &str, text: &mut Text) {
        text.line(format!("        wt(\"{when}\", {}, \"{param}\", {variable});", step.scenario_line));
    }

    fn call(&self, step: &Step, text: &mut Text) -> u32 {
        let args: Vec<String> = {
            let large = step.function.name.ends_with("_c");
            step.params().map(|(p, arg)| self.argument(p, arg, large)).collect()
        };
        let (name, args) = (step.function.name, args.join(", "));
        let call = match step.function.ret {
            Kind::Code => format!("        rc = {name}({args});"),
            // In brackets, since some libraries have macros of these names besides.
            _ => format!("        (void)({name})({args});"),
        };
        if step.until.is_some() {
            text.line("        times = 0;\n        do {");
        }
        let line = text.line(call);
        if !step.may_fail {
            text.line(format!("        must(rc, {line});"));
        }
        if let Some(until) = step.until {
            let name = step.passed[until].variable().unwrap_or_default();
            text.line(format!("        times++;\n        }} while (!{name});"));
            text.line(format!("        wl(\"times\", {}, \"-\"); wv(times); we();", step.scenario_line));
        }
        line
    }

    fn end(&self, _: &Step, text: &mut Text) {
        text.line("    }");
    }

    fn tail(&self, text: &mut Text) {
        self.close_witness(text);
        text.line("    return 0;\n}");
    }

    fn close_witness(&self, text: &mut Text) {
        text.line("    close_witness(me);");
    }
}
