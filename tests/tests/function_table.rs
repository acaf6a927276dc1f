//! Holds the table of MPI functions against two witnesses: the symbols that the MPI libraries on this machine export, and
//! the C compiler with their `mpi.h`.
//!
//! `MPIVET_TEST_LIBS` names further libraries or directories, separated by colons. `MPIVET_TEST_NO_MPI=1` lets the
//! tests pass on a machine without MPI.

use mpivet_tests::mpi::{self, Mpi};
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use trace_format::mpi::table::NOT_FUNCTIONS;
use trace_format::mpi::{Class, Dir, FUNCTIONS, Function, Kind, Param};

#[test]
fn the_table_has_every_function_that_an_mpi_library_exports() {
    let names: BTreeSet<&str> = FUNCTIONS.iter().map(|f| f.name).collect();
    let fortran: BTreeSet<&str> = FUNCTIONS.iter().map(|f| f.fortran).collect();
    assert_eq!(names.len(), FUNCTIONS.len(), "a function has two rows");

    // `MPI_SEND` is a spelling of `mpi_send`; Open MPI has `MPI_Send_f` and `MPI_Send_f08` besides.
    let is_fortran = |name: &str| fortran.contains(name.to_lowercase().as_str()) && name == name.to_uppercase();
    let is_known = |name: &str| names.contains(name) || NOT_FUNCTIONS.contains(&name) || is_fortran(name);
    let is_open_mpi_fortran = |name: &str| {
        let stem = name.strip_suffix("_f08").or_else(|| name.strip_suffix("_f"));
        stem.is_some_and(|stem| is_known(stem) || is_known(&stem.to_uppercase()))
    };

    let libraries = mpi_libraries();
    assert!(!libraries.is_empty() || no_mpi_expected(), "found no MPI library; MPIVET_TEST_NO_MPI=1 accepts that");
    let mut unknown: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for (path, symbols) in libraries {
        for symbol in symbols {
            if !symbol.starts_with("MPI_T_") && !is_known(&symbol) && !is_open_mpi_fortran(&symbol) {
                unknown.entry(symbol).or_default().push(path.clone());
            }
        }
    }
    assert!(unknown.is_empty(), "exported, and neither in the table nor in NOT_FUNCTIONS: {unknown:#?}");
}

#[test]
fn not_functions_have_no_row() {
    for f in FUNCTIONS {
        assert!(!NOT_FUNCTIONS.contains(&f.name), "{}", f.name);
        assert_eq!(f.fortran, f.name.to_lowercase());
    }
}

#[test]
fn the_c_compiler_agrees_with_every_signature() {
    for mpi in mpi::required().into_iter().chain(mpi::others()) {
        let compiler = mpi.name;
        let declared = declared_functions(&mpi);
        let rows: Vec<&Function> = FUNCTIONS.iter().filter(|f| declared.contains(f.name)).collect();
        assert!(rows.len() > 300, "{compiler} declares only {} functions of the table", rows.len());

        let mut errors = compile(&mpi, &signature_checks(&rows));
        for canary in ["canary_pointer", "canary_value", "canary_call"] {
            assert!(errors.remove(canary).is_some(), "{compiler} accepts a wrong signature ({canary}): {errors:#?}");
        }
        assert!(errors.is_empty(), "{compiler} contradicts these rows: {errors:#?}");
    }
}

/// A C file that does not compile if a row is wrong. Every row is in a file of its own name, for the error messages.
fn signature_checks(rows: &[&Function]) -> String {
    // Without `const` the type of a function can be compared as a whole.
    let mut c = String::from(
        "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#define const\n#include <mpi.h>\n",
    );
    for f in rows {
        writeln!(c, "#line 1 \"{}\"\n{}", f.name, signature_check(f)).unwrap();
    }
    c + "#line 1 \"canary_pointer\"\nint (*canary_pointer)(MPI_Comm, MPI_Aint*) = MPI_Comm_size;\n\
         #line 1 \"canary_value\"\nint (*canary_value)(int*, int, MPI_Comm) = MPI_Pcontrol;\n\
         #line 1 \"canary_call\"\nvoid canary_call(void) { (MPI_Op_create)((void*)0, *(MPI_Aint*)0, (MPI_Op*)0); }\n"
}

fn signature_check(f: &Function) -> String {
    let name = f.name;
    let types: Vec<String> = f.params.iter().map(c_type).collect();
    // A callback stands for any function and an opaque pointer for any data: a call converts them.
    if f.params.iter().any(|p| matches!(p.kind, Kind::Callback | Kind::Opaque)) {
        let arguments: Vec<String> =
            types.iter().map(|t| if t == "void*" { "(void*)0".to_owned() } else { format!("*({t}*)0") }).collect();
        return format!("{} check_{name}(void) {{ return ({name})({}); }}", f.ret.c_type(), arguments.join(", "));
    }
    let parameters = match (f.class, types.as_slice()) {
        (_, []) => "void".to_owned(),
        (Class::Pcontrol, types) => format!("{}, ...", types.join(", ")),
        (_, types) => types.join(", "),
    };
    format!("{} (*check_{name})({parameters}) = {name};", f.ret.c_type())
}

