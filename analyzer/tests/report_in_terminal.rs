//! The text report as people see it: carets under the argument that is wrong, terminals of any width, colours, how much
//! is shown, and what a hostile trace cannot do.

mod traces;

use nix::pty::{Winsize, openpty};
use report::symbols::Symbols;
use report::{Colour, Report, RunInfo, Style};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use trace_format::catalogue::by_name;
use trace_format::file::rank_path;
use trace_format::finding::{CallRef, Finding};
use trace_format::location::Location;
use traces::{write_long, write_run, write_text};

/// The report of a finding of `check`, of which each call is at a line of `source`: function, line, text, role.
fn report(check: &str, message: &str, file: &str, source: &str, calls: &[(&str, u32, &str, &str)]) -> Report {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(file);
    std::fs::write(&path, source).unwrap();
    let mut symbols = Symbols::default();
    let mut refs = Vec::new();
    for (rank, (function, line, arguments, role)) in (0..).zip(calls) {
        symbols.add_rank(rank, dir.path().to_str().unwrap());
        let file = path.to_str().unwrap().to_owned();
        let place = Location { function: "main".into(), file, line: *line, module: "/me/a".into(), offset: 1 };
        symbols.set_frames(rank, 1, vec![place]);
        let text = format!("{function}({arguments})");
        let (function, role) = ((*function).to_owned(), (*role).to_owned());
        refs.push(CallRef { rank, thread: 0, event: 1, function, text, site: 1, pc: 0, role, span: None });
    }
    let finding = Finding::new(by_name(check).unwrap(), message, refs);
    Report::new(RunInfo { ranks: calls.len() as i32, ..RunInfo::default() }, vec![finding], &[], &mut symbols)
}

/// The lines with carets, and the lines above them.
fn carets(report: &Report) -> Vec<String> {
    let text = report.to_text(Style { full: true, ..Style::from(Colour::Plain) });
    let lines: Vec<&str> = text.lines().collect();
    let marked = lines.windows(2).filter(|w| w[1].contains('^'));
    marked.map(|w| format!("{}\n{}", w[0], w[1])).collect()
}

#[test]
fn carets_are_under_the_argument_that_is_wrong() {
    let one = |check, message, source, function, text, role| {
        carets(&report(check, message, "a.c", source, &[(function, 1, text, role)])).join("\n")
    };
    let send = "MPI_Send(x, n, MPI_INT, to, 7, comm);";
    // The text adds facts that the source does not show.
    assert_eq!(
        one("invalid-rank", "dest of MPI_Send is 3", send, "MPI_Send", "buf=0x1, count=2, dest=3", ""),
        "   1 | MPI_Send(x, n, MPI_INT, to, 7, comm);\n     |                         ^^ 3"
    );
    assert_eq!(
        one("wrong-data-type", "", send, "MPI_Send", "datatype=MPI_INT, dest=3", "the send"),
        "   1 | MPI_Send(x, n, MPI_INT, to, 7, comm);\n     |                ^^^^^^^"
    );
    // The text does not repeat facts that the source shows, not by name either.
    let python = [("MPI_Send", 1, "buf=0x1, dest=3", "")];
    let marked = |source| carets(&report("invalid-rank", "dest of MPI_Send is 3", "a.py", source, &python)).join("");
    assert!(marked("comm.Send(x, dest=3, tag=1)").ends_with("|              ^^^^^^"));
    assert!(marked("comm.Send(x, dest=n, tag=1)").ends_with("|              ^^^^^^ 3"));
    // Two arguments, or none, or a variable of several calls.
    assert_eq!(
        one("nonpaired-send", "", send, "MPI_Send", "dest=3, tag=7", ""),
        "   1 | MPI_Send(x, n, MPI_INT, to, 7, comm);\n     |                         ^^  ^"
    );
    assert_eq!(
        one("real-deadlock", "", send, "MPI_Send", "dest=3, tag=7", ""),
        "   1 | MPI_Send(x, n, MPI_INT, to, 7, comm);\n     | ^^^^^^^^"
    );
    // A call that sends and receives.
    let both = "MPI_Sendrecv(a, 1, t, 1, 0, b, 2, u, 1, 0, comm, &s);";
    let place = |role| one("wrong-data-type", "", both, "MPI_Sendrecv", "", role).lines().last().unwrap().to_owned();
    assert_eq!(place("the send"), "     |                    ^");
    assert_eq!(place("the receive"), "     |                                   ^");
    assert_eq!(place(""), "     | ^^^^^^^^^^^^");
    // The object that the call makes, and the one that the message names.
    let dup = "MPI_Comm_dup(world, &own);";
    assert_eq!(
        one("leak-communicator", "", dup, "MPI_Comm_dup", "", ""),
        format!("   1 | {dup}\n     |                     ^^^^")
    );
    assert_eq!(
        one("use-after-free", "rank 0: comm of MPI_Comm_dup was freed", dup, "MPI_Comm_dup", "", ""),
        format!("   1 | {dup}\n     |              ^^^^^")
    );
    let free = "MPI_Type_free(&column);";
    assert!(one("double-free", "", free, "MPI_Type_free", "", "").ends_with("|               ^^^^^^^"));
    // A word of the message alone does not name an argument, and does not leave out others.
    assert!(one("use-after-free", "a comm is freed", dup, "MPI_Comm_dup", "", "").ends_with("\n     | ^^^^^^^^^^^^"));
    let lost = one("nonpaired-send", "nobody receives it, with tag 7", send, "MPI_Send", "", "");
    assert!(lost.ends_with("|                         ^^  ^"), "{lost}");
    // Another line than the call's.
    assert_eq!(one("real-deadlock", "", "exchange();", "MPI_Send", "", ""), "");
}

