//! Buffers against the declarations of their variables, whatever the optimizer has made of these; and nothing is said of programs
//! without debug information.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile_to;
use mpivet_tests::mpi::Mpi;
use mpivet_tests::{root, scratch, share, vet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Programs of the examples, and what is found in each.
const PROGRAMS: [(&str, Option<&str>); 12] = [
    ("buffer-type/bug.c", Some("buffer-type")),
    ("buffer-type/bug-long.c", Some("buffer-type")),
    ("buffer-type/bug-struct.c", Some("buffer-type")),
    ("buffer-type/bug-vector.cpp", Some("buffer-type")),
    ("buffer-type/bug-fortran.f90", Some("buffer-type")),
    ("buffer-too-small/bug.c", Some("buffer-too-small")),
    ("buffer-too-small/bug-caller.c", Some("buffer-too-small")),
    ("buffer-too-small/bug-column.c", Some("buffer-too-small")),
    ("buffer-too-small/bug-array.cpp", Some("buffer-too-small")),
    ("clean/buffers-of-variables.c", None),
    ("clean/cpp-variables.cpp", None),
    ("clean/fortran-variables.f90", None),
];

fn report(mpi: &Mpi, dir: &Path, example: &str, flags: &[&str], strip: bool) -> Result<String> {
    _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir)?;
    let (source, program) = (root().join("examples").join(example), dir.join("program"));
    let compiler = match source.extension().and_then(|e| e.to_str()) {
        Some("cpp") => mpi
            .mpicc
            .with_file_name(mpi.mpicc.file_name().context("a name")?.to_string_lossy().replacen("cc", "cxx", 1)),
        Some("f90") => mpi.mpifort().context("no Fortran compiler")?,
        _ => mpi.mpicc.clone(),
    };
    let modules = format!("-J{}", dir.display());
    let mut flags = flags.to_vec();
    if example.ends_with("f90") {
        flags.extend(["-fallow-argument-mismatch", &modules]);
    }
    compile_to(mpi, &program, &compiler, &flags, &source)?;
    if strip {
        let done = Command::new("strip").arg(&program).status()?;
        ensure!(done.success(), "strip {}", program.display());
    }
    let mut job = vet::vet(&mpi.job(2, &program, &[]), &dir.join("run"), LIMIT)?;
    Ok(std::mem::take(&mut job.outcome.stderr))
}

fn each(test: impl Fn(&Mpi, &Path, &str, Option<&str>) -> Result<()>) -> Result<()> {
    for (example, check) in PROGRAMS {
        for mpi in share::mpis(example).iter().filter(|mpi| matches!(mpi.name, "mpich" | "openmpi")) {
            let name = example.replace(['/', '.'], "-");
            test(mpi, &scratch().join(format!("declared-{}-{name}", mpi.name)), example, check)?;
        }
    }
    Ok(())
}

#[test]
fn the_optimizer_changes_nothing() -> Result<()> {
    each(|mpi, dir, example, check| {
        for level in ["-O0", "-O2"] {
            let said = report(mpi, &dir.join(level), example, &["-g", level], false)?;
            match check {
                Some(check) => {
                    ensure!(said.contains(&format!("] {check}: ")), "{} {example} {level}: {said}", mpi.name)
                }
                None => ensure!(said.contains("no errors found"), "{} {example} {level}: {said}", mpi.name),
            }
        }
        Ok(())
    })
}

#[test]
fn a_program_without_debug_information_is_left_alone() -> Result<()> {
    each(|mpi, dir, example, _| {
        let said = report(mpi, &dir.join("stripped"), example, &["-g"], true)?;
        let is_silent = !said.contains("[MV229]") && !said.contains("[MV230]");
        ensure!(is_silent, "{} {example}: {said}", mpi.name);
        // Sizes of variables outside of functions are in the table of symbols.
        let said = report(mpi, &dir.join("plain"), example, &["-O1"], false)?;
        ensure!(!said.contains("[MV229]"), "{} {example}: {said}", mpi.name);
        Ok(())
    })
}
