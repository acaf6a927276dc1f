//! Settings from the command's point of view: `mpivet.toml`, the environment and options, and what `mpivet config` says
//! of them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

struct Said {
    code: i32,
    out: String,
    err: String,
}

/// A project with a file of settings, and a directory in it.
fn project(settings: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("build/tests")).unwrap();
    fs::write(dir.path().join("mpivet.toml"), settings).unwrap();
    dir
}

fn mpivet(here: &Path, args: &[&str], environment: &[(&str, &str)]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpivet"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MPIVET_") {
            command.env_remove(name);
        }
    }
    // Any library does that does nothing when it is preloaded.
    command.env("MPIVET_LIBRARY", "/lib/x86_64-linux-gnu/libm.so.6");
    let Output { status, stdout, stderr } =
        command.current_dir(here).args(args).envs(environment.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { code: status.code().unwrap(), out: text(stdout), err: text(stderr) }
}

/// The values of a setting, each with what it is from.
fn values(here: &Path, args: &[&str], environment: &[(&str, &str)], name: &str) -> Vec<(Value, String)> {
    let args = [&["config", "--format", "json"], args].concat();
    let said = mpivet(here, &args, environment);
    assert_eq!(said.code, 0, "{}", said.err);
    let whole: Value = serde_json::from_str(&said.out).unwrap();
    let setting = whole["settings"].as_array().unwrap().iter().find(|s| s["name"] == name).unwrap().clone();
    let place = |v: &Value| match v["from"].as_str().unwrap() {
        "file" => format!("file:{}", v["line"]),
        "environment" => v["variable"].as_str().unwrap().to_owned(),
        _ => v["option"].as_str().unwrap().to_owned(),
    };
    setting["values"].as_array().unwrap().iter().map(|v| (v["value"].clone(), place(v))).collect()
}

#[test]
fn options_overrule_the_environment_and_that_the_file() {
    let project = project("quiet = true\nstack-depth = 12\nchecks = ['-leak-*']\n");
    let here = project.path().join("build/tests");
    let of = |args: &[&str], environment: &[(&str, &str)]| values(&here, args, environment, "stack-depth");
    let one = |n: u64, place: &str| vec![(Value::from(n), place.to_owned())];
    assert_eq!(of(&[], &[]), one(12, "file:2"));
    assert_eq!(of(&[], &[("MPIVET_STACK_DEPTH", "9")]), one(9, "MPIVET_STACK_DEPTH"));
    assert_eq!(of(&["--stack-depth", "5"], &[("MPIVET_STACK_DEPTH", "9")]), one(5, "--stack-depth"));
    assert_eq!(of(&["--no-config"], &[]), []);
    // Lists add up.
    let checks = values(&here, &["--check", "MV4,MV5", "--no-check=MV1"], &[("MPIVET_CHECKS", "leak-info")], "checks");
    let pair = |word: &str, place: &str| (Value::from(word), place.to_owned());
    let expected = [
        pair("-leak-*", "file:3"),
        pair("leak-info", "MPIVET_CHECKS"),
        pair("MV4", "--check"),
        pair("MV5", "--check"),
        pair("-MV1", "--no-check"),
    ];
    assert_eq!(checks, expected);
    // Settings of a file are turned off, or overruled by their opposite.
    let quiet = |args: &[&str]| values(&here, args, &[], "quiet");
    assert_eq!(quiet(&[]), [(Value::Bool(true), "file:1".into())]);
    assert_eq!(quiet(&["--quiet=false"]), [(Value::Bool(false), "--quiet".into())]);
    assert_eq!(quiet(&["--verbose"]), []);
    let by_variable = values(&here, &[], &[("MPIVET_QUIET", "0")], "quiet");
    assert_eq!(by_variable, [(Value::Bool(false), "MPIVET_QUIET".into())]);
    // The text says it, too.
    let said = mpivet(&here, &["config", "--dir", "x"], &[]);
    let line = |key: &str| said.out.lines().find(|l| l.trim_start().starts_with(key)).unwrap_or_default().to_owned();
    assert!(line("dir ").ends_with("  --dir") && line("stack-depth").ends_with("mpivet.toml:2"), "{}", said.out);
    assert!(line("fail-on").ends_with("default"), "{}", said.out);
}

