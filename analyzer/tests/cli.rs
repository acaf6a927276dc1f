//! The command from outside: exit codes, and the one message that each kind of trouble gets. No MPI is needed.

mod traces;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};
use traces::{header, write_rank, write_run};

const MPIVET: &str = env!("CARGO_BIN_EXE_mpivet");

/// The output of a command, and its end.
#[derive(Debug)]
struct Said {
    code: i32,
    out: String,
    err: String,
}

fn said(output: Output) -> Said {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs mpivet in `dir`, with a stand-in for the interposer.
fn mpivet(dir: &Path, args: &[&str]) -> Said {
    said(command(dir, args).output().unwrap())
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let library = Path::new("/lib/x86_64-linux-gnu/libm.so.6");
    let mut command = Command::new(MPIVET);
    command.current_dir(dir).args(args).env_remove("LD_PRELOAD").env("NO_COLOR", "1");
    for setting in ["MPIVET_CHECKS", "MPIVET_SEVERITY", "MPIVET_MAX_FINDINGS"] {
        command.env_remove(setting);
    }
    if library.exists() {
        // Any library does that does nothing when it is preloaded.
        command.env("MPIVET_LIBRARY", library);
    }
    command
}

#[track_caller]
fn expect(said: &Said, code: i32, message: &str) {
    assert_eq!(said.code, code, "{said:?}");
    assert!(said.err.contains(message), "expected `{message}` in {said:?}");
    assert!(!said.err.contains("panicked"), "{said:?}");
}

#[track_caller]
fn expect_one_line(said: &Said, code: i32, message: &str) {
    expect(said, code, message);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
}

fn here() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn wrong_use_is_explained() {
    let dir = here();
    let dir = dir.path();
    expect(&mpivet(dir, &["run", "mpirun", "-n", "4", "./app"]), 2, "needs `--`");
    expect(&mpivet(dir, &["run", "--"]), 2, "mpivet run -- mpirun -n 4 ./app");
    expect(&mpivet(dir, &["run"]), 2, "needs `--`");
    expect(&mpivet(dir, &["frobnicate"]), 2, "unrecognized subcommand");
    expect(&mpivet(dir, &["analyze"]), 2, "<DIR>");
    expect(&mpivet(dir, &["run", "--fail-on", "never", "--format", "xml", "--", "true"]), 2, "xml");
    expect_one_line(
        &mpivet(dir, &["run", "--", "no-such-launcher"]),
        2,
        "cannot run `no-such-launcher`: not found in PATH",
    );
    expect_one_line(&mpivet(dir, &["run", "--", "./missing"]), 2, "cannot run `./missing`: there is no such file");
    expect_one_line(&mpivet(dir, &["run", "--report", "no/such/dir.json", "--", "true"]), 2, "cannot write the report");
    assert_eq!(mpivet(dir, &["--help"]).code, 0);
    assert_eq!(mpivet(dir, &["--version"]).code, 0);
    // No file is left behind.
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0);
}

#[test]
fn trouble_with_the_trace_directory() {
    let dir = here();
    let dir = dir.path();
    fs::write(dir.join("file"), "").unwrap();
    expect_one_line(
        &mpivet(dir, &["run", "--dir", "file/x", "--", "true"]),
        2,
        "cannot write the trace directory file/x",
    );
    expect_one_line(
        &mpivet(dir, &["run", "--dir", "/proc/mpivet", "--", "true"]),
        2,
        "choose another place with --dir",
    );
    write_run(&dir.join("old"), 1);
    expect_one_line(&mpivet(dir, &["run", "--dir", "old", "--", "true"]), 2, "old already holds a trace");
    expect_one_line(&mpivet(dir, &["analyze", "nowhere"]), 3, "cannot read the trace directory nowhere");
    fs::create_dir(dir.join("empty")).unwrap();
    expect_one_line(&mpivet(dir, &["analyze", "empty"]), 3, "holds no trace");
    expect_one_line(&mpivet(dir, &["print", "empty"]), 3, "holds no trace");
}

#[test]
fn a_missing_interposer_says_where_it_comes_from() {
    let dir = here();
    let alone = dir.path().join("mpivet");
    // By a process of its own: a file that this one has written may be busy when other threads have just forked.
    assert!(Command::new("cp").arg(MPIVET).arg(&alone).status().unwrap().success());
    let output = Command::new(&alone).args(["run", "--", "true"]).env_remove("MPIVET_LIBRARY").output().unwrap();
    expect_one_line(&said(output), 3, "`pip install mpivet`");
    let mut wrong = command(dir.path(), &["run", "--", "true"]);
    expect_one_line(
        &said(wrong.env("MPIVET_LIBRARY", "/no/lib.so").output().unwrap()),
        3,
        "MPIVET_LIBRARY names /no/lib.so",
    );
}

