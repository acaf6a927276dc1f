//! Sources that are no longer where the compiler found them: searched below the directories of `--source-path`, by as
//! much of the end of their path as there is.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Files and directories looked at below the directories: somebody may have named his home.
const MAX_ENTRIES: usize = 200_000;

/// The directories to search.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    directories: Vec<PathBuf>,
    /// Files below them by name, once somebody asks.
    files: Option<HashMap<OsString, Vec<PathBuf>>>,
    found: HashMap<PathBuf, Option<PathBuf>>,
}

impl Moved {
    pub(crate) fn search_in(&mut self, directories: Vec<PathBuf>) {
        *self = Moved { directories, ..Moved::default() };
    }

    /// The file that `path` has become: the one whose path has the longest end in common with it. `None` if two have
    /// equally long ones.
    pub(crate) fn find(&mut self, path: &Path) -> Option<PathBuf> {
        if self.directories.is_empty() {
            return None;
        }
        if let Some(known) = self.found.get(path) {
            return known.clone();
        }
        let directories = &self.directories;
        let files = self.files.get_or_insert_with(|| files_below(directories));
        let candidates = path.file_name().and_then(|name| files.get(name)).map(Vec::as_slice).unwrap_or_default();
        let most = candidates.iter().map(|c| common_end(c, path)).max().unwrap_or(0);
        let mut best = candidates.iter().filter(|c| common_end(c, path) == most);
        let found = best.next().filter(|_| best.next().is_none()).cloned();
        self.found.insert(path.to_owned(), found.clone());
        found
    }
}

/// Names that two paths have in common at their ends.
fn common_end(a: &Path, b: &Path) -> usize {
    a.components().rev().zip(b.components().rev()).take_while(|(a, b)| a == b).count()
}

fn files_below(directories: &[PathBuf]) -> HashMap<OsString, Vec<PathBuf>> {
    let mut files: HashMap<OsString, Vec<PathBuf>> = HashMap::new();
    let mut open: Vec<PathBuf> = directories.to_vec();
    let mut left = MAX_ENTRIES;
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            let Some(fewer) = left.checked_sub(1) else { return files };
            left = fewer;
            let (name, path) = (entry.file_name(), entry.path());
            match entry.file_type() {
                // Links to directories may lead around in circles.
                Ok(kind) if kind.is_dir() && !is_hidden(&name) => open.push(path),
                Ok(kind) if !kind.is_dir() => {
                    let known = files.entry(name).or_default();
                    if !known.contains(&path) {
                        known.push(path);
                    }
                }
                _ => {}
            }
        }
    }
    files
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_longest_end_of_the_path_decides() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for file in ["new/src/halo.c", "new/tests/halo.c", "new/one/main.c", "new/two/main.c", "new/.git/only.c"] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::write(at(file), "").unwrap();
        }
        let mut moved = Moved::default();
        assert_eq!(moved.find(Path::new("/old/src/halo.c")), None, "nothing is searched");
        moved.search_in(vec![at("new"), at("new/src")]);
        for (old, new) in [
            ("/old/src/halo.c", Some("new/src/halo.c")),
            ("/old/tests/halo.c", Some("new/tests/halo.c")),
            ("/old/one/main.c", Some("new/one/main.c")),
            // Both have equally long ends in common.
            ("/old/main.c", None),
            ("/old/only.c", None),
            ("/old/nothing.c", None),
        ] {
            assert_eq!(moved.find(Path::new(old)), new.map(at), "{old}");
        }
    }
}
