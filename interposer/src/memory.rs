//! Memory of the program that may not be there: it is read by the kernel, which says so instead of ending the process.

/// Copies from `address` into `into`. False if not all of it can be read.
pub(crate) fn read(address: u64, into: &mut [u8]) -> bool {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: into.len() };
    // SAFETY: the local vector is a live slice; the kernel checks the other one.
    let n = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    usize::try_from(n).is_ok_and(|n| n == into.len())
}

/// A C string of at most `most` bytes.
pub(crate) fn read_text(address: u64, most: usize) -> Option<String> {
    /// No page is smaller, so that no read goes beyond the end of the string into the next one.
    const STEP: u64 = 64;
    let mut text = Vec::new();
    let mut at = address;
    while text.len() < most {
        let mut part = [0u8; STEP as usize];
        let part = part.get_mut(..(STEP - at % STEP) as usize)?;
        if !read(at, part) {
            return None;
        }
        if let Some(end) = part.iter().position(|b| *b == 0) {
            text.extend_from_slice(part.get(..end)?);
            break;
        }
        text.extend_from_slice(part);
        at += part.len() as u64;
    }
    text.truncate(most);
    Some(String::from_utf8_lossy(&text).into_owned())
}
