//! The export of small traces in the notation, where a line is a nanosecond.

use super::fan_out::FanOut;
use super::places::Places;
use super::{Calls, Limit, Perfetto, Scene, Writer};
use engine::clocks::Clocks;
use engine::worlds::Names;
use engine::{Analysis, End, Engine};
use report::symbols::Symbols;
use report::{Report, RunInfo};
use serde_json::Value;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use trace_reader::text::parse;

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written(text: &str, writer: impl FnOnce(Kept) -> Box<dyn Writer>) -> String {
    let trace = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let names = Names::new([trace.ranks]);
    let scene = Scene { places: Places::default(), clocks: Clocks::default(), names: names.clone(), start: 0 };
    let kept = Kept::default();
    let mut fan_out = FanOut::new(scene, vec![writer(kept.clone())], Limit::default());
    fan_out.begin(&[]).unwrap();
    let fan_out = Arc::new(Mutex::new(fan_out));
    let mut engine = Engine::new(trace.ranks);
    engine.listen(Box::new(fan_out.clone()));
    for (rank, event) in trace.events {
        engine.feed(rank, event);
    }
    let Analysis { findings, ranks, .. } = engine.finish(&End::default());
    let run = RunInfo { ranks: trace.ranks, names, ..RunInfo::default() };
    let report = Report::new(run, findings, &ranks, &mut Symbols::default());
    fan_out.lock().unwrap().end(&report).unwrap();
    let bytes = kept.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

/// Phase, rank, begin in nanoseconds and name of the events, without those that give names.
fn perfetto(text: &str) -> Vec<(String, i64, i64, String)> {
    let text = written(text, |out| Box::new(Perfetto::new(Box::new(out))));
    let trace: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let events = trace["traceEvents"].as_array().unwrap().iter().filter(|e| e["ph"] != "M");
    let of = |e: &Value| {
        let name = e["name"].as_str().unwrap_or_default().to_owned();
        let ns = (e["ts"].as_f64().unwrap() * 1000.0).round() as i64;
        (e["ph"].as_str().unwrap().to_owned(), e["pid"].as_i64().unwrap() - 1, ns, name)
    };
    events.map(of).collect()
}

fn event(phase: &str, rank: i64, ns: i64, name: &str) -> (String, i64, i64, String) {
    (phase.into(), rank, ns, name.into())
}

#[test]
fn a_message_is_an_arrow_between_two_slices() {
    let events = perfetto(
        "0: MPI_Send(dest=1)


0: return = ok
1: MPI_Recv(source=0)


1: return = ok {status=0/0/4}",
    );
    let arrows: Vec<_> = events.iter().filter(|e| matches!(e.0.as_str(), "s" | "t" | "f")).cloned().collect();
    assert_eq!(arrows, [event("s", 0, 2, "message"), event("f", 1, 7, "message")]);
    let slices: Vec<_> = events.iter().filter(|e| e.0 == "X").cloned().collect();
    assert_eq!(slices, [event("X", 0, 1, "MPI_Send"), event("X", 1, 5, "MPI_Recv")]);
}

#[test]
fn a_collective_is_a_chain_that_ends_at_the_last_one() {
    let events = perfetto(
        "0: MPI_Barrier()\n2: MPI_Barrier()\n1: MPI_Barrier()\n0: return = ok\n1: return = ok\n2: return = ok",
    );
    let arrows: Vec<_> = events.into_iter().filter(|e| e.3 == "collective").map(|e| (e.0, e.1, e.2)).collect();
    assert_eq!(arrows, [("s".into(), 0, 2), ("t".into(), 2, 3), ("f".into(), 1, 4)]);
}

#[test]
fn regions_are_nested_slices() {
    let events = perfetto(
        "0: mpivet_region_begin(\"a\")
0: mpivet_region_begin(\"b\")
0: mpivet_region_end(\"a\")
0: mpivet_region_end(\"never\")
0: mpivet_region_end(\"b\")",
    );
    let wanted = [("B", 1, "a"), ("B", 2, "b"), ("E", 3, ""), ("E", 3, ""), ("B", 3, "b"), ("E", 5, "")]
        .map(|(p, t, n)| event(p, 0, t, n));
    assert_eq!(events, wanted);
}

#[test]
fn what_never_returned_has_no_end_and_findings_are_marked() {
    let events = perfetto("0: MPI_Recv(source=1)\n1: MPI_Recv(source=0)\n0: sample unexpected 7\n0: signal 9");
    assert!(events.contains(&event("B", 0, 1, "MPI_Recv")), "{events:?}");
    assert!(events.contains(&event("C", 0, 3, "unexpected")), "{events:?}");
    assert!(events.iter().any(|e| e.0 == "i" && e.2 == 4 && e.3.contains("SIGKILL")), "{events:?}");
    assert!(events.iter().any(|e| e.0 == "i" && e.2 == 2 && e.1 == 1 && e.3.starts_with("MV")), "{events:?}");
}

#[test]
fn calls_are_lines_of_a_table() {
    let text = written(
        "0: MPI_Send(dest=1, tag=7, count=2)
0: return = ok
1: MPI_Recv(source=-1, tag=-1, count=4) = ok {status=0/7/8}
1: MPI_Bcast()",
        |out| Box::new(Calls::new(Box::new(out))),
    );
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("rank,thread,event,function,begin_seconds,end_seconds,"));
    assert_eq!(lines[1], "0,0,1,MPI_Send,0.000000001,0.000000002,1,MPI_COMM_WORLD,1,7,8,MPI_SUCCESS,,");
    assert_eq!(lines[2], "1,0,1,MPI_Recv,0.000000003,0.000000003,1,MPI_COMM_WORLD,0,7,8,MPI_SUCCESS,,");
    assert_eq!(lines[3], "1,0,3,MPI_Bcast,0.000000004,,1,MPI_COMM_WORLD,,,,,,");
}
