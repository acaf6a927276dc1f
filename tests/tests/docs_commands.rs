//! The commands of the documents in `docs/` are run, in order and as a reader would, and print what the documents say.
//! `BLESS=1` writes what they print.

use anyhow::{Context as _, Result, bail, ensure};
use mpivet_tests::golden::is_blessing;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::normalize::normalize;
use mpivet_tests::tutorial::{Part, fits, parse, write};
use mpivet_tests::{root, scratch, vet};
use regex::Regex;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory with the names that the documents use: mpivet, and mpicc, mpifort and mpirun of MPICH.
fn programs(dir: &Path, mpi: &Mpi) -> Result<()> {
    let wrapped =
        [("mpicc", Some(mpi.mpicc.clone())), ("mpifort", mpi.mpifort()), ("mpirun", Some(mpi.mpiexec.clone()))];
    let vet = [("mpivet", Some(std::path::absolute(vet::mpivet()?)?))];
    for (name, path) in wrapped.into_iter().chain(vet) {
        let Some(path) = path else { continue };
        let script = dir.join(name);
        std::fs::write(&script, format!("#!/bin/sh\nexec '{}' \"$@\"\n", path.display()))?;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// The output of a command.
fn printed(command: &str, here: &Path, programs: &Path) -> Result<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("timeout");
    bash.args(["60", "bash", "-c", &format!("exec 2>&1\n{command}")]);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MPIVET")) {
        bash.env_remove(name);
    }
    Mpi::prepare(&mut bash);
    let output = bash
        .current_dir(here)
        .env("PATH", format!("{}:{path}", programs.display()))
        .stdin(Stdio::null())
        .output()
        .context("bash")?;
    ensure!(output.status.code() != Some(124), "`{command}` does not end");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The text without what is different each time.
fn usual(text: &str, here: &Path) -> Result<String> {
    let text = text.replace(&format!("{}/", here.display()), "");
    let numbered = Regex::new(r"\bmpivet-(\w+)-\d+")?;
    let text = numbered.replace_all(&text, "mpivet-$1-<pid>").into_owned();
    // A line of times is not aligned the same each time.
    Ok(normalize(&text))
}

fn go_through(document: &Path, mpi: &Mpi) -> Result<()> {
    let text = std::fs::read_to_string(document)?;
    let mut parts = parse(&text)?;
    let place = scratch().join("docs").join(document.file_stem().unwrap_or_default());
    _ = std::fs::remove_dir_all(&place);
    let (here, bin) = (place.join("me"), place.join("bin"));
    std::fs::create_dir_all(&here)?;
    std::fs::create_dir_all(&bin)?;
    programs(&bin, mpi)?;
    let mut wrong = Vec::new();
    for part in &mut parts {
        match part {
            Part::Text(_) => {}
            Part::File { name, text, .. } => std::fs::write(here.join(name), text)?,
            Part::Console(commands) => {
                for (command, said) in commands {
                    let now = printed(command, &here, &bin)?;
                    if !fits(&usual(said, &here)?, &usual(&now, &here)?) {
                        wrong.push(format!("$ {command}\n{now}"));
                        *said = now.replace(&format!("{}/", here.display()), "");
                    }
                }
            }
        }
    }
    if is_blessing() {
        std::fs::write(document, write(&parts))?;
    } else if !wrong.is_empty() {
        bail!("{}: these print something else (BLESS=1 accepts it):\n{}", document.display(), wrong.join("\n"));
    }
    Ok(())
}

#[test]
fn commands_print_what_the_documents_say() -> Result<()> {
    let Some(mpi) = mpi::required().into_iter().find(|mpi| mpi.name == "mpich") else { return Ok(()) };
    let entries: Vec<PathBuf> =
        std::fs::read_dir(root().join("docs"))?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    let mut found = false;
    for document in entries.iter().filter(|path| path.extension().is_some_and(|e| e == "md")) {
        if std::fs::read_to_string(document)?.lines().any(|line| line == "```console") {
            found = true;
            go_through(document, &mpi).with_context(|| document.display().to_string())?;
        }
    }
    ensure!(found, "no document has commands");
    Ok(())
}
