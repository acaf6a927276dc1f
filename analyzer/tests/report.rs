//! Reports made from findings written by hand: text as people read it, JSON as programs do.

use engine::limit::Hidden;
use engine::{RankEnd, RankSummary};
use report::Damage;
use report::gate::Gate;
use report::symbols::Symbols;
use report::{Colour, FailOn, Format, Report, RunEnd, RunInfo, RunView};
use serde_json::{Value, json};
use trace_format::catalogue::by_name;
use trace_format::definition::{Definition, Module};
use trace_format::finding::{CallRef, Finding, Rerun, Severity, Waiting};
use trace_format::location::Location;
use trace_format::run::job::Mpi;
use trace_format::settings::selection::Selection;

const SOURCE: &str = "#include <mpi.h>\nvoid exchange(void) {\n\tMPI_Recv(in, n, MPI_INT, left, 0, comm, &s);\n}\nint main() {\n  exchange();\n}\n";

/// A directory with a source file, and symbols that know two places in it: site 1 is in `exchange`, site 2 in `main`.
struct Scene {
    dir: tempfile::TempDir,
    symbols: Symbols,
}

fn scene(ranks: i32) -> Scene {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("halo.c"), SOURCE).unwrap();
    let file = dir.path().join("halo.c").to_str().unwrap().to_owned();
    let place = |function: &str, line| Location {
        function: function.into(),
        file: file.clone(),
        line,
        module: "/home/me/halo".into(),
        offset: 0x1000 + u64::from(line),
    };
    let start =
        Location { function: "__libc_start_main".into(), module: "/lib/libc.so.6".into(), ..Location::default() };
    let mut symbols = Symbols::default();
    for rank in 0..ranks {
        symbols.add_rank(rank, dir.path().to_str().unwrap());
        symbols.set_frames(rank, 1, vec![place("exchange", 3), place("main", 6), start.clone()]);
        symbols.set_frames(rank, 2, vec![place("main", 6), start.clone()]);
        let bare = Location {
            function: "solve".into(),
            module: "/home/me/libsolve.so".into(),
            offset: 0x42,
            ..Location::default()
        };
        symbols.set_frames(rank, 3, vec![bare]);
    }
    Scene { dir, symbols }
}

fn call(rank: i32, site: u32, text: &str, role: &str) -> CallRef {
    let function = text.split('(').next().unwrap().to_owned();
    CallRef { rank, thread: 0, event: 7, function, text: text.into(), site, pc: 0, role: role.into(), span: None }
}

fn ended(rank: i32, end: RankEnd, current: Option<CallRef>) -> RankSummary {
    RankSummary {
        rank,
        end,
        exit_status: None,
        calls: 10,
        sends: 2,
        recvs: 3,
        collectives: 1,
        unfinished: 1,
        unfinished_sends: 0,
        unfinished_recvs: 1,
        current,
        events: 19,
    }
}

fn run(ranks: i32) -> RunInfo {
    RunInfo {
        mpi: Mpi {
            family: "openmpi".into(),
            library: "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4".into(),
            standard: "3.1".into(),
            path: "/usr/lib/libmpi.so.40".into(),
            device: String::new(),
        },
        program: "./halo".into(),
        arguments: vec!["100".into()],
        ranks,
        trace_dir: "mpivet-halo-1".into(),
        ..RunInfo::default()
    }
}

fn deadlock(ranks: i32) -> (Vec<Finding>, Vec<RankSummary>) {
    let recv = |rank: i32| {
        let from = (rank + 1) % ranks;
        call(rank, 1, &format!("MPI_Recv(count=1, source={from}, tag=0)"), &format!("waits for rank {from}"))
    };
    let calls: Vec<CallRef> = (0..ranks).map(recv).collect();
    let finding = Finding::new(by_name("real-deadlock").unwrap(), format!("{ranks} ranks wait for each other"), calls)
        .with_note("0: MPI_Recv -> 1: MPI_Recv -> 0");
    (vec![finding], (0..ranks).map(|r| ended(r, RankEnd::Stopped, Some(recv(r)))).collect())
}

