//! The Python package `mpivet`: the wheel is made, installed into a fresh environment, used, and removed.

mod pytest_plugin;

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::package::{self, Environment};
use mpivet_tests::{mpi, python, root, run, scratch, share, vet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn place(name: &str) -> std::path::PathBuf {
    scratch().join("python-package").join(name)
}

/// Its exit code, and the text of both streams.
fn said(mut command: Command) -> Result<(Option<i32>, String)> {
    mpi::Mpi::prepare(&mut command);
    command.env_remove("MPIVET").env_remove("PYTHONPATH");
    let outcome = run::run(command, LIMIT)?;
    Ok((outcome.code, format!("{}{}", outcome.stdout, outcome.stderr)))
}

/// CMake finds the package of an environment that is active.
fn cmake_finds(environment: &Environment) -> Result<()> {
    if Command::new("cmake").arg("--version").output().is_err() {
        return Ok(());
    }
    let dir = place("cmake");
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let project = "cmake_minimum_required(VERSION 3.18)\nproject(x NONE)\nfind_package(mpivet 0.1 REQUIRED)\n\
                   message(STATUS \"found ${mpivet_EXECUTABLE}\")\n";
    std::fs::write(dir.join("CMakeLists.txt"), project)?;
    let mut cmake = Command::new("cmake");
    let path = format!("{}:{}", environment.dir.join("bin").display(), std::env::var("PATH")?);
    cmake.args(["-S", ".", "-B", "build"]).current_dir(&dir).env("PATH", path);
    let (code, text) = said(cmake)?;
    let expected = format!("found {}", std::fs::canonicalize(&environment.dir)?.join("bin/mpivet").display());
    ensure!(code == Some(0) && text.contains(&expected), "{code:?}\n{text}");
    Ok(())
}

#[test]
fn the_wheel_is_installed_used_and_removed() -> Result<()> {
    for python in python::required()? {
        let wheel = package::wheel(&python)?;
        let environment = Environment::new(&python, &place("whole"))?;
        let before = environment.files()?;
        environment.pip(&["install", "--no-index", &wheel.display().to_string()])?;

        let mut command = Command::new(environment.dir.join("bin/mpivet"));
        command.arg("--version");
        let version = said(command)?;
        ensure!(version == (Some(0), format!("mpivet {}\n", env!("CARGO_PKG_VERSION"))), "{version:?}");
        let mut command = Command::new(&environment.python.program);
        command.args(["-m", "mpivet", "--version"]);
        ensure!(said(command)? == version, "python -m mpivet");
        ensure!(environment.dir.join("share/man/man1/mpivet-run.1").is_file(), "no manual");
        ensure!(environment.dir.join("include/mpivet.h").is_file(), "no header");
        cmake_finds(&environment)?;

        _ = std::fs::remove_dir_all(place("traces"));
        std::fs::create_dir_all(place("traces"))?;
        let bug = root().join("tests/programs/python/halo_bug.py");
        for mpi in share::mpis("python package") {
            let mut command = Command::new(environment.dir.join("bin/mpivet"));
            command.args(["run", "--dir"]).arg(place("traces").join(mpi.name)).arg("--");
            command.args(environment.python.job(&mpi, 2, &bug));
            let (code, text) = said(command)?;
            ensure!(code == Some(1) && text.contains("error[MV601] real-deadlock"), "{}: {code:?}\n{text}", mpi.name);
            ensure!(!environment.python.has_lines() || text.contains("halo_bug.py:"), "{}\n{text}", mpi.name);
        }

        environment.pip(&["uninstall", "--yes", "mpivet"])?;
        let after = environment.files()?;
        ensure!(after == before, "{:?} are left", after.iter().filter(|f| !before.contains(f)).collect::<Vec<_>>());
    }
    Ok(())
}

/// pip puts programs and packages side by side then, and nobody tells the interpreter.
#[test]
fn it_runs_from_a_target_directory_and_leaves_the_environment_as_it_is() -> Result<()> {
    for python in python::required()? {
        let wheel = package::wheel(&python)?;
        let environment = Environment::new(&python, &place("target-venv"))?;
        let target = environment.dir.join("files");
        environment.pip(&[
            "install",
            "--no-index",
            "--target",
            &target.display().to_string(),
            &wheel.display().to_string(),
        ])?;
        // In the locale C an interpreter sets LC_CTYPE, and it ignores SIGPIPE (bit 12).
        let look = "echo LC_CTYPE=$LC_CTYPE; sed -n 's/^SigIgn://p' /proc/self/status";
        let run = |program: &Path| {
            let mut command = Command::new(program);
            command.args(["run", "--", "sh", "-c", look]).current_dir(&environment.dir);
            command.env_remove("LC_ALL").env_remove("LC_CTYPE").env_remove("LANG");
            said(command)
        };
        let (_, wrapped) = run(&target.join("bin/mpivet"))?;
        let (_, direct) = run(&target.join("mpivet/_files/bin/mpivet"))?;
        ensure!(wrapped.contains("LC_CTYPE=\n") && wrapped == direct, "{wrapped}\n{direct}");
    }
    Ok(())
}

#[test]
fn without_its_files_it_says_where_mpivet_may_be() -> Result<()> {
    for python in python::required()? {
        let program = |arguments: &[&str], variables: &[(&str, &str)]| {
            let mut command = Command::new(&python.program);
            command.arg("-c").arg(format!(
                "import sys; sys.path.insert(0, {:?}); from mpivet._command import main; sys.exit(main())",
                root().join("python/src").display().to_string()
            ));
            command.args(arguments).env("PYTHONDONTWRITEBYTECODE", "1").env("PATH", "/nowhere").env_remove("MPIVET");
            command.envs(variables.iter().copied());
            let outcome = run::run(command, LIMIT)?;
            anyhow::Ok((outcome.code, format!("{}{}", outcome.stdout, outcome.stderr)))
        };
        let (code, text) = program(&["run"], &[])?;
        ensure!(
            code == Some(1) && text.contains("pip install mpivet") && !text.contains("Traceback"),
            "{code:?} {text}"
        );
        let (code, text) = program(&["run"], &[("MPIVET", "/nowhere/mpivet")])?;
        ensure!(code == Some(1) && text.contains("MPIVET names /nowhere/mpivet"), "{code:?} {text}");
        let built = vet::mpivet()?.display().to_string();
        ensure!(program(&["--version"], &[("MPIVET", &built)])?.1.starts_with("mpivet "), "MPIVET");
        // A script of this package in PATH would call itself for ever.
        let dir = place("path");
        std::fs::create_dir_all(dir.join("script"))?;
        let script = "#!/usr/bin/python3\nfrom mpivet._command import main\n";
        std::fs::write(dir.join("script/mpivet"), script)?;
        package::succeed({
            let mut chmod = Command::new("chmod");
            chmod.arg("755").arg(dir.join("script/mpivet"));
            chmod
        })?;
        let bin = Path::new(&built).parent().context("no directory")?;
        let path = format!("{}:{}", dir.join("script").display(), bin.display());
        ensure!(program(&["--version"], &[("PATH", &path)])?.1.starts_with("mpivet "), "PATH");
    }
    Ok(())
}

#[test]
fn programs_speak_to_mpivet_and_run_without_it() -> Result<()> {
    let script = root().join("tests/programs/python/annotations.py");
    for python in python::required()? {
        let environment = Environment::new(&python, &place("annotations"))?;
        environment.pip(&["install", "--no-index", &package::wheel(&python)?.display().to_string()])?;
        for mpi in share::mpis("python annotations") {
            let mut job = environment.python.job(&mpi, 2, &script);
            let plain = vet::run_plain(&job, LIMIT)?;
            ensure!(plain.code == Some(0) && plain.stderr.is_empty(), "{}", vet::last_words(&plain));
            job.push("watched".into());
            let vetted = vet::vet(&job, &place("said").join(mpi.name), LIMIT)?;
            ensure!(vetted.outcome.code == Some(0), "{}", vet::last_words(&vetted.outcome));
            ensure!(vetted.outcome.stdout == plain.stdout, "{}", vetted.outcome.stdout);
            let mut print = vet::command()?;
            print.args(["print", "--dumps", "--rank", "0"]).arg(&vetted.trace);
            let printed = run::run(print, LIMIT)?.stdout;
            let lines = printed.lines().filter(|l| l.starts_with("0: mpivet_") || l.starts_with("//  "));
            // Without addresses and places.
            let lines = lines.map(|l| l.split("    //").next().unwrap_or(l));
            let lines: Vec<_> = lines.map(|l| l.split(", 0x").next().unwrap_or(l)).collect();
            ensure!(
                lines
                    == [
                        "0: mpivet_region_begin(\"whole\")",
                        "0: mpivet_dump(\"data\"",
                        "//   data[0] 1 -2.5 3",
                        "0: mpivet_dump(\"numbers\"",
                        "//   numbers[0] 4 5",
                        "0: mpivet_watch(\"data\"",
                        "0: mpivet_region_begin(\"inner\")",
                        "0: mpivet_region_end(\"inner\")",
                        "0: mpivet_unwatch(\"data\")",
                        "0: mpivet_watch(\"again\"",
                        "0: mpivet_unwatch(\"again\")",
                        "0: mpivet_region_end(\"whole\")",
                    ],
                "{lines:#?}"
            );
            let [finding] = &vetted.report.findings[..] else {
                anyhow::bail!("not one finding but {:?}", vetted.report.findings)
            };
            ensure!(finding.check == "watched-data-changed", "{finding}");
            let text = vet::analyze(&vetted.trace)?;
            ensure!(text.contains("in the region inner"), "{text}");
            if python.has_lines() {
                let source = std::fs::read_to_string(&script)?;
                let line = 1 + source.lines().position(|l| l.ends_with("# mark: changed")).context("no mark")?;
                ensure!(finding.sites.iter().any(|s| s.line == line), "{finding}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_same_input_gives_the_same_bytes() -> Result<()> {
    let Some(python) = python::required()?.pop() else { return Ok(()) };
    let dir = place("reproducible");
    let mut wheels = Vec::new();
    for (name, newest_first) in [("a", false), ("b", true)] {
        let prefix = dir.join(name);
        _ = std::fs::remove_dir_all(&prefix);
        let mut files = ["bin/mpivet", "lib/libmpivet.so", "share/man/man1/mpivet.1", "share/fish/x.fish"];
        if newest_first {
            files.reverse();
        }
        for file in files {
            let path = prefix.join(file);
            std::fs::create_dir_all(path.parent().context("no directory")?)?;
            std::fs::write(path, file)?;
        }
        wheels.push(std::fs::read(package::wheel_of(&python, &prefix, &prefix.join("out"))?)?);
    }
    ensure!(wheels[0] == wheels[1] && !wheels[0].is_empty(), "the wheels differ");
    std::fs::remove_file(dir.join("a/lib/libmpivet.so"))?;
    let error = package::wheel_of(&python, &dir.join("a"), &dir.join("out")).err().context("it made a wheel")?;
    ensure!(error.to_string().contains("has no lib/libmpivet.so"), "{error}");
    Ok(())
}
