//! The descriptors of the trace's files. Programs close descriptors that they have not opened (a daemon all of them), and what
//! they open next gets their numbers: a block of the trace in a file of the program would be the worst that could happen.
//! So they are looked at before every write.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::fd::{AsRawFd, FromRawFd as _, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The identity of a file, which tells it from others, whatever its descriptor is called.
pub(crate) struct Identity {
    device: libc::dev_t,
    inode: libc::ino_t,
    path: CString,
}

impl Identity {
    pub(crate) fn of(file: &File, path: &Path) -> io::Result<Identity> {
        let status = status(file.as_raw_fd()).ok_or_else(io::Error::last_os_error)?;
        Ok(Identity { device: status.st_dev, inode: status.st_ino, path: CString::new(path.as_os_str().as_bytes())? })
    }

    /// The size of the file; `None` if the descriptor is not one of this file. Safe in a signal handler.
    pub(crate) fn size_by(&self, fd: RawFd) -> Option<u64> {
        let status = status(fd)?;
        ((status.st_dev, status.st_ino) == (self.device, self.inode)).then_some(status.st_size as u64)
    }

    /// Opens the file again, for appending; also its size. Safe in a signal handler.
    pub(crate) fn open(&self) -> io::Result<(RawFd, u64)> {
        let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CLOEXEC | libc::O_NOFOLLOW;
        // SAFETY: the path is a C string.
        let fd = unsafe { libc::open(self.path.as_ptr(), flags) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let Some(size) = self.size_by(fd) else {
            // SAFETY: the descriptor was opened here.
            unsafe { libc::close(fd) };
            return Err(io::Error::from_raw_os_error(libc::ESTALE));
        };
        Ok((duplicate_far_up(fd).unwrap_or(fd), size))
    }
}

/// A file of the trace with its descriptor, which the program may have closed.
pub(crate) struct Kept {
    file: ManuallyDrop<File>,
    identity: Identity,
}

impl Kept {
    /// The file at `path`, which was just opened, under a number far up.
    pub(crate) fn new(file: File, path: &Path) -> io::Result<Kept> {
        let identity = Identity::of(&file, path)?;
        Ok(Kept { file: ManuallyDrop::new(far_up(file)), identity })
    }

    /// The file, opened again if the program has closed it, and its size.
    pub(crate) fn look(&mut self) -> io::Result<(&File, u64)> {
        let size = match self.size_if_ours() {
            Some(size) => size,
            None => {
                let (fd, size) = self.identity.open()?;
                // SAFETY: the descriptor was opened just now and belongs to nobody else.
                self.file = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
                size
            }
        };
        Ok((&self.file, size))
    }

    fn size_if_ours(&self) -> Option<u64> {
        self.identity.size_by(self.file.as_raw_fd())
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // Otherwise the number belongs to the program, or to nobody.
        if self.size_if_ours().is_some() {
            // SAFETY: it is dropped once, and not used again.
            unsafe { ManuallyDrop::drop(&mut self.file) };
        }
    }
}

fn status(fd: RawFd) -> Option<libc::stat> {
    let mut status = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the place is valid, and all zero is a valid value.
    unsafe { (libc::fstat(fd, status.as_mut_ptr()) == 0).then(|| status.assume_init()) }
}

/// Gives the file a number that programs do not count on: the lowest ones are what open(2) gives them without this library.
pub(crate) fn far_up(file: File) -> File {
    use std::os::fd::IntoRawFd as _;
    let fd = file.into_raw_fd();
    // SAFETY: the descriptor is ours alone, the old one or its duplicate.
    unsafe { File::from_raw_fd(duplicate_far_up(fd).unwrap_or(fd)) }
}

/// The kernel's table of descriptors does not grow beyond that of a process that may have 1024.
const MOST: libc::rlim_t = 1024;
/// So far below the largest.
const BELOW: libc::rlim_t = 64;

/// Has the kernel make its table of descriptors as large as it will be. To be called while the process has one thread: with
/// several the kernel waits some 15 ms until no processor looks at the smaller one.
pub fn make_room() {
    if let Ok(nothing) = File::open("/dev/null") {
        drop(far_up(nothing));
    }
}

/// Moves a descriptor; `None`, and it stays, if there is no room.
fn duplicate_far_up(fd: RawFd) -> Option<RawFd> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for the result.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    let lowest = limit.rlim_cur.min(MOST).checked_sub(BELOW).filter(|n| *n >= BELOW)?;
    // SAFETY: the descriptor was opened by us; the new number is given by the system.
    unsafe {
        let moved = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, lowest as libc::c_int);
        if moved < 0 {
            return None;
        }
        libc::close(fd);
        Some(moved)
    }
}