/// Files of reports exist and are whole at all times, also when there is nothing to report.
#[test]
fn report_files_are_whole_at_all_times() {
    let dir = here();
    let dir = dir.path();
    fs::write(dir.join("old.json"), "what was").unwrap();
    let formats = ["json", "sarif", "junit", "github", "markdown", "dot", "protocol", "html", "text"];
    let mut args: Vec<String> = vec!["run".into(), "--report".into(), "old.json".into()];
    args.extend(formats.iter().map(|format| format!("--report={format}:new.{format}")));
    args.extend(["--", "sh", "-c", "cat old.json; ls -A"].map(str::to_owned));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = mpivet(dir, &args);
    expect(&run, 3, "nothing to analyze");
    assert!(run.out.starts_with("what was"), "{}", run.out);
    assert!(!run.out.contains("new"), "{}", run.out);
    for file in formats.iter().map(|format| format!("new.{format}")).chain(["old.json".into()]) {
        let text = fs::read_to_string(dir.join(&file)).unwrap();
        // Markdown has a mark in front of each `_`.
        assert!(text.replace('\\', "").contains("no rank called MPI_Init"), "{file}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(dir.join("old.json")).unwrap()).unwrap();
    assert_eq!((&json["schema"], json["findings"].as_array().unwrap().len()), (&"mpivet-report-1".into(), 0));
    let left: Vec<String> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(left.len(), 1 + formats.len(), "{left:?}");
    // It is no report that another one could be compared with.
    write_run(&dir.join("run"), 1);
    let compared = mpivet(dir, &["analyze", "--baseline", "old.json", "run"]);
    expect_one_line(&compared, 2, "it says only why there was no report");
}

/// A report that cannot be written is refused before anything runs, and the file stays as it was.
#[test]
fn a_report_that_cannot_be_written_starts_nothing() {
    let dir = here();
    let dir = dir.path();
    let wrong = mpivet(dir, &["run", "--report", "no/report.json", "--", "sh", "-c", "echo started"]);
    expect_one_line(&wrong, 2, "cannot write the report to no/report.json");
    assert_eq!(wrong.out, "");
    let piped = mpivet(dir, &["run", "--report", "json:/dev/stdout", "--", "echo", "started"]);
    expect(&piped, 3, "nothing to analyze");
    assert!(piped.out.starts_with("started\n{") && piped.out.ends_with("}\n"), "{}", piped.out);
}

#[test]
fn jobs_without_a_trace_are_explained() {
    let dir = here();
    let dir = dir.path();
    let no_mpi = mpivet(dir, &["run", "--", "sh", "-c", "echo output; echo error >&2"]);
    expect(&no_mpi, 3, "nothing to analyze: the job ended and no rank called MPI_Init");
    // The program's output is its own.
    assert_eq!(no_mpi.out, "output\n");
    assert!(no_mpi.err.starts_with("error\nmpivet: "), "{}", no_mpi.err);
    expect_one_line(&mpivet(dir, &["run", "--", "sh", "-c", "exit 7"]), 3, "the job ended with code 7");
    expect_one_line(&mpivet(dir, &["run", "--", "sh", "-c", "kill -9 $$"]), 3, "the job ended with code 137");
    // The smallest static executable: an ELF header without a program header of an interpreter.
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(64, 0);
    fs::write(dir.join("static"), elf).unwrap();
    fs::set_permissions(dir.join("static"), fs::Permissions::from_mode(0o755)).unwrap();
    let fixed = mpivet(dir, &["run", "--", "sh", "-c", "exit 1; ./static"]);
    expect(&fixed, 3, "./static is a static executable: LD_PRELOAD cannot reach it; link it dynamically");
    // It is refused before the start, too.
    assert!(
        fixed.err.starts_with("mpivet: ./static is a static executable, which LD_PRELOAD cannot reach"),
        "{}",
        fixed.err
    );
    assert_eq!(fixed.err.lines().count(), 2, "{}", fixed.err);
    // No directory is left of them.
    assert_eq!(fs::read_dir(dir).unwrap().count(), 1);
}

#[test]
fn the_job_gets_its_environment() {
    let dir = here();
    let script = "echo $LD_PRELOAD $MPIVET_RUN $MPIVET_STACK_DEPTH; test -d $MPIVET_DIR && basename $MPIVET_DIR";
    let args = ["run", "--dir", "a/b", "--stack-depth", "5", "--", "sh", "-c", script];
    let mut command = command(dir.path(), &args);
    let said = said(command.env("LD_PRELOAD", "/lib/x86_64-linux-gnu/libm.so.6").output().unwrap());
    let lines: Vec<&str> = said.out.lines().collect();
    let [preload, follower, depth] = lines[0].split(' ').collect::<Vec<_>>()[..] else { panic!("{said:?}") };
    assert!(preload.ends_with(":/lib/x86_64-linux-gnu/libm.so.6"), "{said:?}");
    // The process that follows the job: PID.START@HOST.
    let (process, host) = follower.split_once('@').unwrap();
    let (pid, start) = process.split_once('.').unwrap();
    assert!(pid.parse::<u32>().is_ok() && start.parse::<u64>().is_ok() && !host.is_empty(), "{said:?}");
    assert_eq!((depth, lines[1]), ("5", "b"));
}

#[test]
fn checks_are_chosen_by_options_and_environment() {
    let dir = here();
    let dir = dir.path();
    let script = "echo $MPIVET_CHECKS/$MPIVET_SEVERITY/$MPIVET_MAX_FINDINGS";
    let options = ["run", "--no-check", "MV4,MV5", "--severity", "mpi-error=note", "--check", "wrong-root"];
    let args = [&options[..], &["--max-findings", "7", "--", "sh", "-c", script]].concat();
    assert_eq!(mpivet(dir, &args).out, "-MV4,-MV5,wrong-root/mpi-error=note/7\n");
    let said_by = |checks: &str, args: &[&str]| said(command(dir, args).env("MPIVET_CHECKS", checks).output().unwrap());
    assert_eq!(said_by("-leak-*x,", &["checks"]).code, 0, "only where it matters");
    assert_eq!(said_by("-wrong-*", &args).out, "-wrong-*,-MV4,-MV5,wrong-root/mpi-error=note/7\n");
    assert_eq!(mpivet(dir, &["run", "--", "sh", "-c", script]).out, "//\n");
    write_run(&dir.join("run"), 2);
    expect_one_line(&said_by("wrong-rot", &["analyze", "run"]), 2, "did you mean wrong-root?");
    expect(&mpivet(dir, &["analyze", "run", "--check", "wrong-rot"]), 2, "did you mean wrong-root?");
    expect(&mpivet(dir, &["analyze", "run", "--no-check", "wrong-root,MV9"]), 2, "there is no check `MV9`");
    expect(&mpivet(dir, &["analyze", "run", "--severity", "wrong-root=bad"]), 2, "error, warning, note and off");
    expect(&mpivet(dir, &["analyze", "run", "--max-findings", "few"]), 2, "`few` is not a number of findings");
    assert_eq!(mpivet(dir, &["analyze", "run", "--no-check", "*", "--check=MV4xx,real-deadlock"]).code, 0);
}

/// A launcher that leaves a finished trace behind, as the interposer would.
#[test]
fn the_programs_own_code_is_passed_on() {
    let dir = here();
    let dir = dir.path();
    write_run(&dir.join("ready"), 2);
    for (script, code) in [("exit 0", 0), ("exit 9", 9), ("kill -15 $$", 143)] {
        let script = format!("cp {}/* $MPIVET_DIR; {script}", dir.join("ready").display());
        let trace = format!("t{code}");
        let said = mpivet(dir, &["run", "--fail-on", "never", "--dir", &trace, "--", "sh", "-c", &script]);
        assert_eq!(said.code, code, "{said:?}");
        assert!(said.err.contains("2 ranks"), "{said:?}");
        assert_eq!(said.out, "");
    }
    let script = format!("cp {}/* $MPIVET_DIR", dir.join("ready").display());
    let said = mpivet(dir, &["run", "--report", "r.json", "--format", "json", "--", "sh", "-c", &script]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.starts_with("mpivet: "), "the terminal keeps the text: {said:?}");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(dir.join("r.json")).unwrap()).unwrap();
    assert_eq!(json["schema"], "mpivet-report-1");
}

#[test]
fn a_trace_is_analyzed_and_printed() {
    let dir = here();
    let dir = dir.path();
    write_run(&dir.join("run"), 2);
    let text = mpivet(dir, &["analyze", "run"]);
    assert_eq!((text.code, text.err.as_str()), (0, ""), "{text:?}");
    assert!(text.out.starts_with("mpivet: ./app, 2 ranks"), "{}", text.out);
    let json = mpivet(dir, &["analyze", "run", "--format", "json"]);
    let again = mpivet(dir, &["analyze", "run", "--format", "json"]);
    assert_eq!(json.out, again.out);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["task"]["ranks"], 2);

    let printed = mpivet(dir, &["print", "run"]);
    assert_eq!(printed.code, 0);
    // The output is a trace in the readable notation.
    let parsed = trace_reader::text::parse(&printed.out).unwrap();
    assert_eq!(parsed.ranks, 2);
    let calls = |text: &str| text.lines().filter(|l| l.contains("MPI_")).count();
    assert!(calls(&printed.out) > 4, "{}", printed.out);
    let sends = mpivet(dir, &["print", "run", "--function", "send", "--rank", "0"]);
    assert!(sends.out.lines().skip(1).all(|l| l.starts_with("0: MPI_Send(")), "{}", sends.out);
    let one = mpivet(dir, &["print", "run", "--rank", "1", "--from", "3", "--to", "4", "--times"]);
    assert_eq!(one.out.lines().count(), 2, "{}", one.out);
    assert!(one.out.contains("// 3-4 0.0"), "{}", one.out);
    expect_one_line(
        &mpivet(dir, &["print", "run", "--rank", "5"]),
        2,
        "no readable trace of rank 5; there are those of ranks 0,1",
    );
    expect_one_line(&mpivet(dir, &["print", "run", "--function", "MPI_Sent"]), 2, "did you mean MPI_Send");
}

