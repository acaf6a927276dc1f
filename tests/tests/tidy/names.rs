//! The row of a function says what it is: nobody finds it out by its name.

use super::{files, text};
use anyhow::{Result, ensure};
use trace_format::mpi::FUNCTIONS;

/// Files that look symbols up in libraries and programs by their names.
const SYMBOLS: [&str; 4] = [
    "interposer/src/mpi/emulated.rs",
    "interposer/src/mpi/library.rs",
    "interposer/src/mpi/origin.rs",
    "team/src/library.rs",
];
/// The rows themselves, and what turns names into rows.
const TABLE: &str = "trace-format/src/mpi/";
/// Programs and tests.
const OTHERS: [&str; 4] = ["examples/", "fuzz/", "loom/", "tests/"];

/// The text of a source file up to its tests; none if it is one of tests.
pub(super) fn production(path: &str) -> Result<String> {
    let is_test = path.ends_with("tests.rs")
        || ["/tests/", "/benches/", "/examples/", "/testing."].iter().any(|d| path.contains(d));
    let text = if is_test { String::new() } else { text(path)? };
    Ok(text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned())
}

/// `FnId::MPI_Send` and its row say the same as the name, and the compiler knows them.
#[test]
fn no_function_is_known_by_its_name() -> Result<()> {
    let mut wrong = Vec::new();
    for path in files("rs")? {
        let is_other = OTHERS.iter().any(|dir| path.starts_with(dir));
        if is_other || path.starts_with(TABLE) || SYMBOLS.contains(&path.as_str()) {
            continue;
        }
        for (line, number) in production(&path)?.lines().zip(1..) {
            let code = if line.trim_start().starts_with("//") { "" } else { line };
            let names = FUNCTIONS.iter().map(|row| row.name);
            let named = code.contains("\"MPI") && names.into_iter().any(|name| code.contains(&format!("\"{name}\"")));
            // Extensions, and functions for large counts: `Function::is_extension`, `with_small_counts`.
            if named || code.contains("with(\"MPIX_") {
                wrong.push(format!("{path}:{number}: {}", code.trim()));
            }
        }
    }
    ensure!(wrong.is_empty(), "ask the row, or name the function by `FnId`:\n{}", wrong.join("\n"));
    Ok(())
}
