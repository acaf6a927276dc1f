//! Programs compiled for the ABI of MPI 5 may run on another library than that which they were built with, and the
//! library may be cut in two.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::expect::Program;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{root, scratch, vet};
use object::elf::{FileHeader64, Sym64};
use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _};
use object::{Endianness, U16, U64};
use std::path::{Path, PathBuf};
use std::process::Command;
use trace_format::mpi::FnId;
use trace_reader::reader::{RankEvent, RankReader};

/// The job `command` with `libraries` before all other places where libraries are searched for.
fn with_libraries(mpi: &Mpi, libraries: &[&Path], ranks: usize, executable: &Path) -> Result<Vec<String>> {
    let path = std::env::join_paths(libraries)?.into_string().ok().context("a path that is text")?;
    let mut job = mpi.job(ranks, executable, &[]);
    job.splice(1..1, ["-genv".to_owned(), "LD_LIBRARY_PATH".to_owned(), path]);
    Ok(job)
}

/// Runs an example that was compiled with `built` on the library of `used`.
fn cross(built: &Mpi, used: &Mpi, example: &str) -> Result<()> {
    let program = Program::read(&root().join("examples").join(example))?;
    let executable = compile(built, &program.path, &scratch())?;
    let job = with_libraries(used, &[&used.lib], program.ranks, &executable)?;
    let dir = scratch().join("cross").join(format!("{}-on-{}", built.name, used.name)).join(example.replace('/', "-"));
    let vetted = vet::vet(&job, &dir, program.timeout)?;
    let complaints = program.complaints(&vetted.report);
    let what = format!("{example} built with {} on {}", built.name, used.name);
    ensure!(complaints.is_empty(), "{what}: {}\n{}", complaints.join("\n"), vet::last_words(&vetted.outcome));
    let code = i32::from(program.expected.iter().any(|e| !e.note));
    ensure!(vetted.outcome.code == Some(code), "{what}: exit code {:?}", vetted.outcome.code);
    let job = trace_format::run::job::read(&vetted.trace)?;
    ensure!(Path::new(&job.mpi.path).starts_with(&used.lib), "{what} ran on {}", job.mpi.path);
    ensure!(job.mpi.family == "standard", "{what}: family {}", job.mpi.family);
    Ok(())
}

#[test]
fn a_program_runs_on_another_library_than_it_was_built_with() -> Result<()> {
    let libraries: Vec<Mpi> = mpi::others().into_iter().filter(|mpi| mpi.is("standard")).collect();
    for built in &libraries {
        for used in libraries.iter().filter(|used| used.name != built.name) {
            for example in ["real-deadlock/bug-cycle.c", "mpi-error/bug.c", "clean/communicators.c"] {
                cross(built, used, example)?;
            }
        }
    }
    Ok(())
}

/// Makes the MPI_ functions of a shared library undefined, so that only the PMPI_ functions are left.
fn hide_mpi_functions(library: &mut [u8]) -> Result<()> {
    let places = {
        let data: &[u8] = library;
        let header = FileHeader64::<Endianness>::parse(data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, data)?;
        let symbols = sections.symbols(endian, data, object::elf::SHT_DYNSYM)?;
        let (_, table) = sections
            .iter()
            .enumerate()
            .find(|(_, section)| section.sh_type(endian) == object::elf::SHT_DYNSYM)
            .context("a table of dynamic symbols")?;
        let start = usize::try_from(table.sh_offset(endian))?;
        let is_mpi = |symbol: &Sym64<Endianness>| {
            let name = symbols.strings().get(symbol.st_name(endian)).unwrap_or_default();
            !symbol.is_undefined(endian) && (name.starts_with(b"MPI_") || name.starts_with(b"MPIX_"))
        };
        let found = symbols.iter().enumerate().filter(|(_, symbol)| is_mpi(symbol));
        found.map(|(index, _)| start + index * size_of::<Sym64<Endianness>>()).collect::<Vec<_>>()
    };
    ensure!(places.len() > 500, "only {} functions", places.len());
    for place in places {
        let bytes = &mut library[place..];
        let (symbol, _) = object::pod::from_bytes_mut::<Sym64<Endianness>>(bytes).ok().context("a symbol")?;
        symbol.st_shndx = U16::new(Endianness::Little, object::elf::SHN_UNDEF);
        symbol.st_value = U64::new(Endianness::Little, 0);
    }
    Ok(())
}

