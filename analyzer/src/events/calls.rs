//! A table with one line a call, as CSV.

use super::{Scene, Writer};
use engine::arg_places::{NONE, arg_places};
use engine::int;
use engine::listeners::Returned;
use report::csv;
use std::io::{self, Write};
use trace_format::mpi::predefined::error_class_name;
use trace_format::mpi::{Class, Kind, Status, special};
use trace_format::names::{NoNames, format_int};
use trace_reader::args::Arg;
use trace_reader::call::call_event;

const COLUMNS: [&str; 14] = [
    "rank",
    "thread",
    "event",
    "function",
    "begin_seconds",
    "end_seconds",
    "polls",
    "communicator",
    "peer",
    "tag",
    "bytes",
    "error_class",
    "file",
    "line",
];

/// See the module.
pub struct Calls {
    out: Box<dyn Write + Send>,
    row: String,
}

impl Calls {
    pub fn new(out: Box<dyn Write + Send>) -> Calls {
        Calls { out, row: String::new() }
    }

    fn row(&mut self, fields: [String; COLUMNS.len()]) -> io::Result<()> {
        self.row.clear();
        csv::row(&mut self.row, fields);
        self.out.write_all(self.row.as_bytes())
    }
}

/// Nanoseconds as seconds.
fn seconds(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}.{:09}", ns.unsigned_abs() / 1_000_000_000, ns.unsigned_abs() % 1_000_000_000)
}

/// The fields of a call's only status.
fn status(call: &Returned) -> Option<Status> {
    match call.outs.get(arg_places(call.call.func).status.into()) {
        Arg::Status(status) => Some(status),
        _ => None,
    }
}

/// Rank of the other side, and the tag: as they turned out, if the call tells that.
fn envelope(call: &Returned) -> (String, String) {
    let s = arg_places(call.call.func);
    if !(s.class.exchanges() || matches!(s.class, Class::Probe(_) | Class::Mprobe(_))) {
        return (String::new(), String::new());
    }
    let receives = matches!(s.class, Class::Recv(_) | Class::Probe(_) | Class::Mprobe(_) | Class::Mrecv(_));
    let status = status(call).filter(|_| receives && call.class == Some(0));
    let told = |wild: i32, given: Option<i64>, told: fn(&Status) -> i32, kind: Kind| {
        let known = given.filter(|g| *g != i64::from(wild)).or_else(|| status.map(|s| i64::from(told(&s))));
        known.or(given).map(|v| format_int(kind, v, &NoNames)).unwrap_or_default()
    };
    let peer = told(special::ANY_SOURCE, int(call.ins, s.peer), |s| s.source, Kind::Rank);
    let tag = told(special::ANY_TAG, int(call.ins, s.tag), |s| s.tag, Kind::Tag);
    (peer, tag)
}

impl Writer for Calls {
    fn begin(&mut self, _: &Scene, _: &[trace_format::file::RankHeader]) -> io::Result<()> {
        self.row(COLUMNS.map(str::to_owned))
    }

    fn call(&mut self, scene: &Scene, returned: &Returned) -> io::Result<()> {
        let call = &returned.call;
        let s = arg_places(call.func);
        let comm = if s.comm == NONE { None } else { int(returned.ins, s.comm) };
        let place = scene.places.get(call.rank, call.site);
        let end = returned.last.or(call.end).map(|end| seconds(scene.at(call.rank, end)));
        let (peer, tag) = envelope(returned);
        let error = match returned.class {
            None => String::new(),
            Some(0) => "MPI_SUCCESS".to_owned(),
            Some(class) => error_class_name(class).to_owned(),
        };
        self.row([
            scene.names.short(call.rank),
            call.thread.to_string(),
            call_event(call.index).to_string(),
            call.func.name().to_owned(),
            seconds(scene.at(call.rank, call.begin)),
            end.unwrap_or_default(),
            (1 + u64::from(returned.polls)).to_string(),
            comm.map(|c| format_int(Kind::Comm, c, &NoNames)).unwrap_or_default(),
            peer,
            tag,
            returned.bytes.map(|b| b.to_string()).unwrap_or_default(),
            error,
            place.map(|p| p.file.to_string()).unwrap_or_default(),
            place.map(|p| p.line.to_string()).unwrap_or_default(),
        ])
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_exact() {
        let times = [0, 1, 1_500_000_000, -1, -2_000_000_001].map(super::seconds);
        assert_eq!(times, ["0.000000000", "0.000000001", "1.500000000", "-0.000000001", "-2.000000001"]);
    }
}