#[test]
fn a_deadlock_reads_well() {
    let mut scene = scene(2);
    let (findings, ranks) = deadlock(2);
    let report = Report::new(RunInfo { stopped: true, ..run(2) }, findings, &ranks, &mut scene.symbols);
    assert_eq!(
        report.to_text(Colour::Plain),
        "\
mpivet: ./halo 100, 2 ranks, Open MPI v4.1.4 (MPI 3.1)
  ranks 0,1: stopped in MPI_Recv (halo.c:3)
  mpivet stopped the job, because it could never have gone on
  1 error, 0 warnings, 0 notes in 20 MPI calls
  trace: mpivet-halo-1

error[MV601] real-deadlock: 2 ranks wait for each other
  --> halo.c:3
   2 | void exchange(void) {
   3 |     MPI_Recv(in, n, MPI_INT, left, 0, comm, &s);
     |     ^^^^^^^^
     rank 0 in MPI_Recv(count=1, source=1, tag=0): waits for rank 1
     rank 1 in MPI_Recv(count=1, source=0, tag=0): waits for rank 0
     stack: exchange (halo.c:3) < main (halo.c:6)
  = 0: MPI_Recv -> 1: MPI_Recv -> 0
  = more: mpivet explain real-deadlock
"
    );
}

/// The whole way from an address to a line, with this test as the program.
/// Rank 0 waits for all others, rank 1 for any of ranks 0 and 2, rank 2 for rank 1, and so on.
fn waits(ranks: i32) -> Vec<Waiting> {
    let wait = |rank: i32| Waiting {
        rank,
        thread: 0,
        event: 7,
        function: "MPI_Recv".into(),
        site: 1,
        waits_for: match rank {
            0 => (1..ranks).collect(),
            1 => vec![0, 2],
            rank => vec![rank - 1],
        },
        any: rank == 1,
    };
    (0..ranks).map(wait).collect()
}

#[test]
fn the_wait_for_graph_is_a_chain_in_the_terminal_and_a_drawing_for_graphviz() {
    let mut scene = scene(40);
    let (mut findings, ranks) = deadlock(3);
    findings[0].waits = waits(3);
    findings[0].message = "a \"quoted\" \\ word".into();
    let report = Report::new(run(3), findings.clone(), &ranks, &mut scene.symbols);
    let text = report.to_text(Colour::Plain);
    let chain = "  = who waits for whom:
      rank 0 in MPI_Recv (halo.c:3) waits for ranks 1,2
        rank 1 in MPI_Recv (halo.c:3) waits for any of ranks 0,2
          rank 2 in MPI_Recv (halo.c:3) waits for rank 1
";
    assert!(text.contains(chain), "{text}");
    let dot = report.render(Format::Dot, Colour::Plain);
    for line in [
        r#"    label="MV601 real-deadlock: a \"quoted\" \\ word";"#,
        r#"    f0_1 [label="rank 1\nMPI_Recv\nhalo.c:3"];"#,
        "    f0_0 -> f0_2;",
        r#"    f0_1 -> f0_0 [style=dashed, label="any of"];"#,
    ] {
        assert!(dot.lines().any(|l| l == line), "{line}\n{dot}");
    }
    check_against_schema(&serde_json::from_str(&report.to_json()).unwrap());
    // Many are folded.
    findings[0].waits = waits(40);
    let text = Report::new(run(40), findings, &ranks, &mut scene.symbols).to_text(Colour::Plain);
    assert!(text.contains("\n      ... and 32 calls more\n"), "{text}");
}

#[test]
fn addresses_become_source_lines() {
    #[inline(never)]
    fn here() -> u32 {
        line!()
    }
    let exe = std::env::current_exe().unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mine: Vec<&str> = maps.lines().filter(|l| l.ends_with(exe.to_str().unwrap())).collect();
    let bounds = |line: &str| {
        let (start, end) = line.split_whitespace().next().unwrap().split_once('-').unwrap();
        (u64::from_str_radix(start, 16).unwrap(), u64::from_str_radix(end, 16).unwrap())
    };
    let start = bounds(mine[0]).0;
    let end = bounds(mine[mine.len() - 1]).1;
    let module = Module { start, end, bias: start, path: exe.to_str().unwrap().into(), build_id: Vec::new() };
    let address = here as *const () as u64 + 1;
    let mut symbols = Symbols::default();
    symbols.define(0, &Definition::Module(module.clone()));
    symbols.define(0, &Definition::Stack { id: 1, frames: vec![address] });
    let finding = Finding::new(by_name("abend").unwrap(), "x", vec![call(0, 1, "MPI_Send()", "")]);
    let report = Report::new(run(1), vec![finding.clone()], &[], &mut symbols);
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    let site = &json["findings"][0]["sites"][0];
    assert!(site["file"].as_str().unwrap().ends_with("tests/report.rs"), "{site}");
    assert!(site["line"].as_u64().unwrap().abs_diff(u64::from(here())) <= 2, "{site}");
    assert!(site["stack"][0]["function"].as_str().unwrap().contains("here"), "{site}");

    // The program was rebuilt since.
    let mut symbols = Symbols::default();
    symbols.define(0, &Definition::Module(Module { build_id: vec![1, 2, 3], ..module }));
    symbols.define(0, &Definition::Stack { id: 1, frames: vec![address] });
    let text = Report::new(run(1), vec![finding], &[], &mut symbols).to_text(Colour::Plain);
    assert!(text.contains("hint: ") && text.contains("rebuilt since the run"), "{text}");
}

#[test]
fn json_has_the_published_form() {
    let mut scene = scene(2);
    let (findings, ranks) = deadlock(2);
    let report = Report::new(RunInfo { stopped: true, ..run(2) }, findings, &ranks, &mut scene.symbols);
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    let file = scene.dir.path().join("halo.c");
    let frame = |function: &str, line: u64| json!({"function": function, "file": file, "line": line, "module": "/home/me/halo", "offset": 0x1000 + line});
    let start =
        json!({"function": "__libc_start_main", "file": null, "line": null, "module": "/lib/libc.so.6", "offset": 0});
    let site = |rank: i32| {
        json!({
            "rank": rank, "thread": 0, "function": "MPI_Recv", "event": 7,
            "call": format!("MPI_Recv(count=1, source={}, tag=0)", 1 - rank),
            "role": format!("waits for rank {}", 1 - rank),
            "file": file, "line": 3, "source": "\tMPI_Recv(in, n, MPI_INT, left, 0, comm, &s);",
            "stack": [frame("exchange", 3), frame("main", 6), start],
        })
    };
    let ended = |rank: i32| {
        json!({
            "rank": rank, "end": "stopped", "exit_status": null, "calls": 10, "sends": 2, "recvs": 3,
            "collectives": 1, "unfinished": 1, "events": 19, "current": site(rank),
        })
    };
    assert_eq!(
        json,
        json!({
            "schema": "mpivet-report-1",
            "version": env!("CARGO_PKG_VERSION"),
            "mpi": {"family": "openmpi", "library": "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "standard": "3.1"},
            "task": {
                "program": "./halo", "arguments": ["100"], "ranks": 2, "ended": [ended(0), ended(1)],
                "errors": 1, "warnings": 0, "notes": 0, "stopped": true, "trace_dir": "mpivet-halo-1", "defects": [],
            },
            "findings": [{
                "check": "real-deadlock", "code": "MV601", "severity": "error",
                // A baseline of today must be one of tomorrow.
                "fingerprint": "v1-29300b68a0379084",
                "message": "2 ranks wait for each other", "ranks": [0, 1], "count": 1,
                "notes": ["0: MPI_Recv -> 1: MPI_Recv -> 0"], "sites": [site(0), site(1)],
            }],
        })
    );
    check_against_schema(&json);
}

/// The part of JSON Schema that ours uses.
fn conforms(value: &Value, schema: &Value, root: &Value, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/$defs/").unwrap();
        return conforms(value, &root["$defs"][name], root, at);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let choice = choices.iter().find(|c| (c["type"] == "null") == value.is_null()).unwrap();
        return conforms(value, choice, root, at);
    }
    let type_of = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = match &schema["type"] {
        Value::String(t) => t == type_of,
        Value::Array(ts) => ts.iter().any(|t| t == type_of),
        _ => true,
    };
    assert!(allowed, "{at} is {value}, which is not {}", schema["type"]);
    if let Some(values) = schema["enum"].as_array() {
        assert!(values.contains(value), "{at} is {value}");
    }
    if !schema["const"].is_null() {
        assert_eq!(value, &schema["const"], "{at}");
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at} lacks {name}");
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        let known = &schema["properties"][name];
        assert!(!known.is_null(), "{at}.{name} is not in the schema");
        conforms(field, known, root, &format!("{at}.{name}"));
    }
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        conforms(item, &schema["items"], root, &format!("{at}[{i}]"));
    }
}

