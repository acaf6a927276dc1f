//! Files that a trace names, or that are in the directory of one: it may come from somebody else, and name a device or a
//! pipe, which has no end or never begins.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Opens a file to read it, if it is an ordinary one.
pub fn open(path: &Path) -> Result<File> {
    // Before it is opened, which may take for ever.
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no ordinary file"));
    }
    File::open(path)
}

/// Reads a file that has at most so many bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Files of the system have more than they say.
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read() {
        assert!(read(Path::new("/dev/zero"), 10).is_err());
        assert!(read(Path::new("/proc/self"), 10).is_err());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(read(&file, 10).is_err());
        assert!(read(&file, 1 << 20).is_ok_and(|bytes| bytes.len() > 10));
    }
}