/// C type of an argument, without `const`.
fn c_type(p: &Param) -> String {
    let value = p.kind.c_type();
    match p.dir {
        _ if p.kind.is_address() => value.to_owned(),
        _ if p.len.starts_with('3') => format!("{value} (*)[3]"),
        Dir::In if p.len.is_empty() => value.to_owned(),
        _ => format!("{value}*"),
    }
}

/// Options that make Open MPI declare the functions removed from the standard, and a wrong signature an error.
const OPTIONS: &[&str] = &[
    "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0",
    "-std=gnu11",
    "-fsyntax-only",
    "-Wno-deprecated-declarations",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Werror=conversion",
];

/// Compiles `source` and returns the errors by the name of the row.
fn compile(mpi: &Mpi, source: &str) -> BTreeMap<String, Vec<String>> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("signatures.c");
    std::fs::write(&file, source).unwrap();
    let output = mpi.compiler(&mpi.mpicc).env("LC_ALL", "C").args(OPTIONS).arg(&file).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (place, message) in messages.lines().filter_map(|l| l.split_once(" error: ")) {
        let row = place.split(':').next().unwrap_or_default();
        errors.entry(row.to_owned()).or_default().push(message.to_owned());
    }
    errors
}

/// Names of the functions that `mpi.h` declares, not counting macros.
fn declared_functions(mpi: &Mpi) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("header.c");
    std::fs::write(&file, "#include <mpi.h>\n").unwrap();
    let output = mpi.compiler(&mpi.mpicc).args([OPTIONS[0], "-E", "-P"]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{} -E: {}", mpi.name, String::from_utf8_lossy(&output.stderr));
    let declaration = regex::Regex::new(r"\b(MPIX?_\w+)\s*\(").unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    declaration.captures_iter(&text).map(|c| c[1].to_owned()).collect()
}

fn no_mpi_expected() -> bool {
    std::env::var_os("MPIVET_TEST_NO_MPI").is_some_and(|v| v == "1")
}

/// The MPI libraries of this machine with the MPI functions that they export.
fn mpi_libraries() -> Vec<(PathBuf, BTreeSet<String>)> {
    let mut files = BTreeSet::new();
    for prefix in ["/usr", "/usr/local"] {
        for lib in [format!("lib/{}-linux-gnu", std::env::consts::ARCH), "lib64".to_owned(), "lib".to_owned()] {
            find_libraries(&Path::new(prefix).join(lib), 2, &mut files);
        }
    }
    find_libraries(Path::new("/opt"), 6, &mut files);
    if let Some(home) = std::env::var_os("HOME") {
        find_libraries(Path::new(&home), 5, &mut files);
    }
    for path in std::env::split_paths(&std::env::var_os("MPIVET_TEST_LIBS").unwrap_or_default()) {
        find_libraries(&path, 4, &mut files);
    }
    for mpi in mpi::others() {
        find_libraries(&mpi.lib, 1, &mut files);
    }
    files.into_iter().filter_map(|path| Some((path.clone(), mpi_functions(&path)?))).collect()
}

/// Adds the shared libraries named like one of MPI in a directory, so many levels deep, or the one file.
fn find_libraries(path: &Path, depth: usize, files: &mut BTreeSet<PathBuf>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.is_file() {
        if name.starts_with("libmpi") && name.contains(".so") {
            files.extend(path.canonicalize());
        }
    } else if depth > 0
        && let Ok(entries) = std::fs::read_dir(path)
    {
        for entry in entries.flatten() {
            let is_link_to_dir = entry.path().is_symlink() && entry.path().is_dir();
            if !is_link_to_dir && entry.file_name() != "target" {
                find_libraries(&entry.path(), depth - 1, files);
            }
        }
    }
}

/// MPI functions that a shared library exports; none if it is no MPI library.
fn mpi_functions(path: &Path) -> Option<BTreeSet<String>> {
    let data = std::fs::read(path).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let functions: BTreeSet<String> = file
        .dynamic_symbols()
        .filter(|s| s.is_definition() && s.kind() == SymbolKind::Text)
        .filter_map(|s| s.name().ok())
        .filter(|name| name.starts_with("MPI_") || name.starts_with("MPIX_"))
        .map(str::to_owned)
        .collect();
    (!functions.is_empty()).then_some(functions)
}
