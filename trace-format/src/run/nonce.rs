//! Is the directory of the traces the one that `mpivet run` has made, or only one with its name? On nodes that do not share it,
//! each has one of its own. The command leaves a random number in it and in the environment of the job.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Environment variable: the number.
pub const NONCE: &str = "MPIVET_NONCE";

/// Bytes of a number, and twice the digits.
const BYTES: usize = 16;

fn path(dir: &Path) -> PathBuf {
    dir.join("nonce")
}

/// Leaves a new number in the directory; the number.
pub fn leave(dir: &Path) -> io::Result<String> {
    let mut bytes = [0; BYTES];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let number: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    crate::owner_only::write(&path(dir), number.as_bytes())?;
    Ok(number)
}

/// Is it the directory with this number?
pub fn is_in(dir: &Path, number: &str) -> bool {
    let is_there =
        || crate::untrusted::read(&path(dir), 2 * BYTES as u64).is_ok_and(|there| there == number.as_bytes());
    // A network file system may remember for a while that there was none, until the directory is opened.
    is_there() || fs::read_dir(dir).is_ok() && is_there()
}

/// Takes it away.
pub fn remove(dir: &Path) {
    _ = fs::remove_file(path(dir));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_that_of_one_directory() {
        let dir = std::env::temp_dir().join(format!("mpivet-nonce-{}", std::process::id()));
        let [one, other] = ["one", "other"].map(|name| dir.join(name));
        [&one, &other].into_iter().for_each(|dir| crate::owner_only::make_dir(dir).unwrap());
        let number = leave(&one).unwrap();
        assert!(number.len() == 2 * BYTES && is_in(&one, &number) && !is_in(&other, &number));
        assert_ne!(leave(&other).unwrap(), number);
        assert!(!is_in(&other, &number));
        remove(&one);
        assert!(!is_in(&one, &number) && fs::read_dir(&one).unwrap().next().is_none());
        fs::remove_dir_all(&dir).unwrap();
    }
}
