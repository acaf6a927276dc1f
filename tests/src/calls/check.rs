//! Holds a recorded trace against the program that was run.

use super::notation::{Arg, ExpectedStatus};
use super::program::{Attribute, Program, Step, attribute};
use super::recorded::{Recorded, neutral};
use super::witness::Witness;
use std::collections::{BTreeMap, BTreeSet};
use trace_format::definition::{NULL_ID, UNKNOWN_ID};
use trace_format::mpi::predefined::error_class_name;
use trace_format::mpi::{Class, Dir, Kind, Many, Param, Start, Status, special};
use trace_format::plan::{Elem, Item, Len, Shape, plans};
use trace_reader::call::{Call, Outcome, Value};

/// The result of the comparison.
#[derive(Debug, Default)]
pub struct Tally {
    pub made: u64,
    pub recorded: u64,
    /// The complaints, each with its function.
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

/// The value that a parameter must have.
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
        // The values after an error do not matter.
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
                // A status that the call changes is compared when it returns.
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

    /// The expected value of an argument, or of the element `index` of an array.
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

    /// With MPI_IN_PLACE as send buffer MPI ignores its count and datatype.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Binding;
    use crate::calls::notation::Scenario;
    use crate::mpi::Mpi;

    const SCENARIO: &str = "int a[8]\nMPI_Comm_rank(WORLD, me)\nMPI_Send(a, 8, INT, 1, 7, WORLD)\nMPI_Barrier(WORLD)\n";
    const WITNESS: &str = "addr 0 a 4096\nout 2 rank 0\nrank 0 - 0\n";

    /// The complaints about a recording in the notation of traces. It has no stacks, so that no call has a place.
    fn complaints(calls: &str) -> Vec<String> {
        let names = ["MPI_Comm_rank", "MPI_Send", "MPI_Barrier"];
        let mpi = Mpi::for_tests();
        let scenario = Scenario::parse("test", SCENARIO).unwrap();
        let program = Program::new(&scenario, &mpi, Binding::C, &names.into()).unwrap();
        let (_, witness) = Witness::parse(WITNESS).unwrap();
        let mut recorded = Recorded::default();
        for (_, event) in trace_reader::text::parse(calls).unwrap().events {
            recorded.add(event);
        }
        let mut tally = Tally::default();
        check(&program, "test.c", 0, &witness, &mut recorded, &mut tally);
        tally.complaints.into_iter().map(|(_, c)| c).filter(|c| !c.contains("has its place in nowhere")).collect()
    }

    #[test]
    fn what_is_missing_or_wrong_or_too_much_is_seen() {
        let rank = "0: MPI_Comm_rank() = ok {rank=0}\n";
        let send = "0: MPI_Send(buf=0x1000, count=8, dest=1, tag=7) = ok\n";
        let barrier = "0: MPI_Barrier() = ok\n";
        let said = |parts: &[&str]| complaints(&parts.concat()).join("\n");
        assert_eq!(said(&[rank, send, barrier]), "");
        assert!(said(&[rank, barrier]).contains("MPI_Send of line"), "missing");
        assert!(said(&[rank, send, send, barrier]).contains("was not made"), "twice");
        assert!(said(&[rank, &send.replace("tag=7", "tag=8"), barrier]).contains("tag at the call"), "input");
        assert!(said(&[&rank.replace("rank=0", "rank=1"), send, barrier]).contains("rank at the return"), "output");
        assert!(said(&[rank, &send.replace(" = ok", ""), barrier]).contains("has no return"), "open");
        assert!(said(&[rank, &send.replace("0x1000", "0x2000"), barrier]).contains("buf at the call"), "address");
        assert!(
            said(&[rank, send, &barrier.replace("()", "(comm=MPI_COMM_SELF)")]).contains("comm at the call"),
            "handle"
        );
    }
}
