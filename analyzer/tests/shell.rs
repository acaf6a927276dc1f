//! Completions and pages of the manual, used by the programs that they are for.

use nix::pty::openpty;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const MPIVET: &str = env!("CARGO_BIN_EXE_mpivet");

fn mpivet(args: &[&str]) -> Output {
    Command::new(MPIVET).args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = mpivet(args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Is there such a program on this machine?
fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).exists())
}

#[test]
fn each_shell_gets_a_script_that_it_can_read() {
    for (shell, check) in
        [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"]), ("elvish", &["-compileonly"])]
    {
        let script = text(&["completions", shell]);
        assert!(script.contains("analyze") && script.contains("full"), "{shell}: {script}");
        assert!(!script.contains("queues-of"), "{shell}: {script}");
        if is_there(shell) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &script).unwrap();
            let output = Command::new(shell).args(check).arg(file.path()).output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {output:?}");
        }
    }
    assert!(text(&["completions", "powershell"]).contains("'analyze'"));
    let output = mpivet(&["completions", "csh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("powershell"));
}

/// The completions of bash for a command line whose last word is being written.
fn offers(words: &[&str]) -> Vec<String> {
    let [.., previous, word] = words else { panic!("two words") };
    let script = format!(
        "{}\nCOMP_WORDS=({}); COMP_CWORD={}; _mpivet mpivet '{word}' '{previous}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        text(&["completions", "bash"]),
        words.join(" "),
        words.len() - 1
    );
    let output = Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(|l| l.trim().to_owned()).collect()
}

#[test]
fn bash_completes_commands_options_and_values() {
    assert_eq!(offers(&["mpivet", "ru"]), ["run"]);
    assert_eq!(offers(&["mpivet", "run", "--sync"]), ["--sync-sends"]);
    assert_eq!(offers(&["mpivet", "analyze", "--color", "al"]), ["always"]);
    assert!(!offers(&["mpivet", "q"]).contains(&"queues-of".to_owned()));
}

#[test]
fn a_tab_completes_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let rc = dir.path().join("rc");
    let path = Path::new(MPIVET).parent().unwrap().display();
    let set = format!("PS1='$ '; PATH={path}:$PATH; bind 'set enable-bracketed-paste off'\n");
    std::fs::write(&rc, set + &text(&["completions", "bash"])).unwrap();
    let pty = openpty(None, None).unwrap();
    let end = || Stdio::from(pty.slave.try_clone().unwrap());
    let mut bash = Command::new("bash")
        .arg("--noprofile")
        .arg("--rcfile")
        .arg(&rc)
        .arg("-i")
        .env("TERM", "dumb")
        .env_remove("LS_COLORS")
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap();
    drop(pty.slave);
    let mut terminal = File::from(pty.master);
    // Written before bash reads, it would be echoed but not completed.
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    while !seen.contains("$ ") {
        let n = terminal.read(&mut buffer).unwrap();
        seen += &String::from_utf8_lossy(&buffer[..n]);
    }
    terminal.write_all(b"mpivet ru\t--help\n").unwrap();
    std::thread::sleep(Duration::from_millis(100));
    terminal.write_all(b"exit\n").unwrap();
    let mut rest = Vec::new();
    _ = terminal.read_to_end(&mut rest);
    bash.wait().unwrap();
    let said = String::from_utf8_lossy(&rest);
    assert!(said.contains("mpivet run --help") && said.contains("mpivet run [OPTIONS] -- LAUNCHER"), "{said}");
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    assert!(text(&["man"]).contains("mpivet\\-run(1)"));
    assert!(text(&["man", "analyze"]).contains("\\-\\-full"));
    let output = mpivet(&["man", "frobnicate"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no command `frobnicate`; there are "));

    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("man1");
    assert_eq!(text(&["man", "--dir", pages.to_str().unwrap()]), "");
    let names: Vec<_> =
        std::fs::read_dir(&pages).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    for name in ["mpivet.1", "mpivet-run.1", "mpivet-explain.1", "mpivet-completions.1"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    if is_there("man") {
        for name in names {
            let output =
                Command::new("man").args(["--warnings", "-E", "UTF-8", "-l"]).arg(pages.join(&name)).output().unwrap();
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(out.contains("NAME") && out.contains("SYNOPSIS") && err.is_empty(), "{name}: {out}{err}");
        }
    }
}
