//! Holds a recorded trace against the program that was run.

use super::notation::{Arg, ExpectedStatus};
use super::program::{Attribute, Program, Step, attribute};
use super::witness::Witness;
use anyhow::{Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use trace_format::call::{Call, Outcome, Status, Value, special};
use trace_format::definition::{COMM_SELF, COMM_WORLD, Definition, GROUP_EMPTY, Id, NULL_ID, UNKNOWN_ID};
use trace_format::mpi::predefined::{ERRHANDLERS, INFOS, datatype_id, error_class_name, op_id};
use trace_format::mpi::{Class, Dir, Kind, Many, Param, Start};
use trace_format::plan::{Elem, Item, Len, Shape, plans};
use trace_format::reader::{RankEvent, RankReader};
use trace_format::symbols::Symbolizer;

/// What mpivet recorded of one rank.
#[derive(Default)]
pub struct Recorded {
    calls: Vec<Call>,
    stacks: BTreeMap<Id, Vec<u64>>,
    symbolizer: Symbolizer,
}

impl Recorded {
    /// Reads the trace of a rank that has ended.
    pub fn read(dir: &Path, rank: i32) -> Result<Recorded> {
        let mut recorded = Recorded::default();
        let mut reader = RankReader::open(dir, rank)?;
        reader.writer_is_gone();
        while reader.poll(64, &mut |event| recorded.add(event))? {}
        ensure!(reader.defects.is_empty(), "{:?}", reader.defects);
        Ok(recorded)
    }

    fn add(&mut self, event: RankEvent) {
        match event {
            RankEvent::Definition(Definition::Module(module)) => self.symbolizer.add_module(module),
            RankEvent::Definition(Definition::Stack { id, frames }) => _ = self.stacks.insert(id, frames),
            RankEvent::Call(call) => self.calls.push(call),
            RankEvent::Return { thread, index, class, polls, outs, .. } => {
                let open = self.calls.iter_mut().rev().find(|c| c.thread == thread && c.index == index);
                if let Some(call) = open {
                    (call.outcome, call.outs) = (Outcome::Returned(class), outs);
                    call.polls = call.polls.max(polls);
                }
            }
            _ => {}
        }
    }

    /// Where the program made a call: its innermost frame outside of the MPI library and its bindings.
    fn place(&mut self, site: Id) -> String {
        for frame in self.stacks.get(&site).into_iter().flatten() {
            let places = self.symbolizer.call_site(*frame);
            let Some(place) = places.first() else { continue };
            let module = place.module.rsplit('/').next().unwrap_or_default();
            if !module.starts_with("libmpi") && !module.starts_with("libopen-") {
                let file = place.file.rsplit('/').next().unwrap_or_default();
                return format!("{file}:{}", place.line);
            }
        }
        "nowhere".to_owned()
    }
}

/// What came of the comparison.
#[derive(Debug, Default)]
pub struct Tally {
    pub made: u64,
    pub recorded: u64,
    /// What is wrong, with the function that it is about.
    pub complaints: Vec<(&'static str, String)>,
}

impl Tally {
    fn complain(&mut self, function: &'static str, what: String) {
        self.complaints.push((function, what));
    }
}

/// Compares what rank `rank` recorded with what its program did. `source` is the file name of the program.
pub fn check(
    program: &Program,
    source: &str,
    rank: i32,
    witness: &Witness,
    recorded: &mut Recorded,
    tally: &mut Tally,
) {
    let steps: Vec<&Step> = program.steps.iter().filter(|s| s.rank.is_none_or(|r| r == rank)).collect();
    tally.made +=
        steps.iter().map(|s| witness.times(s.scenario_line).filter(|_| s.until.is_some()).unwrap_or(1)).sum::<u64>();
    tally.recorded += recorded.calls.iter().map(|c| 1 + u64::from(c.polls)).sum::<u64>();

    // A repeated call is one step.
    let mut groups: Vec<Vec<Call>> = Vec::new();
    for call in std::mem::take(&mut recorded.calls) {
        match groups.last_mut().filter(|g| g[0].site == call.site && g[0].func == call.func && call.site != 0) {
            Some(group) => group.push(call),
            None => groups.push(vec![call]),
        }
    }
    let made: Vec<&str> = steps.iter().map(|s| s.function.name).collect();
    let found: Vec<&str> = groups.iter().map(|g| g[0].func.name()).collect();
    let mut state = State { program, rank, witness, objects: BTreeMap::new(), persistent: BTreeSet::new() };
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &made, &found) {
        let (_, old, new) = op.as_tag_tuple();
        if made[old.clone()] == found[new.clone()] {
            for (step, group) in steps[old].iter().zip(&groups[new]) {
                let place = recorded.place(group[0].site);
                if place != format!("{source}:{}", step.line) {
                    let what = format!("{} of line {} has its place in {place}", step.function.name, step.line);
                    tally.complain(step.function.name, format!("rank {rank}: {what}"));
                }
                state.step(step, group, tally);
            }
            continue;
        }
        for step in &steps[old] {
            let what = format!("rank {rank}: {} of line {} is not recorded", step.function.name, step.line);
            tally.complain(step.function.name, what);
        }
        for group in &groups[new] {
            let name = group[0].func.name();
            let place = recorded.place(group[0].site);
            tally.complain(
                name,
                format!("rank {rank}: {name} at {place} is recorded {} times, and was not made", group.len()),
            );
        }
    }
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq)]
enum Expected {
    Value(i64),
    /// The object in this variable.
    Object(String),
    Any,
}