fn check_against_schema(json: &Value) {
    let schema: Value = serde_json::from_str(include_str!("../../report/schema/report.schema.json")).unwrap();
    conforms(json, &schema, &schema, "report");
}

#[test]
fn many_ranks_and_places_are_folded() {
    let mut scene = scene(64);
    let barrier = |rank| call(rank, 2, "MPI_Barrier(comm=MPI_COMM_WORLD)", "waits");
    let calls =
        (0..64).filter(|r| *r != 7).map(barrier).chain([call(7, 3, "MPI_Bcast(root=0)", "is elsewhere")]).collect();
    let message = "different collectives\nin several lines";
    let mut finding = Finding::new(by_name("collective-mismatch").unwrap(), message, calls);
    finding.count = 42;
    let ranks: Vec<RankSummary> = (0..64).map(|r| ended(r, RankEnd::Normal, None)).collect();
    let report = Report::new(run(64), vec![finding], &ranks, &mut scene.symbols);
    let text = report.to_text(Colour::Plain);
    let body = text.split_once("\n\n").unwrap().1;
    assert_eq!(
        body,
        "\
error[MV509] collective-mismatch: different collectives
    in several lines (42 times)
  --> halo.c:6
   5 | int main() {
   6 |   exchange();
     ranks 0-6,8-63 in MPI_Barrier(comm=MPI_COMM_WORLD): waits
  --> solve (libsolve.so+0x42)
     rank 7 in MPI_Bcast(root=0): is elsewhere
  = more: mpivet explain collective-mismatch
hint: /home/me/libsolve.so has no line numbers: compile with -g to see source lines
"
    );

    // Every rank at a place of its own, and every rank with a call of its own.
    for rank in 0..64 {
        let bare = Location { function: format!("f{rank}"), module: "/home/me/a".into(), ..Location::default() };
        scene.symbols.set_frames(rank, 4, vec![bare]);
    }
    let at_places = (0..64).map(|r| call(r, 4, "MPI_Barrier()", "")).collect();
    let at_one = (0..64).map(|r| call(r, 2, &format!("MPI_Recv(source={r})"), "")).collect();
    let check = by_name("incomplete-gop").unwrap();
    let findings = vec![Finding::new(check, "a", at_places), Finding::new(check, "b", at_one)];
    let text = Report::new(run(64), findings, &ranks, &mut scene.symbols).to_text(Colour::Plain);
    assert!(text.contains("  --> f3 (a+0x0)\n") && !text.contains("f4 ("), "{text}");
    assert!(text.contains("  ... and at other places ranks 4-63\n"), "{text}");
    assert!(text.contains("MPI_Recv(source=3)\n     and 60 more: ranks 4-63\n"), "{text}");
}

#[test]
fn the_order_of_findings_does_not_depend_on_their_finding() {
    let ranks: Vec<RankSummary> = (0..4).map(|r| ended(r, RankEnd::Normal, None)).collect();
    let findings = |names: [&str; 4]| {
        names.map(|n| Finding::new(by_name(n).unwrap(), n, vec![call(0, 1, "MPI_Send()", "")])).to_vec()
    };
    let text = |f: Vec<Finding>, s: &mut Scene| Report::new(run(4), f, &ranks, &mut s.symbols).to_json();
    let mut scene = scene(4);
    let a = text(findings(["real-deadlock", "wrong-root", "abend", "mpi-error"]), &mut scene);
    let b = text(findings(["abend", "mpi-error", "wrong-root", "real-deadlock"]), &mut scene);
    assert_eq!(a, b);
    let json: Value = serde_json::from_str(&a).unwrap();
    let codes: Vec<&str> = json["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["MV001", "MV004", "MV601", "MV508"]);
}

#[test]
fn a_clean_run_says_so_in_one_line_and_ranks_end_in_groups() {
    let mut scene = scene(4);
    let mut ranks: Vec<RankSummary> = (0..4).map(|r| ended(r, RankEnd::Normal, None)).collect();
    let clean = Report::new(run(4), Vec::new(), &ranks, &mut scene.symbols);
    assert!(clean.is_clean() && !clean.fails(FailOn::Note));
    assert_eq!(
        clean.to_text(Colour::Plain),
        "\
mpivet: ./halo 100, 4 ranks, Open MPI v4.1.4 (MPI 3.1)
  ranks 0-3: ended normally
  no errors found in 40 MPI calls
  trace: mpivet-halo-1
"
    );
    ranks[1] = ended(1, RankEnd::Abend, Some(call(1, 2, "MPI_Send(dest=0)", "")));
    ranks[2].exit_status = Some(3);
    ranks[3] = ended(3, RankEnd::Unknown, None);
    let damage = vec![
        Damage { rank: Some(0), offset: Some(4711), what: "damaged, 12 bytes skipped".into(), is_wanted: false },
        Damage { rank: None, offset: None, what: "job.json is missing".into(), is_wanted: false },
    ];
    let info = RunInfo { missing: vec![3], damage, ..run(4) };
    let report = Report::new(info, Vec::new(), &ranks, &mut scene.symbols);
    assert!(!report.is_clean());
    assert_eq!(
        report.to_text(Colour::Plain),
        "\
mpivet: ./halo 100, 4 ranks, Open MPI v4.1.4 (MPI 3.1): the trace is incomplete: rank 0 at byte 4711: damaged, 12 bytes skipped, and 1 more
  rank 0: ended normally
  rank 1: crashed in MPI_Send (halo.c:6)
  rank 2: ended with exit status 3
  rank 3: no trace: MPI_Init was not called, or the trace is on another node
  the recorded part, 40 MPI calls, has no errors
  trace: mpivet-halo-1

warning: the trace is incomplete, and so is this report:
  rank 0 at byte 4711: damaged, 12 bytes skipped
  job.json is missing
"
    );
    check_against_schema(&serde_json::from_str(&report.to_json()).unwrap());
}

#[test]
fn findings_beyond_the_limit_are_counted_and_said() {
    let mut scene = scene(4);
    let hidden = |rank, errors, warnings| Hidden { rank, errors, warnings, notes: 0 };
    let more = vec![hidden(None, 1, 0), hidden(Some(0), 30, 7), hidden(Some(2), 2, 0), hidden(Some(3), 2, 0)];
    let info = RunInfo { hidden: more, max_findings: Some(1), ..run(4) };
    let finding = Finding::new(by_name("abend").unwrap(), "x", Vec::new());
    let report = Report::new(info, vec![finding], &[], &mut scene.symbols);
    let text = report.to_text(Colour::Plain);
    assert!(text.contains("  36 errors, 7 warnings, 0 notes in 0 MPI calls\n"), "{text}");
    let last = "
collective operations: 1 more finding is not shown; --max-findings 1
rank 0: 37 more findings are not shown; --max-findings 1
ranks 2,3: 2 more findings each are not shown; --max-findings 1
";
    assert!(text.ends_with(last), "{text}");
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["task"]["hidden"][0], json!({ "rank": null, "findings": 1 }));
    assert_eq!(json["task"]["hidden"][1], json!({ "rank": 0, "findings": 37 }));
    check_against_schema(&json);
}

#[test]
fn a_stopped_job_without_findings_is_not_called_correct() {
    let mut scene = scene(1);
    let info = RunInfo { stopped: true, ..run(1) };
    let text = Report::new(info, Vec::new(), &[], &mut scene.symbols).to_text(Colour::Plain);
    assert!(!text.contains("no errors") && text.contains("the check that says why is off"), "{text}");
}

#[test]
fn an_exploration_has_each_finding_once() {
    let mut scene = scene(2);
    let real = |rank, site| {
        let calls = vec![call(rank, site, "MPI_Recv(source=1)", "waits")];
        Finding::new(by_name("real-deadlock").unwrap(), format!("rank {rank}"), calls)
    };
    let mut potential = Finding::new(by_name("potential-deadlock").unwrap(), "may wait", vec![]);
    potential.rerun = Some(Rerun { witness: 2, sync_sends: false });
    potential.notes.push("to see it happen: mpivet run --replay witness-2.json".into());
    let mut report = Report::new(run(2), vec![potential], &[], &mut scene.symbols);
    report.begin_exploration("x".into());
    let later = |findings, scene: &mut Scene| Report::new(run(2), findings, &[], &mut scene.symbols);
    let second = later(vec![real(0, 1)], &mut scene);
    assert_eq!(
        report.merge(second, 2, ("run-1/witness-1.json", Some("seen where x".into())), RunEnd::Stopped),
        ["error[MV601] real-deadlock: rank 0"]
    );
    // One finding is at the known place, on another rank; the other is at another place.
    let third = later(vec![real(1, 1), real(0, 2)], &mut scene);
    assert_eq!(
        report.merge(third, 3, ("run-1/witness-2.json", None), RunEnd::Stopped),
        ["error[MV601] real-deadlock: rank 0"]
    );
    let potentials = report.potentials();
    assert_eq!((potentials.len(), potentials[0].witness), (1, 2));
    report.came_true(&potentials[0].key, 3, true);
    // Later runs do not change that.
    report.came_true(&potentials[0].key, 4, false);
    let ended = Finding::new(by_name("abort").unwrap(), "ended from outside", vec![]);
    let fourth = later(vec![ended], &mut scene);
    assert!(report.merge(fourth, 4, ("y", None), RunEnd::Interrupted).is_empty());
    let view = |run, end, new_findings| RunView {
        run,
        dir: format!("run-{run}"),
        under: (run > 1).then(|| format!("run-1/witness-{}.json", run - 1)),
        end,
        exit_code: Some(0),
        new_findings,
    };
    let explored = report.exploration_mut().unwrap();
    explored.runs = vec![view(1, RunEnd::Ended, 1), view(2, RunEnd::Stopped, 1), view(3, RunEnd::Ended, 0)];
    (explored.matchings, explored.left) = (4, 1);
    explored.why = Some("1 witness is left; --explore-runs 5 goes on".into());
    let text = report.to_text(Colour::Plain);
    let summary = "  2 errors, 1 warning, 0 notes in 3 runs
  trace: x
  explored: 3 runs, 4 matchings, not all: 1 witness is left; --explore-runs 5 goes on
    run 2, under run-1/witness-1.json: stopped, because it could never have gone on; 1 new finding
";
    assert!(text.contains(summary), "{text}");
    assert!(text.contains("  = came true in run 3\n") && text.contains("--replay run-1/witness-2.json"), "{text}");
    assert!(text.contains("  = first seen in run 3, under run-1/witness-2.json\n"), "{text}");
    assert!(!text.contains("did not hang"), "{text}");
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    let runs: Vec<&Value> = json["findings"].as_array().unwrap().iter().map(|f| &f["run"]).collect();
    assert_eq!(runs, [&json!(2), &json!(3), &Value::Null]);
    assert_eq!(json["findings"][2]["came_true"], 3);
    check_against_schema(&json);
}

#[test]
fn severities_decide_the_exit_code() {
    let mut scene = scene(1);
    let mut finding = Finding::new(by_name("abend").unwrap(), "x", Vec::new());
    let expected = [
        (Severity::Error, [true, true, true, false]),
        (Severity::Warning, [false, true, true, false]),
        (Severity::Note, [false, false, true, false]),
    ];
    for (severity, fails) in expected {
        finding.severity = severity;
        let report = Report::new(run(1), vec![finding.clone()], &[], &mut scene.symbols);
        let on = [FailOn::Error, FailOn::Warning, FailOn::Note, FailOn::Never];
        assert_eq!(on.map(|f| report.fails(f)), fails, "{severity:?}");
    }
}

#[test]
fn colours_only_add_to_the_text() {
    let mut scene = scene(2);
    let (findings, ranks) = deadlock(2);
    let report = Report::new(run(2), findings, &ranks, &mut scene.symbols);
    let coloured = report.to_text(Colour::Ansi);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain += before;
        rest = after.split_once('m').unwrap().1;
    }
    plain += rest;
    assert_ne!(coloured, plain);
    assert_eq!(plain, report.to_text(Colour::Plain));
}

