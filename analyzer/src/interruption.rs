//! That the user has interrupted a job stands in the directory of its traces: what ranks did not do then is no mistake.

use std::io;
use std::path::{Path, PathBuf};

fn path(dir: &Path) -> PathBuf {
    dir.join("interrupted")
}

/// That a job was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interruption {
    pub signal: i32,
    /// It was later than this, in nanoseconds since 1970: what had ended by then was not interrupted. 0: not known.
    pub after_unix_ns: u64,
}

/// Says that the job was interrupted.
pub fn tell(dir: &Path, Interruption { signal, after_unix_ns }: Interruption) -> io::Result<()> {
    trace_format::owner_only::write(&path(dir), format!("{signal} {after_unix_ns}\n").as_bytes())
}

/// How the job was interrupted, if it was.
pub fn of(dir: &Path) -> Option<Interruption> {
    let text = std::fs::read_to_string(path(dir)).ok()?;
    let mut words = text.split_whitespace();
    let signal = words.next()?.parse().ok()?;
    let after_unix_ns = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    Some(Interruption { signal, after_unix_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read() {
        let dir = std::env::temp_dir().join(format!("mpivet-interruption-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let told = Interruption { signal: 2, after_unix_ns: 1_700_000_000_000_000_001 };
        assert_eq!(of(&dir), None);
        tell(&dir, told).unwrap();
        assert_eq!(of(&dir), Some(told));
        std::fs::write(path(&dir), "15").unwrap();
        assert_eq!(of(&dir), Some(Interruption { signal: 15, after_unix_ns: 0 }));
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