#[test]
fn a_trace_of_a_newer_version_is_refused() {
    let dir = here();
    write_run(dir.path(), 2);
    for rank in 0..2 {
        let path = dir.path().join(format!("rank-{rank}.mpv"));
        let mut bytes = fs::read(&path).unwrap();
        bytes[8..12].copy_from_slice(&99u32.to_le_bytes());
        fs::write(&path, bytes).unwrap();
    }
    expect_one_line(&mpivet(dir.path(), &["analyze", "."]), 3, "written by a newer mpivet");
    expect_one_line(&mpivet(dir.path(), &["print", "."]), 3, "written by a newer mpivet");
}

#[test]
fn missing_and_foreign_files_do_not_stop_the_analysis() {
    let dir = here();
    let dir = dir.path();
    write_rank(dir, &header(0, 3));
    write_rank(dir, &header(2, 3));
    fs::write(dir.join("rank-1.mpv"), "this is no trace").unwrap();
    fs::write(dir.join("rank-x.mpv"), "").unwrap();
    fs::write(dir.join("job.json"), "{ torn").unwrap();
    let said = mpivet(dir, &["analyze", ".", "--incomplete", "ok"]);
    assert_ne!(said.code, 3, "{said:?}");
    for expected in ["rank 1: no trace", "rank-1.mpv is not a trace of mpivet", "job.json is damaged"] {
        assert!(said.out.contains(expected), "expected `{expected}` in {}", said.out);
    }
}