#[test]
fn what_the_gate_sets_aside_has_the_published_form() {
    let ranks: Vec<RankSummary> = (0..2).map(|r| ended(r, RankEnd::Normal, None)).collect();
    let of = |names: &[&str]| -> Vec<Finding> {
        names
            .iter()
            .map(|n| Finding::new(by_name(n).unwrap(), *n, vec![call(0, 1, "MPI_Send()", "the send")]))
            .collect()
    };
    let mut scene = scene(2);
    let old = Report::new(run(2), of(&["wrong-root", "abort"]), &ranks, &mut scene.symbols).to_json();
    let (baseline, accepted) = (scene.dir.path().join("old.json"), scene.dir.path().join("s.toml"));
    std::fs::write(&baseline, old).unwrap();
    let entry = |check: &str| format!("[[suppress]]\ncheck = '{check}'\nreason = 'so'\n");
    std::fs::write(&accepted, entry("mpi-error") + &entry("abend")).unwrap();
    let gate = Gate::read(&[accepted], true, Some(&baseline), &Selection::default()).unwrap();
    let findings = of(&["wrong-root", "mpi-error", "missing-finalize"]);
    let mut report = Report::new(run(2), findings, &ranks, &mut scene.symbols);
    report.pass(&gate);
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    check_against_schema(&json);
    let check = |at: &str| json.pointer(at).and_then(Value::as_str).unwrap_or(at).to_owned();
    assert_eq!(check("/findings/0/check"), "missing-finalize");
    assert_eq!(check("/suppressed/0/finding/check"), "mpi-error");
    assert_eq!(check("/baseline/known/0/check"), "wrong-root");
    assert_eq!((&json["baseline"]["gone"], &json["task"]["errors"]), (&json!(1), &json!(1)));
    assert!(check("/unused_suppressions/0/at").ends_with("s.toml:4"), "{json}");
}
