//! Jobs that are started wrongly: by the launcher of another MPI, or with a program that knows nothing of MPI; and what
//! `mpivet doctor` says of them before.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::{compile, compile_to};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{root, run, scratch, vet};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn under(job: &[String], name: &str) -> Result<run::Outcome> {
    let dir = scratch().join("launchers").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let mut command = vet::command()?;
    command.arg("run").arg("--dir").arg(dir.join("trace")).arg("--").args(job).current_dir(&dir);
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

#[test]
fn the_launcher_of_another_mpi_is_told_with_both_names() -> Result<()> {
    let all = mpi::required();
    let of = |name: &str| all.iter().find(|mpi| mpi.name == name);
    let (Some(mpich), Some(open)) = (of("mpich"), of("openmpi")) else { return Ok(()) };
    for (launcher, its, library, called) in [(open, "Open MPI", mpich, "MPICH"), (mpich, "MPICH", open, "Open MPI")] {
        let program = compile(library, &root().join("tests/programs/single.c"), &scratch())?;
        let outcome = under(&launcher.job(3, &program, &[]), &format!("{}-for-{}", launcher.name, library.name))?;
        let words = format!("that of {its} and has started 3 processes, but the program uses {called}");
        let said = outcome.stderr.matches(&words).count();
        // When it starts, once, and in the report.
        ensure!(said == 2 && outcome.stderr.contains("hint: the launcher"), "{words}: {said}\n{}", outcome.stderr);
        let right = under(&library.job(3, &program, &[]), &format!("own-{}", library.name))?;
        ensure!(!right.stderr.contains("the launcher is"), "{}", right.stderr);
        let alone = under(&library.job(1, &program, &[]), &format!("alone-{}", library.name))?;
        ensure!(!alone.stderr.contains("the launcher is"), "{}", alone.stderr);
    }
    Ok(())
}

/// Compiles a C program without MPI.
fn plain(name: &str, options: &[&str], text: &str) -> Result<PathBuf> {
    plain_by("cc", name, options, text)
}

fn plain_by(compiler: &str, name: &str, options: &[&str], text: &str) -> Result<PathBuf> {
    let (source, program) = (scratch().join(format!("{name}.c")), scratch().join(name));
    std::fs::write(&source, text)?;
    let status =
        Command::new(compiler).args(options).arg("-o").arg(&program).arg(&source).status().context("no compiler")?;
    ensure!(status.success(), "{name} does not compile");
    Ok(program)
}

const NOTHING: &str = "nothing will be recorded";

#[test]
fn a_program_without_mpi_is_told_when_it_starts() -> Result<()> {
    // MPICH's launcher loses words of a process that ends at once, where the machine is busy: 1 job of 10.
    let writes = "#include <stdio.h>\n#include <unistd.h>\n\
        int main(void) { fputs(\"the program\\n\", stderr); sleep(1); return 0; }\n";
    let starts = "#include <unistd.h>\nint main(void) { return execl(\"/bin/true\", \"true\", (char *)0); }\n";
    let mpi = mpi::first().context("no MPI")?;
    for (name, options, text, is_told) in [
        ("without-mpi", &[][..], writes, true),
        ("without-mpi-static", &["-static"], writes, true),
        ("without-mpi-starts", &[], starts, false),
    ] {
        let outcome = under(&mpi.job(2, &plain(name, options, text)?, &[]), name)?;
        let (at, before) = (outcome.stderr.find(NOTHING), outcome.stderr.find("the program\n"));
        ensure!(at.is_some() == is_told, "{name}: {}", outcome.stderr);
        ensure!(!is_told || at < before, "{name}: not at the start: {}", outcome.stderr);
        ensure!(outcome.code == Some(3), "{name}: {:?}", outcome.code);
    }
    let program = scratch().join("with-mpi");
    compile_to(&mpi, &program, &mpi.mpicc, &["-g"], &root().join("tests/programs/single.c"))?;
    let outcome = under(&mpi.job(2, &program, &[]), "with-mpi")?;
    ensure!(!outcome.stderr.contains(NOTHING), "{}", outcome.stderr);
    Ok(())
}

/// The words of `mpivet doctor`, and its exit code.
fn doctor(options: &[&str], job: &[String]) -> Result<(String, Option<i32>)> {
    let dir = scratch().join("doctor");
    std::fs::create_dir_all(&dir)?;
    let mut command = vet::command()?;
    command.arg("doctor").args(options).arg("--").args(job).current_dir(&dir);
    Mpi::prepare(&mut command);
    let outcome = run::run(command, LIMIT)?;
    let left: Vec<_> = std::fs::read_dir(&dir)?.flatten().map(|entry| entry.file_name()).collect();
    ensure!(left.is_empty() && outcome.stderr.is_empty(), "{left:?}\n{}", outcome.stderr);
    Ok((outcome.stdout, outcome.code))
}

#[test]
fn the_doctor_tells_before_a_run_whether_it_will_work() -> Result<()> {
    let all = mpi::required();
    let source = root().join("tests/programs/single.c");
    for mpi in &all {
        let program = compile(mpi, &source, &scratch())?;
        let (said, code) = doctor(&[], &mpi.job(3, &program, &[]))?;
        let is_well = code == Some(0) && said.contains("came into 3 of 3") && said.ends_with("mpivet run will work.\n");
        ensure!(is_well, "{}: {code:?}\n{said}", mpi.name);
        let (said, code) = doctor(&["--no-start"], &mpi.job(3, &program, &[]))?;
        ensure!(code == Some(0) && !said.contains("ranks "), "{}: {code:?}\n{said}", mpi.name);
    }
    let of = |name: &str| all.iter().find(|mpi| mpi.name == name);
    let (Some(mpich), Some(open)) = (of("mpich"), of("openmpi")) else { return Ok(()) };
    let program = compile(mpich, &source, &scratch())?;
    let (said, code) = doctor(&[], &open.job(2, &program, &[]))?;
    ensure!(code == Some(3) && said.contains("that of Open MPI, but the program uses MPICH"), "{code:?}\n{said}");
    let mut several = mpich.job(1, &program, &[]);
    several.extend([":".into(), "-n".into(), "2".into(), program.display().to_string()]);
    let (said, code) = doctor(&[], &several)?;
    ensure!(code == Some(0) && said.contains("came into 3 of 3"), "{code:?}\n{said}");
    let fixed = plain("doctor-static", &["-static"], "int main(void) { return 0; }\n")?;
    let (said, code) = doctor(&[], &mpich.job(2, &fixed, &[]))?;
    ensure!(code == Some(3) && said.contains("PROBLEM  program"), "{code:?}\n{said}");
    let other = plain_by("musl-gcc", "doctor-musl", &[], "int main(void) { return 0; }\n")?;
    let (said, code) = doctor(&[], &mpich.job(2, &other, &[]))?;
    ensure!(code == Some(3) && said.contains("is linked with musl"), "{code:?}\n{said}");
    let outcome = under(&mpich.job(2, &other, &[]), "musl")?;
    let said = outcome.stderr.matches("is linked with musl").count();
    ensure!(outcome.code == Some(3) && said == 2, "{:?}\n{}", outcome.code, outcome.stderr);
    let mut refused = mpich.job(2, &program, &[]);
    refused.insert(1, "--no-such-option".into());
    let (said, code) = doctor(&[], &refused)?;
    let is_quoted = said.contains("started no process") && said.contains("no-such-option");
    ensure!(code == Some(3) && is_quoted, "{code:?}\n{said}");
    Ok(())
}
