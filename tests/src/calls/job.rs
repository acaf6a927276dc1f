//! Compiles a program, runs it under mpivet and reads what came of it.

use super::check::{Recorded, Tally, check};
use super::notation::Scenario;
use super::program::Program;
use super::witness::Witness;
use super::{Binding, exports};
use crate::mpi::Mpi;
use crate::{compile, run, vet};
use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use trace_format::mpi::{Class, FnId};
use xxhash_rust::xxh3::xxh3_64;

const LIMIT: Duration = Duration::from_secs(30);
/// Open MPI hides what was removed from the standard.
const C_FLAGS: [&str; 10] = [
    "-std=gnu11",
    "-g",
    "-O0",
    "-Wall",
    "-Wextra",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Wno-unused",
    "-Wno-deprecated-declarations",
    "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0",
];
/// Without interfaces (mpif.h) one routine takes buffers of several types.
const FORTRAN_FLAGS: [&str; 5] = ["-g", "-O0", "-w", "-ffree-line-length-none", "-fallow-argument-mismatch"];

/// Is it the variant for large counts of another function?
pub fn is_large(name: &str) -> bool {
    name.strip_suffix("_c").is_some_and(|base| FnId::by_name(base).is_some())
}

/// A binding of an MPI with its compiler; `None` if the MPI does not have the binding.
#[derive(Debug)]
pub struct Toolchain {
    pub mpi: Mpi,
    pub binding: Binding,
    compiler: PathBuf,
    /// Functions of the table that the binding has.
    pub available: BTreeSet<&'static str>,
}

impl Toolchain {
    /// `None` if the MPI has no compiler for the binding.
    pub fn of(mpi: &Mpi, binding: Binding) -> Result<Option<Toolchain>> {
        let compiler = if binding.is_fortran() { mpi.mpifort() } else { Some(mpi.mpicc.clone()) };
        let Some(compiler) = compiler else { return Ok(None) };
        let mut toolchain = Toolchain { mpi: mpi.clone(), binding, compiler, available: BTreeSet::new() };
        // The program that does nothing says which libraries there are, or that the binding has no module.
        let smallest = Scenario::parse("smallest", "MPI_Init(argc, argv)\nMPI_Comm_rank(WORLD, me)\nMPI_Finalize()")?;
        let program =
            Program::new(&smallest, mpi.name, binding, &["MPI_Init", "MPI_Comm_rank", "MPI_Finalize"].into())?;
        match toolchain.compile(&program) {
            Ok((_, executable)) => toolchain.available = exports::functions(&executable, binding)?,
            Err(_) if binding.is_fortran() => return Ok(None),
            Err(error) => return Err(error),
        }
        // Without functions for large counts it would be the program in plain C once more.
        let has_large = toolchain.available.iter().any(|name| is_large(name));
        Ok((binding != Binding::LargeC || has_large).then_some(toolchain))
    }

    fn dir(&self) -> PathBuf {
        crate::scratch().join("calls").join(format!("{}-{}", self.mpi.name, self.binding.slug()))
    }

    /// The source and the executable of a program. It is compiled when its text has changed.
    fn compile(&self, program: &Program) -> Result<(PathBuf, PathBuf)> {
        let built = std::fs::metadata(&self.compiler)?.modified().ok();
        let key = format!("{} {built:?} {C_FLAGS:?} {FORTRAN_FLAGS:?} {}", self.compiler.display(), program.text);
        let dir = self.dir().join(format!("{}-{:016x}", program.name, xxh3_64(key.as_bytes())));
        let source = dir.join(format!("{}.{}", program.name, self.binding.extension()));
        let executable = dir.join(program.name);
        if !executable.exists() {
            std::fs::create_dir_all(&dir)?;
            std::fs::write(&source, &program.text)?;
            let (part, modules) = (dir.join(format!("part-{}", std::process::id())), format!("-J{}", dir.display()));
            let fortran: Vec<&str> = FORTRAN_FLAGS.into_iter().chain([modules.as_str()]).collect();
            let flags = if self.binding.is_fortran() { &fortran[..] } else { &C_FLAGS[..] };
            compile::compile_to(&self.mpi, &part, &self.compiler, flags, &source)?;
            std::fs::rename(&part, &executable)?;
        }
        Ok((source, executable))
    }

    /// Runs a program under mpivet and checks its trace. `None` as interposer: runs it without.
    pub fn run(&self, program: &Program, interposer: Option<&Path>) -> Result<Tally> {
        let (source, executable) = self.compile(program)?;
        let dir = self.dir().join(program.name);
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        let (trace, prefix) = (dir.join("trace"), dir.join("witness"));
        let job = self.mpi.job(program.ranks, &executable, &[prefix.display().to_string()]);
        let mut command = Command::new(&job[0]);
        command.args(&job[1..]).current_dir(&dir);
        Mpi::prepare(&mut command);
        if let Some(interposer) = interposer {
            command.env("LD_PRELOAD", interposer).env("MPIVET_DIR", &trace);
        }
        let outcome = run::run(command, LIMIT)?;
        let aborts = program.steps.iter().any(|s| s.function.class == Class::Abort);
        ensure!(
            outcome.code.is_some_and(|code| (code != 0) == aborts),
            "{} ended with {:?}: {}\n{}",
            executable.display(),
            outcome.code,
            source.display(),
            vet::last_words(&outcome)
        );
        let mut tally = Tally::default();
        let witnesses = Witness::read_all(&prefix)?;
        ensure!(witnesses.len() == program.ranks, "{} ranks wrote down what they saw", witnesses.len());
        let name = source.file_name().and_then(|n| n.to_str()).context("a name")?;
        if interposer.is_some() {
            for (rank, witness) in &witnesses {
                let mut recorded = Recorded::read(&trace, *rank)?;
                check(program, name, *rank, witness, &mut recorded, &mut tally);
            }
        }
        Ok(tally)
    }
}