#[test]
fn values_are_said_only_if_all_calls_have_them() {
    let source = "MPI_Bcast(x, n, MPI_INT, root, comm);";
    let at = |roots: [&str; 2]| {
        let calls = roots.map(|text| ("MPI_Bcast", 1, text, ""));
        carets(&report("wrong-root", "", "a.c", source, &calls)).join("\n")
    };
    assert!(at(["count=1, root=2", "count=9, root=2"]).ends_with("^^^^ 2"));
    assert!(at(["count=1, root=2", "count=9, root=0"]).ends_with("^^^^"));
}

#[test]
fn ranks_that_send_and_ranks_that_receive_in_one_call_have_marks_of_their_own() {
    let source = "MPI_Gather(a, m, t, b, n, t, 0, comm);";
    let calls = [("MPI_Gather", 1, "", "sends 2 x MPI_INT"), ("MPI_Gather", 1, "", "expects 1 x MPI_INT")];
    let marked = carets(&report("wrong-recv-size", "", "a.c", source, &calls)).join("");
    assert!(marked.ends_with("|               ^        ^"), "{marked}");
    let marked = carets(&report("wrong-recv-size", "", "a.c", source, &calls[..1])).join("");
    assert!(marked.ends_with("|               ^"), "{marked}");
}

#[test]
fn statements_of_several_lines_are_shown_whole() {
    let source = "  x = 1\n  call MPI_Send(a, & ! the data\n    count, MPI_REAL, &\n    dest, tag, comm)\n  y = 2\n";
    let calls = [("MPI_Send", 2, "count=-1, dest=1", "")];
    let text = report("invalid-count", "count of MPI_Send is -1", "a.f90", source, &calls).to_text(Colour::Plain);
    let expected = "  --> a.f90:2
   1 |   x = 1
   2 |   call MPI_Send(a, & ! the data
   3 |     count, MPI_REAL, &
     |     ^^^^^ -1
   4 |     dest, tag, comm)
     rank 0 in";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn lines_are_cut_around_the_caret_in_a_narrow_terminal() {
    let source = format!("  {}MPI_Send(x, n, MPI_INT, to, 7, comm);{}", "a = 1; ".repeat(20), " b = 1;".repeat(20));
    let calls = [("MPI_Send", 1, "count=2, datatype=MPI_INT, dest=3, tag=7, comm=MPI_COMM_WORLD", "the send")];
    let report = report("invalid-rank", "dest of MPI_Send is 3", "a.c", &source, &calls);
    for width in [40, 60, 80, 120] {
        let style = Style { width: Some(width), ..Style::from(Colour::Plain) };
        let text = report.to_text(style);
        // Words that are longer stay whole.
        let long = text.lines().find(|l| l.chars().count() > width);
        assert!(long.is_none_or(|l| l.split_whitespace().count() == 1), "{width}: {long:?}\n{text}");
        let lines: Vec<&str> = text.lines().collect();
        let caret = lines.iter().position(|l| l.contains("^^ 3")).unwrap_or_else(|| panic!("{text}"));
        let column = lines[caret].find("^^").unwrap();
        let above: String = lines[caret - 1].chars().skip(column).take(2).collect();
        assert_eq!(above, "to", "{text}");
    }
    assert!(report.to_text(Colour::Plain).contains(source.trim_end()));
}

