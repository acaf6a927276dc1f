//! The functions of the table that an MPI library has in each binding, by the symbols of the libraries that a program
//! is linked with.

use super::Binding;
use super::job::is_large;
use anyhow::{Context as _, Result, ensure};
use object::{Object as _, ObjectSymbol as _, SymbolKind};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use trace_format::mpi::{FUNCTIONS, Kind};

/// The functions that a program in `binding` may call, if `program` is such a program.
pub fn functions(program: &Path, binding: Binding) -> Result<BTreeSet<&'static str>> {
    let symbols = symbols(program)?;
    let has = |name: String| symbols.contains(&name);
    let found = FUNCTIONS.iter().filter(|f| match binding {
        Binding::C | Binding::LargeC => has(f.name.to_owned()),
        Binding::MpifH | Binding::UseMpi => has(format!("{}_", f.fortran)),
        Binding::LargeF08 if is_large(f.name) => {
            let base = f.fortran.trim_end_matches("_c");
            ["f08_large_", "f08ts_large_", "c_f08_", "c_f08ts_"].iter().any(|end| has(format!("{base}_{end}")))
        }
        // The functions with a result may be interfaces of C functions.
        Binding::UseMpiF08 | Binding::LargeF08 => {
            has(format!("{}_f08_", f.fortran))
                || has(format!("{}_f08ts_", f.fortran))
                || f.ret != Kind::Code && has(format!("{}_", f.fortran))
        }
    });
    Ok(found.map(|f| f.name).collect())
}

/// Functions that the MPI libraries of a program export.
fn symbols(program: &Path) -> Result<BTreeSet<String>> {
    let mut symbols = BTreeSet::new();
    for library in libraries(program)? {
        let data = std::fs::read(&library)?;
        let file = object::File::parse(&*data).with_context(|| format!("in {}", library.display()))?;
        let functions = file.dynamic_symbols().filter(|s| s.is_definition() && s.kind() == SymbolKind::Text);
        symbols.extend(functions.filter_map(|s| s.name().ok().map(str::to_owned)));
    }
    ensure!(symbols.contains("MPI_Send"), "{} is linked with no MPI library", program.display());
    Ok(symbols)
}

/// The shared libraries of an MPI that the loader finds for a program.
fn libraries(program: &Path) -> Result<Vec<PathBuf>> {
    let output = Command::new("ldd").arg(program).output().context("cannot run ldd")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let paths = text.lines().filter_map(|line| line.split_once("=> ")?.1.split(" (").next());
    let is_mpi = |path: &&str| path.rsplit('/').next().is_some_and(|name| name.starts_with("libmpi"));
    Ok(paths.filter(is_mpi).map(PathBuf::from).collect())
}