#[test]
fn checks_and_explain_know_the_catalogue() {
    let dir = here();
    let dir = dir.path();
    let list = mpivet(dir, &["checks"]);
    assert_eq!(list.code, 0);
    for check in trace_format::catalogue::CHECKS {
        assert!(list.out.contains(check.name), "{}", check.name);
        for name in [check.name.to_owned(), check.code.to_lowercase()] {
            let page = mpivet(dir, &["explain", &name]);
            assert!(page.code == 0 && page.out.starts_with(&format!("{} {} (", check.code, check.name)), "{page:?}");
        }
    }
    let page = mpivet(dir, &["explain", "real-deadlock"]).out;
    assert!(
        page.contains("\nHow to fix\n----------\n")
            && page.contains("\n    0: MPI_Recv(source=1, tag=0)      <-- real-deadlock\n")
    );
    expect_one_line(&mpivet(dir, &["explain", "deadlock"]), 2, "did you mean real-deadlock or potential-deadlock?");
    expect_one_line(&mpivet(dir, &["explain", "xyzzy"]), 2, "`mpivet checks` lists them all");
}

#[test]
fn what_is_incomplete_is_never_without_errors() {
    let dir = here();
    let dir = dir.path();
    let trace = dir.join("trace");
    fs::create_dir(&trace).unwrap();
    write_run(&trace, 2);
    let analyze = |options: &[&str]| {
        let all = ["analyze", "trace", "--report", "a.json", "--report", "a.sarif", "--report", "a.xml"];
        mpivet(dir, &[&all[..], options].concat())
    };
    assert_eq!(analyze(&[]).code, 0);
    fs::write(trace.join("job.json"), "{").unwrap();
    for quiet in [&[][..], &["--quiet"]] {
        let said = analyze(quiet);
        assert_eq!(said.code, 3, "{said:?}");
        let first = said.out.lines().next().unwrap_or_default();
        assert!(first.contains(": the trace is incomplete: trace/job.json is damaged: "), "{said:?}");
        assert!(said.out.contains("the recorded part, ") && !said.out.contains("no errors found"), "{said:?}");
        let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
        assert!(read("a.sarif").contains("\"executionSuccessful\": false"), "{}", read("a.sarif"));
        assert!(
            read("a.xml").contains("<error message=\"the trace is incomplete: trace/job.json"),
            "{}",
            read("a.xml")
        );
    }
    let said = analyze(&["--incomplete", "ok"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("the trace is incomplete"), "{said:?}");
}