#[test]
fn traces_do_not_command_the_terminal() {
    let evil = "\x1b]0;owned\x07\u{9b}2J\u{202e}";
    let source = format!("MPI_Send(x, {evil}, t, 1, 0, c); // {evil}\n");
    let text = format!("dest={evil}");
    let calls = [("MPI_Send", 1, text.as_str(), evil)];
    let report = report("invalid-rank", evil, "a.c", &source, &calls);
    for colour in [Colour::Plain, Colour::Ansi] {
        let text = report.to_text(colour);
        let commands = text.split("\x1b[").skip(1).all(|code| code.split_once('m').is_some_and(|(c, _)| c.len() < 6));
        let others = |c: char| c.is_control() && c != '\n' && c != '\x1b' || c == '\u{202e}';
        assert!(commands && !text.contains(others) && !text.contains("\x1b]"), "{text:?}");
        assert_eq!(text.contains('\x1b'), colour == Colour::Ansi, "{text:?}");
    }
}

#[test]
fn full_shows_everything() {
    let calls: Vec<(&str, u32, String)> = (0..40).map(|r| ("MPI_Barrier", 1 + r % 10, format!("comm=c{r}"))).collect();
    let calls: Vec<_> = calls.iter().map(|(f, l, t)| (*f, *l, t.as_str(), "")).collect();
    let report = report("incomplete-gop", "", "a.c", &"MPI_Barrier(c);\n".repeat(10), &calls);
    let (short, full) = (report.to_text(Colour::Plain), report.to_text(Style::of_file(true)));
    assert!(short.lines().count() < 45, "{short}");
    assert!(short.ends_with("hint: --full shows what is left out here\n"), "{short}");
    assert!(!full.contains("hint:") && !full.contains("more: rank"), "{full}");
    assert!((0..40).all(|r| full.contains(&format!("(comm=c{r})"))), "{full}");
}

/// The output of a command on a terminal with so many columns: on standard output, and on standard error.
fn on_terminals(columns: u16, dir: &Path, args: &[&str], set: &[(&str, &str)]) -> [String; 2] {
    let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (out, err) = (openpty(Some(&size), None).unwrap(), openpty(Some(&size), None).unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpivet"));
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "MPIVET_CHECKS", "MPIVET_SEVERITY"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm").envs(set.iter().copied()).current_dir(dir).args(args);
    let mut child = command.stdin(Stdio::null()).stdout(out.slave).stderr(err.slave).spawn().unwrap();
    drop(command);
    let readers = [out.master, err.master].map(|terminal| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // Ends with an error when nobody has the terminal any more.
            _ = File::from(terminal).read_to_end(&mut text);
            String::from_utf8(text).unwrap().replace("\r\n", "\n")
        })
    });
    child.wait().unwrap();
    readers.map(|reader| reader.join().unwrap())
}

