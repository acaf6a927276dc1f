//! Calls that an earlier run suspects, as `mpivet run --precise-from` hands them to the processes: one variable, which needs no
//! file that all nodes have.

use std::collections::BTreeSet;

/// Calls whose buffers are to be watched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suspects {
    /// Each as [`of_code`] or [`of_script`] names it.
    pub calls: BTreeSet<String>,
    /// Windows are to be watched, too.
    pub windows: bool,
}

const WINDOWS: &str = "windows";
/// Between the words; it is no part of them.
const SEPARATOR: char = ';';

/// The name of a call in compiled code: its module, and the offset of an instruction of it.
pub fn of_code(module: &str, offset: u64) -> String {
    format!("{}+{offset:#x}", last_part(module))
}

/// The name of a call in a script.
pub fn of_script(file: &str, line: u32) -> String {
    format!("{}:{line}", last_part(file))
}

fn last_part(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).replace(SEPARATOR, "_")
}

impl Suspects {
    /// Reads what [`Suspects::text`] has written.
    pub fn read(text: &str) -> Suspects {
        let words = || text.split(SEPARATOR).filter(|word| !word.is_empty());
        let calls = words().filter(|word| *word != WINDOWS).map(str::to_owned).collect();
        Suspects { calls, windows: words().any(|word| word == WINDOWS) }
    }

    /// All of them in one line.
    pub fn text(&self) -> String {
        let windows = self.windows.then_some(WINDOWS);
        let words: Vec<&str> = self.calls.iter().map(String::as_str).chain(windows).collect();
        words.join(&SEPARATOR.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let calls = BTreeSet::from([of_code("/a;b/c;d", 0x12), of_script("dir/run.py", 7)]);
        assert_eq!(calls.iter().collect::<Vec<_>>(), ["c_d+0x12", "run.py:7"]);
        for windows in [true, false] {
            let suspects = Suspects { calls: calls.clone(), windows };
            assert_eq!(Suspects::read(&suspects.text()), suspects);
        }
        assert_eq!(Suspects::read(""), Suspects::default());
    }
}