struct State<'a> {
    program: &'a Program,
    rank: i32,
    witness: &'a Witness,
    /// Recorded numbers of the objects that variables hold, by their names (`c`, `r[1]`).
    objects: BTreeMap<String, i64>,
    /// Variables with persistent requests.
    persistent: BTreeSet<String>,
}

impl State<'_> {
    fn step(&mut self, step: &Step, group: &[Call], tally: &mut Tally) {
        let plan = &plans()[step.function.id.index()];
        let mut complaints = Vec::new();
        for call in group {
            match call.outcome {
                Outcome::Returned(class) if class == 0 || step.may_fail => {}
                Outcome::Returned(class) => complaints.push(format!("returned {}", error_class_name(class))),
                Outcome::Open if step.function.class == Class::Abort => return,
                Outcome::Open => complaints.push("has no return".to_owned()),
            }
            for item in &plan.ins {
                self.item(step, item, &call.ins[item.param], true, &mut complaints);
            }
        }
        let times = group.iter().map(|c| 1 + u64::from(c.polls)).sum::<u64>();
        let expected = self.witness.times(step.scenario_line).filter(|_| step.until.is_some()).unwrap_or(1);
        if times != expected {
            complaints.push(format!("was made {expected} times and recorded {times} times"));
        }
        // What an error leaves behind is nobody's business.
        if let Some(last) = group.last().filter(|last| !step.may_fail || last.succeeded()) {
            for item in &plan.outs {
                match last.outs.get(item.param) {
                    Some(value) => self.item(step, item, value, false, &mut complaints),
                    None => complaints.push(format!("{} is not recorded", step.function.params[item.param].name)),
                }
            }
            self.completed(step, last);
        }
        complaints.dedup();
        for complaint in complaints {
            let (rank, name, line) = (self.rank, step.function.name, step.line);
            tally.complain(name, format!("rank {rank}: {name} of line {line}: {complaint}"));
        }
    }

    fn item(&mut self, step: &Step, item: &Item, value: &Value, at_call: bool, complaints: &mut Vec<String>) {
        let (p, passed) = (&step.function.params[item.param], &step.passed[item.param]);
        let mut expect = |what: String, ok: bool| {
            if !ok {
                let when = if at_call { "at the call" } else { "at the return" };
                complaints.push(format!("{} {when} is {value:?}, expected {what}", p.name));
            }
        };
        match item.shape {
            Shape::Str { at_root, .. } => {
                if let Some(text) = self.text(step, item.param, at_call, at_root) {
                    expect(format!("{text:?}"), *value == Value::Str(text.clone()));
                }
            }
            Shape::StrArray { at_root, .. } => {
                let Arg::List(items) = &step.args[item.param] else {
                    return expect("nothing".into(), *value == Value::Str(String::new()));
                };
                let words = items.iter().filter_map(|i| if let Arg::Text(t) = i { Some(t.as_str()) } else { None });
                let text =
                    if at_root && !self.is_root(step) { String::new() } else { words.collect::<Vec<_>>().join(" ") };
                expect(format!("{text:?}"), *value == Value::Str(text.clone()));
            }
            Shape::Arg(Elem::Status) | Shape::Deref(Elem::Status) => {
                // What a call changes in a status is seen when it returns.
                if let (Some(status), Value::Status(found), false) = (step.statuses.first(), value, at_call) {
                    expect(format!("{status:?}"), self.is_status(status, found));
                }
            }
            Shape::Array { elem: Elem::Status, .. } => {
                if !step.statuses.is_empty() {
                    let Value::Statuses(found) = value else { return expect("statuses".into(), false) };
                    let same = found.len() == step.statuses.len()
                        && step.statuses.iter().zip(found).all(|(status, found)| self.is_status(status, found));
                    expect(format!("{:?}", step.statuses), same);
                }
            }
            // The address of the variable that a request will be in.
            Shape::Arg(_) if p.kind == Kind::Request && p.dir == Dir::Out => {
                if let Some(address) = self.slot(passed) {
                    expect(format!("{address:#x}"), value.int() == address);
                }
            }
            Shape::Arg(_) | Shape::Deref(_) | Shape::SlotAndDeref(_) => {
                if let (Value::Request { slot, .. }, Some(address)) = (value, self.slot(passed)) {
                    expect(format!("slot {address:#x}"), *slot as i64 == address);
                }
                let expected = self.scalar(step, item.param, at_call);
                let may_be_null = matches!(step.args[item.param], Arg::MaybeNull(_));
                if !self.is(&expected, value.int(), p, step, may_be_null, at_call) {
                    expect(self.describe(&expected), false);
                }
            }
            Shape::Array { len, at_root, .. } | Shape::SlotAndArray { len, at_root, .. } => {
                let expected = self.array(step, item.param, len, at_root, at_call);
                let found = value.ints();
                let described: Vec<String> = expected.iter().map(|e| self.describe(e)).collect();
                let mut same = found.len() == expected.len();
                for (expected, found) in expected.iter().zip(found) {
                    same &= self.is(expected, *found, p, step, true, at_call);
                }
                expect(format!("{described:?}"), same);
            }
        }
    }

    fn describe(&self, expected: &Expected) -> String {
        match expected {
            Expected::Value(value) => value.to_string(),
            Expected::Object(name) => match self.objects.get(name) {
                Some(id) => format!("{name} ({id})"),
                None => name.clone(),
            },
            Expected::Any => "anything".into(),
        }
    }

    /// Is it the expected value? An output object becomes that of its variable.
    fn is(
        &mut self,
        expected: &Expected,
        found: i64,
        p: &Param,
        step: &Step,
        may_be_null: bool,
        at_call: bool,
    ) -> bool {
        match expected {
            Expected::Any => true,
            Expected::Value(value) => found == *value,
            Expected::Object(name) if at_call => self.objects.get(name).is_none_or(|known| *known == found),
            Expected::Object(name) => {
                self.objects.insert(name.clone(), found);
                if p.kind == Kind::Request {
                    let persistent = matches!(
                        step.function.class,
                        Class::Send(_, Start::Persistent)
                            | Class::Recv(Start::Persistent)
                            | Class::Collective(_, Start::Persistent)
                            | Class::PartitionedSend
                            | Class::PartitionedRecv
                    );
                    if persistent {
                        self.persistent.insert(name.clone());
                    } else {
                        self.persistent.remove(name);
                    }
                }
                let null = i64::from(NULL_ID);
                (may_be_null || found != null) && found != i64::from(UNKNOWN_ID)
            }
        }
    }

    /// Requests that a call has completed are null.
    fn completed(&mut self, step: &Step, call: &Call) {
        let out = |name: &str| call.out(name).map_or(&[][..], |v| v.ints()).to_vec();
        let one = |name: &str| call.out(name).map(|v| v.int());
        let all = |state: &mut Self, kind| {
            let names = step.params().filter(|(p, _)| p.kind == kind);
            let names: Vec<String> = names.flat_map(|(_, arg)| state.names(arg)).collect();
            names.into_iter().for_each(|name| state.null(name));
        };
        let nth = |state: &mut Self, indices: &[i64]| {
            let requests = step.params().find(|(p, _)| p.kind == Kind::Request).map(|(_, arg)| state.names(arg));
            for index in indices {
                if let Some(name) = requests.as_ref().and_then(|r| r.get(usize::try_from(*index).ok()?)) {
                    state.null(name.clone());
                }
            }
        };
        match step.function.class {
            Class::Test(Many::One | Many::All | Many::Any) if one("flag") == Some(0) => {}
            Class::Wait(Many::One | Many::All) | Class::Test(Many::One | Many::All) => all(self, Kind::Request),
            Class::Mrecv(_) => all(self, Kind::Message),
            Class::RequestFree => {
                for (_, arg) in step.params() {
                    let names = self.names(arg);
                    names.iter().for_each(|n| _ = self.persistent.remove(n));
                }
                all(self, Kind::Request);
            }
            Class::Wait(Many::Any) | Class::Test(Many::Any) => nth(self, &one("index").into_iter().collect::<Vec<_>>()),
            Class::Wait(Many::Some) | Class::Test(Many::Some) => nth(self, &out("array_of_indices")),
            _ => {}
        }
    }

    fn null(&mut self, name: String) {
        if !self.persistent.contains(&name) {
            self.objects.insert(name, i64::from(NULL_ID));
        }
    }

    /// The variables that an argument consists of.
    fn names(&self, arg: &Arg) -> Vec<String> {
        match (arg, self.program.variable(arg)) {
            (Arg::Element(name, index), _) => vec![format!("{name}[{index}]")],
            (_, Some(v)) => match v.len {
                Some(len) => (0..len).map(|i| format!("{}[{i}]", v.name)).collect(),
                None => vec![v.name.clone()],
            },
            _ => Vec::new(),
        }
    }

    /// The address of a request's variable; in Fortran it is the binding's own.
    fn slot(&self, passed: &Arg) -> Option<i64> {
        match passed {
            Arg::Name(name) if !self.program.binding.is_fortran() => self.witness.address(name),
            _ => None,
        }
    }

    fn scalar(&self, step: &Step, param: usize, at_call: bool) -> Expected {
        self.value(step, param, &step.args[param], at_call, 0)
    }

    /// What one value must be: an argument, or the element `index` of an array.
    fn value(&self, step: &Step, param: usize, arg: &Arg, at_call: bool, index: usize) -> Expected {
        let p = &step.function.params[param];
        let fortran = self.program.binding.is_fortran();
        // A Fortran binding passes a state of its own along with its own functions, and may keep a detached buffer's
        // address to itself.
        let detached = matches!(step.function.class, Class::BufferFlush(_));
        let has_callback = step.function.params.iter().any(|q| q.kind == Kind::Callback);
        let of_binding = p.kind == Kind::Pointer && (has_callback || detached);
        // An address does not fit into an INTEGER.
        let cut = p.kind == Kind::Aint && attribute(step.function) == Some(Attribute::Default) && !at_call;
        if fortran && (of_binding || cut) {
            return Expected::Any;
        }
        let known = |value: Option<i64>| value.map_or(Expected::Any, Expected::Value);
        if let Some(constant) = arg.constant() {
            let name = self.program.spelled(constant);
            return known(neutral(p.kind, name).or_else(|| self.witness.constant(name)));
        }
        match arg {
            Arg::Int(value) => Expected::Value(*value),
            Arg::ByRank(values) => known(values.get(self.rank as usize).copied()),
            Arg::Function(_) | Arg::Text(_) | Arg::List(_) => Expected::Any,
            _ if self.program.variable(arg).is_some_and(|v| v.is_buffer()) => {
                known(arg.variable().and_then(|name| self.witness.address(name)))
            }
            _ if p.kind.is_handle() => {
                self.names(arg).get(index).map_or(Expected::Any, |n| Expected::Object(n.clone()))
            }
            _ => {
                let when = if at_call { "in" } else { "out" };
                let values = self.witness.values(when, step.scenario_line, p.name);
                known(values.and_then(|v| v.get(index)).map(|v| self.translated(step, param, *v)))
            }
        }
    }

    fn array(&self, step: &Step, param: usize, len: Len, at_root: bool, at_call: bool) -> Vec<Expected> {
        let arg = &step.args[param];
        if at_root && !self.is_root(step) || self.is_ignored(step, param) || arg.constant().is_some() {
            return Vec::new();
        }
        let mut expected: Vec<Expected> = match arg {
            Arg::List(items) => items.iter().map(|item| self.value(step, param, item, at_call, 0)).collect(),
            _ => {
                let len = self.program.variable(arg).and_then(|v| v.len).unwrap_or(1);
                (0..len).map(|i| self.value(step, param, arg, at_call, i)).collect()
            }
        };
        if let Len::OutParam(count) = len {
            let count = self.witness.values("out", step.scenario_line, step.function.params[count].name);
            expected.truncate(count.and_then(|v| v.first()).map_or(0, |v| *v as usize));
        }
        expected
    }

    /// A value of the running program as a trace has it.
    fn translated(&self, step: &Step, param: usize, value: i64) -> i64 {
        let p = &step.function.params[param];
        let names: &[(&str, i32)] = match p.kind {
            Kind::Rank => &[
                ("MPI_PROC_NULL", special::PROC_NULL),
                ("MPI_ANY_SOURCE", special::ANY_SOURCE),
                ("MPI_UNDEFINED", special::UNDEFINED),
            ],
            Kind::Root => &[("MPI_PROC_NULL", special::PROC_NULL), ("MPI_ROOT", special::ROOT)],
            Kind::Tag => &[("MPI_ANY_TAG", special::ANY_TAG)],
            _ => &[],
        };
        for (name, neutral) in names {
            if self.witness.constant(name) == Some(value) {
                return (*neutral).into();
            }
        }
        // Fortran counts requests from 1. The number of requests that are done is no such index.
        let of_request = matches!(step.function.class, Class::Wait(_) | Class::Test(_) | Class::GetStatus(_));
        let is_length = step.function.params.iter().any(|q| q.len.contains(p.name));
        if !self.program.binding.is_fortran() || !of_request || p.kind != Kind::Index || is_length || value < 0 {
            return value;
        }
        // The module mpi_f08 of MPICH 4.0 forgets that.
        let requests = step.params().find(|(p, _)| p.kind == Kind::Request).map(|(_, arg)| self.names(arg));
        let name = |index: i64| requests.as_ref()?.get(usize::try_from(index).ok()?);
        let is_active =
            |index| name(index).is_some_and(|n| self.objects.get(n).is_some_and(|o| *o != i64::from(NULL_ID)));
        if is_active(value - 1) { value - 1 } else { value }
    }

    fn text(&self, step: &Step, param: usize, at_call: bool, at_root: bool) -> Option<String> {
        if at_root && !self.is_root(step) {
            return Some(String::new());
        }
        let p = &step.function.params[param];
        // A text means nothing where the flag beside it is false.
        let flag = step.function.params.iter().find(|q| q.kind == Kind::Flag && q.dir == Dir::Out);
        let flag = flag.and_then(|q| self.witness.values("out", step.scenario_line, q.name)?.first().copied());
        if !at_call && flag == Some(0) {
            return Some(String::new());
        }
        match &step.args[param] {
            Arg::Text(text) => Some(text.clone()),
            _ => self.witness.text(if at_call { "in" } else { "out" }, step.scenario_line, p.name).map(str::to_owned),
        }
    }

    fn is_root(&self, step: &Step) -> bool {
        let Some(param) = step.function.params.iter().position(|p| p.kind == Kind::Root) else { return true };
        let root = self.scalar(step, param, true);
        // Every rank is rank 0 of its own communicator; in the others of the scenario ranks are those of the world.
        let alone = step.args.iter().any(|arg| arg.constant() == Some("SELF"));
        let rank = if alone { 0 } else { self.rank };
        root == Expected::Value(rank.into()) || root == Expected::Value(special::ROOT.into())
    }

    /// With MPI_IN_PLACE as send buffer MPI ignores what describes it.
    fn is_ignored(&self, step: &Step, param: usize) -> bool {
        let place = |kind| step.function.params.iter().position(|p| p.kind == kind);
        let (Some(send), Some(recv)) = (place(Kind::SendBuf), place(Kind::RecvBuf)) else { return false };
        step.args[send].constant() == Some("MPI_IN_PLACE") && (send..recv).contains(&param)
    }

    fn is_status(&self, expected: &ExpectedStatus, found: &Status) -> bool {
        let is = |kind, arg: &Arg, value: i64| match arg {
            Arg::Int(expected) => *expected == value,
            Arg::ByRank(values) => values.get(self.rank as usize) == Some(&value),
            Arg::Name(name) => name == "_" || neutral(kind, name) == Some(value),
            _ => false,
        };
        is(Kind::Rank, &expected.source, found.source.into())
            && is(Kind::Tag, &expected.tag, found.tag.into())
            && is(Kind::Count, &expected.bytes, found.bytes.map_or(-1, |b| b as i64))
    }
}

