//! Files of a trace directory: for their owner alone. What somebody else has put in their place is never followed to
//! another file, nor written to.

use serde::Serialize;
use std::fs::{DirBuilder, File, OpenOptions, Permissions, remove_file, set_permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// Rights of a file: what a program sends may be nobody else's business.
pub const MODE: u32 = 0o600;
/// Rights of a directory.
const DIRECTORY_MODE: u32 = 0o700;

/// Makes a directory and those above it, as far as they are not there. The owner may use them whatever the program's umask
/// says.
pub fn make_dir(path: &Path) -> io::Result<()> {
    match make_one_dir(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => match path.parent() {
            Some(above) if above != Path::new("") => {
                make_dir(above)?;
                // Once: there are places where nothing can be made.
                make_one_dir(path)
            }
            _ => Err(e),
        },
        made => made,
    }
}

/// Makes a directory that must not be there.
pub fn make_new_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(DIRECTORY_MODE).create(path)?;
    set_permissions(path, Permissions::from_mode(DIRECTORY_MODE))
}

fn make_one_dir(path: &Path) -> io::Result<()> {
    match make_new_dir(path) {
        Ok(()) => Ok(()),
        Err(_) if path.is_dir() => Ok(()),
        Err(e) => Err(e),
    }
}

/// Makes a file that must not be there, readable whatever the program's umask says.
pub fn create_new(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.create_new(true).mode(MODE).open(path)?;
    file.set_permissions(Permissions::from_mode(MODE))?;
    Ok(file)
}

/// Makes a file in the place of what is there: a link is replaced, not followed.
pub fn make_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    match remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    create_new(path, options)
}

/// Makes a file with these contents in the place of what is there.
pub fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    make_file(path, OpenOptions::new().write(true))?.write_all(contents)
}

/// Writes JSON that people may read, too.
pub fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    write(path, (serde_json::to_string_pretty(value)? + "\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_replaced_and_others_may_not_read() {
        let dir = std::env::temp_dir().join(format!("mpivet-private-{}", std::process::id()));
        make_dir(&dir.join("a/b")).unwrap();
        let (victim, link) = (dir.join("victim"), dir.join("a/b/link"));
        std::fs::write(&victim, "whole").unwrap();
        symlink(&victim, &link).unwrap();
        write(&link, b"new").unwrap();
        let mode = |path: &Path| std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(&dir.join("a/b")), mode(&link)), (0o700, 0o700, 0o600));
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "whole");
        assert_eq!(std::fs::read_to_string(&link).unwrap(), "new");
        assert!(make_dir(Path::new("/proc/nobody/can/make")).is_err());
        // Not a file: nothing is taken away.
        assert!(write(&dir.join("a"), b"x").is_err() && dir.join("a/b").is_dir());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