#[test]
fn terminals_get_colours_and_lines_that_fit() {
    let dir = tempfile::tempdir().unwrap();
    let ends = "0: MPI_Finalize() = ok\n1: MPI_Finalize() = ok\n";
    let messages = "0: MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=0) = ok\n\
                    1: MPI_Recv(count=1, datatype=MPI_FLOAT, source=0, tag=0) = ok {status=0/0/4}\n";
    write_text(dir.path(), 2, &format!("ranks 2\n0: MPI_Init() = ok\n1: MPI_Init() = ok\n{messages}{ends}"));
    let analyze = |columns, args: &[&str], set: &[(&str, &str)]| {
        on_terminals(columns, dir.path(), &[&["analyze", "."], args].concat(), set)[0].clone()
    };
    let narrow = analyze(60, &[], &[]);
    assert!(narrow.contains("\x1b[1;31merror[MV406]\x1b[0m"), "{narrow}");
    let widest = |text: &str| text.lines().map(console::measure_text_width).max().unwrap();
    assert!(widest(&narrow) <= 60, "{narrow}");
    let wide = analyze(300, &[], &[]);
    assert!(widest(&wide) > 60, "{wide}");
    for (args, set, colours) in [
        (&[][..], &[("NO_COLOR", "1")][..], false),
        (&[], &[("NO_COLOR", "")], true),
        (&[], &[("TERM", "dumb")], false),
        (&["--color", "never"], &[], false),
        (&["--color", "always"], &[("NO_COLOR", "1")], true),
    ] {
        assert_eq!(analyze(300, args, set).contains('\x1b'), colours, "{args:?} {set:?}");
    }
    // No terminal.
    for (args, set, colours) in [
        (&[][..], ("A", "B"), false),
        (&[], ("CLICOLOR_FORCE", "1"), true),
        (&[], ("CLICOLOR_FORCE", "0"), false),
        (&["--color=always"], ("A", "B"), true),
        (&["--color=never"], ("CLICOLOR_FORCE", "1"), false),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpivet"));
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env(set.0, set.1).current_dir(dir.path());
        let out = command.args(["analyze", "."]).args(args).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        assert_eq!(text.contains('\x1b'), colours, "{args:?} {set:?}");
        assert!(widest(&text) > 60, "{text}");
    }
}

#[test]
fn long_analyses_show_how_far_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let analyze = |args: &[&str]| on_terminals(80, dir.path(), &[&["analyze", "."], args].concat(), &[]);
    write_run(dir.path(), 2);
    let [out, err] = analyze(&[]);
    assert!(out.contains("no errors found") && err.is_empty(), "{out}{err}");
    let seconds = |err: &str| {
        let stage = err.lines().find_map(|l| l.split_once("mpivet: reading and matching: ")).unwrap().1;
        stage.trim_end_matches(" s").parse::<f64>().unwrap()
    };
    let [_, err] = analyze(&["--verbose"]);
    let stages = ["reading and matching", "source lines", "deadlocks and other matchings", "printing", "most memory"];
    let told: Vec<&str> = err.lines().map(|l| l.split(": ").nth(1).unwrap()).collect();
    assert_eq!(told, stages, "{err}");

    std::fs::remove_file(rank_path(dir.path(), 1)).unwrap();
    let mut calls = 100_000;
    let err = loop {
        write_long(dir.path(), calls);
        let [_, err] = analyze(&["--verbose"]);
        if seconds(&err) > 1.0 {
            break err;
        }
        calls *= 2;
    };
    assert!(err.contains("mpivet: reading and matching [") && err.contains('%'), "{err}");
    // It goes away again, and nobody sees it who does not look at a terminal or wants no words.
    let end = err.rsplit("mpivet: reading and matching [").next().unwrap();
    assert!(end.contains("\r\x1b[2K") || end.contains("\x1b[2K"), "{end:?}");
    assert_eq!(analyze(&["--quiet"]), ["", ""]);
    let out =
        Command::new(env!("CARGO_BIN_EXE_mpivet")).current_dir(dir.path()).args(["analyze", "."]).output().unwrap();
    assert_eq!(String::from_utf8(out.stderr).unwrap(), "");
}