#[test]
fn the_nearest_file_of_the_repository_holds() {
    let project = project("stack-depth = 12\n");
    let here = project.path().join("build/tests");
    let depth = |args: &[&str]| values(&here, args, &[], "stack-depth");
    fs::write(project.path().join("build/mpivet.toml"), "stack-depth = 13\n").unwrap();
    assert_eq!(depth(&[])[0].0, 13);
    fs::remove_file(project.path().join("build/mpivet.toml")).unwrap();
    fs::write(project.path().join("build/.git"), "").unwrap();
    assert_eq!(depth(&[]), [], "it is outside of the repository");
    let other = project.path().join("mpivet.toml").display().to_string();
    assert_eq!(depth(&["--config", &other])[0].0, 12);
    let said = mpivet(&here, &["config", "--config", "nowhere.toml"], &[]);
    assert!(said.code == 2 && said.err.contains("cannot read the settings in nowhere.toml"), "{}", said.err);
}

#[test]
fn wrong_settings_are_told_with_their_place() {
    let cases = [
        ("stak-depth = 3", "mpivet.toml:1: there is no setting `stak-depth`; did you mean stack-depth?"),
        ("\nstack-depth = 100", "mpivet.toml:2: stack-depth: `100`: 100 is not in 1..=64"),
        (
            "fail-on = 'eror'",
            "mpivet.toml:1: fail-on: `eror` is none of error, warning, note, never; did you mean error?",
        ),
        (
            "checks = ['wrong-rot']",
            "mpivet.toml:1: checks: `wrong-rot`: there is no check `wrong-rot`; did you mean wrong-root?",
        ),
        ("severity.MV4 = 'loud'", "mpivet.toml:1: severity: `MV4=loud`: `loud` is no severity"),
    ];
    for (settings, message) in cases {
        let project = project(settings);
        for command in [&["config"][..], &["analyze", "x"], &["run", "--", "true"]] {
            let said = mpivet(project.path(), command, &[]);
            assert_eq!(said.code, 2, "{command:?} {}", said.err);
            assert!(said.err.contains(message) && said.err.lines().count() == 1, "{command:?} {}", said.err);
        }
        // It is not asked.
        assert_eq!(mpivet(project.path(), &["checks"], &[]).code, 0);
    }
    let said = mpivet(project("").path(), &["config"], &[("MPIVET_STACK_DEPTH", "many")]);
    assert!(said.code == 2 && said.err.starts_with("mpivet: MPIVET_STACK_DEPTH: stack-depth: `many`:"), "{}", said.err);
}

#[test]
fn a_job_gets_what_holds() {
    let project = project(
        "stack-depth = 12\nstress = true\nsync-sends = true\nchecks = ['-MV1']\ndir = 'trace'\nexplore-runs = 3\n",
    );
    let here = project.path().join("build");
    let script =
        "echo $MPIVET_STACK_DEPTH/$MPIVET_STRESS/$MPIVET_SYNC_SENDS/$MPIVET_CHECKS/$MPIVET_DIR/$MPIVET_CHECKSUMS";
    let environment = [("MPIVET_SYNC_SENDS", "off"), ("MPIVET_CHECKSUMS", "all"), ("MPIVET_STRESS", "1")];
    let said = mpivet(&here, &["run", "--stress=false", "--", "sh", "-c", script], &environment);
    let trace = project
        .path()
        .join("trace")
        .canonicalize()
        .unwrap_or_else(|_| project.path().canonicalize().unwrap().join("trace"));
    assert_eq!(said.out, format!("12///-MV1/{}/all\n", trace.display()), "{}", said.err);
}

#[test]
fn settings_reach_a_job_without_mpivet_run() {
    let project = project("stack-depth = 12\ndir = 't'\nchecks = ['-MV1', 'MV4']\nfail-on = 'note'\n");
    let said = mpivet(project.path(), &["config", "--env", "--severity", "MV4=note"], &[("MPIVET_CVARS", "A=it's")]);
    let dir = project.path().canonicalize().unwrap();
    let expected = format!(
        "export MPIVET_DIR='{}/t'\nexport MPIVET_CHECKS='-MV1,MV4'\nexport MPIVET_SEVERITY='MV4=note'\nexport \
         MPIVET_STACK_DEPTH='12'\nexport MPIVET_CVARS='A=it'\\''s'\n",
        dir.display()
    );
    assert_eq!(said.out, expected, "{}", said.err);
}
