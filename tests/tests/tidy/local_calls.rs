//! Functions of the MPI library that the interposer calls by itself need no other process: else it could hold up a program that
//! would go on without it.

use super::{files, names::production};
use anyhow::{Context as _, Result, ensure};
use regex::Regex;
use trace_format::mpi::{Class, FnId};

/// Measures what the library buffers, by messages between processes: `--probe-limits`, when a user asks for it.
const MESSAGES: &str = "interposer/src/process/buffer_limit.rs";
/// Ends the program where its error handler would.
const ENDING: &str = "interposer/src/process/errors/ending.rs";

/// Does no function of the class wait for other processes, or send them anything?
fn is_local(class: Class) -> bool {
    matches!(class, Class::Local | Class::Create | Class::Free | Class::GetStatus(_))
}

#[test]
fn only_local_functions_are_called() -> Result<()> {
    // `real::call(FnId::MPI_Type_size, ...)`, and what calls it for its callers: `ask`, `handle_out`, `text`.
    let call = Regex::new(r"\b(?:call|call_long|ask|handle_out|text|succeeds)\(\s*(?:[\w:]+,\s*)*FnId::(\w+)")?;
    let mut called = 0;
    let mut wrong = Vec::new();
    for path in files("rs")?.into_iter().filter(|path| path.starts_with("interposer/src/") && path != MESSAGES) {
        for found in call.captures_iter(&production(&path)?) {
            let function = FnId::by_name(&found[1]).with_context(|| format!("{path}: {}", &found[1]))?;
            let ends = path == ENDING && function == FnId::MPI_Abort;
            if !is_local(function.row().class) && !ends {
                wrong.push(format!("{path}: {}", function.name()));
            }
            called += 1;
        }
    }
    ensure!(wrong.is_empty(), "these are not local: {wrong:?}");
    ensure!(called > 40, "{called} calls were found: are they written in another way now?");
    Ok(())
}