/// Cuts the library of `mpi` in two, as MPICH may be built: `libpmpi_abi.so.1` with the PMPI_ functions and
/// `libmpi_abi.so.1` with the MPI_ functions, which call them.
fn split(mpi: &Mpi) -> Result<PathBuf> {
    let whole = std::fs::read(mpi.lib.join("libmpi_abi.so.1"))?;
    let dir = scratch().join("split");
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("stub"))?;
    let functions: Vec<String> = {
        use object::{Object as _, ObjectSymbol as _};
        let file = object::File::parse(&*whole)?;
        let names = file.dynamic_symbols().filter(|s| s.is_definition());
        names.filter_map(|s| s.name().ok()?.strip_prefix("PMPI").map(|rest| format!("MPI{rest}"))).collect()
    };
    let mut back = whole;
    hide_mpi_functions(&mut back)?;
    std::fs::write(dir.join("libpmpi_abi.so.1"), back)?;
    let mut front = String::from(
        "int PMPI_Get_address(const void *, long *);\n\
         int MPI_Address(void *location, long *address) { return PMPI_Get_address(location, address); }\n",
    );
    for name in functions {
        front += &format!(
            "__asm__(\".globl {name}\\n.type {name}, @function\\n{name}: jmp *P{name}@GOTPCREL(%rip)\\n\");\n"
        );
    }
    std::fs::write(dir.join("front.c"), front)?;
    std::fs::write(dir.join("stub.c"), "")?;
    let compile = |args: &[&str]| -> Result<()> {
        let output = Command::new("gcc").current_dir(&dir).args(["-shared", "-fPIC"]).args(args).output()?;
        ensure!(output.status.success(), "gcc: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    };
    // The linker takes the name of what is needed from the stub; the dynamic linker finds the real library.
    compile(&["stub.c", "-Wl,-soname,libpmpi_abi.so.1", "-o", "stub/libpmpi_abi.so"])?;
    compile(&[
        "front.c",
        "-Wl,-soname,libmpi_abi.so.1",
        "-Wl,--no-as-needed",
        "stub/libpmpi_abi.so",
        "-o",
        "libmpi_abi.so.1",
    ])?;
    Ok(dir)
}

#[test]
fn the_profiling_functions_may_be_in_a_library_of_their_own() -> Result<()> {
    let Some(mpi) = mpi::others().into_iter().find(|mpi| mpi.name == "mpich-5.0-abi") else { return Ok(()) };
    let dir = split(&mpi)?;
    let libraries = [dir.as_path(), &mpi.lib, &mpi.lib.join("mpich")];

    let removed = compile(&mpi, &root().join("tests/programs/removed.c"), &scratch())?;
    let program = Program::read(&root().join("examples/real-deadlock/bug-cycle.c"))?;
    let deadlock = compile(&mpi, &program.path, &scratch())?;

    let job = with_libraries(&mpi, &libraries, 2, &removed)?;
    let vetted = vet::vet(&job, &dir.join("removed"), program.timeout)?;
    let words = vet::last_words(&vetted.outcome);
    ensure!(vetted.outcome.code == Some(0), "exit code {:?}\n{words}", vetted.outcome.code);
    ensure!(vetted.outcome.stdout.matches("same address").count() == 2, "{words}");
    ensure!(vetted.report.findings.is_empty(), "{words}");
    let path = trace_format::run::job::read(&vetted.trace)?.mpi.path;
    ensure!(path == dir.join("libpmpi_abi.so.1").display().to_string(), "the PMPI functions are in {path}");
    let mut calls = Vec::new();
    let mut reader = RankReader::open(&vetted.trace, 0)?;
    reader.writer_is_gone();
    let mut take = |event| {
        if let RankEvent::Call(call) = event {
            calls.push(call.func);
        }
    };
    while reader.poll(64, &mut take)? {}
    let expected = [
        FnId::MPI_Init,
        FnId::MPI_Comm_rank,
        FnId::MPI_Comm_size,
        FnId::MPI_Sendrecv,
        FnId::MPI_Address,
        FnId::MPI_Get_address,
        FnId::MPI_Finalize,
    ];
    ensure!(calls == expected, "recorded: {calls:?}");

    let job = with_libraries(&mpi, &libraries, program.ranks, &deadlock)?;
    let vetted = vet::vet(&job, &dir.join("deadlock"), program.timeout)?;
    let complaints = program.complaints(&vetted.report);
    ensure!(complaints.is_empty(), "{}\n{}", complaints.join("\n"), vet::last_words(&vetted.outcome));
    Ok(())
}
