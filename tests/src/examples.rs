//! The programs of `examples/`.

use crate::compile;
use crate::expect::Program;
use crate::root;
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};

/// All of them, in the order of their names.
pub fn programs() -> Result<Vec<Program>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for dir in std::fs::read_dir(root().join("examples")).context("examples/")? {
        let dir = dir?.path();
        if dir.is_dir() {
            for file in std::fs::read_dir(&dir)? {
                paths.push(file?.path());
            }
        }
    }
    paths.retain(|path| compile::is_source(path));
    paths.sort();
    paths.iter().map(|path| Program::read(path)).collect()
}

/// `real-deadlock/bug`.
pub fn name_of(path: &Path) -> Result<String> {
    let relative = path.strip_prefix(root().join("examples"))?;
    Ok(relative.with_extension("").display().to_string())
}

/// Is it a program with a mistake?
pub fn is_bug(program: &Program) -> bool {
    program.path.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("bug"))
}

/// The correct twin of a program with a mistake: `fixed-threads.c` of `bug-threads.c`, or else `fixed.c`.
pub fn twin_of(bug: &Program) -> Option<PathBuf> {
    let name = bug.path.file_name()?.to_str()?;
    let twin = bug.path.with_file_name(name.replacen("bug", "fixed", 1));
    let plain = bug.path.with_file_name(format!("fixed.{}", bug.path.extension()?.to_str()?));
    [twin, plain].into_iter().find(|path| path.is_file())
}