/// The value of a constant in a trace, where the trace does not have the library's own.
fn neutral(kind: Kind, name: &str) -> Option<i64> {
    let place = |list: &[&str]| list.iter().position(|n| *n == name).map(|i| i as i64 + 1);
    if kind.is_handle() && name.ends_with("_NULL") {
        return Some(NULL_ID.into());
    }
    match (kind, name) {
        (Kind::Rank, "MPI_ANY_SOURCE") => Some(special::ANY_SOURCE.into()),
        (Kind::Rank | Kind::Root, "MPI_PROC_NULL") => Some(special::PROC_NULL.into()),
        (Kind::Rank, "MPI_UNDEFINED") => Some(special::UNDEFINED.into()),
        (Kind::Root, "MPI_ROOT") => Some(special::ROOT.into()),
        (Kind::Tag, "MPI_ANY_TAG") => Some(special::ANY_TAG.into()),
        (Kind::SendBuf | Kind::RecvBuf | Kind::Buf, "MPI_IN_PLACE") => Some(special::IN_PLACE),
        (Kind::SendBuf | Kind::RecvBuf | Kind::Buf, "MPI_BOTTOM") => Some(special::BOTTOM),
        (Kind::Comm, "MPI_COMM_WORLD") => Some(COMM_WORLD.into()),
        (Kind::Comm, "MPI_COMM_SELF") => Some(COMM_SELF.into()),
        (Kind::Group, "MPI_GROUP_EMPTY") => Some(GROUP_EMPTY.into()),
        (Kind::Message, "MPI_MESSAGE_NO_PROC") => Some(special::MESSAGE_NO_PROC),
        (Kind::Datatype, name) => datatype_id(name).map(i64::from),
        (Kind::Op, name) => op_id(name).map(i64::from),
        (Kind::Errhandler, _) => place(ERRHANDLERS),
        (Kind::Info, _) => place(INFOS),
        _ => None,
    }
}
