//! A file that others see whole or not at all: its text goes to a new file beside it, which then takes its name. Devices
//! and pipes are written to as they are.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::{Path, PathBuf};

/// Links that are followed one after the other: as many as the system follows.
const MAX_LINKS: usize = 40;

/// The file that a text replaces.
pub(crate) enum Target {
    /// The file with this name is replaced; links are followed.
    Replaced(PathBuf),
    /// Opened already: a device, a pipe, a descriptor, or a file in a directory that takes no other one.
    Opened(File),
}

impl Target {
    /// Checks that `path` can be written to, and does not change the file.
    pub(crate) fn new(path: &Path) -> io::Result<Target> {
        let place = followed(path)?;
        if is_descriptor(&place) {
            return OpenOptions::new().append(true).open(&place).map(Target::Opened);
        }
        match fs::metadata(&place) {
            Ok(meta) if meta.is_file() => {
                let file = OpenOptions::new().write(true).open(&place)?;
                Ok(if NewFile::beside(&place).is_ok() { Target::Replaced(place) } else { Target::Opened(file) })
            }
            // A directory fails here, with a message that says so.
            Ok(_) => OpenOptions::new().write(true).open(&place).map(Target::Opened),
            Err(e) if e.kind() == ErrorKind::NotFound => NewFile::beside(&place).map(|_| Target::Replaced(place)),
            Err(e) => Err(e),
        }
    }

    pub(crate) fn write(&self, text: &[u8]) -> io::Result<()> {
        match self {
            Target::Replaced(place) => NewFile::beside(place)?.become_(place, text),
            Target::Opened(file) => {
                let is_file = file.metadata().is_ok_and(|meta| meta.is_file());
                write_all(file, text)?;
                // The rest of an earlier, longer report is behind the text.
                if is_file && file.metadata()?.len() > text.len() as u64 { cut_behind(file) } else { Ok(()) }
            }
        }
    }
}

/// Cuts the file at the position up to which this process has written.
fn cut_behind(mut file: &File) -> io::Result<()> {
    let at = io::Seek::stream_position(&mut file)?;
    file.set_len(at)
}

/// Writes and waits until it is stored: some file systems tell only then that there is no room.
fn write_all(mut file: &File, text: &[u8]) -> io::Result<()> {
    file.write_all(text)?;
    match file.sync_all() {
        // Pipes and devices need no such thing.
        Err(e) if !matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Err(e),
        _ => Ok(()),
    }
}

/// The new file, which is removed unless it takes the place of the old one.
struct NewFile {
    path: PathBuf,
    file: File,
}

impl NewFile {
    fn beside(place: &Path) -> io::Result<NewFile> {
        if place.file_name().is_none() {
            return Err(ErrorKind::IsADirectory.into());
        }
        for number in 0..100 {
            let path = place.with_file_name(format!(".mpivet-{}-{number}.new", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|file| NewFile { path, file }),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    fn become_(self, place: &Path, text: &[u8]) -> io::Result<()> {
        if let Ok(old) = fs::metadata(place) {
            self.resemble(&old);
        }
        write_all(&self.file, text)?;
        fs::rename(&self.path, place)
    }

    /// Gives the new file the permissions of the old one, as far as this process can.
    fn resemble(&self, old: &Metadata) {
        _ = self.file.set_permissions(old.permissions());
        if self.file.metadata().is_ok_and(|new| (new.uid(), new.gid()) != (old.uid(), old.gid())) {
            _ = fchown(&self.file, Some(old.uid()), Some(old.gid()));
        }
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Once it has its name, there is no file of this one.
        _ = fs::remove_file(&self.path);
    }
}

/// The file that a path leads to: its last name is no link. It need not be there.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        // The names of descriptors are links, too, but where they lead is not always a file.
        if is_descriptor(&place) {
            return Ok(place);
        }
        match fs::read_link(&place) {
            Ok(target) => place = directory_of(&place).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// `/dev/stdout`, `/dev/fd/3`: a file that somebody has opened, and goes on to write to.
fn is_descriptor(path: &Path) -> bool {
    let dir = directory_of(path).canonicalize().unwrap_or_default();
    let parts: Vec<OsString> = dir.iter().map(OsString::from).collect();
    parts.get(1).is_some_and(|first| first == "proc") && parts.last().is_some_and(|last| last == "fd")
}

/// The directory that a name is in.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn scene(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("mpivet-replaced-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).unwrap();
        dir
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_there_before_the_text_is_and_the_old_one_stays() {
        let dir = scene("whole");
        let (new, old) = (dir.join("new"), dir.join("old"));
        fs::write(&old, "what was").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        let targets = (Target::new(&new).unwrap(), Target::new(&old).unwrap());
        assert_eq!((names(&dir), fs::read_to_string(&old).unwrap()), (vec!["old".to_owned()], "what was".to_owned()));
        targets.0.write(b"1").unwrap();
        targets.1.write(b"2").unwrap();
        assert_eq!((fs::read(&new).unwrap(), fs::read(&old).unwrap()), (b"1".to_vec(), b"2".to_vec()));
        assert_eq!(fs::metadata(&old).unwrap().mode() & 0o777, 0o640);
        assert_eq!(names(&dir), ["new", "old"]);
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn links_stay_links_also_those_that_lead_nowhere_yet() {
        let dir = scene("links");
        fs::create_dir(dir.join("there")).unwrap();
        symlink("there/file", dir.join("inner")).unwrap();
        symlink("inner", dir.join("outer")).unwrap();
        for text in ["first", "second"] {
            Target::new(&dir.join("outer")).unwrap().write(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(dir.join("there/file")).unwrap(), text);
            assert!(fs::symlink_metadata(dir.join("outer")).unwrap().is_symlink());
        }
        symlink("round", dir.join("round")).unwrap();
        assert!(Target::new(&dir.join("round")).is_err());
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn devices_are_written_to_and_directories_are_not() {
        assert!(matches!(Target::new(Path::new("/dev/null")), Ok(Target::Opened(_))));
        let full = Target::new(Path::new("/dev/full")).unwrap().write(b"x");
        assert_eq!(full.map_err(|e| e.kind()), Err(ErrorKind::StorageFull));
        let dir = scene("wrong");
        for wrong in [dir.clone(), dir.join("no/file"), dir.join("..")] {
            assert!(Target::new(&wrong).is_err(), "{}", wrong.display());
        }
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_descriptor_keeps_what_was_written_before() {
        let dir = scene("descriptor");
        let file = File::create(dir.join("log")).unwrap();
        (&file).write_all(b"before, ").unwrap();
        let name = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
        Target::new(Path::new(&name)).unwrap().write(b"after").unwrap();
        assert_eq!(fs::read_to_string(dir.join("log")).unwrap(), "before, after");
        fs::remove_dir_all(&dir).unwrap();
    }
}
